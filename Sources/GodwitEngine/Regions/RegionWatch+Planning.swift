internal import GodwitModel

internal import struct Foundation.Date

/// What the system is asked to monitor: the difference between what it does and the plan, and no more.
extension RegionWatch {
  /// Seconds after which a region that the system refused is tried again.
  static let backoff = ExponentialBackoff(first: 300, maximum: 21_600)

  mutating func launch(_ identifiers: [String], _ foreign: Int, _ turn: inout Turn) {
    self.foreign = foreign
    (ranging, quiet, toldTimer, toldAccuracy) = ([], nil, nil, nil)
    (seen, disputed, lookedAnew) = ([:], [], [:])
    let there = Set(identifiers)
    let known = monitored
    monitored = [:]
    for identifier in there.sorted() {
      guard RegionIdentifier(identifier) != nil else { continue }
      if let region = region(identifier, known, turn.catalogue) {
        monitored[identifier] = region
      } else {
        turn.effects.append(.stopMonitoring(identifier))
      }
    }
    let kept = monitored
    dropDeleted(&turn)
    replan(&turn)
    // What goes on being monitored may have been crossed while nobody listened. The horizon may be an older one, of a plan that
    // was kept and not carried out.
    for identifier in kept.keys.sorted() where monitored[identifier] != nil && kept[identifier] == monitored[identifier] {
      if RegionIdentifier(identifier) == .horizon, let horizon = kept[identifier] {
        turn.effects.append(.startMonitoring(horizon))
      }
      turn.effects.append(.requestState(identifier))
    }
    for id in stays.keys where signals[id] == nil { asked[id] = turn.time }
    for uuid in heard.sorted() {
      if monitored[MonitoredRegion(uuid).identifier] == nil {
        hear(uuid, isInside: false, &turn)
      } else {
        startRanging(uuid, &turn)
      }
    }
    settle(&turn)
  }

  /// What an identifier stands for, where that is still so.
  private func region(_ identifier: String, _ known: [String: MonitoredRegion], _ catalogue: RegionCatalogue) -> MonitoredRegion?
  {
    switch RegionIdentifier(identifier) {
    case .horizon: known[identifier]
    case .beacons(let uuid): catalogue.group(uuid) == nil ? nil : MonitoredRegion(uuid)
    case .geofence: geofence(identifier, catalogue)
    case nil: nil
    }
  }

  mutating func takeCatalogue(_ turn: inout Turn) {
    dropDeleted(&turn)
    turn.rethink()
    guard let lastFix else { return }
    if turn.time.timeIntervalSince(lastFix.time) <= Self.fixAge {
      decide(lastFix, at: turn.time, &turn)
    } else if isElsewhere(lastFix.coordinate, turn.catalogue) {
      want(.hundredMeters, turn)
    }
  }

  /// Whether the geofences at a place are others than those that it is known to be inside of. Away from the place nothing has to
  /// be asked for: the system tells where the device is with regard to the new horizon and to all that is monitored.
  private func isElsewhere(_ place: Coordinate, _ catalogue: RegionCatalogue) -> Bool {
    let here = catalogue.fences(around: place).filter { catalogue.areas[$0].distanceToEdge(from: place) <= 0 }
    return Set(here) != Set(stays.keys.compactMap(catalogue.fenceNumber))
  }

  /// What has been deleted while one was inside is left now: every entry gets its exit.
  private mutating func dropDeleted(_ turn: inout Turn) {
    for id in stays.keys.sorted() {
      let isBeacon = signals[id] != nil
      switch turn.catalogue[id]?.shape {
      case .beacon(let beacon): if !isBeacon || beacon.identity != stays[id]?.region.beacon { leave(id, at: turn.time, &turn) }
      case .circle, .polygons: if isBeacon { leave(id, at: turn.time, &turn) }
      case nil: leave(id, at: turn.time, &turn)
      }
    }
    around = around.filter { turn.catalogue.fenceNumber($0) != nil }
    for id in seen.keys.sorted() where turn.catalogue.fenceNumber(id).map({ turn.catalogue.areas[$0].isSmall != nil }) ?? true {
      // The circle that the system monitors may have become the one round polygons.
      if seen.removeValue(forKey: id) == true, turn.catalogue.fenceNumber(id) != nil { around.insert(id) }
    }
  }

