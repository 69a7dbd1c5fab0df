internal import Foundation
internal import GodwitModel
internal import GodwitReceivers

/// What decides for all clients of the app whether they get positions just now.
struct UpdateConditions: Sendable {
  var app: AppState
  /// The app was launched because a session had kept it in use, and goes on as if it had never ended.
  var continuesUse: Bool
  var status: CLAuthorizationStatus
  /// The app holds a session that keeps it in use in the background.
  var hasBackgroundActivity: Bool
  /// The app promised to hold a session, and does not.
  var lacksSession: Bool
  /// Significant changes are watched, and the system ends continuous updates in the background because of them.
  var endsWithSignificantChanges: Bool

  var isGranted: Bool { status.isGranted }
  var isRunning: Bool { app == .foreground || app == .background }
}

/// One manager, stream or session of the app: what it asks for, which positions it gets (rules 1, 2 and 8), and what it has
/// been reported. What belongs to the whole app is passed in.
struct Client: Sendable {
  typealias Output = LocationServices.Output

  /// Seconds that `requestLocation` waits before it reports an error (Apple: "about ten").
  static let oneShotTimeout = 10.0

  let id: LocationServices.ClientID
  let role: LocationServices.Role
  var distanceFilter = kCLDistanceFilterNone
  var desiredAccuracy = kCLLocationAccuracyBest
  /// Whether updates go on in the background, and are shown to the person.
  var allowsBackground = false
  var showsIndicator = false
  var watchesSignificantChanges = false
  var watchesVisits = false
  private(set) var ranging: [Beacons.Identity] = []
  private var isUpdating = false
  private var startedInFront = false
  private var oneShotUntil: Date?
  private var lastDelivered: Fix?
  /// Why there is no position, as it was reported; `nil`: there is one.
  private var reportedFailure: String?
  private var useLimits = LocationServices.UseLimits()
  private var pause = AutomaticPause()
  private(set) var watchesHeadings = false
  /// Degrees that a heading must differ from the last delivered one; −1: none.
  var headingFilter: CLLocationDegrees = 1
  private var lastHeading: CLLocationDegrees?
  /// Positions that wait until the app runs again.
  private var waiting: [Fix] = []

  init(_ id: LocationServices.ClientID, _ role: LocationServices.Role) { (self.id, self.role) = (id, role) }

  // MARK: Who gets positions

  /// Whether it has continuous updates where the app is now.
  func receives(_ conditions: UpdateConditions) -> Bool { !pause.isPaused && mayReceive(conditions) }

  /// The same, if it were not paused.
  func mayReceive(_ conditions: UpdateConditions) -> Bool {
    guard isUpdating, conditions.isGranted, role != .liveUpdates || !conditions.lacksSession else { return false }
    return switch conditions.app {
    case .foreground: true
    case .background, .suspended: goesOn(conditions)
    case .terminated: false
    }
  }

  private func goesOn(_ conditions: UpdateConditions) -> Bool {
    let isAllowed = role == .liveUpdates ? conditions.hasBackgroundActivity : allowsBackground
    return isAllowed && (conditions.status == .authorizedAlways || startedInFront)
  }

  /// Whether its updates keep the app running in the background.
  func keepsRunning(_ conditions: UpdateConditions, _ profile: OSProfile) -> Bool {
    guard receives(conditions) else { return false }
    if showsIndicator || role == .liveUpdates { return true }
    if profile.suspendsFilteredUpdates, distanceFilter > 0 || !isExact { return false }
    return !conditions.endsWithSignificantChanges
  }

  /// Whether a position that passed its filter makes the suspended app run; otherwise the position waits.
  private func wakes(_ conditions: UpdateConditions) -> Bool {
    role == .liveUpdates || (isExact && !conditions.endsWithSignificantChanges)
  }

  /// What a request for continuous background updates must look like since iOS 16.4.
  private var isExact: Bool { desiredAccuracy <= kCLLocationAccuracyHundredMeters }

  /// The accuracy that it wants positions with now; `nil`: it wants none.
  func wanted(_ conditions: UpdateConditions) -> CLLocationAccuracy? {
    if receives(conditions) || (oneShotUntil != nil && conditions.isRunning) { return desiredAccuracy }
    // A client that resumes automatically must detect movement.
    return role == .liveUpdates && mayReceive(conditions) ? kCLLocationAccuracyThreeKilometers : nil
  }

  // MARK: What it asks for

