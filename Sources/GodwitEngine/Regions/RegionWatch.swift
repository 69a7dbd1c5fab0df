public import GodwitModel

public import struct Foundation.Date

/// Selects the regions that the system is to monitor, and reports events of regions. Like ``Engine``, it is a pure state machine
/// from inputs to effects.
///
/// Store the value (it is `Codable`) whenever ``handle(_:at:in:)`` has returned effects, in one transaction with the reported events. Each
/// event is then reported once, even if the app is killed. The first input after a launch is ``RegionInput/launched(monitored:foreign:)``.
///
/// It passes inputs to its parts, each of which has its own state: `RegionStays` (the regions that contain the device, and what
/// was reported of them), `BeaconRanging`, `GeofenceSightings` (the reports of the system), `SystemRegions` (the regions that the
/// system was requested to monitor), `DevicePlace` and `FixDemand`. It computes the plan itself.
public struct RegionWatch: Sendable, Hashable, Codable {
  /// The limits of the monitoring. A change takes effect with the next plan.
  public var limits: RegionLimits
  /// The regions to monitor at present.
  public internal(set) var plan = RegionPlan()

  var stays = RegionStays()
  var ranging = BeaconRanging()
  var sightings = GeofenceSightings()
  var system = SystemRegions()
  var place = DevicePlace()
  var demand = FixDemand()
  var unmanaged = 0
  var canMonitor = true
  /// The values that were reported last.
  var reportedTimer: Date?
  var reportedAccuracy: DesiredAccuracy?

  public init(limits: RegionLimits = RegionLimits()) { self.limits = limits }

  // MARK: Current regions, in a deterministic order

  /// The newest fix. Older fixes change nothing.
  public var newestFix: Fix? { place.lastFix }

  /// Returns the geofences whose entry was reported and whose exit was not: nearest edge first (from the last known place), then by id.
  /// - Parameter catalogue: the catalogue of the last input.
  public func geofences(in catalogue: RegionCatalogue) -> [Region] {
    let place = place.lastFix?.coordinate ?? plan.place
    return stays.entered.compactMap(catalogue.geofenceNumber)
      .map { (distance: place.map(catalogue.areas[$0].distanceToEdge).map(abs) ?? 0, number: $0) }
      .sorted(by: <).map { catalogue.geofence($0.number) }
  }

  /// Returns the beacons that are near: nearest first (``BeaconProximity``), then by accuracy, then by id.
  /// - Parameter catalogue: the catalogue of the last input.
  public func beacons(in catalogue: RegionCatalogue) -> [CurrentBeacon] {
    ranging.current(stays, in: catalogue).sorted {
      ($0.proximity, $0.accuracy ?? .infinity, $0.region.id) < ($1.proximity, $1.accuracy ?? .infinity, $1.region.id)
    }
  }

  // MARK: Inputs

  /// Handles an input and returns the effects to execute. A fix that can change nothing takes a fraction of a microsecond and no memory.
  /// - Parameters:
  ///   - input: the input. The first one after a launch is ``RegionInput/launched(monitored:foreign:)``.
  ///   - now: the time at which the input became known.
  ///   - catalogue: all regions. Before it is another one than in the last call, ``RegionInput/catalogueChanged`` must be handled.
  public mutating func handle(_ input: RegionInput, at now: Date, in catalogue: RegionCatalogue) -> [RegionEffect] {
    if case .fix(var fix) = input {
      // A fix from before the last one is ignored, unless the clock was set back.
      if let lastFix = place.lastFix, fix.time < lastFix.time, lastFix.time <= now { return [] }
      fix.time = min(fix.time, now)
      if reportedTimer.map({ now < $0 }) ?? true, place.skip(fix) { return [] }
    }
    var turn = Turn(time: now, catalogue: catalogue, lastFix: place.lastFix, canMonitor: canMonitor)
    switch input {
    // The offsets may be reported before the launch, when it is unknown whether the stays continue.
    case .launched, .zones: process(input, &turn)
    default:
      // Events that were due before the input are reported before it.
      let timer = earlyTimer(input, at: now)
      stays.reportDue(&turn, timer: timer)
      process(input, &turn)
      stays.reportDue(&turn)
    }
    finish(&turn)
    return turn.effects
  }

  /// Returns the time of the timer if it fires before that time, because the clock was set back; otherwise `nil`. The timer is then
  /// set again.
  private mutating func earlyTimer(_ input: RegionInput, at now: Date) -> Date? {
    guard case .timer = input, let time = reportedTimer, now < time else { return nil }
    reportedTimer = nil
    return time
  }

  private mutating func process(_ input: RegionInput, _ turn: inout Turn) {
    switch input {
    case .launched(let monitored, let unmanaged): launch(monitored, unmanaged, &turn)
    case .catalogueChanged: updateCatalogue(&turn)
    case .fix(let fix): process(fix, &turn)
    case .entered(let identifier): cross(identifier, isInside: true, &turn)
    case .exited(let identifier): cross(identifier, isInside: false, &turn)
    case .state(let identifier, let isInside): handleState(identifier, isInside, &turn)
    case .monitoringFailed(let identifier):
      guard system.refuse(identifier, at: turn.time) else { return }
      discard(identifier, &turn)
      turn.requestPlan()
    case .ranged(let uuid, let sightings): ranging.handle(sightings, of: uuid, &stays, &turn)
    case .timer: break
    case .permission(let canMonitor): allow(canMonitor, &turn)
    case .unmanagedRegions(let count):
      unmanaged = count
      turn.requestPlan()
    case .zones(let zones):
      stays.set(zones)
      turn.isUnsettled = !stays.isEmpty
    }
  }

