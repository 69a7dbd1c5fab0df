internal import Foundation
internal import GodwitModel

/// What is watched for the app: significant changes, visits and regions. All of it belongs to the app and not to one of its
/// managers, and is still watched when the app is gone. Makes events of positions, of beacons and of passing time.
struct Monitoring: Sendable {
  /// What holds for everything that is watched.
  struct Conditions: Sendable {
    /// Whether anything is watched at all now: for an app that runs, or one that may receive at any time.
    var isOn: Bool
    /// Whether the person gives exact places, which regions need.
    var isExact: Bool
    /// How many times as long as usual everything that may wait takes.
    var slowness: Double
    /// Whether continuous updates keep the radios awake; otherwise crossings come late.
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

  // MARK: What the app asks for

  /// - Returns: whether the app did not ask for them before.
  mutating func watchSignificantChanges(_ isOn: Bool) -> Bool {
    defer { watchesSignificantChanges = isOn }
    if !watchesSignificantChanges { significantChanges = SignificantChanges() }
    return !watchesSignificantChanges
  }

  /// The app has been given this position: changes are reported from there.
  mutating func beginSignificantChanges(at fix: Fix, _ profile: OSProfile, slowness: Double) {
    _ = significantChanges.update(fix, profile, slowness: slowness)
  }

  mutating func watchVisits(_ isOn: Bool) { watchesVisits = isOn }

  /// - Parameters:
  ///   - region: what to watch.
  ///   - owner: the requesting client.
  ///   - known: the last known position.
  /// - Returns: an error, or where the device is.
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

  /// The app asks where the device is.
  mutating func respond(_ region: Regions.Region, known: Fix?, _ profile: OSProfile) -> Regions.State {
    regions.respond(region, at: known, profile)
  }

  /// No client received the region's events.
  mutating func drop(_ name: Regions.Name) { regions.drop(name) }

  /// On a system without monitoring for ended apps, a client that has gone takes with it what only it asked for.
  mutating func disconnect(_ id: LocationServices.ClientID, leaving clients: Clients) {
    watchesSignificantChanges = clients.watchesSignificantChanges
    watchesVisits = clients.watchesVisits
    regions.removeAll(of: id)
  }

  mutating func removeRegions() { regions.removeAll() }

  /// The app was taken off the phone.
  mutating func removeAll() {
    regions.removeAll()
    (watchesSignificantChanges, watchesVisits) = (false, false)
  }

  // MARK: What is needed

  /// The best accuracy that positions are needed with; `nil`: none are needed.
  func wanted(_ conditions: Conditions) -> CLLocationAccuracy? {
    let needsPositions = watchesSignificantChanges || watchesVisits || (conditions.isExact && regions.hasCircles)
    return conditions.isOn && needsPositions ? kCLLocationAccuracyThreeKilometers : nil
  }

  func needsBeacons(_ conditions: Conditions) -> Bool { conditions.watchesRegions && regions.hasBeacons }

  // MARK: Events

  /// - Parameters:
  ///   - fixes: the positions that the app may know, in order.
  ///   - exact: all of them, as exact as they are.
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

  /// Beacons were heard.
  mutating func handle(_ beacons: Beacons, _ conditions: Conditions, _ profile: OSProfile, at now: Date) -> [AppLife.Event] {
    conditions.watchesRegions ? Self.events(regions.handle(beacons, at: now, profile)) : []
  }

  /// Time has passed.
  mutating func expire(_ beacons: Beacons, _ conditions: Conditions, _ profile: OSProfile, at now: Date) -> [AppLife.Event] {
    var events: [AppLife.Event] = []
    if conditions.isOn, watchesVisits, let visit = stays.expire(at: now) { events.append(event(visit, conditions, profile)) }
    guard conditions.watchesRegions else { return events }
    events += Self.events(regions.expire(at: now, profile, latency: conditions.regionLatency(profile)))
    return events + Self.events(regions.handle(beacons, at: now, profile))
  }

  /// When something will happen by itself.
  func nextTime(_ beacons: Beacons, _ conditions: Conditions, _ profile: OSProfile, at now: Date) -> Date? {
    var next = conditions.isOn && watchesVisits ? stays.nextTime : nil
    guard conditions.watchesRegions else { return next }
    next = .earlier(next, regions.nextTime(profile))
    for beacon in regions.beaconsInside {
      next = .earlier(next, beacons.lastSeen(beacon)?.addingTimeInterval(profile.beaconExitAfter) ?? now)
    }
    return next
  }

  /// The clock of the positions was moved: what has been waited for so far still counts.
  mutating func move(by seconds: Double) {
    significantChanges.move(by: seconds)
    stays.move(by: seconds)
    regions.move(by: seconds)
  }

  private func event(_ visit: Visit, _ conditions: Conditions, _ profile: OSProfile) -> AppLife.Event {
    .visit(conditions.isExact ? visit : ReducedAccuracy.reduced(visit, profile))
  }

  /// The crossings that the app wants to know.
  private static func events(_ crossings: [Regions.Crossing]) -> [AppLife.Event] {
    crossings.filter { $0.isEntry ? $0.region.notifyOnEntry : $0.region.notifyOnExit }.map { .crossing($0) }
  }
}
