public import GodwitModel

public import struct Foundation.Date

/// Watches over the regions: what the system is to monitor, and what is reported of it. A pure state machine, as the engine is one:
/// news go in, effects come out.
///
/// Keep it (it is `Codable`) whenever ``handle(_:at:in:)`` has given an effect, in one transaction with the events that it
/// reported: so each is called once, however often the app dies. A new life begins with ``RegionInput/launched(monitored:foreign:)``.
///
/// It leads news to its parts, each of which keeps its own state: `RegionStays` (where the device is inside, and what was reported
/// of that), `BeaconRanging`, `GeofenceSightings` (what the system says), `SystemRegions` (what it was asked to monitor),
/// `DevicePlace` and `FixDemand`. What it does itself is the plan: which regions the system is to monitor.
public struct RegionWatch: Sendable, Hashable, Codable {
  /// How much of the system's monitoring there is; a change counts from the next plan on.
  public var limits: RegionLimits
  /// What is to be monitored now.
  public internal(set) var plan = RegionPlan()

  var stays = RegionStays()
  var ranging = BeaconRanging()
  var sightings = GeofenceSightings()
  var system = SystemRegions()
  var place = DevicePlace()
  var demand = FixDemand()
  var unmanaged = 0
  var canMonitor = true
  /// What was said last.
  var reportedTimer: Date?
  var reportedAccuracy: DesiredAccuracy?

  public init(limits: RegionLimits = RegionLimits()) { self.limits = limits }

  // MARK: Where the device is inside, in an order that is always the same

  /// The newest fix that it knows of; what is older changes nothing.
  public var newestFix: Fix? { place.lastFix }

  /// The geofences whose entry was reported and whose exit was not, nearest edge first (from the last known place), then by id.
  /// - Parameter catalogue: the one that was handled last.
  public func geofences(in catalogue: RegionCatalogue) -> [Region] {
    let place = place.lastFix?.coordinate ?? plan.place
    return stays.entered.compactMap(catalogue.geofenceNumber)
      .map { (distance: place.map(catalogue.areas[$0].distanceToEdge).map(abs) ?? 0, number: $0) }
      .sorted(by: <).map { catalogue.geofence($0.number) }
  }

  /// The beacons that are near, nearest first (``BeaconProximity``), then by accuracy, then by id.
  /// - Parameter catalogue: the one that was handled last.
  public func beacons(in catalogue: RegionCatalogue) -> [CurrentBeacon] {
    ranging.current(stays, in: catalogue).sorted {
      ($0.proximity, $0.accuracy ?? .infinity, $0.region.id) < ($1.proximity, $1.accuracy ?? .infinity, $1.region.id)
    }
  }

  // MARK: News

  /// What follows from a piece of news. Where a fix can change nothing this takes a fraction of a microsecond and no memory.
  /// - Parameters:
  ///   - input: what has happened; a life of the app begins with ``RegionInput/launched(monitored:foreign:)``.
  ///   - now: when it became known.
  ///   - catalogue: all regions; when it is another one than last time, ``RegionInput/catalogueChanged`` comes first.
  public mutating func handle(_ input: RegionInput, at now: Date, in catalogue: RegionCatalogue) -> [RegionEffect] {
    if case .fix(var fix) = input {
      // A fix from before the last one is no news, unless the clock was set back.
      if let lastFix = place.lastFix, fix.time < lastFix.time, lastFix.time <= now { return [] }
      fix.time = min(fix.time, now)
      if reportedTimer.map({ now < $0 }) ?? true, place.skip(fix) { return [] }
    }
    var turn = Turn(time: now, catalogue: catalogue, lastFix: place.lastFix, canMonitor: canMonitor)
    switch input {
    // The clocks' news may come before the launch, when nobody knows yet whether the stays go on.
    case .launched, .zones: process(input, &turn)
    default:
      // What was due before the news comes before it.
      stays.reportDue(&turn)
      process(input, &turn)
      stays.reportDue(&turn)
    }
    finish(&turn)
    return turn.effects
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

  /// Plans where that is needed, and says what changed of the timer and of the fixes that are wanted.
  private mutating func finish(_ turn: inout Turn) {
    system.retry(&turn)
    ranging.giveUpLost(&stays, &turn)
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
    // A plan that was made too tight is made again.
    if plan.needs != nil, distance > FixDemand.step || accuracy < plan.accuracy / 2 { return true }
    // The system watches the horizon; a rough fix beyond it proves nothing.
    return plan.horizon.map { distance > $0.radius + accuracy } ?? false
  }

  // MARK: What the system says of the regions that it monitors

  private mutating func handleState(_ identifier: String, _ isInside: Bool?, _ turn: inout Turn) {
    if isInside != nil { system.accept(identifier) }
    var wasAsked = false
    if case .geofence(let id, _) = RegionIdentifier(identifier) { wasAsked = stays.removeRequest(id) }
    // What had to be asked for was crossed while nobody looked.
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
      // The circle round it: whether it is inside as well, and how far the edge is, fixes say.
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
