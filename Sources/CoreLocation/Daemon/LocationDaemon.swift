public import Foundation
package import GodwitModel
public import GodwitReceivers
internal import Synchronization

/// What `locationd` is on a phone: it owns the receiver, keeps the rules of `LocationServices`, and calls the
/// delegates. Exists on Linux only.
///
/// A program that does nothing about it gets one for the whole process, made on first use: it reads
/// `GODWIT_LOCATION_SOURCE` (`gpsd://HOST:PORT`, `geoclue:`, or a recorded file) and falls back to gpsd on this machine. Tests and
/// programs that know better make their own and hand it to ``CLLocationManager/init(daemon:queue:)``.
///
/// A receiver runs while a client wants updates. A recorded day begins with the first client and is reported once: its time passes by its
/// ``PositionSource/timekeeping``, and positions that no client wanted are skipped.
public final class LocationDaemon: Sendable {
  private struct State {
    var services: LocationServices
    var managers: [LocationServices.ClientID: Listener] = [:]
    var nextClient = 1
    var task: Task<Void, Never>?
    var hasFinished = false
    var finishWaiters: [AsyncStream<Void>.Continuation] = []
    var motionWatchers: [Int: @Sendable ([Fix]) async -> Void] = [:]
    var nextWatcher = 1
    /// What the monitors of the program have been reported to watch, by their names.
    var conditions: [String: [String: CLMonitor.Record]] = [:]
    var addresses: Nominatim?
    var retained: (any AnyObject & Sendable)?
    var isSwitchedOn = true
    /// The newest position that no client wanted.
    var skipped: Fix?
    var isRadioOn = false
    var isCompassOn = false
  }

  /// A manager and where it is called.
  struct Listener: Sendable {
    var site: CallSite
    /// Calls the delegate; runs at `site`.
    var receive: @Sendable (LocationServices.Output) -> Void

    init(site: CallSite, receive: @escaping @Sendable (LocationServices.Output) -> Void) {
      (self.site, self.receive) = (site, receive)
    }

    init(queue: DispatchQueue, receive: @escaping @Sendable (LocationServices.Output) -> Void) {
      self.init(site: .queue(queue), receive: receive)
    }
  }

  private let state: Mutex<State>
  private let source: any PositionSource
  private let gate: SourceGate
  private let beaconRadio: BeaconRadio
  private let authorize: @Sendable (_ always: Bool) -> CLAuthorizationStatus
  private let now: @Sendable () -> Date
  private let host: (any LocationHost)?

  /// Beacons are received by this machine's Bluetooth radio, unless the positions are simulated.
  /// - Parameters:
  ///   - source: the receiver.
  ///   - authorization: what the person has decided so far.
  ///   - declarations: what the program says about itself, as an app does in its `Info.plist`.
  ///   - now: the clock.
  ///   - authorize: plays the person's answer to a request for permission; the default grants it.
  public convenience init(
    source: any PositionSource, authorization: CLAuthorizationStatus = .notDetermined,
    declarations: AppDeclarations = AppDeclarations(),
    now: @escaping @Sendable () -> Date = { Date() },
    authorize: @escaping @Sendable (_ always: Bool) -> CLAuthorizationStatus = {
      $0 ? .authorizedAlways : .authorizedWhenInUse
    }
  ) {
    self.init(
      source: source, beacons: source.isSimulated ? nil : BlueZSource(), authorization: authorization,
      declarations: declarations, now: now, authorize: authorize)
  }