  /// - Parameter last: the last position that the app may know.
  mutating func start(_ conditions: UpdateConditions, last: Fix?) -> [Output] {
    // As Apple's header says; the updates answer instead.
    oneShotUntil = nil
    let isInFront = conditions.app == .foreground || (conditions.continuesUse && role == .liveUpdates)
    guard conditions.isGranted else {
      (isUpdating, startedInFront) = (true, isInFront)
      // Not decided yet is no refusal: updates begin when the person has agreed.
      return conditions.status == .notDetermined ? [] : deny()
    }
    guard !isUpdating || pause.isPaused else { return [] }
    var outputs: [Output] = pause.isPaused ? [.resumed(id)] : []
    pause.start()
    (isUpdating, startedInFront, lastDelivered, reportedFailure) = (true, isInFront, nil, nil)
    // The first answer may be a position from before; its timestamp says so.
    if let last, receives(conditions) {
      lastDelivered = last
      outputs.append(.deliver(id, [last]))
    }
    return outputs
  }

  /// Also cancels a request for one position, as on Apple's systems.
  mutating func stop() { (isUpdating, oneShotUntil) = (false, nil) }

  /// - Parameter known: the answer where no new position is to be waited for: what a person who keeps the exact place gives (there
  ///   may be no new one for a quarter of an hour), and the last position of a recorded day that is over.
  mutating func requestLocation(_ conditions: UpdateConditions, known: Fix?, at now: Date) -> [Output] {
    guard conditions.isGranted else { return deny() }
    if let known { return [.deliver(id, [known])] }
    oneShotUntil = now.addingTimeInterval(Self.oneShotTimeout)
    return []
  }

  mutating func allowPausing(_ isAllowed: Bool) { pause.isAllowed = isAllowed }
  mutating func setActivity(_ activity: CLActivityType) { pause.activity = activity }

  mutating func allowBackground(_ isAllowed: Bool, _ declarations: AppDeclarations) -> [Output] {
    guard isAllowed, !declarations.hasBackgroundMode else {
      allowsBackground = isAllowed
      return []
    }
    // On Apple's systems the program ends here.
    let reason = "Updates in the background need the background mode \u{201C}location\u{201D}: declare it first."
    return [.fail(id, CLError(.denied, reason: reason))]
  }

  mutating func range(_ identity: Beacons.Identity, _ isOn: Bool, givesExactPlaces: Bool) -> [Output] {
    ranging.removeAll { $0 == identity }
    guard isOn else { return [] }
    guard givesExactPlaces else {
      let reason = "Beacons need the exact location, which the user does not allow."
      return [.rangingFailed(id, identity, CLError(.rangingUnavailable, reason: reason))]
    }
    ranging.append(identity)
    return []
  }

  // MARK: Positions

  /// - Parameters:
  ///   - fixes: the positions that the app may know, as they came.
  ///   - inOrder: those of them that are newer than all before.
  ///   - run: makes the suspended app run.
  mutating func handle(
    _ fixes: [Fix], _ inOrder: [Fix], _ conditions: UpdateConditions, _ profile: OSProfile, run: () -> [Output]
  ) -> [Output] {
    reportedFailure = nil
    var outputs = resumeAfterLeaving(inOrder, conditions)
    if receives(conditions) {
      let passed = filter(fixes)
      if !passed.isEmpty {
        if conditions.app == .suspended, !wakes(conditions) {
          waiting = Array((waiting + passed).suffix(AppLife.maximumWaiting))
        } else {
          if conditions.app == .suspended { outputs += run() }
          outputs.append(.deliver(id, waiting + passed))
          waiting = []
        }
      }
      oneShotUntil = nil
      let isLive = role == .liveUpdates
      for fix in inOrder where pause.update(fix, profile, doubts: isLive) { outputs.append(.paused(id)) }
    } else if oneShotUntil != nil, let newest = fixes.last, conditions.isRunning {
      oneShotUntil = nil
      outputs.append(.deliver(id, [newest]))
    }
    return outputs
  }

  /// The updates of a stream go on by themselves when the device has left the place where they were paused.
  private mutating func resumeAfterLeaving(_ inOrder: [Fix], _ conditions: UpdateConditions) -> [Output] {
    guard role == .liveUpdates, pause.isPaused, mayReceive(conditions), inOrder.contains(where: { pause.hasLeft($0) }) else {
      return []
    }
    pause.start()
    lastDelivered = nil
    return [.resumed(id)]
  }

  /// The positions that are far enough from the last delivered one.
  private mutating func filter(_ fixes: [Fix]) -> [Fix] {
    fixes.filter { fix in
      if distanceFilter > 0, let before = lastDelivered,
        GreatCircle.distance(before.coordinate, fix.coordinate) < distanceFilter
      {
        return false
      }
      lastDelivered = fix
      return true
    }
  }

