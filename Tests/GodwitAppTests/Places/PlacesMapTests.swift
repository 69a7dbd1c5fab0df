import Foundation
import Godwit
import GodwitHTTPClient
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("The map", .timeLimit(.minutes(20)))
@MainActor
struct PlacesMapTests {
  private let link =
    "godwit://setup?url=https%3A%2F%2Fhome.example%2Fgodwit%2Fapi%2Foverland&token=send-1&main.tracking_mode=standard&main.desired_accuracy=best&send_interval=1m"

  /// Returns the map of a phone that is paired with a server with a history.
  private func map(
    _ server: HistoryServer, clock: ManualClock = ManualClock(noon), files: AppFiles = .memory(), isPaired: Bool = true
  )
    throws -> (map: MapModel, state: AppState)
  {
    let state = closedState(clock: clock) { services in
      services.environment.client = server.client
      services.files = files
      services.timeZone = TimeZone(identifier: "Europe/Ljubljana") ?? .gmt
    }
    if isPaired {
      let address = "https://home.example/godwit/api/overland"
      state.perform(.servers(ServerList([StoredServer(id: "home", name: "My home", address: address)])))
      try state.services.credentials.setToken("send-1", "home")
    }
    return (MapModel(state), state)
  }

  private func loaded(_ map: MapModel) async { while map.isLoading { await Task.yield() } }

  @Test("without a token for reading only the phone's positions are shown, and the screen explains how to add a token")
  func noAccess() throws {
    let (alone, _) = try map(HistoryServer(), isPaired: false)
    alone.appear()
    #expect(!alone.hasHistoryServer && alone.tokenExplanation.contains("pair with your Godwit server") && !alone.isLoading)
    #expect(alone.emptyText == "No position of this day is on this phone." && alone.area == nil && alone.problem == nil)
    let (paired, _) = try map(HistoryServer())
    paired.appear()
    #expect(paired.access.serverName == "My home" && !paired.hasReadingToken && !paired.isLoading && !paired.canLoad)
    #expect(paired.tokenExplanation.contains("create a token for reading"))
  }

  @Test("with a token the day in the phone's time zone is read from the server and summarised")
  func day() async throws {
    // Two routes and a stay.
    let points =
      path(from: noon, count: 600) + path(from: noon.addingTimeInterval(7_200), count: 300, north: 60_000)
      + path(from: noon.addingTimeInterval(14_400), count: 10, speed: 0)
    let server = HistoryServer(points)
    let (map, _) = try map(server)
    map.appear()
    map.enteredToken = " read-1 "
    map.saveToken()
    #expect(map.hasReadingToken && map.enteredToken.isEmpty && map.isLoading && !map.canLoad && map.emptyText == nil)
    await loaded(map)
    #expect(map.lines.map(\.points.count) == [2, 2, 1] && map.lines.allSatisfy(\.isHistory))
    #expect(map.summaryText == "89.8 km in 2 tracks" && map.accessibilityLabel == "Map of Today: 89.8 km in 2 tracks")
    #expect(map.problem == nil && map.area != nil)
    let query = try #require(server.pointRequests.last)
    #expect(query["from"] == "2026-11-19T23:00:00Z" && query["to"] == "2026-11-20T23:00:00Z" && query["device"] == "phone +1")
    map.showPreviousDay()
    #expect(map.dayText == "Yesterday" && map.lines.isEmpty && map.isLoading)
    await loaded(map)
    #expect(map.emptyText == "No position on this day." && map.summaryText == "No position on this day." && map.area == nil)
    map.showPreviousDay()
    #expect(map.dayText == "18 Nov" && map.canShowNextDay)
    map.date = noon.addingTimeInterval(-400 * 86_400)
    #expect(map.dayText == "16 Oct 2025")
    map.date = noon.addingTimeInterval(86_400)
    #expect(map.isToday && !map.canShowNextDay)
    await loaded(map)
    #expect(map.lines.count == 3)
  }

