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
    /// Only the system knows.
    case system
  }

  /// The identity of regions: the managers of an app share their identifiers, and every monitor has its own.
  package struct Name: Sendable, Hashable, Comparable {
    package var monitor: String?
    package var identifier: String

    package static func < (a: Self, b: Self) -> Bool {
      (a.monitor ?? "", a.identifier) < (b.monitor ?? "", b.identifier)
    }
  }

  /// A circle or a beacon, with the name that the app gave it.
  package struct Region: Sendable, Hashable {
    package var identifier: String
    package var shape: Shape
    /// Which crossings the app wants to know.
    package var notifyOnEntry: Bool
    package var notifyOnExit: Bool
    /// Whether the app wants to know where it is each time the person looks at the phone.
    package var notifyOnDisplay = false
    /// The monitor whose condition it is; `nil`: it is of the app's managers.
    package var monitor: String?

    package init(
      identifier: String, shape: Shape, notifyOnEntry: Bool = true, notifyOnExit: Bool = true, monitor: String? = nil
    ) {
      self.identifier = identifier
      self.shape = shape
      self.notifyOnEntry = notifyOnEntry
      self.notifyOnExit = notifyOnExit
      self.monitor = monitor
    }

    package var name: Name { Name(monitor: monitor, identifier: identifier) }
  }

  /// Where the device is, with the numbers of `CLRegionState`.
  package enum State: Int, Sendable, Hashable {
    case unknown = 0
    case inside = 1
    case outside = 2
  }

  /// Passing a boundary.
  package struct Crossing: Sendable, Hashable {
    package var region: Region
    package var isEntry: Bool
    /// Where the device is has become known, and it has passed nothing: only monitors are reported.
    package var isFirst = false

    package init(_ region: Region, isEntry: Bool, isFirst: Bool = false) {
      self.region = region
      self.isEntry = isEntry
      self.isFirst = isFirst
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
    /// A crossing that is reported later.
    var late: (isEntry: Bool, at: Date)?
    /// The app has asked since, and knows of it.
    var isLateKnown = false
  }

  /// In the order of their names. They are few.
  private var watches: [Watch] = []
  /// Conditions that are watched no more because no client received their events.
  private var lapsed: Set<Name> = []

  /// Everything that is watched, by name.
  package var all: [Region] { watches.map(\.region) }
  var count: Int { watches.count }
  /// Whether positions are needed.
  var hasCircles: Bool { watches.contains { if case .circle = $0.region.shape { true } else { false } } }
  var hasBeacons: Bool { watches.contains { if case .beacon = $0.region.shape { true } else { false } } }

  /// The circles that are watched, as large as the system makes them.
  func circles(_ profile: OSProfile) -> [LocationServices.Circle] {
    watches.compactMap { watch in
      guard case .circle(let center, let radius) = watch.region.shape else { return nil }
      return LocationServices.Circle(center: center, radius: max(radius, profile.smallestRegion))
    }
  }

  private func index(_ name: Name) -> Int? { watches.firstIndex { $0.region.name == name } }

  func contains(_ name: Name) -> Bool { index(name) != nil }

  /// Which client asked for it.
  func owner(_ name: Name) -> LocationServices.ClientID? { index(name).map { watches[$0].owner } }

  /// Whether it is not watched any more because no client received its events.
  func hasLapsed(_ name: Name) -> Bool { lapsed.contains(name) }

  /// What is watched already goes on: requesting it again at each launch loses no event.
  /// - Parameter last: the last known position: being inside already is no entry.
  mutating func add(_ region: Region, owner: LocationServices.ClientID, last: Fix?, _ profile: OSProfile) {
    lapsed.remove(region.name)
    if let known = index(region.name) {
      watches[known].owner = owner
      guard watches[known].region != region else { return }
      watches.remove(at: known)
    }
    var watch = Watch(region: region, owner: owner)
    watch.state = Self.state(of: region.shape, at: last, profile)
    watches.insert(watch, at: watches.firstIndex { region.name < $0.region.name } ?? watches.endIndex)
  }

  mutating func remove(_ name: Name) {
    watches.removeAll { $0.region.name == name }
    lapsed.remove(name)
  }

  mutating func removeAll() { (watches, lapsed) = ([], []) }
  mutating func removeAll(of owner: LocationServices.ClientID) { watches.removeAll { $0.owner == owner } }

  /// No client received its events.
  mutating func drop(_ name: Name) {
    remove(name)
    lapsed.insert(name)
  }

  /// What the app receives when it asks.
  func state(of region: Region, at last: Fix?, _ profile: OSProfile) -> State {
    if let known = index(region.name), watches[known].region.shape == region.shape, watches[known].state != .unknown {
      return watches[known].state
    }
    return Self.state(of: region.shape, at: last, profile)
  }

  /// What the app receives when it asks: from then on it knows, and the way back has to be reported as well.
  mutating func respond(_ region: Region, at last: Fix?, _ profile: OSProfile) -> State {
    if let known = index(region.name), watches[known].late != nil { watches[known].isLateKnown = true }
    return state(of: region, at: last, profile)
  }

  private static func state(of shape: Shape, at fix: Fix?, _ profile: OSProfile) -> State {
    guard case .circle(let center, let radius) = shape, let fix else { return .unknown }
    let isInside = GreatCircle.distance(center, fix.coordinate) <= max(radius, profile.smallestRegion)
    return isInside ? .inside : .outside
  }

  // MARK: Circles

  /// The crossings that a position makes known.
  /// - Parameter latency: seconds that they are reported late.
  mutating func handle(_ fix: Fix, at now: Date, _ profile: OSProfile, latency: Double) -> [Crossing] {
    watches.indices.compactMap { Self.cross(&watches[$0], fix, now, profile, latency) }
  }

  private static func cross(
    _ watch: inout Watch, _ fix: Fix, _ now: Date, _ profile: OSProfile, _ latency: Double
  ) -> Crossing? {
    guard case .circle(let center, let asked) = watch.region.shape else { return nil }
    let radius = max(asked, profile.smallestRegion)
    let distance = GreatCircle.distance(center, fix.coordinate)
    guard watch.state != .unknown else {
      // Where the device is at first is no crossing.
      watch.state = distance <= radius ? .inside : .outside
      return watch.region.monitor == nil
        ? nil : Crossing(watch.region, isEntry: watch.state == .inside, isFirst: true)
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
    return crossed(&watch, now, latency)
  }

  private static func crossed(_ watch: inout Watch, _ now: Date, _ latency: Double) -> Crossing? {
    let isEntry = watch.state != .inside
    watch.state = isEntry ? .inside : .outside
    watch.otherSide = nil
    if watch.late != nil, !watch.isLateKnown {
      // Returned before the exit was reported: nothing to report.
      watch.late = nil
      return nil
    }
    (watch.late, watch.isLateKnown) = (nil, false)
    guard latency <= 0 else {
      watch.late = (isEntry, now.addingTimeInterval(latency))
      return nil
    }
    return Crossing(watch.region, isEntry: isEntry)
  }

  // MARK: Time

  /// The clock of the positions was moved by so many seconds.
  mutating func move(by seconds: Double) {
    for index in watches.indices { watches[index].otherSide?.fix += seconds }
  }

  /// The crossings that have become known because time has passed: no position spoke against them.
  mutating func expire(at now: Date, _ profile: OSProfile, latency: Double) -> [Crossing] {
    var reported: [Crossing] = []
    for index in watches.indices {
      if let late = watches[index].late, late.at <= now {
        (watches[index].late, watches[index].isLateKnown) = (nil, false)
        reported.append(Crossing(watches[index].region, isEntry: late.isEntry))
      }
      if let since = watches[index].otherSide?.machine, now.timeIntervalSince(since) >= profile.regionCrossingTime,
        let crossing = Self.crossed(&watches[index], now, latency)
      {
        reported.append(crossing)
      }
    }
    return reported
  }

  /// When to look again.
  func nextTime(_ profile: OSProfile) -> Date? {
    var next: Date?
    for watch in watches {
      next = .earlier(next, watch.late?.at)
      next = .earlier(next, watch.otherSide?.machine.addingTimeInterval(profile.regionCrossingTime))
    }
    return next
  }

  // MARK: Beacons

  /// The crossings that a look at the beacons makes known: an entry at once, an exit when they have been gone for long.
  mutating func handle(_ beacons: Beacons, at now: Date, _ profile: OSProfile) -> [Crossing] {
    watches.indices.compactMap { index in
      let watch = watches[index]
      guard case .beacon(let identity) = watch.region.shape else { return nil }
      let isNear = beacons.isNear(identity, at: now, profile)
      let state: State = isNear ? .inside : .outside
      guard state != watch.state else { return nil }
      watches[index].state = state
      // Not being there at first is no exit.
      return watch.state == .unknown && !isNear ? nil : Crossing(watch.region, isEntry: isNear)
    }
  }

  /// The beacons of which an exit may have to be reported.
  var beaconsInside: [Beacons.Identity] {
    watches.compactMap { watch in
      if case .beacon(let identity) = watch.region.shape, watch.state == .inside { identity } else { nil }
    }
  }
}

extension Date? {
  /// The earlier of two times, of which either may be never.
  static func earlier(_ a: Date?, _ b: Date?) -> Date? {
    guard let a else { return b }
    guard let b else { return a }
    return min(a, b)
  }
}