  /// - Parameters:
  ///   - source: the receiver.
  ///   - beacons: the source of beacons; `nil`: none.
  ///   - authorization: what the person has decided so far.
  ///   - profile: what the system is like.
  ///   - declarations: what the program says about itself.
  ///   - now: the clock.
  ///   - authorize: plays the person's answer to a request for permission.
  package init(
    source: any PositionSource, beacons: (any BeaconSource)?, authorization: CLAuthorizationStatus = .notDetermined,
    profile: OSProfile = .linux, declarations: AppDeclarations = AppDeclarations(),
    now: @escaping @Sendable () -> Date = { Date() },
    authorize: @escaping @Sendable (_ always: Bool) -> CLAuthorizationStatus = {
      $0 ? .authorizedAlways : .authorizedWhenInUse
    }
  ) {
    beaconRadio = BeaconRadio(beacons)
    self.source = source
    gate = SourceGate(source.timekeeping)
    self.authorize = authorize
    self.now = now
    host = nil
    state = Mutex(
      State(
        services: LocationServices(
          authorization: authorization, profile: profile, declarations: declarations,
          isRecorded: source.timekeeping != .switchesOff)))
  }

  deinit {
    state.withLock { $0.task?.cancel() }
    gate.end()
  }

  /// A daemon that is driven manually, in a time of its own: only its host causes events.
  /// - Parameters:
  ///   - host: drives it, and does what concerns the system.
  ///   - services: the state that it begins with.
  package init(host: any LocationHost, services: LocationServices) {
    self.host = host
    beaconRadio = BeaconRadio(nil)
    source = NoSource()
    gate = SourceGate(.switchesOff)
    authorize = { $0 ? .authorizedAlways : .authorizedWhenInUse }
    now = { host.now }
    state = Mutex(State(services: services))
  }

  /// The one of the process. It stands for the system's own service, of which there is one as well.
  package static let system = LocationDaemon(source: Receivers.source(in: ProcessInfo.processInfo.environment))

  /// Returns when the source has reported everything that it has, and every delegate has been called with it; or when
  /// the task is cancelled.
  ///
  /// The time of a recorded day passes meanwhile, whether or not the program wants positions: an app that pauses, that has had the
  /// one position that it requested, or that may not know the location, comes to the end as well.
  public func finished() async {
    let (stream, waiter) = AsyncStream<Void>.makeStream()
    state.withLock { state in
      if state.hasFinished { waiter.finish() } else { state.finishWaiters.append(waiter) }
      if host == nil, source.timekeeping != .switchesOff { startSource(&state) }
    }
    gate.beginWaiting()
    defer { gate.endWaiting() }
    for await _ in stream {}
  }

  // MARK: For the motion chip

  /// Reports every position that the program may know, before any manager; keeps the source running.
  /// - Parameter take: returns when it has dealt with them.
  package func watchMotion(_ take: @escaping @Sendable ([Fix]) async -> Void) -> Int {
    let number = state.withLock { state in
      defer { state.nextWatcher += 1 }
      state.motionWatchers[state.nextWatcher] = take
      return state.nextWatcher
    }
    handle(.motionWatched(true))
    return number
  }

  package func stopWatchingMotion(_ number: Int) {
    let isLast = state.withLock { state in
      state.motionWatchers[number] = nil
      return state.motionWatchers.isEmpty
    }
    if isLast { handle(.motionWatched(false)) }
  }

  // MARK: For monitors and geocoders

  /// The time of the newest position, which is that of whatever it brings about; before the first the time at which a recorded
  /// day begins, or the clock's.
  var time: Date {
    if let last { return last.time }
    guard host == nil, source.isSimulated else { return now() }
    return read(\.lastKnown)?.time ?? source.beginning ?? now()
  }

  func conditions(of monitor: String) -> [String: CLMonitor.Record] { state.withLock { $0.conditions[monitor] ?? [:] } }

  /// What a process that has ended still does changes nothing.
  func store(_ conditions: [String: CLMonitor.Record], of monitor: String) {
    guard host?.isListening ?? true else { return }
    state.withLock { $0.conditions[monitor] = conditions }
  }

  /// The geocoding service of ``CLGeocoder``; `nil`: none, and geocoders fail with `CLError.network`.
  public var addresses: Nominatim? {
    get { state.withLock { $0.addresses } }
    set { state.withLock { $0.addresses = newValue } }
  }

