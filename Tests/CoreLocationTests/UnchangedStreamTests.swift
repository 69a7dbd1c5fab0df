import CoreLocation
import Foundation
import Testing

/// Code of iOS apps for the streams of iOS 17 and 18, compiled without changes. Only the tests use a daemon.
@Suite("Code of iOS apps with live updates, monitors and sessions")
@MainActor
struct UnchangedStreamTests {
  /// Records live updates until a latitude is reached.
  @MainActor
  private final class Follower {
    private(set) var log: [String] = []
    private(set) var track: [CLLocation] = []

    func follow(to latitude: CLLocationDegrees) async {
      do {
        for try await update in CLLocationUpdate.liveUpdates(.fitness) {
          if update.authorizationRequestInProgress { log.append("asking") }
          if update.authorizationDenied { log.append("denied") }
          if update.authorizationRestricted { log.append("restricted") }
          if update.locationUnavailable { log.append("unavailable") }
          if update.stationary {
            log.append("still")
          } else if let location = update.location {
            track.append(location)
          }
          if track.last?.coordinate.latitude ?? 0 >= latitude || update.authorizationDenied || update.authorizationRestricted
            || update.locationUnavailable
          {
            break
          }
        }
      } catch {
        log.append("\(error)")
      }
    }
  }

  @Test(
    "live updates request permission, stop while the device is stationary, and resume with motion", .timeLimit(.minutes(20)))
  func live() async {
    // A minute of motion, half an hour at rest, and motion again.
    let north = [0, 30, 60, 90, 120, 150.0] + Array(repeating: 150, count: 180) + [170, 190, 210, 230, 250]
    let daemon = LocationDaemon(source: Script(north: north))
    await daemon.serve {
      let follower = Follower()
      await follower.follow(to: Script.place(north: 249).latitude)
      #expect(follower.log == ["asking", "still"])
      // The remaining time at rest was not reported: the first position after it is more than 50 m away.
      let times = follower.track.map { $0.timestamp.timeIntervalSince(scriptStart) }
      #expect(times == times.sorted() && times.dropLast(3).last ?? 0 < 1800)
      #expect(Array(times.suffix(3)) == [1880, 1890, 1900])
      #expect(follower.track.last?.sourceInformation?.isSimulatedBySoftware == true)
    }
  }

  @Test(
    "the reason for a missing position is reported", .timeLimit(.minutes(20)),
    arguments: [
      (CLAuthorizationStatus.denied, "denied"), (.restricted, "restricted"), (.authorizedAlways, "unavailable"),
    ])
  func noPlace(_ status: CLAuthorizationStatus, _ word: String) async {
    await LocationDaemon(source: NoPosition(), authorization: status).serve {
      let follower = Follower()
      await follower.follow(to: 0)
      #expect(follower.log == [word] && follower.track.isEmpty)
    }
  }

  @Test("a task that is cancelled ends its updates", .timeLimit(.minutes(20)))
  func cancelled() async {
    await LocationDaemon(source: Script(north: []), authorization: .authorizedAlways).serve {
      let follower = Follower()
      let task = Task { await follower.follow(to: 0) }
      task.cancel()
      await task.value
      #expect(follower.track.isEmpty && follower.log.isEmpty)
    }
  }

  /// Monitors an office until a number of events has been received.
  @MainActor
  private final class OfficeWatcher {
    private(set) var log: [String] = []
    private(set) var dates: [Date] = []
    private(set) var before: [CLMonitor.Event.State] = []
    private let office: CLMonitor.CircularGeographicCondition
    private let identifier: String
    private(set) var monitor: CLMonitor?

    init(_ center: CLLocationCoordinate2D, identifier: String = "office") {
      office = CLMonitor.CircularGeographicCondition(center: center, radius: 200)
      self.identifier = identifier
    }

    func watch(_ maximum: Int, assuming state: CLMonitor.Event.State = .unknown) async {
      let monitor = await CLMonitor("Work")
      self.monitor = monitor
      if await monitor.record(for: identifier) == nil {
        await monitor.add(office, identifier: identifier, assuming: state)
      }
      do {
        for try await event in await monitor.events {
          dates.append(event.date)
          if let record = await monitor.record(for: event.identifier) { before.append(record.lastEvent.state) }
          switch event.state {
          case .satisfied: log.append("in")
          case .unsatisfied: log.append("out")
          case .unmonitored:
            let reasons = [
              ("denied", event.authorizationDenied), ("restricted", event.authorizationRestricted),
              ("unsupported", event.conditionUnsupported), ("limit", event.conditionLimitExceeded),
            ]
            log.append(reasons.filter(\.1).map(\.0).joined(separator: " "))
          case .unknown: log.append("unknown")
          }
          if log.count == maximum { break }
        }
      } catch {
        log.append("\(error)")
      }
    }

    func add(_ condition: any CLCondition, identifier: String) async {
      await monitor?.add(condition, identifier: identifier)
    }
  }

