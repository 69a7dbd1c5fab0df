internal import Foundation
package import GodwitModel

/// What the system does between the radios and an app, as a pure state machine: who wants updates, which
/// position each of them gets, when one that asked once is told that there is none, what wakes or launches the app.
///
/// It reads no clock and knows neither threads nor delegates. The daemon drives it from a real receiver; a
/// simulated phone drives it in virtual time. It outlives the app: what was watched is still watched when the app is
/// gone. What differs between systems is in its ``OSProfile``; each rule has a file of its own.
package struct LocationServices: Sendable {
  /// One `CLLocationManager`.
  package struct ClientID: Hashable, Sendable {
    package var number: Int
    package init(_ number: Int) { self.number = number }
  }

  /// Seconds that `requestLocation` waits before it tells an error (Apple: "about ten").
  static let oneShotTimeout = 10.0

  /// What one manager wants.
  struct Client: Sendable {
    let role: Role
    var standing = Standing()
    var isUpdating = false
    var oneShotUntil: Date?
    var distanceFilter = kCLDistanceFilterNone
    var desiredAccuracy = kCLLocationAccuracyBest
    var lastDelivered: Fix?
    var hasBeenToldOfFailure = false
    var pause = AutomaticPause()
    /// Whether updates go on in the background, were started in front, and are shown to the person.
    var allowsBackground = false
    var startedInFront = false
    var showsIndicator = false
    var watchesSignificantChanges = false
    var watchesVisits = false
    var ranging: [Beacons.Identity] = []
    /// Positions that wait until the app runs again.
    var waiting: [Fix] = []
    /// What a wish for continuous background updates must look like since iOS 16.4.
    var isUnfiltered: Bool { distanceFilter <= 0 }
    var isExact: Bool { desiredAccuracy <= kCLLocationAccuracyHundredMeters }

    init(role: Role) { self.role = role }

    /// The positions that are far enough from the last delivered one.
    mutating func filter(_ fixes: [Fix]) -> [Fix] {
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
  }

  let profile: OSProfile
  let declarations: AppDeclarations
  /// Last known position, as exact as the system has it.
  private(set) var known: Fix?
  var clients = Clients()
  var permission: Permission
  var accuracy = ReducedAccuracy()
  var fullAccuracyAskers: [ClientID] = []
  var life = AppLife()
  var isSparingBattery = false
  package internal(set) var regions = Regions()
  var beacons = Beacons()
  var nextRanging: Date?
  var significantChanges = SignificantChanges()
  var stays = Visits()
  private var order = PositionOrder()
  /// What is watched for the app, whether or not it is there.
  var watchesSignificantChanges = false
  var watchesVisits = false
  var watchesMotion = false
  private var radio: CLLocationAccuracy?
  private(set) var listensForBeacons = false
  private var nextWake: Date?

  /// - Parameters:
  ///   - authorization: what the person has decided so far.
  ///   - profile: what the system is like.
  ///   - declarations: what the app says about itself.
  package init(
    authorization: CLAuthorizationStatus, profile: OSProfile = .linux, declarations: AppDeclarations = AppDeclarations()
  ) {
    self.profile = profile
    self.declarations = declarations
    permission = Permission(authorization)
  }

  package var authorization: CLAuthorizationStatus { permission.status }
  /// Last known position that the app may know: the first answer to whoever starts.
  package var last: Fix? { permission.isGranted ? accuracy.isReduced ? accuracy.cell : known : nil }
  package var isAuthorized: Bool { permission.isGranted }
  package var accuracyAuthorization: CLAccuracyAuthorization {
    accuracy.isReduced ? .reducedAccuracy : .fullAccuracy
  }

  /// How many times as long as usual everything that may wait takes.
  var slowness: Double { isSparingBattery ? profile.lowPowerSlowness : 1 }

  package mutating func handle(_ input: Input, at now: Date) -> [Output] {
    var outputs = expireOnce(at: now)
    outputs += take(input, at: now)
    // What has become due by this input, or before the timer came.
    if let time = nextTime(at: now), time <= now { outputs += expire(at: now) }
    outputs += release(at: now)
    outputs += reportStanding()
    outputs += radioChange()
    if let time = nextTime(at: now), time != nextWake {
      nextWake = time
      outputs.append(.wake(time))
    }
    return outputs
  }

  private mutating func take(_ input: Input, at now: Date) -> [Output] {
    switch input {
    case .connected(let id, let role): return connect(id, role)
    case .disconnected(let id): return disconnect(id)
    case .startedUpdating(let id): return start(id)
    case .stoppedUpdating(let id):
      clients[id]?.isUpdating = false
    case .requestedLocation(let id): return requestLocation(id, at: now)
    case .distanceFilterChanged(let id, let distance): clients[id]?.distanceFilter = distance
    case .desiredAccuracyChanged(let id, let accuracy): clients[id]?.desiredAccuracy = accuracy
    case .pausingChanged(let id, let pauses): clients[id]?.pause.isAllowed = pauses
    case .activityTypeChanged(let id, let activity): clients[id]?.pause.activity = activity
    case .backgroundUpdatesChanged(let id, let isOn): return allowBackground(id, isOn)
    case .indicatorChanged(let id, let isShown): clients[id]?.showsIndicator = isShown
    case .significantChanges(let id, let isOn): return watchSignificantChanges(id, isOn, at: now)
    case .visits(let id, let isOn): return watchVisits(id, isOn, at: now)
    case .watch(let id, let region): return watch(id, region)
    case .stopWatching(let id, let identifier): stopWatching(id, identifier)
    case .requestedState(let id, let region): return state(id, region)
    case .ranging(let id, let identity, let isOn): return range(id, identity, isOn, at: now)
    case .motionWatched(let isOn): watchesMotion = isOn
    case .requestedAuthorization(_, let always):
      return permission.request(always: always, declarations) ? [.prompt(always: always)] : []
    case .authorizationDecided(let status): return decide { permission in permission.set(status) }
    case .promptAnswered(let answer):
      let profile = profile
      return decide { permission in permission.take(answer, profile) }
    case .precise(let isPrecise): return setPrecise(isPrecise)
    case .requestedFullAccuracy(let id, let purpose): return requestFullAccuracy(id, purpose)
    case .fullAccuracyDecided(let isGiven): return decideFullAccuracy(isGiven)
    case .app(let state): return enter(state, at: now)
    case .swipedAway: return swipeAway(at: now)
    case .rebooted: return reboot(at: now)
    case .upgraded: return upgrade(at: now)
    case .removed: return remove(at: now)
    case .unlocked: life.unlock()
    case .lowPower(let isOn): isSparingBattery = isOn
    case .pauseUpdates: return pauseUpdates()
    case .systemRegion:
      guard life.isRunning else { return [] }
      return clients.ids.filter { clients[$0]?.role == .manager }.map { .exited($0, Self.systemRegion) }
    case .positions(let fixes): return positions(fixes, at: now)
    case .sourceFailed(let reason): return sourceFailed(reason)
    case .sightings(let sightings): return hear(sightings, at: now)
    case .beaconsFailed(let reason): return failBeacons(reason)
    case .timer: return expire(at: now)
    }
    return []
  }

  // MARK: Standard updates

  private mutating func start(_ id: ClientID) -> [Output] {
    let isInFront = life.state == .foreground || (life.continuesUse && clients[id]?.role == .liveUpdates)
    guard permission.isGranted else {
      clients[id]?.isUpdating = true
      clients[id]?.startedInFront = isInFront
      // Not decided yet is no refusal: updates begin when the person has agreed.
      return permission.status == .notDetermined ? [] : refusal(of: id)
    }
    guard var client = clients[id], !client.isUpdating || client.pause.isPaused else { return [] }
    let wasPaused = client.pause.isPaused
    client.pause.start()
    client.isUpdating = true
    client.startedInFront = isInFront
    client.lastDelivered = nil
    client.hasBeenToldOfFailure = false
    var outputs: [Output] = wasPaused ? [.resumed(id)] : []
    // The first answer may be a position from before; its timestamp says so.
    if let last, receives(client) {
      client.lastDelivered = last
      outputs.append(.deliver(id, [last]))
    }
    clients[id] = client
    return outputs
  }

  private mutating func requestLocation(_ id: ClientID, at now: Date) -> [Output] {
    guard permission.isGranted else { return refusal(of: id) }
    // There may be no new cell for a quarter of an hour.
    if accuracy.isReduced, let cell = accuracy.cell, clients[id] != nil { return [.deliver(id, [cell])] }
    clients[id]?.oneShotUntil = now.addingTimeInterval(Self.oneShotTimeout)
    return []
  }

  private mutating func positions(_ raw: [Fix], at now: Date) -> [Output] {
    guard permission.isGranted else { return [] }
    // A negative accuracy stands for a position that is none.
    var fixes = raw.filter { ($0.horizontalAccuracy ?? 0) >= 0 }
    guard let newest = fixes.last else { return [] }
    known = newest
    let (exact, moved) = order.take(fixes)
    if moved != 0 { move(by: moved) }
    var inOrder = exact
    if accuracy.isReduced {
      inOrder = exact.compactMap { accuracy.take($0, profile) }
      fixes = inOrder
    }
    var outputs: [Output] = []
    for id in clients.ids {
      guard var client = clients[id] else { continue }
      client.hasBeenToldOfFailure = false
      outputs += update(&client, id, with: fixes, inOrder, at: now)
      clients[id] = client
    }
    return outputs + flush() + monitor(inOrder, exact: exact, at: now)
  }

  /// The clock of the positions was moved: what has been waited for so far still counts.
  private mutating func move(by seconds: Double) {
    significantChanges.move(by: seconds)
    stays.move(by: seconds)
    regions.move(by: seconds)
    for id in clients.ids { clients[id]?.pause.move(by: seconds) }
  }

  private mutating func update(
    _ client: inout Client, _ id: ClientID, with fixes: [Fix], _ inOrder: [Fix], at now: Date
  ) -> [Output] {
    var outputs: [Output] = []
    if client.role == .liveUpdates, client.pause.isPaused, mayReceive(client),
      inOrder.contains(where: { client.pause.hasLeft($0) })
    {
      client.pause.start()
      client.lastDelivered = nil
      outputs.append(.resumed(id))
    }
    if receives(client) {
      let passed = client.filter(fixes)
      if !passed.isEmpty {
        if life.state == .suspended, !wakes(client) {
          client.waiting = Array((client.waiting + passed).suffix(AppLife.maximumWaiting))
        } else {
          if life.state == .suspended { outputs += life.run(for: .significantChange, at: now, profile) }
          outputs.append(.deliver(id, client.waiting + passed))
          client.waiting = []
        }
      }
      client.oneShotUntil = nil
      let isLive = client.role == .liveUpdates
      for fix in inOrder where client.pause.take(fix, profile, doubts: isLive) { outputs.append(.paused(id)) }
    } else if client.oneShotUntil != nil, let newest = fixes.last, life.isRunning {
      client.oneShotUntil = nil
      outputs.append(.deliver(id, [newest]))
    }
    return outputs
  }

  /// Name of a region of the system's own that developers have seen (rn-background-geolocation issue 950).
  static let systemRegion = Regions.Region(identifier: "provisional authorization inducer", shape: .system)

  private mutating func pauseUpdates() -> [Output] {
    clients.ids.compactMap { id -> Output? in
      guard let client = clients[id], client.pause.isAllowed, receives(client) else { return nil }
      clients[id]?.pause.pause()
      return .paused(id)
    }
  }

  /// The receiver is gone: everybody who waits is told once; it is tried again all the same.
  private mutating func sourceFailed(_ reason: String) -> [Output] {
    var outputs: [Output] = []
    for id in clients.ids {
      guard var client = clients[id], client.isUpdating, !client.hasBeenToldOfFailure else { continue }
      client.hasBeenToldOfFailure = true
      clients[id] = client
      outputs.append(.fail(id, CLError(.locationUnknown, reason: reason)))
    }
    return outputs
  }

  mutating func refusal(of id: ClientID) -> [Output] {
    guard clients[id] != nil else { return [] }
    clients[id]?.oneShotUntil = nil
    return [.fail(id, CLError(.denied, reason: "The person does not allow this program to know the location."))]
  }

  // MARK: Time

  private mutating func expire(at now: Date) -> [Output] {
    var outputs: [Output] = []
    for id in clients.ids {
      guard let until = clients[id]?.oneShotUntil, until <= now else { continue }
      clients[id]?.oneShotUntil = nil
      let reason = "There was no position within \(Int(Self.oneShotTimeout)) seconds."
      outputs.append(.fail(id, CLError(.locationUnknown, reason: reason)))
    }
    outputs += expireOnce(at: now)
    if let time = life.relaunchAt, time <= now {
      life.relaunchAt = nil
      if permission.isGranted { outputs += life.run(for: .liveUpdates, at: now, profile) }
    }
    if canMonitor, watchesVisits, let visit = stays.expire(at: now) { outputs += tell(visit, at: now) }
    if watchesRegions {
      let crossings =
        regions.expire(at: now, profile, latency: regionLatency) + regions.take(beacons, at: now, profile)
      for crossing in crossings { outputs += tell(.crossing(crossing), at: now) }
    }
    beacons.forget(at: now, profile)
    return outputs + ranged(at: now)
  }

  /// When something will happen by itself. Starts ranging's beat, and ends it.
  private mutating func nextTime(at now: Date) -> Date? {
    if !isRanging {
      nextRanging = nil
    } else if nextRanging == nil {
      nextRanging = now.addingTimeInterval(Beacons.rangingInterval)
    }
    var next: Date?
    for client in clients.values { next = .earlier(next, client.oneShotUntil) }
    for time in [nextRanging, releaseTime, onceEnds, life.relaunchAt] { next = .earlier(next, time) }
    if canMonitor, watchesVisits { next = .earlier(next, stays.nextTime) }
    guard watchesRegions else { return next }
    next = .earlier(next, regions.nextTime(profile))
    for beacon in regions.beaconsInside {
      next = .earlier(next, beacons.lastSeen(beacon)?.addingTimeInterval(profile.beaconExitAfter) ?? now)
    }
    return next
  }

  // MARK: Radios

  /// The accuracies that the app wants positions with now.
  var updatesWanted: [CLLocationAccuracy] {
    var wanted = clients.values.compactMap { client -> CLLocationAccuracy? in
      if receives(client) || (client.oneShotUntil != nil && life.isRunning) { return client.desiredAccuracy }
      // Whoever goes on by itself must notice that the device moves.
      return client.role == .liveUpdates && mayReceive(client) ? kCLLocationAccuracyThreeKilometers : nil
    }
    // A cell needs no better place than cells and networks give.
    if accuracy.isReduced { wanted = wanted.map { max($0, kCLLocationAccuracyThreeKilometers) } }
    // Motion is told from whatever comes; it must only go on coming.
    if watchesMotion, life.isRunning { wanted.append(kCLLocationAccuracyThreeKilometers) }
    return wanted
  }

  private mutating func radioChange() -> [Output] {
    var wanted = updatesWanted
    // Nor does what is only watched need a better place.
    if canMonitor, watchesSignificantChanges || watchesVisits || (watchesRegions && regions.hasCircles) {
      wanted.append(kCLLocationAccuracyThreeKilometers)
    }
    var outputs: [Output] = []
    let new = permission.isGranted ? wanted.min() : nil
    if new != radio {
      radio = new
      outputs.append(.radio(new))
    }
    let listens = isRanging || (watchesRegions && regions.hasBeacons)
    if listens != listensForBeacons {
      listensForBeacons = listens
      outputs.append(.beaconRadio(listens))
    }
    return outputs
  }
}

extension LocationServices.ClientID: Comparable {
  package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}