  mutating func replan(_ turn: inout Turn) {
    let planning = turn.plan
    turn.plan = .none
    guard canMonitor else { return }
    var selection = RegionSelection(place: plan.place, accuracy: plan.accuracy, limits: limits)
    (selection.foreign, selection.heard, selection.met) = (foreign, heard, met)
    selection.inside = Set(stays.keys)
    selection.around = around
    selection.disputed = disputed
    for (identifier, refusal) in refusals where refusal.until != nil {
      switch RegionIdentifier(identifier) {
      case .geofence(let id, _): selection.refused.insert(id)
      case .beacons(let uuid): selection.refusedBeacons.insert(uuid)
      case .horizon, nil: break
      }
    }
    var next = selection.plan(in: turn.catalogue)
    if let lastFix, planning == .forHere || !isGood(next, at: lastFix) {
      (selection.place, selection.accuracy) = (lastFix.coordinate, Self.accuracy(lastFix))
      selection.speed = speed
      next = selection.plan(in: turn.catalogue)
    }
    if next.horizon != plan.horizon { lookAgain = nil }
    plan = next
    var change = plan.difference(from: monitored)
    if plan.place == nil, plan.geofences.count < turn.catalogue.fenceCount {
      // Nobody knows where it is: what is monitored is better than nothing.
      if wantedFix == nil { want(.hundredMeters, turn) }
      change.stop = change.stop.filter { geofence($0, turn.catalogue) == nil }
      change.start = Array(change.start.prefix(max(0, selection.slots - monitored.count + change.stop.count)))
    }
    apply(change, &turn)
  }

  /// Whether a plan for the place of the one before holds where the device was last.
  private func isGood(_ plan: RegionPlan, at fix: Fix) -> Bool {
    guard let place = plan.place, plan.needs == nil else { return false }
    return plan.horizon.map { GreatCircle.distance(place, fix.coordinate) + Self.accuracy(fix) < $0.radius } ?? true
  }

  /// The geofence that an identifier stands for, where that is still so.
  private func geofence(_ identifier: String, _ catalogue: RegionCatalogue) -> MonitoredRegion? {
    guard case .geofence(let id, _) = RegionIdentifier(identifier), let number = catalogue.fenceNumber(id) else { return nil }
    let region = MonitoredRegion(geofence: id, circle: catalogue.circle(of: number))
    return region.identifier == identifier ? region : nil
  }

  private mutating func apply(_ change: (stop: [String], start: [MonitoredRegion]), _ turn: inout Turn) {
    for identifier in change.stop {
      monitored[identifier] = nil
      turn.effects.append(.stopMonitoring(identifier))
      switch RegionIdentifier(identifier) {
      case .beacons(let uuid): hear(uuid, isInside: false, &turn)
      case .geofence(let id, _): forget(id)
      case .horizon, nil: break
      }
    }
    let starting = change.start.filter { refusals[$0.identifier]?.until == nil }
    for region in starting {
      monitored[region.identifier] = region
      if case .geofence(let id, _) = RegionIdentifier(region.identifier) { forget(id) }
      turn.effects.append(.startMonitoring(region))
    }
    turn.effects += starting.map { .requestState($0.identifier) }
  }

  /// What the system has said of a geofence.
  private mutating func forget(_ id: String) {
    around.remove(id)
    seen[id] = nil
    disputed.remove(id)
    lookedAnew[id] = nil
  }

  mutating func refuse(_ identifier: String, _ turn: inout Turn) {
    guard RegionIdentifier(identifier) != nil, monitored.removeValue(forKey: identifier) != nil else { return }
    switch RegionIdentifier(identifier) {
    case .geofence(let id, _): forget(id)
    case .beacons(let uuid): hear(uuid, isInside: false, &turn)
    case .horizon, nil: break
    }
    let count = (refusals[identifier]?.count ?? 0) + 1
    refusals[identifier] = MonitoringFailure(until: turn.time.addingTimeInterval(Self.backoff.pause(after: count)), count: count)
    turn.rethink()
  }

  mutating func retryFailed(_ turn: inout Turn) {
    for (identifier, refusal) in refusals {
      guard let until = refusal.until, until <= turn.time else { continue }
      refusals[identifier]?.until = nil
      turn.rethink()
    }
  }

  /// Without permission nothing is monitored. Where one is inside stays as it was last known: nobody has seen it end. When the
  /// permission is back, the system is asked.
  mutating func allow(_ canMonitor: Bool, _ turn: inout Turn) {
    guard canMonitor != self.canMonitor else { return }
    self.canMonitor = canMonitor
    if canMonitor {
      for id in stays.keys { asked[id] = turn.time }
      turn.rethink()
    } else {
      let (place, accuracy) = (plan.place, plan.accuracy)
      plan = RegionPlan()
      (plan.place, plan.accuracy) = (place, accuracy)
      apply((monitored.keys.sorted(), []), &turn)
      (refusals, wantedFix, lookAgain) = ([:], nil, nil)
    }
  }
}