  private static let day: [Double] = [
    2000, 1900, 1500, 1000, 500, 100, 0, 0, 0, 0, 500, 1000, 1500, 2000, 2000, 2000,
  ]

  @Test("a monitor reports the initial state, and each crossing once", .timeLimit(.minutes(20)))
  func monitor() async {
    await LocationDaemon(source: Script(north: Self.day)).serve {
      let watcher = OfficeWatcher(Script.origin)
      await watcher.watch(3)
      #expect(watcher.log == ["out", "in", "out"])
      // While an event is being handled the record has the one before it.
      #expect(watcher.before == [.unknown, .unsatisfied, .satisfied])
      #expect(watcher.dates == watcher.dates.sorted() && watcher.dates.allSatisfy { $0 >= scriptStart })
      #expect(await watcher.monitor?.identifiers == ["office"])
    }
  }

  @Test("assumed states are not reported", .timeLimit(.minutes(20)))
  func assumed() async {
    await LocationDaemon(source: Script(north: Self.day)).serve {
      let watcher = OfficeWatcher(Script.origin)
      await watcher.watch(2, assuming: .unsatisfied)
      #expect(watcher.log == ["in", "out"])
    }
  }

  @Test("a monitor with the name of a former one continues its state", .timeLimit(.minutes(20)))
  func sameName() async throws {
    let daemon = LocationDaemon(source: Script(north: Self.day))
    try await daemon.serve {
      var first: OfficeWatcher? = OfficeWatcher(Script.origin)
      await first?.watch(1)
      #expect(first?.log == ["out"])
      first = nil
      let second = await CLMonitor("Work")
      let record = try #require(await second.record(for: "office"))
      #expect((record.condition as? CLMonitor.CircularGeographicCondition)?.radius == 200)
      #expect(await CLMonitor("Home").identifiers.isEmpty)
      await second.remove("office")
      #expect(await second.identifiers.isEmpty)
      #expect(await CLMonitor("Work").identifiers.isEmpty)
    }
  }

  @Test(
    "a condition that cannot be monitored reports the reason", .timeLimit(.minutes(20)),
    arguments: [
      (CLAuthorizationStatus.denied, Script.origin, "denied"), (.restricted, Script.origin, "restricted"),
      (.authorizedAlways, kCLLocationCoordinate2DInvalid, "unsupported"),
    ])
  func rejected(_ status: CLAuthorizationStatus, _ place: CLLocationCoordinate2D, _ reason: String) async {
    await LocationDaemon(source: Script(north: []), authorization: status).serve {
      let watcher = OfficeWatcher(place)
      await watcher.watch(1)
      #expect(watcher.log == [reason])
    }
  }

  @Test("beacons are not supported, and the twenty-first circle exceeds the limit", .timeLimit(.minutes(20)))
  func limits() async throws {
    try await LocationDaemon(source: Script(north: []), authorization: .authorizedAlways).serve {
      let monitor = await CLMonitor("Many")
      await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID(), major: 1), identifier: "beacon")
      for number in 1...21 {
        await monitor.add(
          CLMonitor.CircularGeographicCondition(center: Script.origin, radius: 100), identifier: "circle \(number)")
      }
      var rejected: [String] = []
      for try await event in await monitor.events {
        #expect(event.state == .unmonitored && event.refinement == nil)
        rejected.append(
          "\(event.identifier) \(event.conditionUnsupported) \(event.conditionLimitExceeded)")
        if rejected.count == 2 { break }
      }
      #expect(rejected == ["beacon true false", "circle 21 false true"])
      #expect(await monitor.identifiers.count == 22)
    }
  }

  @Test(
    "a session requests what it needs and reports the result", .timeLimit(.minutes(20)),
    arguments: [
      (CLServiceSession.AuthorizationRequirement.always, CLAuthorizationStatus.authorizedAlways, false),
      (.always, .authorizedWhenInUse, true), (.whenInUse, .authorizedWhenInUse, false), (.always, .denied, true),
    ])
  func session(
    _ needed: CLServiceSession.AuthorizationRequirement, _ decision: CLAuthorizationStatus, _ lacksAlways: Bool
  ) async throws {
    try await LocationDaemon(source: Script(north: []), authorize: { _ in decision }).serve {
      let background = CLBackgroundActivitySession()
      let session = CLServiceSession(authorization: needed, fullAccuracyPurposeKey: "Navigation")
      var last: CLServiceSession.Diagnostic?
      for try await diagnostic in session.diagnostics {
        last = diagnostic
        if !diagnostic.authorizationRequestInProgress { break }
      }
      #expect(last?.authorizationDenied == (decision == .denied))
      #expect(last?.alwaysAuthorizationDenied == lacksAlways && last?.fullAccuracyDenied == false)
      session.invalidate()
      for try await _ in session.diagnostics { Issue.record("an invalidated session reports nothing") }

      for try await diagnostic in background.diagnostics where !diagnostic.authorizationRequestInProgress {
        #expect(diagnostic.authorizationDenied == (decision == .denied))
        break
      }
      background.invalidate()
    }
  }
}
