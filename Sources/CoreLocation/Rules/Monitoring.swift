internal import Foundation
internal import GodwitModel

/// The monitoring of significant changes, visits and regions. It belongs to the app and not to one of its managers, and continues
/// when the app has ended. It creates events from positions, from beacons and from the passing of time.
struct Monitoring: Sendable {
  /// The conditions of all monitoring.
  struct Conditions: Sendable {
    /// Whether monitoring is active: the app runs, or has the permission "always" and can be launched.
    var isOn: Bool
    /// Whether the user grants exact positions, which regions need.
    var isExact: Bool
    /// The factor by which delays are longer than usual.
    var slowness: Double
    /// Whether continuous updates keep the radios on; otherwise crossings are reported late.
    var isAwake: Bool

    var watchesRegions: Bool { isOn && isExact }
    func regionLatency(_ profile: OSProfile) -> Double { isAwake ? 0 : profile.regionLatency * slowness }
  }

  private(set) var watchesSignificantChanges = false
  private(set) var watchesVisits = false
  private(set) var regions = Regions()
  private var significantChanges = SignificantChanges()
  private var stays = Visits()

  var isEmpty: Bool { !watchesSignificantChanges && !watchesVisits && regions.count == 0 }

  // MARK: Requests

  /// Starts or stops the monitoring of significant changes.
  /// - Returns: whether they were not monitored before.
  mutating func watchSignificantChanges(_ isOn: Bool) -> Bool {
    defer { watchesSignificantChanges = isOn }
    if !watchesSignificantChanges { significantChanges = SignificantChanges() }
    return !watchesSignificantChanges
  }

  /// Sets the position from which significant changes are measured, because it was delivered to the app.
  mutating func beginSignificantChanges(at fix: Fix, _ profile: OSProfile, slowness: Double) {
    _ = significantChanges.update(fix, profile, slowness: slowness)
  }

  mutating func watchVisits(_ isOn: Bool) { watchesVisits = isOn }

  /// Monitors a region.
  /// - Parameters:
  ///   - region: the region.
  ///   - owner: the requesting client.
  ///   - known: the last known position.
  /// - Returns: an error, or the state of the region.
  mutating func watch(
    _ region: Regions.Region, owner: LocationServices.ClientID, known: Fix?, _ consent: Consent, _ profile: OSProfile
  ) -> Result<Regions.State, CLError> {
    if let error = error(of: region, consent, profile) { return .failure(error) }
    regions.add(region, owner: owner, last: known, profile)
    return .success(regions.state(of: region, at: known, profile))
  }

  private func error(of region: Regions.Region, _ consent: Consent, _ profile: OSProfile) -> CLError? {
    if case .circle(_, let radius) = region.shape, !(0...Regions.largest).contains(radius) {
      let reason = "A region of \(radius) m cannot be monitored; its radius must be 0 to \(Int(Regions.largest)) m."
      return CLError(.regionMonitoringFailure, reason: reason)
    }
    guard consent.isGranted else {
      return CLError(.regionMonitoringDenied, reason: "The user does not allow region monitoring.")
    }
    guard !consent.isReduced else {
      return CLError(.regionMonitoringDenied, reason: "Regions need the exact location, which the user does not allow.")
    }
    guard regions.count < profile.maximumRegions || regions.contains(region.name) else {
      return CLError(
        .regionMonitoringFailure, reason: "A program can have \(profile.maximumRegions) monitored regions; stop one first.")
    }
    return nil
  }

  mutating func stopWatching(_ name: Regions.Name) { regions.remove(name) }

  /// Returns the state of a region that the app requested.
  mutating func respond(_ region: Regions.Region, known: Fix?, _ profile: OSProfile) -> Regions.State {
    regions.respond(region, at: known, profile)
  }

  /// Stops monitoring a region because no client received its events.
  mutating func drop(_ name: Regions.Name) { regions.drop(name) }

  /// Stops the monitoring that only a disconnected client requested, on a system that does not monitor for ended apps.
  mutating func disconnect(_ id: LocationServices.ClientID, leaving clients: Clients) {
    watchesSignificantChanges = clients.watchesSignificantChanges
    watchesVisits = clients.watchesVisits
    regions.removeAll(of: id)
  }

