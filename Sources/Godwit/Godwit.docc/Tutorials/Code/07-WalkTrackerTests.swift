import GodwitTesting
import Testing
import WalkTracker

@Suite("A walk on a simulated phone")
struct WalkTrackerTests {
  @Test("every record of a walk arrives at the server")
  func walk() throws {
    var scenario = try Scenario(
      text: """
        title   A walk of half an hour
        08:00   home
        stay    10m
        walk    30m north
        stay    20m
        expect  fixes at least 50
        expect  hole at most 2m between 08:15 and 08:35
        expect  nothing lost
        expect  nothing twice
        """)
    scenario.settings = walkSettings
    let outcome = scenario.run(on: .ios18)
    #expect(outcome.failures.isEmpty, "\(outcome)")
  }

  @Test("recording continues after the system ended the app on a walk", arguments: [SystemVersion.ios16, .ios18, .ios26])
  func ended(system: SystemVersion) throws {
    var scenario = try Scenario(
      text: """
        title   The system ends the app on a walk, and the server is away
        08:00   home
        stay    10m
        walk    1h north
        stay    20m
        08:15   server off
        08:20   kill
        09:00   server on
        expect  hole at most 10m between 08:10 and 09:10
        expect  nothing lost
        expect  nothing twice
        """)
    scenario.settings = walkSettings
    let outcome = scenario.run(on: system)
    #expect(outcome.failures.isEmpty, "\(outcome)")
  }
}
