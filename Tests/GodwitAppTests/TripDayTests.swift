import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("The app on a phone: trips and failures")
@MainActor
struct TripDayTests {
  /// Returns a phone whose app is paired and tracks.
  private func tracking(_ script: String = "", link: String = pairingLink) throws -> AppPhone {
    let app = try AppPhone(script)
    app.finishOnboarding()
    app.pair(link)
    app.model.tracker.isTracking = true
    app.settle(60)
    return app
  }

  @Test("a trip has its mode, duration and distance, keeps the screen on if the setting is on, and is received as a record")
  func trip() throws {
    let app = try tracking()
    app.run(until: hours(8.5))
    let trip = app.model.trip
    #expect(!trip.isTripRunning && trip.canStart && trip.title == "No trip" && trip.actionLabel == "Start trip")
    app.model.tripSettings.field("trip.prevent_screen_lock")?.isOn = true
    trip.mode = "car"
    app.settle()
    #expect(trip.modeLabel == "Car" && trip.modes.first { $0.isChosen }?.id == "car")
    trip.act()
    app.settle()
    #expect(trip.isTripRunning && trip.title == "Trip: Car" && trip.keepsScreenOn && !trip.canChooseMode)
    #expect(app.model.tracker.title == "Recording a trip")
    app.run(until: hours(9))
    #expect(trip.durationText == "0:29:59" || trip.durationText == "0:30:00", "\(trip.durationText)")
    // Half an hour at 15 m/s.
    let distance = try #require(Double(trip.distanceText.split(separator: " ").first ?? ""))
    #expect(abs(distance - 27) < 1, "\(trip.distanceText)")
    trip.act()
    app.settle(30)
    #expect(!trip.isTripRunning && !trip.isEnding && trip.canStart && trip.durationText == "–")
    #expect(trip.modes.first?.id == "car", "the most used mode is the first one")
    app.run(until: hours(10))
    let trips = app.records.compactMap { record -> Trip? in if case .trip(let trip) = record.kind { trip } else { nil } }
    #expect(trips.map(\.mode) == ["car"] && app.arrivedOnce())
    app.end()
  }

  @Test("a change of servers during a trip keeps the trip, and no record is lost or sent twice")
  func changedServers() throws {
    let app = try tracking()
    app.run(until: hours(8.6))
    app.model.trip.start("car")
    app.settle(120)
    let before = app.model.trip.durationText
    app.model.servers.edit("home.example")
    app.model.servers.form?.name = "Home"
    app.model.servers.form?.interval = "30"
    app.model.servers.saveForm()
    #expect(app.model.servers.form == nil)
    app.settle(60)
    #expect(app.model.trip.isTripRunning && app.model.trip.durationText > before)
    #expect(app.model.servers.rows.map(\.name) == ["Home"])
    app.run(until: hours(9.2))
    app.model.trip.stop()
    app.run(until: hours(10))
    #expect(app.arrivedOnce())
    // The drive has a position in every ten seconds.
    let times = Set(
      app.records.compactMap { record -> Int? in
        guard case .fix(let fix) = record.kind else { return nil }
        return Int(fix.time.timeIntervalSince(midnight.date) / 10)
      })
    let missing = (3_100..<3_300).filter { !times.contains($0) }
    #expect(missing.count <= 1, "\(missing)")
    app.end()
  }

  @Test("without a network records are queued, the screen shows their number, and all are received afterwards")
  func offline() throws {
    let app = try tracking("+8h10m aeroplane on\n+9h aeroplane off")
    app.run(until: hours(8.9))
    #expect(app.model.tracker.canSendNow)
    let waiting = Int(app.model.tracker.queuedText) ?? 0
    #expect(waiting > 1_000)
    #expect(app.model.servers.rows.first?.waitingText == "\(waiting) queued")
    app.run(until: hours(9.5))
    #expect((Int(app.model.tracker.queuedText) ?? .max) < 200)
    #expect(app.arrivedOnce())
    app.end()
  }

  @Test("a failing server is on the screen with the reason, and its records stay queued")
  func serverFails() throws {
    let app = try tracking("+8h10m server-status 500\n+9h server-status 0")
    app.run(until: hours(8.5))
    let problem = try #require(app.model.servers.rows.first?.problem)
    #expect(problem.contains("500"), "\(problem)")
    #expect(app.model.tracker.alerts.contains { $0.text == problem })
    app.run(until: hours(10))
    #expect(app.model.servers.rows.first?.problem == nil && app.arrivedOnce())
    app.end()
  }