  mutating func removeRegions() { regions.removeAll() }

  /// Stops all monitoring, because the app was deleted.
  mutating func removeAll() {
    regions.removeAll()
    (watchesSignificantChanges, watchesVisits) = (false, false)
  }

  // MARK: Needed sources

  /// Returns the best accuracy that monitoring needs; `nil`: it needs no positions.
  func wanted(_ conditions: Conditions) -> CLLocationAccuracy? {
    let needsPositions = watchesSignificantChanges || watchesVisits || (conditions.isExact && regions.hasCircles)
    return conditions.isOn && needsPositions ? kCLLocationAccuracyThreeKilometers : nil
  }

  func needsBeacons(_ conditions: Conditions) -> Bool { conditions.watchesRegions && regions.hasBeacons }

  // MARK: Events

  /// Returns the events that new positions cause.
  /// - Parameters:
  ///   - fixes: the positions that the app may know, in order.
  ///   - exact: the exact positions, in order.
  mutating func handle(_ fixes: [Fix], exact: [Fix], _ conditions: Conditions, _ profile: OSProfile, at now: Date) -> [AppLife
    .Event]
  {
    guard conditions.isOn else { return [] }
    var events: [AppLife.Event] = []
    for fix in fixes
    where watchesSignificantChanges && significantChanges.update(fix, profile, slowness: conditions.slowness) {
      events.append(.significantChange(fix))
    }
    for fix in exact {
      let visits = stays.handle(fix, at: now, isWatched: watchesVisits, profile, slowness: conditions.slowness)
      events += visits.map { event($0, conditions, profile) }
      guard conditions.isExact else { continue }
      events += Self.events(regions.handle(fix, at: now, profile, latency: conditions.regionLatency(profile)))
    }
    return events
  }

  /// Returns the events that received beacons cause.
  mutating func handle(_ beacons: Beacons, _ conditions: Conditions, _ profile: OSProfile, at now: Date) -> [AppLife.Event] {
    conditions.watchesRegions ? Self.events(regions.handle(beacons, at: now, profile)) : []
  }

  /// Returns the events that the passing of time causes.
  mutating func expire(_ beacons: Beacons, _ conditions: Conditions, _ profile: OSProfile, at now: Date) -> [AppLife.Event] {
    var events: [AppLife.Event] = []
    if conditions.isOn, watchesVisits, let visit = stays.expire(at: now) { events.append(event(visit, conditions, profile)) }
    guard conditions.watchesRegions else { return events }
    events += Self.events(regions.expire(at: now, profile, latency: conditions.regionLatency(profile)))
    return events + Self.events(regions.handle(beacons, at: now, profile))
  }

  /// Returns the time of the next scheduled event; `nil`: none.
  func nextTime(_ beacons: Beacons, _ conditions: Conditions, _ profile: OSProfile, at now: Date) -> Date? {
    var next = conditions.isOn && watchesVisits ? stays.nextTime : nil
    guard conditions.watchesRegions else { return next }
    next = .earlier(next, regions.nextTime(profile))
    for beacon in regions.beaconsInside {
      next = .earlier(next, beacons.lastSeen(beacon)?.addingTimeInterval(profile.beaconExitAfter) ?? now)
    }
    return next
  }

  /// Adjusts stored times after the clock of the positions was moved by a number of seconds, so that elapsed times still count.
  mutating func move(by seconds: Double) {
    significantChanges.move(by: seconds)
    stays.move(by: seconds)
    regions.move(by: seconds)
  }

  private func event(_ visit: Visit, _ conditions: Conditions, _ profile: OSProfile) -> AppLife.Event {
    .visit(conditions.isExact ? visit : ReducedAccuracy.reduced(visit, profile))
  }

  /// Returns the events of the crossings that the app requested.
  private static func events(_ crossings: [Regions.Crossing]) -> [AppLife.Event] {
    crossings.filter { $0.isEntry ? $0.region.notifyOnEntry : $0.region.notifyOnExit }.map { .crossing($0) }
  }
}
