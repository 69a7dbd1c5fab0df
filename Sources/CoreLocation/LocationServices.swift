internal import Foundation
package import GodwitModel

/// What the system does between the radios and the apps, as a pure state machine: who wants updates, which
/// position each of them gets, when one that asked once is told that there is none.
///
/// It reads no clock and knows neither threads nor delegates. The daemon drives it from a real receiver; a
/// simulated phone will drive it in virtual time.
package struct LocationServices: Sendable {
  /// One `CLLocationManager`.
  package struct ClientID: Hashable, Sendable {
    package var number: Int
    package init(_ number: Int) { self.number = number }
  }

  package enum Input: Sendable {
    case connected(ClientID)
    case disconnected(ClientID)
    case requestedAuthorization(ClientID, always: Bool)
    /// The person (or whoever plays that role) decided.
    case authorizationDecided(CLAuthorizationStatus)
    case startedUpdating(ClientID)
    case stoppedUpdating(ClientID)
    case requestedLocation(ClientID)
    case distanceFilterChanged(ClientID, CLLocationDistance)
    case desiredAccuracyChanged(ClientID, CLLocationAccuracy)
    /// Whether updates of a manager may be paused.
    case pausingChanged(ClientID, Bool)
    case significantChanges(ClientID, Bool)
    case visits(ClientID, Bool)
    /// Whether somebody tells motion from the positions.
    case motionWatched(Bool)
    case watch(ClientID, identifier: String, center: Coordinate, radius: Meters)
    case stopWatching(ClientID, identifier: String)
    /// Raw positions, oldest first.
    case positions([Fix])
    /// The receiver is gone, with a sentence for people, or there again.
    case sourceFailed(String)
    /// Time has passed: a timer that was asked for.
    case timer
  }

  package enum Output: Sendable, Equatable {
    case deliver(ClientID, [Fix])
    case fail(ClientID, CLError)
    case visited(ClientID, Visit)
    case entered(ClientID, identifier: String)
    case exited(ClientID, identifier: String)
    case watchFailed(ClientID, identifier: String, CLError)
    case watching(ClientID, identifier: String)
    case paused(ClientID)
    case resumed(ClientID)
    case authorization(ClientID, CLAuthorizationStatus)
    /// The person must be asked.
    case prompt(always: Bool)
    /// The best accuracy that anybody wants; `nil`: the radio can sleep.
    case radio(CLLocationAccuracy?)
    /// Tell `timer` at this time.
    case wake(Date)
  }

  /// Seconds that `requestLocation` waits before it tells an error (Apple: "about ten").
  static let oneShotTimeout = 10.0

  private struct Client: Sendable {
    var isUpdating = false
    var oneShotUntil: Date?
    var distanceFilter = kCLDistanceFilterNone
    var desiredAccuracy = kCLLocationAccuracyBest
    var lastDelivered: Fix?
    var hasBeenToldOfFailure = false
    var monitors = Monitors()
    /// Whether it needs positions at all.
    var isWaiting: Bool { isUpdating || oneShotUntil != nil || !monitors.isIdle }
  }

  /// Regions that a program may have watched.
  package static let mostRegions = 20

  package private(set) var authorization: CLAuthorizationStatus
  /// Last known position: the first answer to whoever starts.
  package private(set) var last: Fix?
  private var clients: [ClientID: Client] = [:]
  private var radio: CLLocationAccuracy?
  private var stays = StayDetector()
  private var watchesMotion = false

  package init(authorization: CLAuthorizationStatus) { self.authorization = authorization }

  package var isAuthorized: Bool { authorization == .authorizedAlways || authorization == .authorizedWhenInUse }

  package mutating func handle(_ input: Input, at now: Date) -> [Output] {
    switch input {
    case .connected(let id):
      clients[id] = Client()
      return [.authorization(id, authorization)]
    case .disconnected(let id):
      clients[id] = nil
      return radioChange()
    case .requestedAuthorization(_, let always):
      // A prompt appears once for each step; later calls are ignored.
      switch authorization {
      case .notDetermined: return [.prompt(always: always)]
      case .authorizedWhenInUse where always: return [.prompt(always: true)]
      default: return []
      }
    case .authorizationDecided(let status):
      guard status != authorization else { return [] }
      authorization = status
      var outputs = clients.keys.sorted().map { Output.authorization($0, status) }
      if !isAuthorized { outputs += refuseAll() }
      return outputs + radioChange()
    case .startedUpdating(let id):
      return start(id, at: now)
    case .stoppedUpdating(let id):
      clients[id]?.isUpdating = false
      return radioChange()
    case .requestedLocation(let id):
      guard isAuthorized else { return refusal(of: id) }
      let until = now.addingTimeInterval(Self.oneShotTimeout)
      clients[id]?.oneShotUntil = until
      return radioChange() + [.wake(until)]
    case .distanceFilterChanged(let id, let distance):
      clients[id]?.distanceFilter = distance
      return []
    case .desiredAccuracyChanged(let id, let accuracy):
      clients[id]?.desiredAccuracy = accuracy
      return radioChange()
    case .pausingChanged(let id, let pauses):
      clients[id]?.monitors.pausesAutomatically = pauses
      return []
    case .significantChanges(let id, let isOn):
      clients[id]?.monitors.watchesSignificantChanges = isOn
      return radioChange()
    case .visits(let id, let isOn):
      clients[id]?.monitors.watchesVisits = isOn
      return radioChange()
    case .motionWatched(let isOn):
      watchesMotion = isOn
      return radioChange()
    case .watch(let id, let identifier, let center, let radius):
      return watch(id, identifier, center, radius)
    case .stopWatching(let id, let identifier):
      clients[id]?.monitors.regions[identifier] = nil
      return radioChange()
    case .positions(let fixes):
      return positions(fixes)
    case .sourceFailed(let reason):
      return sourceFailed(reason)
    case .timer:
      return expire(at: now)
    }
  }

  // MARK: Rules

  private mutating func start(_ id: ClientID, at now: Date) -> [Output] {
    guard isAuthorized else {
      clients[id]?.isUpdating = true
      // Not decided yet is no refusal: updates begin when the person has agreed.
      return authorization == .notDetermined ? [] : refusal(of: id)
    }
    guard var client = clients[id], !client.isUpdating || client.monitors.isPaused else { return [] }
    let wasPaused = client.monitors.isPaused
    client.monitors.startUpdating()
    client.isUpdating = true
    client.lastDelivered = nil
    client.hasBeenToldOfFailure = false
    var outputs: [Output] = wasPaused ? [.resumed(id)] : []
    // The first answer may be a position from before; its timestamp says so.
    if let last {
      client.lastDelivered = last
      outputs.append(.deliver(id, [last]))
    }
    clients[id] = client
    return outputs + radioChange()
  }

  private mutating func positions(_ fixes: [Fix]) -> [Output] {
    guard let newest = fixes.last, isAuthorized else { return [] }
    last = newest
    var outputs: [Output] = []
    let visits = fixes.compactMap { stays.take($0) }
    for id in clients.keys.sorted() {
      guard var client = clients[id] else { continue }
      client.hasBeenToldOfFailure = false
      if client.isUpdating, !client.monitors.isPaused {
        var passed = fixes
        if client.distanceFilter > 0 {
          passed = []
          for fix in fixes {
            if let before = client.lastDelivered,
              GreatCircle.distance(before.coordinate, fix.coordinate) < client.distanceFilter
            {
              continue
            }
            client.lastDelivered = fix
            passed.append(fix)
          }
        } else {
          client.lastDelivered = newest
        }
        if !passed.isEmpty { outputs.append(.deliver(id, passed)) }
        client.oneShotUntil = nil
      } else if client.oneShotUntil != nil {
        client.oneShotUntil = nil
        outputs.append(.deliver(id, [newest]))
      }
      outputs += monitor(fixes, visits, id, &client)
      clients[id] = client
    }
    return outputs + radioChange()
  }

  /// What the positions mean for what a manager has watched.
  private func monitor(_ fixes: [Fix], _ visits: [Visit], _ id: ClientID, _ client: inout Client) -> [Output] {
    var outputs: [Output] = []
    let isUpdating = client.isUpdating
    for fix in fixes {
      for happening in client.monitors.take(fix, isUpdating: isUpdating) {
        switch happening {
        // Who has continuous updates has the position already.
        case .significantChange(let fix): if !isUpdating || client.monitors.isPaused { outputs.append(.deliver(id, [fix])) }
        case .entered(let identifier): outputs.append(.entered(id, identifier: identifier))
        case .exited(let identifier): outputs.append(.exited(id, identifier: identifier))
        case .paused: outputs.append(.paused(id))
        }
      }
    }
    if client.monitors.watchesVisits { outputs += visits.map { .visited(id, $0) } }
    return outputs
  }

  private mutating func watch(
    _ id: ClientID, _ identifier: String, _ center: Coordinate, _ radius: Meters
  ) -> [Output] {
    guard isAuthorized else {
      let error = CLError(.regionMonitoringDenied, reason: "The person does not allow regions to be watched.")
      return [.watchFailed(id, identifier: identifier, error)]
    }
    let others = clients.values.reduce(0) { $0 + $1.monitors.regions.count }
    guard others < Self.mostRegions || clients[id]?.monitors.regions[identifier] != nil else {
      let error = CLError(
        .regionMonitoringFailure, reason: "A program can have \(Self.mostRegions) regions watched; stop one first.")
      return [.watchFailed(id, identifier: identifier, error)]
    }
    var watch = Monitors.Watch(center: center, radius: radius)
    if let last { watch.isInside = GreatCircle.distance(center, last.coordinate) <= radius }
    clients[id]?.monitors.regions[identifier] = watch
    return [.watching(id, identifier: identifier)] + radioChange()
  }

  /// The receiver is gone: everybody who waits is told once; it is tried again all the same.
  private mutating func sourceFailed(_ reason: String) -> [Output] {
    var outputs: [Output] = []
    for id in clients.keys.sorted() {
      guard var client = clients[id], client.isUpdating, !client.hasBeenToldOfFailure else { continue }
      client.hasBeenToldOfFailure = true
      clients[id] = client
      outputs.append(.fail(id, CLError(.locationUnknown, reason: reason)))
    }
    return outputs
  }

  private mutating func expire(at now: Date) -> [Output] {
    var outputs: [Output] = []
    for id in clients.keys.sorted() {
      guard let until = clients[id]?.oneShotUntil, until <= now else { continue }
      clients[id]?.oneShotUntil = nil
      outputs.append(
        .fail(
          id, CLError(.locationUnknown, reason: "There was no position within \(Int(Self.oneShotTimeout)) seconds.")))
    }
    return outputs + radioChange()
  }

  private mutating func refuseAll() -> [Output] {
    clients.keys.sorted().flatMap { id -> [Output] in
      guard let client = clients[id], client.isUpdating || client.oneShotUntil != nil else { return [] }
      return refusal(of: id)
    }
  }

  private mutating func refusal(of id: ClientID) -> [Output] {
    clients[id]?.oneShotUntil = nil
    return [.fail(id, CLError(.denied, reason: "The person does not allow this program to know the location."))]
  }

  private mutating func radioChange() -> [Output] {
    // What is only watched needs no better place than cells and networks give.
    var wanted = clients.values.filter(\.isWaiting).map {
      ($0.isUpdating && !$0.monitors.isPaused) || $0.oneShotUntil != nil
        ? $0.desiredAccuracy : kCLLocationAccuracyThreeKilometers
    }
    // Motion is told from whatever comes; it must only go on coming.
    if watchesMotion { wanted.append(kCLLocationAccuracyThreeKilometers) }
    let new = isAuthorized ? wanted.min() : nil
    guard new != radio else { return [] }
    radio = new
    return [.radio(new)]
  }
}

extension LocationServices.ClientID: Comparable {
  package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}
