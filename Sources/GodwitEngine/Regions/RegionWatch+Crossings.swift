internal import GodwitModel

internal import struct Foundation.Date

/// What the system says of the regions that it monitors.
extension RegionWatch {
  /// Metres per second that a device may have moved since the fix.
  static let fastest: MetersPerSecond = 50
  /// Seconds after which a horizon is looked at again of which a fix says that it cannot have been left.
  static let lookAgainTime = 60.0
  /// Seconds since a fix that is as good as one of now.
  static let fresh = 10.0
  /// Seconds between two times that the system is made to look anew at one geofence.
  static let patience = 60.0

  mutating func cross(_ identifier: String, isInside: Bool, isSeen: Bool = true, _ turn: inout Turn) {
    guard let name = RegionIdentifier(identifier), monitored[identifier] != nil || name == .horizon else { return }
    switch name {
    case .horizon: if !isInside { leaveHorizon(&turn) }
    case .beacons(let uuid): if isInside { hear(uuid, isInside: true, &turn) } else { lose(uuid, &turn) }
    case .geofence(let id, _):
      guard let number = turn.catalogue.fenceNumber(id) else { return }
      cross(turn.catalogue.fence(number), turn.catalogue.areas[number], isInside: isInside, isSeen: isSeen, &turn)
    }
  }

  mutating func takeState(_ identifier: String, _ isInside: Bool?, _ turn: inout Turn) {
    if isInside != nil { refusals[identifier] = nil }
    var wasAsked = false
    if case .geofence(let id, _) = RegionIdentifier(identifier) { wasAsked = asked.removeValue(forKey: id) != nil }
    // What had to be asked for was crossed while nobody looked.
    if let isInside { cross(identifier, isInside: isInside, isSeen: !wasAsked, &turn) }
  }

  private mutating func leaveHorizon(_ turn: inout Turn) {
    guard let lastFix, let horizon = plan.horizon, turn.time.timeIntervalSince(lastFix.time) <= Self.fresh else {
      return want(.hundredMeters, turn)
    }
    let inside = -horizon.distanceToEdge(from: lastFix.coordinate)
    let age = max(0, turn.time.timeIntervalSince(lastFix.time))
    if inside < 0 {
      turn.plan = .forHere
    } else if inside > Self.accuracy(lastFix) + age * Self.fastest {
      lookAgain = lookAgain ?? turn.time.addingTimeInterval(Self.lookAgainTime)
    } else {
      want(.hundredMeters, turn)
    }
  }

  /// The system's place is not the receiver's: both may be at it for long, and must not keep the receiver on.
  mutating func lookOnceMore(_ turn: inout Turn) {
    guard let time = lookAgain, time <= turn.time else { return }
    lookAgain = nil
    want(.hundredMeters, turn)
  }

  /// Only a fix that is not older than now will do.
  mutating func want(_ accuracy: DesiredAccuracy, _ turn: Turn) {
    if wantedFix.map({ $0.accuracy.meters > accuracy.meters }) ?? true {
      wantedFix = WantedFix(accuracy: accuracy, since: turn.time)
    }
    rest = nil
  }

  private mutating func cross(
    _ region: Region, _ area: RegionArea, isInside: Bool, isSeen: Bool, _ turn: inout Turn
  ) {
    guard let isSmall = area.isSmall else {
      seen[region.id] = isInside
      if contradicts(area, isInside: isInside, turn) { return }
      return isInside ? enter(region, at: turn.time, &turn) : leave(region.id, at: turn.time, isSeen: isSeen, &turn)
    }
    guard isInside else {
      around.remove(region.id)
      return leave(region.id, at: turn.time, isSeen: isSeen, &turn)
    }
    // The circle round it: whether it is inside as well, and how far the edge is, fixes say.
    guard around.insert(region.id).inserted else { return }
    if let lastFix, turn.time.timeIntervalSince(lastFix.time) <= Self.fresh {
      turn.plan = .forHere
    } else {
      want(isSmall ? .tenMeters : .hundredMeters, turn)
    }
  }

  /// Whether the device cannot have come so far since the last fix.
  private func contradicts(_ area: RegionArea, isInside: Bool, _ turn: Turn) -> Bool {
    guard let fix = lastFix else { return false }
    let age = max(0, turn.time.timeIntervalSince(fix.time))
    let edge = area.distanceToEdge(from: fix.coordinate)
    let reach = max(Self.hysteresis, Self.accuracy(fix)) + age * Self.fastest
    return isInside ? edge > reach : edge < -reach
  }

  /// Where the system says something else than what is known, it would not tell the next crossing: it is made to look anew, by
  /// the place that it knows now. As long as it stays with what it said, the geofence counts as one without a slot.
  mutating func noteDisputes(_ turn: inout Turn) {
    var now: Set<String> = []
    for (id, isInside) in seen.sorted(by: { $0.key < $1.key }) where isInside != (stays[id] != nil) {
      if !lookAnew(id, &turn) { now.insert(id) }
    }
    if now != disputed { turn.rethink() }
    disputed = now
  }

  /// - Returns: whether the system will say something new.
  private mutating func lookAnew(_ id: String, _ turn: inout Turn) -> Bool {
    if let before = lookedAnew[id], abs(turn.time.timeIntervalSince(before)) < Self.patience { return false }
    guard canMonitor, let number = turn.catalogue.fenceNumber(id) else { return false }
    let region = MonitoredRegion(geofence: id, circle: turn.catalogue.circle(of: number))
    guard monitored[region.identifier] != nil else { return false }
    lookedAnew[id] = turn.time
    seen[id] = nil
    turn.effects += [.stopMonitoring(region.identifier), .startMonitoring(region), .requestState(region.identifier)]
    return true
  }
}
