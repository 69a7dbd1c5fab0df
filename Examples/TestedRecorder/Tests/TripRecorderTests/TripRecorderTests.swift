import GodwitTesting
import Testing
import TripRecorder

@Suite("On a simulated phone")
struct TripRecorderTests {
  /// Runs the app's own code, unchanged.
  @MainActor
  @Test("an app that is ended on a drive records it again within ten minutes", arguments: [SystemVersion.ios16, .ios18, .ios26])
  func ended(system: SystemVersion) throws {
    let scenario = try Scenario(
      text: """
        title   Ended on a drive
        08:00   home
        drive   40m at 15 m/s east
        08:15   kill
        expect  hole at most 10m
        expect  hole at most 15s between 08:26 and 08:40
        expect  every position within 150 m
        """)
    let eventRecorder = EventRecorder()
    let app = PhoneApp.onMainActor { _ in TripRecorder { eventRecorder.record($0) } }
    let outcome = scenario.run(on: system, app: app, eventRecorder: eventRecorder)
    #expect(outcome.failures.isEmpty, "\(outcome)")
  }

  /// Runs Godwit's tracker with the settings of this app on each scenario of a folder.
  @Test("the settings of this app meet the expectations", arguments: try Scenario.all(beside: #filePath))
  func policy(scenario: Scenario) {
    var scenario = scenario
    scenario.settings.apply(.adaptive)
    scenario.settings.main.minimumDistance = 10
    for system in scenario.systems {
      let outcome = scenario.run(on: system)
      #expect(outcome.failures.isEmpty, "\(outcome)")
    }
  }
}
