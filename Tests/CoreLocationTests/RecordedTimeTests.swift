import CoreLocation
import Foundation
import Synchronization
import Testing

/// Apps with a recorded day, whose time does not depend on the requests of the app.
@Suite("The time of a recorded day", .timeLimit(.minutes(20)))
@MainActor
struct RecordedTimeTests {
  /// Records the calls of its manager.
  @MainActor
  private final class Recorder: NSObject, CLLocationManagerDelegate {
    private(set) var locations: [CLLocation] = []
    private(set) var pauses = 0
    private(set) var errors = 0
    private var next: CheckedContinuation<CLLocation?, Never>?
    let manager = CLLocationManager()
    /// Actions that run once, by the number of reported positions.
    var at: [Int: @MainActor (CLLocationManager) -> Void] = [:]

    override init() {
      super.init()
      manager.delegate = self
      manager.requestWhenInUseAuthorization()
    }

    func request() async -> CLLocation? {
      await withCheckedContinuation { continuation in
        next = continuation
        manager.requestLocation()
      }
    }

    var times: [Double] { locations.map { $0.timestamp.timeIntervalSince(RecordedDay.start) } }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations new: [CLLocation]) {
      MainActor.assumeIsolated {
        locations += new
        next?.resume(returning: new.last)
        next = nil
        for (count, action) in at where count <= locations.count {
          at[count] = nil
          action(manager)
        }
      }
    }
    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      MainActor.assumeIsolated {
        errors += 1
        next?.resume(returning: nil)
        next = nil
      }
    }
    nonisolated func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {
      MainActor.assumeIsolated { pauses += 1 }
    }
  }

  private func daemon(
    _ path: String, authorize: @escaping @Sendable (Bool) -> CLAuthorizationStatus = { _ in .authorizedWhenInUse }
  )
    -> LocationDaemon
  {
    LocationDaemon(source: ReplaySource(path: path, pace: .unpaced(most: 1, digested: {})), authorize: authorize)
  }

  @Test("an app whose updates are paused at rest gets nothing after the pause, and the replay ends")
  func pause() async throws {
    let daemon = daemon(try RecordedDay.withRest())
    await daemon.serve {
      let app = Recorder()
      app.manager.startUpdatingLocation()
      await daemon.finished()
      #expect(app.pauses == 1 && app.locations.count > 390 && app.locations.count < 690, "\(app.locations.count)")
      #expect(app.times == app.times.sorted())
    }
  }

  @Test("an app without automatic pause gets every point once")
  func all() async throws {
    let daemon = daemon(try RecordedDay.withRest())
    await daemon.serve {
      let app = Recorder()
      app.manager.pausesLocationUpdatesAutomatically = false
      app.manager.startUpdatingLocation()
      await daemon.finished()
      #expect(app.times == (0..<990).map { Double($0) * 5 })
    }
  }

  @Test("two requests for one position take two times of the file, and the day ends after them")
  func requests() async throws {
    let daemon = daemon(try RecordedDay.withRest())
    try await daemon.serve {
      let app = Recorder()
      let first = try #require(await app.request())
      let second = try #require(await app.request())
      #expect(second.timestamp > first.timestamp)
      await daemon.finished()
      #expect(app.locations.count == 2)
      // The device stays at the last position of the day.
      let end = try #require(await app.request())
      #expect(end.timestamp.timeIntervalSince(RecordedDay.start) == 4945 && app.errors == 0)
    }
  }

  @Test("after a stop and a start no position is older than before, at full speed and in real time", arguments: [true, false])
  func restart(_ isPaced: Bool) async throws {
    let path = try RecordedDay.withRest()
    let gap = isPaced ? 3.0 : 0.5
    let daemon =
      isPaced ? LocationDaemon(source: ReplaySource(path: path, pace: .factor(600))) : daemon(path)
    await daemon.serve {
      let app = Recorder()
      app.manager.pausesLocationUpdatesAutomatically = false
      // The end is awaited after the second start. While it is awaited, a recording without a clock continues without a stopped app,
      // and on a busy machine the second start may take longer than the daemon waits for it.
      await withCheckedContinuation { restarted in
        app.at[1] = { manager in
          manager.stopUpdatingLocation()
          DispatchQueue.main.asyncAfter(deadline: .now() + gap) {
            MainActor.assumeIsolated {
              app.manager.startUpdatingLocation()
              restarted.resume()
            }
          }
        }
        app.manager.startUpdatingLocation()
      }
      await daemon.finished()
      #expect(app.times == app.times.sorted())
      let repeated = app.times.count - Set(app.times).count
      // The first position after a start may be the last known position.
      #expect(repeated <= 1 && app.locations.count <= 991, "\(app.locations.count) \(repeated)")
      #expect(app.times.last == 4945)
      // With a clock the day continues: 3 s are half an hour of the day. A busy machine may shorten that.
      if isPaced { #expect(app.locations.count < 990 - 30, "\(app.locations.count)") }
    }
  }

  @Test("reading the first live update twice takes two times of the file")
  func streams() async throws {
    let daemon = daemon(try RecordedDay.withRest())
    try await daemon.serve {
      var times: [Date] = []
      for _ in 0..<3 {
        for try await update in CLLocationUpdate.liveUpdates() {
          guard let location = update.location else { continue }
          times.append(location.timestamp)
          break
        }
      }
      await daemon.finished()
      // On a busy machine the day may be over before a stream begins. The device stays at its last position.
      let end = RecordedDay.start.addingTimeInterval(4945)
      let moments = times.filter { $0 != end }
      #expect(times.count == 3 && times == times.sorted() && Set(moments).count == moments.count, "\(times)")
    }
  }

  @Test("an app without location permission gets no position, and the replay ends")
  func denied() async throws {
    let daemon = daemon(try RecordedDay.gpx(north: [0, 10, 20]), authorize: { _ in .denied })
    await daemon.serve {
      let app = Recorder()
      app.manager.startUpdatingLocation()
      await daemon.finished()
      #expect(app.locations.isEmpty && app.errors >= 1)
    }
  }

  @Test(
    "positions of a file without accuracies have an accuracy of 5 m, or that of the caller",
    arguments: [(Double?.none, 5.0), (.some(12), 12), (.some(-2), -2)])
  func accuracy(_ given: Double?, _ expected: Double) async throws {
    let path = try RecordedDay.gpx(north: [0, 10, 20])
    let pace = ReplaySource.Pace.unpaced(most: 1, digested: {})
    let source =
      given.map { ReplaySource(path: path, pace: pace, horizontalAccuracy: $0 < 0 ? nil : $0) }
      ?? ReplaySource(path: path, pace: pace)
    let daemon = LocationDaemon(source: source)
    await daemon.serve {
      let app = Recorder()
      app.manager.startUpdatingLocation()
      await daemon.finished()
      // An unknown accuracy is 0.
      #expect(app.locations.map(\.horizontalAccuracy) == Array(repeating: max(0, expected), count: 3))
    }
  }

  @Test("an event of a monitor before the first position has the time at which the day begins")
  func dates() async throws {
    let daemon = daemon(try RecordedDay.withRest())
    try await daemon.serve {
      let monitor = await CLMonitor("Shop")
      await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID()), identifier: "beacon")
      let added = try #require(await monitor.record(for: "beacon"))
      #expect(added.lastEvent.date == RecordedDay.start)
      for try await event in await monitor.events {
        #expect(event.conditionUnsupported && event.date == RecordedDay.start)
        break
      }
    }
  }
}