  /// Plans if a plan was requested, and reports changes of the timer and of the required accuracy.
  private mutating func finish(_ turn: inout Turn) {
    system.retry(&turn)
    ranging.expireLost(&stays, &turn)
    demand.recheck(at: turn.time)
    sightings.recordDisputes(stays, system, &turn)
    if turn.plan != .none { replan(&turn) }
    if demand.isWaiting || plan.needs != nil {
      place.endQuiet()
    } else {
      place.stayQuiet(plan.horizon, stays, sightings, turn.catalogue)
    }
    if turn.isInsideChanged { turn.effects.append(.insideChanged) }
    let accuracy = neededAccuracy(at: turn.time)
    if accuracy != reportedAccuracy { turn.effects.append(.wantsFixes(accuracy)) }
    reportedAccuracy = accuracy
    let due = turn.isUnsettled ? turn.time : nextTime(turn)
    if due != reportedTimer { turn.effects.append(.setTimer(due)) }
    reportedTimer = due
  }

  private func neededAccuracy(at now: Date) -> DesiredAccuracy? {
    guard canMonitor else { return nil }
    let isHorizonMissing = system.isHeldBack(RegionIdentifier.horizon.description)
    return demand.accuracy(plan.needs, isHorizonMissing: isHorizonMissing, at: now)
  }

  private func nextTime(_ turn: Turn) -> Date? {
    let next = Date?.earlier(stays.nextTime(turn), demand.nextTime(isNeeded: reportedAccuracy != nil && plan.needs != nil))
    return .earlier(next, .earlier(ranging.nextTime, system.nextTime))
  }

  // MARK: Fixes

  private mutating func process(_ fix: Fix, _ turn: inout Turn) {
    var fix = fix
    fix.time = min(fix.time, turn.time)
    place.handle(fix)
    turn.lastFix = fix
    stays.passed(fix, at: turn.time)
    stays.decide(fix, at: fix.time, sightings, &turn)
    if demand.handle(fix, at: turn.time) || asksForPlan(fix) { turn.plan = .forHere }
  }

  private func asksForPlan(_ fix: Fix) -> Bool {
    guard let planned = plan.place else { return true }
    let distance = GreatCircle.distance(planned, fix.coordinate)
    let accuracy = DevicePlace.accuracy(fix)
    // A plan with a horizon that is too small is made again.
    if plan.needs != nil, distance > FixDemand.step || accuracy < plan.accuracy / 2 { return true }
    // The system monitors the horizon. An inaccurate fix outside of it proves nothing.
    return plan.horizon.map { distance > $0.radius + accuracy } ?? false
  }

  // MARK: Reports of the system about monitored regions

  private mutating func handleState(_ identifier: String, _ isInside: Bool?, _ turn: inout Turn) {
    if isInside != nil { system.accept(identifier) }
    var wasAsked = false
    if case .geofence(let id, _) = RegionIdentifier(identifier) { wasAsked = stays.removeRequest(id) }
    // A crossing in a requested state happened earlier, while the program did not run.
    if let isInside { cross(identifier, isInside: isInside, isSeen: !wasAsked, &turn) }
  }

  private mutating func cross(_ identifier: String, isInside: Bool, isSeen: Bool = true, _ turn: inout Turn) {
    guard let name = RegionIdentifier(identifier), system.monitors(identifier) || name == .horizon else { return }
    switch name {
    case .horizon: if !isInside, demand.leave(plan.horizon, place, at: turn.time) { turn.plan = .forHere }
    case .beacons(let uuid):
      if isInside { ranging.update(uuid, isInside: true, &stays, &turn) } else { ranging.lose(uuid, &stays, &turn) }
    case .geofence(let id, _):
      guard let number = turn.catalogue.geofenceNumber(id) else { return }
      cross(turn.catalogue.geofence(number), turn.catalogue.areas[number], isInside: isInside, isSeen: isSeen, &turn)
    }
  }

  private mutating func cross(
    _ region: Region, _ area: RegionArea, isInside: Bool, isSeen: Bool, _ turn: inout Turn
  ) {
    if let isSmall = area.isSmall {
      let isNew = sightings.recordCircle(region.id, isInside: isInside)
      guard isInside else { return stays.leave(region.id, at: turn.time, isSeen: isSeen, &turn) }
      guard isNew else { return }
      // The device is inside the circle around the area. Fixes determine whether it is inside the area, and the distance to its edge.
      if place.fresh(at: turn.time) != nil {
        turn.plan = .forHere
      } else {
        demand.want(isSmall ? .tenMeters : .hundredMeters, at: turn.time)
      }
    } else {
      sightings.record(region.id, isInside: isInside)
      if place.contradicts(area, isInside: isInside, at: turn.time) { return }
      if isInside {
        stays.enter(region, at: turn.time, &turn)
      } else {
        stays.leave(region.id, at: turn.time, isSeen: isSeen, &turn)
      }
    }
  }
}
