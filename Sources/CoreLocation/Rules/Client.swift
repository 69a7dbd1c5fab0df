internal import Foundation
internal import GodwitModel
internal import GodwitReceivers

/// The conditions of the app that decide whether its clients receive positions.
struct UpdateConditions: Sendable {
  var app: AppState
  /// Whether the app was launched because a session had kept it in use. It then continues as if it had not ended.
  var continuesUse: Bool
  var status: CLAuthorizationStatus
  /// Whether the app holds a session that keeps it in use in the background.
  var hasBackgroundActivity: Bool
  /// Whether the app declared that it holds a service session, and holds none.
  var lacksSession: Bool
  /// Whether significant changes are monitored, and the system therefore ends continuous updates in the background.
  var endsWithSignificantChanges: Bool

  var isGranted: Bool { status.isGranted }
  var isRunning: Bool { app == .foreground || app == .background }
}

/// One manager, stream or session of the app: its requests, the positions that it receives (rules 1, 2 and 8), and the state that
/// was reported to it. The state of the whole app is passed to its methods.
struct Client: Sendable {
  typealias Output = LocationServices.Output

  /// Seconds that `requestLocation` waits before it reports an error (Apple: "about ten").
  static let oneShotTimeout = 10.0

  let id: LocationServices.ClientID
  let role: LocationServices.Role
  var distanceFilter = kCLDistanceFilterNone
  var desiredAccuracy = kCLLocationAccuracyBest
  /// Whether updates continue in the background, and whether the user sees an indicator of that.
  var allowsBackground = false
  var showsIndicator = false
  var watchesSignificantChanges = false
  var watchesVisits = false
  private(set) var ranging: [Beacons.Identity] = []
  private var isUpdating = false
  private var startedInFront = false
  private var oneShotUntil: Date?
  private var lastDelivered: Fix?
  /// The reported reason why there is no position; `nil`: no failure was reported since the last position.
  private var reportedFailure: String?
  private var useLimits = LocationServices.UseLimits()
  private var pause = AutomaticPause()
  private(set) var watchesHeadings = false
  /// The minimum change in degrees from the last delivered heading; −1: no minimum.
  var headingFilter: CLLocationDegrees = 1
  private var lastHeading: CLLocationDegrees?
  /// Positions that wait until the app runs again.
  private var waiting: [Fix] = []

  init(_ id: LocationServices.ClientID, _ role: LocationServices.Role) { (self.id, self.role) = (id, role) }

  // MARK: Whether it receives positions

  /// Whether it receives continuous updates under these conditions.
  func receives(_ conditions: UpdateConditions) -> Bool { !pause.isPaused && mayReceive(conditions) }

  /// Whether it receives continuous updates under these conditions, apart from a pause.
  func mayReceive(_ conditions: UpdateConditions) -> Bool {
    guard isUpdating, conditions.isGranted, role != .liveUpdates || !conditions.lacksSession else { return false }
    return switch conditions.app {
    case .foreground: true
    case .background, .suspended: continuesInBackground(conditions)
    case .terminated: false
    }
  }