  @Test("a terminated app is launched in the background by a significant change, and tracks without a screen")
  func relaunched() throws {
    let link = "godwit://setup?url=https%3A%2F%2Fhome.example%2Fapi%2Foverland&main.tracking_mode=both"
    let app = try tracking("+7h close\n+8h35m kill", link: link)
    app.run(until: hours(9.4))
    #expect(app.launches.count > 1 && app.launches.last == .significantChange)
    #expect(app.model.tracker.isTracking && app.model.showsScreens)
    app.run(until: hours(12))
    #expect(app.arrivedOnce())
    #expect(app.records.contains { $0.time > hours(9).date })
    app.end()
  }

  @Test("a trip continues in a process that the system launches after the end of the first one")
  func tripAfterRelaunch() throws {
    let link = "godwit://setup?url=https%3A%2F%2Fhome.example%2Fapi%2Foverland&main.tracking_mode=both"
    let app = try tracking("+7h close\n+8h40m kill", link: link)
    app.run(until: hours(8.55))
    app.model.trip.start("car")
    app.run(until: hours(9.4))
    #expect(app.launches.last == .significantChange)
    #expect(app.model.trip.isTripRunning && app.model.trip.modeLabel == "Car")
    app.end()
  }

  @Test("revoked permission is an alert with a link to the settings, until permission is granted again")
  func permissionTaken() throws {
    let app = try tracking("+8h20m permission denied\n+9h permission authorized_always")
    app.run(until: hours(8.1))
    #expect(app.model.tracker.alerts.isEmpty, "\(app.model.tracker.alerts)")
    app.run(until: hours(8.7))
    let alert = try #require(app.model.tracker.alerts.first)
    #expect(alert.id == "permission" && alert.hasAction && alert.actionLabel == "Open Settings")
    #expect(app.model.tracker.title == "No permission" && app.model.tracker.level == .bad)
    #expect(app.model.settings.permissionText == "Denied")
    #expect(!app.model.showsOnboarding, "onboarding is not shown again")
    app.model.tracker.perform(.openSystemSettings)
    #expect(app.installed.settingsOpened == 1)
    app.apply(.open)
    app.run(until: hours(9.2))
    app.apply(.open)
    app.run(until: hours(9.4))
    #expect(app.model.tracker.alerts.isEmpty && app.model.tracker.title == "Recording")
    #expect(app.arrivedOnce())
    app.end()
  }

  @Test("a launch before the first unlock waits for it, holds events, and records them afterwards")
  func beforeUnlock() throws {
    let link = "godwit://setup?url=https%3A%2F%2Fhome.example%2Fapi%2Foverland&main.tracking_mode=both"
    let app = try tracking("+8h32m reboot\n+9h20m unlock", link: link)
    app.run(until: hours(9.3))
    try #require(app.launches.last == .significantChange)
    #expect(app.model.isWaitingForUnlock && !app.model.showsScreens && !app.model.hasFailed)
    #expect(app.model.openingText.contains("unlocked"))
    #expect(app.model.openTracker == nil)
    app.run(until: hours(9.4))
    #expect(app.model.showsScreens && app.model.tracker.isTracking)
    app.run(until: hours(12))
    let held = app.records.filter { (hours(8.6).date..<hours(9.33).date).contains($0.time) }
    #expect(!held.isEmpty, "significant changes before the unlock are recorded")
    #expect(app.arrivedOnce())
    app.end()
  }

  @Test("tracking stays off after launches, and nothing is recorded")
  func offStaysOff() throws {
    let app = try tracking("+8h35m kill\n+8h36m open")
    app.run(until: hours(8.3))
    app.model.tracker.isTracking = false
    app.settle()
    #expect(app.model.tracker.title == "Tracking is off" && app.model.tracker.level == .off)
    #expect(!app.records.isEmpty)
    app.run(until: hours(9))
    #expect(app.launches.count == 2 && !app.model.tracker.isTracking)
    #expect(app.records.filter { $0.time > hours(8.31).date }.isEmpty)
    app.end()
  }
}