  @Test("a cached day is shown without a network, with the time of its copy, also after a relaunch; other days have an error")
  func offline() async throws {
    let server = HistoryServer(path(from: noon, count: 600))
    let (clock, files) = (ManualClock(noon), AppFiles.memory())
    let (first, _) = try map(server, clock: clock, files: files)
    first.appear()
    first.access.scanned("read-1\n")
    first.load()
    await loaded(first)
    #expect(first.lines.count == 1)
    server.reply { _ in throw HTTPError("The host was not found.") }
    clock.now = noon.addingTimeInterval(3_600)
    let (second, state) = try map(server, clock: clock, files: files)
    state.tick(clock.now)
    second.access.scanned("godwit://setup?url=https%3A%2F%2Fhome.example%2Fgodwit%2Fapi%2Foverland&token=read-1")
    second.appear()
    await loaded(second)
    #expect(second.lines.count == 1)
    #expect(second.problem == "The server cannot be reached. The host was not found. Shown as of 20 Nov, 13:00.")
    second.showPreviousDay()
    await loaded(second)
    #expect(second.lines.isEmpty && second.problem == "The server cannot be reached. The host was not found.")
    #expect(second.emptyText == nil)
    server.reply { _ in HTTPClient.Response(status: 403) }
    second.load()
    await loaded(second)
    #expect(second.problem?.contains("does not accept the token") == true)
    second.access.remove()
    second.load()
    #expect(!second.access.hasAccess && !second.isLoading && second.problem == nil)
  }

  @Test("a response for a day that is no longer shown is dropped")
  func lateResponse() async throws {
    let server = HistoryServer(path(from: noon, count: 600))
    let (map, _) = try map(server)
    map.access.scanned("read-1")
    map.appear()
    for _ in 0..<5 { map.showPreviousDay() }
    await loaded(map)
    #expect(map.lines.isEmpty && map.dayText == "15 Nov")
    map.showToday()
    await loaded(map)
    #expect(map.lines.count == 1)
  }

  @Test(
    "an invalid token is rejected with a reason",
    arguments: ["to ken", "tökén", "a\u{0}b"])
  func badTokens(token: String) throws {
    let (map, _) = try map(HistoryServer())
    map.access.token = token
    #expect(map.access.tokenProblem != nil && !map.access.canSave && !map.access.save() && !map.access.hasAccess)
  }

  @Test("after midnight the map shows the new day")
  func midnightPasses() throws {
    let clock = ManualClock(noon)
    let (map, state) = try map(HistoryServer(), clock: clock)
    map.appear()
    let day = map.date
    clock.now = noon.addingTimeInterval(43_200)
    state.tick(clock.now)
    map.update()
    #expect(map.isToday && map.date == day.addingTimeInterval(86_400))
  }

  @Test("unsent positions of the phone and positions of the server form one line, each once")
  func bothSides() throws {
    let history = HistoryServer()
    let app = try AppPhone("+9h server off") { services in
      let network = services.environment.client
      services.environment.client = HTTPClient { request in
        request.method == "GET" ? try history.respond(request) : try await network.send(request)
      }
    }
    app.finishOnboarding()
    app.pair(link)
    app.model.tracker.isTracking = true
    app.run(until: hours(9.2))
    // The positions from before the outage are on the server, all later ones only on the phone.
    let arrived = app.records.compactMap { record -> DayPoint? in
      guard case .fix(let fix) = record.kind else { return nil }
      return DayPoint(time: fix.time, coordinate: fix.coordinate)
    }
    #expect(arrived.contains { $0.time > hours(8.5).date } && arrived.allSatisfy { $0.time < hours(9).date })
    history.reply { request in
      guard request.url.path.hasSuffix("/points") else { return nil }
      let start = HistoryServer.query(request)["cursor"].flatMap { Int($0) } ?? 0
      let page = arrived.dropFirst(start).prefix(2000)
      let next = start + page.count < arrived.count ? "\"\(start + page.count)\"" : "null"
      return HTTPClient.Response(status: 200, body: HistoryServer.page(page.map(HistoryServer.feature), next: next))
    }
    let map = app.model.map
    map.appear()
    map.access.scanned("read-1")
    map.load()
    app.settle(5)
    #expect(!map.isLoading && map.problem == nil && !history.pointRequests.isEmpty)
    #expect(map.lines.contains { !$0.isHistory })
    let kilometers = try #require(Double(map.summaryText.split(separator: " ").first ?? ""))
    // 2.3 km on foot and 42 minutes of the drive at 15 m/s.
    #expect(abs(kilometers - (2.34 + 37.8)) < 2, "\(map.summaryText), \(arrived.count) arrived")
    #expect(map.position != nil && map.accuracy > 0)
    #expect(app.disk.fileTexts.allSatisfy { !$0.contains("read-1") })
    app.end()
  }
}