  /// Something that belongs to the machine as the daemon does: its motion chip.
  package var retained: (any AnyObject & Sendable)? {
    get { state.withLock { $0.retained } }
    set { state.withLock { $0.retained = newValue } }
  }

  // MARK: For managers

  func connect(_ listener: Listener, as role: LocationServices.Role = .manager) -> LocationServices.ClientID {
    let id = state.withLock { state in
      let id = LocationServices.ClientID(state.nextClient)
      state.nextClient += 1
      state.managers[id] = listener
      return id
    }
    handle(.connected(id, role))
    return id
  }

  func disconnect(_ id: LocationServices.ClientID) {
    handle(.disconnected(id))
    state.withLock { $0.managers[id] = nil }
  }

  func handle(_ input: LocationServices.Input) {
    if let host {
      guard host.isListening else { return }
      host.asked()
    }
    carryOutAndCall(input)
  }

  func carryOutAndCall(_ input: LocationServices.Input) {
    for (listener, output) in carryOut(input) where host != nil { call(listener.site) { listener.receive(output) } }
  }

  /// Calls something of the program: on its queue, or when the host lets it.
  package func call(_ queue: @autoclosure () -> DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    guard let host else { return queue().async(execute: body) }
    host.perform { [self] in scope(body) }
  }

  func call(_ site: CallSite, _ body: @escaping @Sendable () -> Void) {
    guard let host else { return site.async(body) }
    host.perform { [self] in scope(body) }
  }

  package var authorization: CLAuthorizationStatus { state.withLock { $0.services.authorization } }
  package var isAuthorized: Bool { state.withLock { $0.services.isAuthorized } }
  var accuracyAuthorization: CLAccuracyAuthorization { state.withLock { $0.services.accuracyAuthorization } }
  /// Whether the receiver moves with this machine, as far as can be known.
  package var isReceiverHere: Bool { (source as? GpsdSource)?.isHere ?? !source.isSimulated }
  var last: Fix? { state.withLock { $0.services.last } }
  /// The regions of the app's managers.
  var regions: [Regions.Region] { state.withLock { $0.services.regions.all.filter { $0.monitor == nil } } }

  /// Whether location is on for programs at all.
  package var isSwitchedOn: Bool {
    get { state.withLock { $0.isSwitchedOn } }
    set { state.withLock { $0.isSwitchedOn = newValue } }
  }

  /// Whether beacons can be detected: on every simulated phone, and on a machine with Bluetooth.
  package var hearsBeacons: Bool { host != nil || beaconRadio.hasEars }

  /// Whether this device knows which way it points: a simulated phone does, and a recording of a compass.
  var hasCompass: Bool { host != nil || source.hasCompass }

  var sourceInformation: CLLocationSourceInformation {
    CLLocationSourceInformation(
      softwareSimulationState: source.isSimulated, andExternalAccessoryState: !source.isSimulated)
  }

  // MARK: Driving

  /// Runs the state machine, does what concerns the daemon, and calls managers: where there is a host, the caller does. The calls
  /// are made under the lock, so that their order is that of the events, whichever threads these come from.
  /// - Returns: the calls.
  private func carryOut(_ input: LocationServices.Input) -> [(Listener, LocationServices.Output)] {
    var calls: [(Listener, LocationServices.Output)] = []
    var prompts: [Bool] = []
    var isAskedForFullAccuracy = false
    state.withLock { state in
      for output in state.services.handle(input, at: now()) {
        if let id = output.client {
          if let listener = state.managers[id] {
            calls.append((listener, output))
            if let host { host.receive(output) } else { listener.site.async { listener.receive(output) } }
          }
          continue
        }
        if let host {
          host.carryOut(output)
          continue
        }
        switch output {
        case .prompt(let always): prompts.append(always)
        case .radio(let accuracy):
          state.isRadioOn = accuracy != nil
          switchSource(&state)
        case .compass(let isOn):
          state.isCompassOn = isOn
          switchSource(&state)
        case .wake(let time): wake(at: time)
        case .beaconRadio(let isOn): beaconRadio.turn(isOn) { [weak self] input in self?.handle(input) }
        case .promptToKeepAlways: prompts.append(true)
        case .promptForFullAccuracy: isAskedForFullAccuracy = true
        // A program on Linux is always in front.
        default: break
        }
      }
    }
    for always in prompts { calls += carryOut(.authorizationDecided(authorize(always))) }
    // Without a user, the answer does not change.
    if isAskedForFullAccuracy { calls += carryOut(.fullAccuracyDecided(false)) }
    return calls
  }