  /// What waited for the app while it was suspended.
  mutating func flush() -> [Output] {
    guard !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    return [.deliver(id, waiting)]
  }

  /// What waits is more than the app may know now.
  mutating func discardWaiting() { waiting = [] }

  /// The clock of the positions was moved by so many seconds.
  mutating func move(by seconds: Double) { pause.move(by: seconds) }

  /// The system finds that the device will not move for a while.
  mutating func pauseUpdates(_ conditions: UpdateConditions) -> Output? {
    guard pause.isAllowed, receives(conditions) else { return nil }
    pause.pause()
    return .paused(id)
  }

  /// The app came to the front: what was paused goes on.
  mutating func comeToFront() -> Output? {
    guard isUpdating else { return nil }
    defer { pause.start() }
    startedInFront = true
    return pause.isPaused ? .resumed(id) : nil
  }

  // MARK: What it is reported

  /// An event of what is watched for the app; empty: it is none of its.
  /// - Parameter watchesVisits: whether any manager of the app asked for visits.
  func outputs(_ event: AppLife.Event, _ conditions: UpdateConditions, watchesVisits: Bool) -> [Output] {
    switch event {
    case .significantChange(let fix):
      let isUpdated = conditions.isRunning && receives(conditions)
      return watchesSignificantChanges && !isUpdated ? [.deliver(id, [fix])] : []
    case .visit(let visit): return role == .manager && watchesVisits ? [.visited(id, visit)] : []
    case .crossing(let crossing): return role.takes(crossing.region) ? outputs(crossing) : []
    }
  }

  func outputs(_ crossing: Regions.Crossing) -> [Output] {
    let state = Output.state(id, crossing.region, crossing.isEntry ? .inside : .outside)
    guard !crossing.isFirst else { return [state] }
    return [crossing.isEntry ? .entered(id, crossing.region) : .exited(id, crossing.region), state]
  }

  var lastDeliveredTime: Date? { lastDelivered?.time }

  /// There will be no newer position than this one.
  mutating func respond(with fix: Fix, _ conditions: UpdateConditions) -> Output? {
    guard oneShotUntil != nil, conditions.isRunning else { return nil }
    oneShotUntil = nil
    return .deliver(id, [fix])
  }

  // MARK: Headings

  mutating func watchHeadings(_ isOn: Bool) { (watchesHeadings, lastHeading) = (isOn, nil) }

  /// The app learns the geographic heading only where it may know the location, as on Apple's systems.
  mutating func handle(_ reading: CompassReading, _ conditions: UpdateConditions) -> Output? {
    guard watchesHeadings, conditions.isRunning, let degrees = reading.magnetic ?? reading.geographic else { return nil }
    if let lastHeading, headingFilter > 0, abs((degrees - lastHeading).remainder(dividingBy: 360)) < headingFilter { return nil }
    lastHeading = degrees
    var reported = reading
    if !conditions.isGranted { reported.geographic = nil }
    return .heading(id, reported)
  }

  // MARK: Failures

  /// The receiver is gone: pending requests fail, once for each reason.
  mutating func fail(_ reason: String) -> Output? {
    guard isUpdating, reportedFailure != reason else { return nil }
    reportedFailure = reason
    return .fail(id, CLError(.locationUnknown, reason: reason))
  }

  /// It asked for what the person does not allow.
  mutating func deny() -> [Output] {
    oneShotUntil = nil
    return [.fail(id, CLError(.denied, reason: "The user does not allow this program to access the location."))]
  }

  /// The person has taken the permission back.
  mutating func revoke() -> [Output] {
    waiting = []
    return isUpdating || oneShotUntil != nil || watchesSignificantChanges ? deny() : []
  }

  /// When the request times out.
  var nextTime: Date? { oneShotUntil }

  mutating func expire(at now: Date) -> Output? {
    guard let until = oneShotUntil, until <= now else { return nil }
    oneShotUntil = nil
    let reason = "There was no position within \(Int(Self.oneShotTimeout)) seconds."
    return .fail(id, CLError(.locationUnknown, reason: reason))
  }

  /// What stands in the way of a stream or session, if it is something else than before.
  mutating func useLimits(_ conditions: UpdateConditions) -> Output? {
    guard role != .manager else { return nil }
    var new = LocationServices.UseLimits()
    new.isInsufficientlyInUse =
      conditions.status == .authorizedWhenInUse && conditions.app != .foreground && !conditions.hasBackgroundActivity
    new.needsSession = conditions.lacksSession && role != .serviceSession
    guard useLimits != new else { return nil }
    useLimits = new
    return .useLimits(id, new)
  }
}
