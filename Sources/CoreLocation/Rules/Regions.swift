internal import Foundation
package import GodwitModel

/// Rule 5, and the entries and exits of rule 6: the monitored regions of the app, and their crossings. They belong to the app
/// and not to one of its managers, and outlive both.
package struct Regions: Sendable {
  /// The shape of a region.
  package enum Shape: Sendable, Hashable {
    /// A circle with a radius in metres.
    case circle(center: Coordinate, radius: Meters)
    case beacon(Beacons.Identity)
    /// The shape of an internal region of the system.
    case system
  }

  /// The key of a region. The managers of an app share identifiers, and every monitor has its own.
  package struct Name: Sendable, Hashable, Comparable {
    package var monitor: String?
    package var identifier: String

    package static func < (a: Self, b: Self) -> Bool {
      (a.monitor ?? "", a.identifier) < (b.monitor ?? "", b.identifier)
    }
  }

  /// A circle or a beacon region, with the app's identifier.
  package struct Region: Sendable, Hashable {
    package var identifier: String
    package var shape: Shape
    /// Whether entries are reported to the app.
    package var notifyOnEntry: Bool
    package var notifyOnExit: Bool
    /// Whether the state is reported each time the user turns on the display.
    package var notifyOnDisplay = false
    /// The name of the monitor whose condition it is; `nil`: it is a region of the app's managers.
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

  /// The state of a region. The raw values are those of `CLRegionState`.
  package enum State: Int, Sendable, Hashable {
    case unknown = 0
    case inside = 1
    case outside = 2
  }

  /// An entry or an exit.
  package struct Crossing: Sendable, Hashable {
    package var region: Region
    package var isEntry: Bool
    /// Whether this is the first known state and not a crossing. It is reported to monitors only.
    package var isFirst = false

    package init(_ region: Region, isEntry: Bool, isFirst: Bool = false) {
      self.region = region
      self.isEntry = isEntry
      self.isFirst = isFirst
    }
  }

  /// The maximum radius of a circle in metres.
  package static let largest: Meters = 1_000_000

  private struct Watch: Sendable {
    var region: Region
    var owner: LocationServices.ClientID
    var state = State.unknown
    /// The time since which the device has been on the other side of the boundary, by the clock of the positions and by the
    /// clock of the machine; `nil`: it is not.
    var otherSide: (fix: Date, machine: Date)?
    /// A crossing whose report is delayed, and the time of the report; `nil`: none.
    var late: (isEntry: Bool, at: Date)?
    /// Whether the app has requested the state since the delayed crossing, and so received it.
    var isLateKnown = false
  }

  /// The monitored regions, sorted by name. They are few.
  private var watches: [Watch] = []
  /// Conditions that are no longer monitored because no client received their events.
  private var lapsed: Set<Name> = []

  /// All monitored regions, sorted by name.
  package var all: [Region] { watches.map(\.region) }
  var count: Int { watches.count }
  /// Whether positions are needed.
  var hasCircles: Bool { watches.contains { if case .circle = $0.region.shape { true } else { false } } }
  var hasBeacons: Bool { watches.contains { if case .beacon = $0.region.shape { true } else { false } } }

  /// Returns the monitored circles, with at least the smallest radius of the system.
  func circles(_ profile: OSProfile) -> [LocationServices.Circle] {
    watches.compactMap { watch in
      guard case .circle(let center, let radius) = watch.region.shape else { return nil }
      return LocationServices.Circle(center: center, radius: max(radius, profile.smallestRegion))
    }
  }

  private func index(_ name: Name) -> Int? { watches.firstIndex { $0.region.name == name } }

  func contains(_ name: Name) -> Bool { index(name) != nil }

  /// Returns the client that requested the region; `nil`: it is not monitored.
  func owner(_ name: Name) -> LocationServices.ClientID? { index(name).map { watches[$0].owner } }

  /// Whether the condition is no longer monitored because no client received its events.
  func hasLapsed(_ name: Name) -> Bool { lapsed.contains(name) }

  /// Starts monitoring a region. A region that is already monitored keeps its state, so that a request at each launch loses no
  /// event.
  /// - Parameter last: the last known position. If the device is already inside, no entry is reported.
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

  /// Stops monitoring a condition because no client received its events.
  mutating func drop(_ name: Name) {
    remove(name)
    lapsed.insert(name)
  }

  /// Returns the state of a region, from monitoring or from the last known position.
  func state(of region: Region, at last: Fix?, _ profile: OSProfile) -> State {
    if let known = index(region.name), watches[known].region.shape == region.shape, watches[known].state != .unknown {
      return watches[known].state
    }
    return Self.state(of: region.shape, at: last, profile)
  }

  /// Returns the state of a region that the app requested. If the app so receives a delayed crossing, a crossing back has to be
  /// reported too.
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

  /// Returns the crossings that a position causes.
  /// - Parameter latency: the delay of their report in seconds.
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
      // The first known state is not a crossing.
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
      // The device crossed back before the delayed crossing was reported, so neither is reported.
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

  /// Adjusts stored times after the clock of the positions was moved by a number of seconds.
  mutating func move(by seconds: Double) {
    for index in watches.indices { watches[index].otherSide?.fix += seconds }
  }

  /// Returns the crossings that are due because time has passed without a position that contradicts them.
  mutating func expire(at now: Date, _ profile: OSProfile, latency: Double) -> [Crossing] {
    var reported: [Crossing] = []
    for index in watches.indices {
      if let late = watches[index].late, late.at <= now {
        (watches[index].late, watches[index].isLateKnown) = (nil, false)
        reported.append(Crossing(watches[index].region, isEntry: late.isEntry))
      }
      // The time starts again if the clock was set back.
      if let since = watches[index].otherSide?.machine, since > now { watches[index].otherSide?.machine = now }
      if let since = watches[index].otherSide?.machine, now.timeIntervalSince(since) >= profile.regionCrossingTime,
        let crossing = Self.crossed(&watches[index], now, latency)
      {
        reported.append(crossing)
      }
    }
    return reported
  }

  /// Returns the time at which to call ``expire(at:_:latency:)``; `nil`: never.
  func nextTime(_ profile: OSProfile) -> Date? {
    var next: Date?
    for watch in watches {
      next = .earlier(next, watch.late?.at)
      next = .earlier(next, watch.otherSide?.machine.addingTimeInterval(profile.regionCrossingTime))
    }
    return next
  }

  // MARK: Beacons

  /// Returns the crossings of beacon regions: an entry at the first sighting, an exit after the time of the profile without one.
  mutating func handle(_ beacons: Beacons, at now: Date, _ profile: OSProfile) -> [Crossing] {
    watches.indices.compactMap { index in
      let watch = watches[index]
      guard case .beacon(let identity) = watch.region.shape else { return nil }
      let isNear = beacons.isNear(identity, at: now, profile)
      let state: State = isNear ? .inside : .outside
      guard state != watch.state else { return nil }
      watches[index].state = state
      // If the beacon is not near at first, no exit is reported.
      return watch.state == .unknown && !isNear ? nil : Crossing(watch.region, isEntry: isNear)
    }
  }

  /// The beacons of the regions that the device is in, for which an exit may become due.
  var beaconsInside: [Beacons.Identity] {
    watches.compactMap { watch in
      if case .beacon(let identity) = watch.region.shape, watch.state == .inside { identity } else { nil }
    }
  }
}

extension Date? {
  /// Returns the earlier of two times; `nil` means never.
  static func earlier(_ a: Date?, _ b: Date?) -> Date? {
    guard let a else { return b }
    guard let b else { return a }
    return min(a, b)
  }
}
