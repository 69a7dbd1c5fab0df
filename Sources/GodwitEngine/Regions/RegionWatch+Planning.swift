internal import GodwitModel

internal import struct Foundation.Date

/// The planning: the system is requested to change only the difference between the monitored regions and the plan.
extension RegionWatch {
  mutating func launch(_ identifiers: [String], _ unmanaged: Int, _ turn: inout Turn) {
    self.unmanaged = unmanaged
    (reportedTimer, reportedAccuracy) = (nil, nil)
    place.endQuiet()
    sightings.relaunch()
    ranging.relaunch()
    system.relaunch(identifiers, &turn)
    let kept = system.monitored
    dropDeleted(&turn)
    replan(&turn)
    // Regions that are still monitored may have been crossed while the program did not run. The stored horizon may belong to a
    // plan that was stored and not carried out, so it is set again.
    for identifier in kept.keys.sorted()
    where system.monitors(identifier) && kept[identifier] == system.monitored[identifier] {
      if RegionIdentifier(identifier) == .horizon, let horizon = kept[identifier] {
        turn.effects.append(.startMonitoring(horizon))
      }
      turn.effects.append(.requestState(identifier))
    }
    stays.ask(stays.ids.filter { !ranging.isNear($0) }, at: turn.time)
    for uuid in ranging.ranged.sorted() {
      if system.monitors(MonitoredRegion(uuid).identifier) {
        ranging.startRanging(uuid, &turn)
      } else {
        ranging.update(uuid, isInside: false, &stays, &turn)
      }
    }
    stays.reportDue(&turn)
  }

  mutating func updateCatalogue(_ turn: inout Turn) {
    dropDeleted(&turn)
    turn.requestPlan()
    guard let lastFix = place.lastFix else { return }
    if abs(turn.time.timeIntervalSince(lastFix.time)) <= RegionStays.fixAge {
      stays.decide(lastFix, at: turn.time, sightings, &turn)
    } else if isElsewhere(lastFix.coordinate, turn.catalogue) {
      demand.want(.hundredMeters, at: turn.time)
    }
  }

  /// Whether the geofences at a place differ from those that are known to contain the device. Away from the place no fix is
  /// needed: the system reports the state of the new horizon and of all monitored regions.
  private func isElsewhere(_ place: Coordinate, _ catalogue: RegionCatalogue) -> Bool {
    let here = catalogue.geofences(around: place).filter { catalogue.areas[$0].distanceToEdge(from: place) <= 0 }
    return Set(here) != Set(stays.geofences(in: catalogue))
  }

  /// Ends the stays in regions that were deleted. Every entry gets an exit.
  private mutating func dropDeleted(_ turn: inout Turn) {
    for id in stays.ids.sorted() {
      let isBeacon = ranging.isNear(id)
      let isStillThere =
        switch turn.catalogue[id]?.shape {
        case .beacon(let beacon): isBeacon && beacon.identity == stays[id]?.region.beacon
        case .circle, .polygons: !isBeacon
        case nil: false
        }
      if !isStillThere { ranging.leave(id, &stays, &turn) }
    }
    sightings.dropDeleted(turn.catalogue)
  }

  mutating func replan(_ turn: inout Turn) {
    let planning = turn.plan
    turn.plan = .none
    guard canMonitor else { return }
    var selection = RegionSelection(place: plan.place, accuracy: plan.accuracy, limits: limits)
    (selection.unmanaged, selection.ranged, selection.met) = (unmanaged, ranging.ranged, ranging.encounterCounts)
    selection.inside = Set(stays.ids)
    selection.around = sightings.around
    selection.disputed = sightings.disputed
    for identifier in system.heldBack {
      switch RegionIdentifier(identifier) {
      case .geofence(let id, _): selection.rejected.insert(id)
      case .beacons(let uuid): selection.rejectedBeacons.insert(uuid)
      case .horizon, nil: break
      }
    }
    var next = selection.plan(in: turn.catalogue)
    if let lastFix = place.lastFix, planning == .forHere || !isGood(next, at: lastFix) {
      (selection.place, selection.accuracy) = (lastFix.coordinate, DevicePlace.accuracy(lastFix))
      selection.speed = place.speed
      next = selection.plan(in: turn.catalogue)
    }
    if next.horizon != plan.horizon { demand.horizonChanged() }
    plan = next
    var change = plan.difference(from: system.monitored)
    if plan.place == nil, plan.geofences.count < turn.catalogue.geofenceCount {
      // The position is unknown. The regions that are monitored now are kept until a fix arrives.
      if !demand.isWaiting { demand.want(.hundredMeters, at: turn.time) }
      change.stop = change.stop.filter { SystemRegions.geofence($0, turn.catalogue) == nil }
      change.start = Array(change.start.prefix(max(0, selection.slots - system.monitored.count + change.stop.count)))
    }
    apply(change, &turn)
  }

  /// Whether a plan for the place of the previous plan is valid at the last position of the device.
  private func isGood(_ plan: RegionPlan, at fix: Fix) -> Bool {
    guard let place = plan.place, plan.needs == nil else { return false }
    return plan.horizon.map { GreatCircle.distance(place, fix.coordinate) + DevicePlace.accuracy(fix) < $0.radius } ?? true
  }

  private mutating func apply(_ change: (stop: [String], start: [MonitoredRegion]), _ turn: inout Turn) {
    for identifier in change.stop {
      system.stop(identifier, &turn)
      discard(identifier, &turn)
    }
    let starting = change.start.filter { !system.isHeldBack($0.identifier) }
    for region in starting {
      if case .geofence(let id, _) = RegionIdentifier(region.identifier) { sightings.discard(id) }
      system.start(region, &turn)
    }
    turn.effects += starting.map { .requestState($0.identifier) }
  }

  /// Handles the end of the monitoring of a region: the system no longer reports about it.
  mutating func discard(_ identifier: String, _ turn: inout Turn) {
    switch RegionIdentifier(identifier) {
    case .geofence(let id, _): sightings.discard(id)
    case .beacons(let uuid): ranging.update(uuid, isInside: false, &stays, &turn)
    case .horizon, nil: break
    }
  }

  /// Handles a change of the permission. Without permission nothing is monitored. Stays continue, because their end is unknown.
  /// When permission is granted again, their state is requested from the system.
  mutating func allow(_ canMonitor: Bool, _ turn: inout Turn) {
    guard canMonitor != self.canMonitor else { return }
    self.canMonitor = canMonitor
    turn.canMonitor = canMonitor
    if canMonitor {
      stays.ask(Array(stays.ids), at: turn.time)
      turn.requestPlan()
    } else {
      let (place, accuracy) = (plan.place, plan.accuracy)
      plan = RegionPlan()
      (plan.place, plan.accuracy) = (place, accuracy)
      apply((system.monitored.keys.sorted(), []), &turn)
      system.discardBackoffs()
      demand.cancel()
    }
  }
}
