import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitSimulator
import Synchronization
import Testing

@testable import GodwitApp
@testable import GodwitPhone

/// A stand-in for ActivityKit: the requested steps, and the shown activity, which survives launches.
@MainActor
private final class Activities {
  private(set) var steps: [(time: Date, step: TripActivity.Step)] = []
  private(set) var shown: TripActivity.Content?

  func perform(_ step: TripActivity.Step, at time: Date) {
    steps.append((time, step))
    switch step {
    case .start(let content, _), .update(let content, _): shown = content
    case .end: shown = nil
    }
  }

  var starts: Int { steps.count { if case .start = $0.step { true } else { false } } }
  var ends: Int { steps.count { if case .end = $0.step { true } else { false } } }
}

@Suite("The Live Activity of a trip")
@MainActor
struct CompanionsActivityTests {
  private func opened(_ activities: Activities, _ script: String = "") throws -> AppPhone {
    let app = try AppPhone(script) { services in
      let now = services.environment.now
      services.showActivity = { activities.perform($0, at: now()) }
      services.shownActivity = { activities.shown }
    }
    app.finishOnboarding()
    app.pair()
    app.model.tracker.isTracking = true
    return app
  }

  /// Advances the time with a status every second, as on a phone whose screen is on.
  private func live(_ app: AppPhone, until end: SimulatedTime) {
    while app.phone.now < end { app.run(until: app.phone.now + 1) }
  }

  @Test("the activity starts and ends with the trip, and is updated at most every 15 seconds")
  func trip() throws {
    let activities = Activities()
    let app = try opened(activities)
    app.model.activity.isInForeground = true
    app.run(until: hours(8.6))
    #expect(activities.steps.isEmpty, "no trip is running")
    app.model.trip.start("car")
    live(app, until: hours(8.6) + 300)
    #expect(activities.starts == 1 && activities.ends == 0)
    let updates = activities.steps.dropFirst()
    #expect(updates.count > 10 && updates.count <= 20, "\(updates.count)")
    let times = activities.steps.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1.timeIntervalSince($0) >= ActivityFeed.interval })
    #expect((activities.shown?.distance ?? 0) > 3_000 && activities.shown?.mode == .car)
    for case .update(_, let outdated) in activities.steps.suffix(1).map(\.step) {
      #expect(outdated.timeIntervalSince(times.last ?? outdated) == TripActivity.outdatedAfter)
    }
    app.model.trip.stop()
    live(app, until: hours(8.6) + 330)
    #expect(activities.ends == 1 && activities.shown == nil)
    app.end()
  }

  @Test("a trip that starts in the background is shown when the app is opened, and an activity of an earlier launch continues")
  func relaunch() throws {
    let activities = Activities()
    let app = try opened(activities)
    app.run(until: hours(8.6))
    app.model.trip.start("bicycle")
    app.settle(60)
    #expect(activities.steps.isEmpty)
    app.model.activity.isInForeground = true
    #expect(activities.starts == 1)
    app.model.activity.isInForeground = false
    app.apply(.kill)
    app.apply(.open)
    app.settle(120)
    #expect(activities.starts == 1 && activities.ends == 0 && activities.steps.count >= 2)
    app.model.trip.stop()
    app.settle(30)
    #expect(activities.ends == 1)
    app.end()
  }

  @Test("the texts of the activity have mode, distance and queued records, and the duration of a finished trip")
  func texts() {
    var content = TripActivity.Content(start: noon, mode: .bicycle, distance: 12_400, waiting: 12)
    let running = ActivityTexts(content)
    #expect(running.title == "Trip: Bicycle" && running.symbol == "bicycle" && !running.isOver && running.durationText.isEmpty)
    #expect(running.accessibilityLabel == "Trip: Bicycle, 12.4 km, 12 queued")
    content.end = noon.addingTimeInterval(3_723)
    content.waiting = 0
    #expect(ActivityTexts(content, languages: ["de-AT"]).accessibilityLabel.hasSuffix(", 1:02:03, 12,4 km"))
  }
}