  func removeListeners() { state.withLock { ($0.managers, $0.motionWatchers) = ([:], [:]) } }

  func read<Value>(_ part: (LocationServices) -> Value) -> Value { state.withLock { part($0.services) } }

  private func switchSource(_ state: inout State) {
    let isOn = state.isRadioOn || state.isCompassOn
    gate.set(isOpen: isOn)
    if isOn {
      startSource(&state)
    } else if source.timekeeping == .switchesOff {
      state.task?.cancel()
      state.task = nil
    }
  }

  private func skip(_ event: PositionEvent) {
    guard case .positions(let fixes) = event, let last = fixes.last else { return }
    state.withLock { $0.skipped = last }
  }

  /// Seconds that a recorded day waits for a program that makes no calls.
  private static let firstTurn = 0.5

  private func startSource(_ state: inout State) {
    guard state.task == nil, !state.hasFinished else { return }
    // A device's first position comes later than the calls that the program is making now; a recorded one would not.
    let sites = source.timekeeping == .switchesOff ? [] : state.managers.values.map(\.site)
    // Without the daemon, which ends with the last of its clients.
    state.task = Task { [source, gate, weak self] in
      for site in sites { await site.turn(within: Self.firstTurn) }
      do {
        try await source.run { [weak self] event in
          if event == .finished {
            await self?.process(event)
          } else if await gate.admits() {
            await self?.process(event)
          } else {
            self?.skip(event)
          }
        }
      } catch is CancellationError {
        // No client wants positions any more.
      } catch {
        await self?.process(.unavailable("\(error)"))
        await self?.process(.finished)
      }
    }
  }

  /// Returns when the delegates that the event concerns have been called.
  private func process(_ event: PositionEvent) async {
    let calls: [(Listener, LocationServices.Output)]
    switch event {
    case .positions(let fixes):
      let watchers = state.withLock { state in
        state.skipped = nil
        return state.services.isAuthorized ? Array(state.motionWatchers.values) : []
      }
      for take in watchers { await take(fixes) }
      calls = carryOut(.positions(fixes))
    case .heading(let reading): calls = carryOut(.heading(reading))
    case .unavailable(let reason): calls = carryOut(.sourceFailed(reason))
    case .finished:
      // The device stays where the day ended, whether or not a client was there.
      if let fix = state.withLock(\.skipped) { await finish(carryOut(.positions([fix]))) }
      await finish(carryOut(.sourceEnded))
      let waiters = state.withLock { state in
        state.hasFinished = true
        defer { state.finishWaiters = [] }
        return state.finishWaiters
      }
      for waiter in waiters { waiter.finish() }
      return
    }
    await finish(calls)
  }

  /// Returns when the calls have been made. Each site makes its calls in their order.
  private func finish(_ calls: [(Listener, LocationServices.Output)]) async {
    for (listener, _) in calls {
      await withCheckedContinuation { continuation in listener.site.async { continuation.resume() } }
    }
  }

  private func wake(at time: Date) {
    let delay = max(0, time.timeIntervalSince(now()))
    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in self?.handle(.timer) }
  }
}
