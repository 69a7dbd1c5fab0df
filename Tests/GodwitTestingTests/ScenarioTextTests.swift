import GodwitModel
import GodwitTesting
import Testing

@Suite("The text of a scenario")
struct ScenarioTextTests {
  @Test(
    "an error is reported with its line and the valid forms",
    arguments: [
      ("title a\n08:00 home\nwlak 5m north", "line 3: \"wlak\" does not begin a line; a line begins with a time"),
      ("title a\nwalk north", "line 2: expected a time such as 20m or 1h30m, not \"north\""),
      ("title a\nwalk 5m", "line 2: expected a direction, or course and degrees, (east, north"),
      ("title a\nwalk 5m at 3 north", "line 2: expected m/s or km/h after the number, not \"north\""),
      ("title a\nwalk 5m at 900 m/s north", "line 2: expected a speed of 0 to 320 m/s"),
      ("title a\nstay 5m undersea", "line 2: expected an environment (canyon, flight"),
      ("title a\nstay 5m\n08:00 home", "line 3: \"home\" must be before the first line of the day: a home, a part of the route"),
      ("title a\n08:00 home 91 0", "line 2: expected a latitude of -90 to 90"),
      ("title a\n25:00 kill", "line 2: \"25:00\" is not a time; write 08:20"),
      ("title a\n\n# so\n+5m explode", "line 4: unknown hazard \"explode\""),
      ("title a\n+5m permission", "line 2: permission takes not_determined"),
      ("title a\nsystems ios11", "line 2: expected a system, or all (ios12, ios13"),
      ("title a\npolicy best", "line 2: expected a preset (adaptive, battery_saving, high_resolution), not \"best\""),
      ("title a\nset main.min_distance 7m", "line 2: \"main.min_distance\" cannot be \"7m\"; expected off | 1m"),
      ("title a\nset colour red", "line 2: There is no setting \"colour\"."),
      ("title a\nbattery 120 %", "line 2: expected 0 to 100 %"),
      ("title a\nfile walk.gpx", "line 2: a scenario without a folder cannot name files"),
      ("title a\nexpect luck", "line 2: \"luck\" is not a condition; known are actions, app"),
      ("title a\nexpect records 5", "line 2: expected \"at least\", \"at most\" or \"exactly\" and a number"),
      ("title a\nexpect records at least 5 between 09:00 and 08:30", "line 2: the second time is not after the first"),
      ("title a\nexpect position within 5 at 08:10", "line 2: expected m or km after the number, not \"at\""),
      ("title a\nexpect nothing lost at all", "line 2: \"at all\" is not expected on this line; remove it"),
      ("title", "line 1: title takes a few words"),
      ("08:00 home", "it has no title; begin it with a line \"title\""),
    ])
  func faults(_ text: String, _ message: String) {
    let error = #expect(throws: ScenarioError.self) { try Scenario(text: text) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test("a complete scenario is parsed")
  func whole() throws {
    let scenario = try Scenario(
      text: """
        title    A day   # with a sharp
        evidence issue #12
        evidence and another
        systems  ios12 ios26
        policy   battery_saving
        set      main.min_distance 50m
        set      automatic_trips true
        set      wifi_zones home@46.0569,14.5058
        seed     7
        battery  50 %
        answer   while-using
        closes   never
        around   canyon
        network  wifi
        22:30    home 46 -14.5
        stay     10m open            # outdoors
        cycle    10m at 18 km/h course 45
        tunnel   90s
        fly      10m east
        01:00    network none
        +5m      server off
        23:00:30 kill
        expect   hole of at most 5m between 22:40 and +20m on ios12
        expect   launches exactly 1 except on ios12
        expect   notices of gap at least 1
        """)
    #expect(scenario.title == "A day   # with a sharp" && scenario.evidence == ["issue #12", "and another"])
    #expect(scenario.systems == [.ios12, .ios26] && scenario.seed == 7 && scenario.batteryLevel == 0.5)
    #expect(scenario.settings.main.minimumDistance == 50 && scenario.settings.startsTripsByMotion)
    #expect(scenario.settings.wifiZones.map(\.ssid) == ["home"] && scenario.settings.notifies)
    #expect(scenario.response == .whileUsing && scenario.closesAfter == nil)
    let start = scenario.route.start
    #expect(start == Route.morning + 14.5 * 3_600)
    #expect(scenario.route.end == start + 31.5 * 60)
    #expect(scenario.route.stretches.map(\.environment) == [.openSky, .underground, .flight])
    #expect(scenario.hazards.lines == [.init(after: 300, .server(false)), .init(after: 1_830, .kill)])
    #expect(scenario.network?.beginning == .wifi)
    #expect(scenario.network?.steps == [.init(from: start + 2.5 * 3_600, .offline)])
    #expect(
      scenario.expectations.map(\.check) == [
        .hole(.atMost(300), .init(from: start + 600, to: start + 1_200)), .count(.launches, .exactly(1)),
        .count(.notices(.gap), .atLeast(1)),
      ])
    #expect(scenario.expectations[0].systems == [.ios12] && scenario.expectations[1].systems?.contains(.ios12) == false)
    var cursor = TruthCursor(scenario.route.truth)
    #expect(cursor.state(at: start + 300).environment == .openSky)
    #expect(abs(cursor.state(at: start + 900).speed - 5) < 0.01)
    #expect(cursor.state(at: start + 1_250).environment == .underground)
    #expect(abs((cursor.state(at: start + 1_250).course ?? 0) - 45) < 1)
  }

  @Test("a track is moved to the end of the route, and the route continues at the end of the track")
  func file() throws {
    let track = (0...10).map { Fix.near(at: Route.morning - 86_400 + Double($0) * 10, north: 100 * Double($0)) }
    let route = Route().follow(track).stay(600)
    #expect(route.end == Route.morning + 700)
    var cursor = TruthCursor(route.truth)
    #expect(abs(GreatCircle.distance(Route.home, cursor.state(at: Route.morning + 50).coordinate) - 500) < 1)
    #expect(abs(GreatCircle.distance(Route.home, cursor.state(at: route.end).coordinate) - 1_000) < 1)
  }

  @Test("failed expectations are reported with their lines, and met ones are not")
  func failures() throws {
    let scenario = try Scenario(
      text: """
        title   A walk
        policy  high_resolution
        08:00   home
        walk    5m north
        expect  fixes at least 250
        expect  fixes at least 2500
        expect  fixes at least 2500 on ios12
        expect  hole at least 1m
        expect  app suspended at 08:03
        expect  distance at least 300 %
        expect  energy at most 1 mWh
        expect  position within 1 km at 08:04
        expect  every position within 1 m
        expect  speed at most 0.1 m/s
        expect  launches at least 1 between 08:01 and 08:02
        expect  nothing lost
        """)
    let outcome = scenario.run(on: .ios18)
    #expect(outcome.failures.map(\.expectation.line) == [6, 8, 9, 10, 11, 13, 14, 15], "\(outcome)")
    #expect("\(outcome)".contains("line 9: expected app suspended at 08:03, found running"))
    #expect(scenario.run(on: .ios12).failures.contains { $0.expectation.line == 7 })
  }
}