  private func continuesInBackground(_ conditions: UpdateConditions) -> Bool {
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

  /// Whether a position that passed its filter wakes the suspended app; otherwise the position waits.
  private func wakes(_ conditions: UpdateConditions) -> Bool {
    role == .liveUpdates || (isExact && !conditions.endsWithSignificantChanges)
  }

  /// Whether the accuracy is good enough for continuous background updates since iOS 16.4.
  private var isExact: Bool { desiredAccuracy <= kCLLocationAccuracyHundredMeters }

  /// Returns the accuracy that it currently requests; `nil`: it requests no positions.
  func wanted(_ conditions: UpdateConditions) -> CLLocationAccuracy? {
    if receives(conditions) || (oneShotUntil != nil && conditions.isRunning) { return desiredAccuracy }
    // A client that resumes automatically must detect movement.
    return role == .liveUpdates && mayReceive(conditions) ? kCLLocationAccuracyThreeKilometers : nil
  }

  // MARK: Requests

  /// Starts continuous updates.
  /// - Parameter last: the last position that the app may know.
  mutating func start(_ conditions: UpdateConditions, last: Fix?) -> [Output] {
    // Starting updates cancels a request for one position (Apple's header). The updates provide the position.
    oneShotUntil = nil
    let isInFront = conditions.app == .foreground || (conditions.continuesUse && role == .liveUpdates)
    guard conditions.isGranted else {
      (isUpdating, startedInFront) = (true, isInFront)
      // If the permission is undetermined, updates begin when the user grants it.
      return conditions.status == .notDetermined ? [] : deny()
    }
    guard !isUpdating || pause.isPaused else { return [] }
    var outputs: [Output] = pause.isPaused ? [.resumed(id)] : []
    pause.start()
    (isUpdating, startedInFront, lastDelivered, reportedFailure) = (true, isInFront, nil, nil)
    // The first update may be an older position, with its own timestamp.
    if let last, receives(conditions) {
      lastDelivered = last
      outputs.append(.deliver(id, [last]))
    }
    return outputs
  }

  /// Stops continuous updates. The stop also cancels a request for one position, as on Apple's systems.
  mutating func stop() { (isUpdating, oneShotUntil) = (false, nil) }

  /// Requests one position.
  /// - Parameter known: the position to deliver at once, if no new position is expected: an approximate position, because there
  ///   may be no new one for 15 minutes, or the last position of a recorded file that has ended. `nil`: wait for a new one.
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
    // On Apple's systems this ends the program.
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

  /// Processes new positions.
  /// - Parameters:
  ///   - fixes: the positions that the app may know, in the order of their arrival.
  ///   - inOrder: those of them that are newer than all positions before.
  ///   - run: wakes the suspended app.
  mutating func handle(
    _ fixes: [Fix], _ inOrder: [Fix], _ conditions: UpdateConditions, _ profile: OSProfile, run: () -> [Output]
  ) -> [Output] {
    reportedFailure = nil
    var outputs = resumeAfterLeaving(inOrder, conditions)
    if receives(conditions) {
      var passed = filter(fixes)
      if passed.isEmpty, oneShotUntil != nil, let newest = fixes.last {
        // The distance filter does not apply to a requested position.
        passed = [newest]
        lastDelivered = newest
      }
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

  /// Resumes the updates of a stream when the device has left the place where they were paused.
  private mutating func resumeAfterLeaving(_ inOrder: [Fix], _ conditions: UpdateConditions) -> [Output] {
    guard role == .liveUpdates, pause.isPaused, mayReceive(conditions), inOrder.contains(where: { pause.hasLeft($0) }) else {
      return []
    }
    pause.start()
    lastDelivered = nil
    return [.resumed(id)]
  }

  /// Returns the positions that pass the distance filter.
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

  /// Delivers the positions that waited while the app was suspended.
  mutating func flush() -> [Output] {
    guard !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    return [.deliver(id, waiting)]
  }

  /// Discards the waiting positions, which the app is no longer allowed to receive.
  mutating func discardWaiting() { waiting = [] }

  /// Adjusts stored times after the clock of the positions was moved by a number of seconds.
  mutating func move(by seconds: Double) { pause.move(by: seconds) }

  /// Pauses updates, because the system expects that the device does not move.
  mutating func pauseUpdates(_ conditions: UpdateConditions) -> Output? {
    guard pause.isAllowed, receives(conditions) else { return nil }
    pause.pause()
    return .paused(id)
  }

  /// Resumes paused updates when the app comes to the foreground.
  mutating func comeToFront() -> Output? {
    guard isUpdating else { return nil }
    defer { pause.start() }
    startedInFront = true
    return pause.isPaused ? .resumed(id) : nil
  }

  // MARK: Reports

  /// Returns the outputs for an event that is monitored for the app; empty: the event is not meant for this client.
  /// - Parameter watchesVisits: whether any manager of the app requested visits.
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

  /// Responds to a request for one position with the last position of a source that has ended.
  mutating func respond(with fix: Fix, _ conditions: UpdateConditions) -> Output? {
    guard oneShotUntil != nil, conditions.isRunning else { return nil }
    oneShotUntil = nil
    return .deliver(id, [fix])
  }

  // MARK: Headings

  mutating func watchHeadings(_ isOn: Bool) { (watchesHeadings, lastHeading) = (isOn, nil) }

  /// Processes a heading. The app receives the geographic heading only with permission for the location, as on Apple's systems.
  mutating func handle(_ reading: CompassReading, _ conditions: UpdateConditions) -> Output? {
    guard watchesHeadings, conditions.isRunning, let degrees = reading.magnetic ?? reading.geographic else { return nil }
    if let lastHeading, headingFilter > 0, abs((degrees - lastHeading).remainder(dividingBy: 360)) < headingFilter { return nil }
    lastHeading = degrees
    var reported = reading
    if !conditions.isGranted { reported.geographic = nil }
    return .heading(id, reported)
  }

  // MARK: Failures

  /// Reports that the receiver has failed, once for each reason.
  mutating func fail(_ reason: String) -> Output? {
    guard isUpdating, reportedFailure != reason else { return nil }
    reportedFailure = reason
    return .fail(id, CLError(.locationUnknown, reason: reason))
  }

  /// Reports that the user does not allow access to the location.
  mutating func deny() -> [Output] {
    oneShotUntil = nil
    return [.fail(id, CLError(.denied, reason: "The user does not allow this program to access the location."))]
  }

  /// Ends requests after the permission was revoked.
  mutating func revoke() -> [Output] {
    waiting = []
    return isUpdating || oneShotUntil != nil || watchesSignificantChanges ? deny() : []
  }

  /// The time at which a request for one position times out; `nil`: none.
  var nextTime: Date? { oneShotUntil }

  mutating func expire(at now: Date) -> Output? {
    // The clock may have been set back.
    guard let until = oneShotUntil, until <= now || until > now.addingTimeInterval(Self.oneShotTimeout) else { return nil }
    oneShotUntil = nil
    let reason = "There was no position within \(Int(Self.oneShotTimeout)) seconds."
    return .fail(id, CLError(.locationUnknown, reason: reason))
  }

  /// Returns the limits of a stream or session, if they changed.
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
