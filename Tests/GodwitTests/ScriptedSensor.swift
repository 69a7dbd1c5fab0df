import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import Synchronization

/// A sensor that reports the events of a test, and records the requests.
final class ScriptedSensor: Sensor {
  private struct Listener { var tell: @Sendable (Event) -> Void }
  private struct Asked {
    var requests: [LocationRequest?] = []
    var sessions: [SessionRequest?] = []
    var oneShots = 0
    var exits: [(place: Coordinate, radius: Meters)] = []
    var watches = false
    var screenOn = false
  }
  private let listener = Mutex<Listener?>(nil)
  private let asked = Mutex(Asked())
  private let authorization: Authorization
  private let counted: Int?
  let cachedFix: Fix?
  let updatesInBackground = true

  init(authorization: Authorization = .always, steps: Int? = nil, cached: Fix? = nil) {
    self.authorization = authorization
    counted = steps
    cachedFix = cached
  }

  func connect(_ tell: @escaping @Sendable (Event) -> Void) {
    listener.withLock { $0 = Listener(tell: tell) }
    tell(.authorizationChanged(authorization))
  }
  func configure(_ request: LocationRequest?) { asked.withLock { $0.requests.append(request) } }
  func hold(_ sessions: SessionRequest?) { asked.withLock { $0.sessions.append(sessions) } }
  func requestAuthorization(_ wanted: WantedAuthorization) {}
  func requestLocation() { asked.withLock { $0.oneShots += 1 } }
  func watchExit(of place: Coordinate, radius: Meters) {
    asked.withLock {
      $0.exits.append((place, radius))
      $0.watches = true
    }
  }
  func stopWatchingExit() { asked.withLock { $0.watches = false } }
  func steps(from: Date, to: Date) async -> Int? { counted }
  func keepScreenOn(_ isOn: Bool) { asked.withLock { $0.screenOn = isOn } }

  func notify(_ event: Event) { listener.withLock { $0 }?.tell(event) }
  var configured: [LocationRequest?] { asked.withLock { $0.requests } }
  var held: [SessionRequest?] { asked.withLock { $0.sessions } }
  var oneShots: Int { asked.withLock { $0.oneShots } }
  var watchesExit: Bool { asked.withLock { $0.watches } }
  var isScreenOn: Bool { asked.withLock { $0.screenOn } }
}
