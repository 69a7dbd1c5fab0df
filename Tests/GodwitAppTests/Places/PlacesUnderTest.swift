import Foundation
import Godwit
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import Synchronization

@testable import GodwitApp

/// A sensor that reports nothing.
final class OfflineSensor: Sensor {
  func connect(_ tell: @escaping @Sendable (Event) -> Void) {}
  func configure(_ request: LocationRequest?) {}
  func requestAuthorization(_ wanted: WantedAuthorization) {}
  func requestLocation() {}
  func watchExit(of place: Coordinate, radius: Meters) {}
  func stopWatchingExit() {}
  func askMotionHistory(from: Date, to: Date) {}
}

/// A clock that a test sets.
final class ManualClock: Sendable {
  private let time: Mutex<Date>
  init(_ time: Date) { self.time = Mutex(time) }
  var now: Date {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}

/// 2026-11-20 12:00:00 UTC.
let noon = Date(timeIntervalSince1970: 1_795_176_000)

/// Returns a state whose tracker is never opened, for tests that need only settings, clock, files and network.
@MainActor
func closedState(
  clock: ManualClock = ManualClock(noon), changes: (inout AppServices) -> Void = { _ in }
) -> AppState {
  var services = AppServices(journalPath: "", files: .memory(), credentials: .memory())
  services.environment = TrackerEnvironment(
    now: { clock.now }, sleep: { _ in throw CancellationError() }, random: { 0.5 },
    client: HTTPClient { _ in throw HTTPError("There is no network.") })
  services.timeZone = .gmt
  changes(&services)
  return AppState(TrackerHost(services: services, sensor: OfflineSensor()))
}
