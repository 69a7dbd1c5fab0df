internal import Foundation
package import GodwitModel

/// Rule 5 (and the entries and exits of rule 6): what the app has watched, with its crossings. It belongs to the app and
/// not to one of its managers, and outlives both.
package struct Regions: Sendable {
  /// What is watched.
  package enum Shape: Sendable, Hashable {
    /// A circle of so many metres.
    case circle(center: Coordinate, radius: Meters)
    case beacon(Beacons.Identity)
  }

  /// A circle or a beacon, with the name that the app gave it.
  package struct Region: Sendable, Hashable {
    package var identifier: String
    package var shape: Shape
    /// Which crossings the app wants to know.
    package var notifyOnEntry: Bool
    package var notifyOnExit: Bool

    package init(identifier: String, shape: Shape, notifyOnEntry: Bool = true, notifyOnExit: Bool = true) {
      self.identifier = identifier
      self.shape = shape
      self.notifyOnEntry = notifyOnEntry
      self.notifyOnExit = notifyOnExit
    }
  }

  /// Where the device is, with the numbers of `CLRegionState`.
  package enum State: Int, Sendable, Hashable {
    case unknown = 0
    case inside = 1
    case outside = 2
  }

  /// Passing a boundary.
  package struct Crossing: Sendable, Hashable {
    package var identifier: String
    package var isEntry: Bool

    package init(_ identifier: String, isEntry: Bool) {
      self.identifier = identifier
      self.isEntry = isEntry
    }
  }

  /// Metres of the largest circle.
  package static let largest: Meters = 1_000_000

  private struct Watch: Sendable {
    var region: Region
    var owner: LocationServices.ClientID
    var state = State.unknown
    /// Since when the device has been on the other side: by the positions' clock, and by the machine's.
    var otherSide: (fix: Date, machine: Date)?
    /// A crossing that is told later.
    var late: (isEntry: Bool, at: Date)?
  }

  private var watches: [String: Watch] = [:]

  /// Everything that is watched, by name.
  package var all: [Region] { watches.keys.sorted().compactMap { watches[$0]?.region } }
  var count: Int { watches.count }
  /// Whether positions are needed.
  var hasCircles: Bool {
    watches.values.contains { if case .circle = $0.region.shape { true } else { false } }
  }

  var hasBeacons: Bool {
    watches.values.contains { if case .beacon = $0.region.shape { true } else { false } }
  }

  func region(_ identifier: String) -> Region? { watches[identifier]?.region }

  /// Which manager asked for it.
  func owner(_ identifier: String) -> LocationServices.ClientID? { watches[identifier]?.owner }

  /// - Parameter last: the last known position: being inside already is no entry.
  mutating func add(_ region: Region, owner: LocationServices.ClientID, last: Fix?, _ profile: OSProfile) {
    var watch = Watch(region: region, owner: owner)
    watch.state = Self.state(of: region.shape, at: last, profile)
    watches[region.identifier] = watch
  }

  mutating func remove(_ identifier: String) { watches[identifier] = nil }
  mutating func removeAll() { watches = [:] }
  mutating func removeAll(of owner: LocationServices.ClientID) { watches = watches.filter { $0.value.owner != owner } }

  /// What the app is told when it asks.
  func state(of region: Region, at last: Fix?, _ profile: OSProfile) -> State {
    if let watch = watches[region.identifier], watch.region.shape == region.shape, watch.state != .unknown {
      return watch.state
    }
    return Self.state(of: region.shape, at: last, profile)
  }

  private static func state(of shape: Shape, at fix: Fix?, _ profile: OSProfile) -> State {
    guard case .circle(let center, let radius) = shape, let fix else { return .unknown }
    let isInside = GreatCircle.distance(center, fix.coordinate) <= max(radius, profile.smallestRegion)
    return isInside ? .inside : .outside
  }

  // MARK: Circles

  /// The crossings that a position makes known.
  /// - Parameter latency: seconds that they are told late.
  mutating func take(_ fix: Fix, at now: Date, _ profile: OSProfile, latency: Double) -> [Crossing] {
    watches.keys.sorted().compactMap { cross($0, fix, now, profile, latency) }
  }

  private mutating func cross(
    _ identifier: String, _ fix: Fix, _ now: Date, _ profile: OSProfile, _ latency: Double
  ) -> Crossing? {
    guard var watch = watches[identifier], case .circle(let center, let asked) = watch.region.shape else { return nil }
    defer { watches[identifier] = watch }
    let radius = max(asked, profile.smallestRegion)
    let distance = GreatCircle.distance(center, fix.coordinate)
    guard watch.state != .unknown else {
      // Where the device is at first is no crossing.
      watch.state = distance <= radius ? .inside : .outside
      return nil
    }
    let cushion = profile.regionCushion
    let isOver =
      watch.state == .inside ? distance > radius + cushion : distance < radius - min(cushion, radius / 2)
    guard isOver else {
      watch.otherSide = nil
      return nil
    }
    let since = watch.otherSide ?? (fix.time, now)
    watch.otherSide = since
    guard fix.time.timeIntervalSince(since.fix) >= profile.regionCrossingTime else { return nil }
    return Self.crossed(&watch, now, latency)
  }

  private static func crossed(_ watch: inout Watch, _ now: Date, _ latency: Double) -> Crossing? {
    let isEntry = watch.state != .inside
    watch.state = isEntry ? .inside : .outside
    watch.otherSide = nil
    if watch.late != nil {
      // Back before anybody was told of having gone: nothing to tell.
      watch.late = nil
      return nil
    }
    guard latency <= 0 else {
      watch.late = (isEntry, now.addingTimeInterval(latency))
      return nil
    }
    return Crossing(watch.region.identifier, isEntry: isEntry)
  }

  // MARK: Time

  /// The clock of the positions was moved by so many seconds.
  mutating func move(by seconds: Double) {
    for identifier in watches.keys { watches[identifier]?.otherSide?.fix += seconds }
  }

  /// The crossings that have become known because time has passed: no position spoke against them.
  mutating func expire(at now: Date, _ profile: OSProfile, latency: Double) -> [Crossing] {
    watches.keys.sorted().flatMap { identifier -> [Crossing] in
      guard var watch = watches[identifier] else { return [] }
      defer { watches[identifier] = watch }
      var told: [Crossing] = []
      if let late = watch.late, late.at <= now {
        watch.late = nil
        told.append(Crossing(identifier, isEntry: late.isEntry))
      }
      if let since = watch.otherSide?.machine, now.timeIntervalSince(since) >= profile.regionCrossingTime,
        let crossing = Self.crossed(&watch, now, latency)
      {
        told.append(crossing)
      }
      return told
    }
  }

  /// When to look again.
  func nextTime(_ profile: OSProfile) -> Date? {
    watches.values.flatMap { watch in
      [watch.late?.at, watch.otherSide?.machine.addingTimeInterval(profile.regionCrossingTime)].compactMap(\.self)
    }.min()
  }

  // MARK: Beacons

  /// The crossings that a look at the beacons makes known: an entry at once, an exit when they have been gone for long.
  mutating func take(_ beacons: Beacons, at now: Date, _ profile: OSProfile) -> [Crossing] {
    watches.keys.sorted().compactMap { identifier in
      guard let watch = watches[identifier], case .beacon(let identity) = watch.region.shape else { return nil }
      let isNear = beacons.isNear(identity, at: now, profile)
      let state: State = isNear ? .inside : .outside
      guard state != watch.state else { return nil }
      watches[identifier]?.state = state
      // Not being there at first is no exit.
      return watch.state == .unknown && !isNear ? nil : Crossing(identifier, isEntry: isNear)
    }
  }

  /// The beacons of which an exit may have to be told.
  var beaconsInside: [Beacons.Identity] {
    watches.values.compactMap { watch in
      if case .beacon(let identity) = watch.region.shape, watch.state == .inside { identity } else { nil }
    }
  }
}
