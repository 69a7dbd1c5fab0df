public import Foundation
package import GodwitModel
public import GodwitReceivers
internal import Synchronization

/// The location service of a program, like `locationd` on a phone: it owns the receiver, applies the rules of
/// `LocationServices`, and calls the delegates. It exists on Linux only.
///
/// By default the process has one daemon, which is created at its first use. Its source is set by `GODWIT_LOCATION_SOURCE`
/// (`gpsd://HOST:PORT`, `geoclue:`, or a recorded file); the default is gpsd on this machine. A test, or a program with another
/// source, creates its own daemon and passes it to ``CLLocationManager/init(daemon:queue:)``.
///
/// A receiver runs while a client requests updates. A recorded file starts with the first client and is reported once. Its time
/// passes according to its ``PositionSource/timekeeping``, and positions that no client requested are skipped.
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
    /// The stored conditions of the program's monitors, by the names of the monitors.
    var conditions: [String: [String: CLMonitor.Record]] = [:]
    var addresses: Nominatim?
    var retained: (any AnyObject & Sendable)?
    var isSwitchedOn = true
    /// The newest skipped position; `nil`: a later position was not skipped.
    var skipped: Fix?
    var isRadioOn = false
    var isCompassOn = false
  }

  /// The receiver of a client's outputs.
  struct Listener: Sendable {
    var site: CallSite
    /// Handles an output, for example by calling a delegate. It is called at `site`.
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

  /// Creates a daemon. Beacons are received by this machine's Bluetooth radio, unless the positions are simulated.
  /// - Parameters:
  ///   - source: the source of positions.
  ///   - authorization: the initial permission.
  ///   - declarations: the declarations of the program, which an app has in its `Info.plist`.
  ///   - now: the clock.
  ///   - authorize: returns the user's response to a request for permission; the default grants it.
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

  /// Creates a daemon with a source of beacons and a profile.
  /// - Parameters:
  ///   - source: the source of positions.
  ///   - beacons: the source of beacons; `nil`: none.
  ///   - authorization: the initial permission.
  ///   - profile: the profile of the operating system.
  ///   - declarations: the declarations of the program.
  ///   - now: the clock.
  ///   - authorize: returns the user's response to a request for permission.
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

  /// Creates a daemon that a host drives in virtual time. Only the host causes events.
  /// - Parameters:
  ///   - host: drives the daemon, and performs the outputs that concern the system.
  ///   - services: the initial state.
  package init(host: any LocationHost, services: LocationServices) {
    self.host = host
    beaconRadio = BeaconRadio(nil)
    source = NoSource()
    gate = SourceGate(.switchesOff)
    authorize = { $0 ? .authorizedAlways : .authorizedWhenInUse }
    now = { host.now }
    state = Mutex(State(services: services))
  }

  /// The daemon of the process. It is global, like the location service of a phone.
  package static let system = LocationDaemon(source: Receivers.source(in: ProcessInfo.processInfo.environment))

  /// Returns when the source has reported all its positions and every delegate has been called with them, or when the task is
  /// cancelled.
  ///
  /// The time of a recorded file passes meanwhile, whether or not the program requests positions. So the end is reached also if
  /// the program pauses its updates, requested only one position, or has no permission.
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

  /// Reports every position that the program may know, before the managers receive it. The source runs meanwhile.
  /// - Parameter take: handles positions, and returns when it has handled them.
  /// - Returns: the number to pass to ``stopWatchingMotion(_:)``.
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

  /// The time of the newest position, which is the time of the events that it causes. Before the first position it is the
  /// beginning of a recorded file, or the time of the clock.
  var time: Date {
    if let last { return last.time }
    guard host == nil, source.isSimulated else { return now() }
    return read(\.lastKnown)?.time ?? source.beginning ?? now()
  }

  func conditions(of monitor: String) -> [String: CLMonitor.Record] { state.withLock { $0.conditions[monitor] ?? [:] } }

  /// Stores the conditions of a monitor. Calls of a simulated program that has ended are ignored.
  func store(_ conditions: [String: CLMonitor.Record], of monitor: String) {
    guard host?.isListening ?? true else { return }
    state.withLock { $0.conditions[monitor] = conditions }
  }

  /// The geocoding service of ``CLGeocoder``; `nil`: none, and geocoders fail with `CLError.network`.
  public var addresses: Nominatim? {
    get { state.withLock { $0.addresses } }
    set { state.withLock { $0.addresses = newValue } }
  }

  /// An object that lives as long as the daemon: the motion chip of the machine.
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

  /// Calls code of the program: on its queue, or when the host performs it.
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
  /// Whether the receiver is attached to this machine, as far as known.
  package var isReceiverHere: Bool { (source as? GpsdSource)?.isHere ?? !source.isSimulated }
  var last: Fix? { state.withLock { $0.services.last } }
  /// The monitored regions of the app's managers, without conditions of monitors.
  var regions: [Regions.Region] { state.withLock { $0.services.regions.all.filter { $0.monitor == nil } } }

  /// Whether location services are on for all programs.
  package var isSwitchedOn: Bool {
    get { state.withLock { $0.isSwitchedOn } }
    set { state.withLock { $0.isSwitchedOn = newValue } }
  }

  /// Whether beacons can be detected. It is true on a simulated phone, and on a machine with a Bluetooth radio.
  package var canDetectBeacons: Bool { host != nil || beaconRadio.hasReceiver }

  /// Whether there is a compass. It is true on a simulated phone, and for a recorded file with headings.
  var hasCompass: Bool { host != nil || source.hasCompass }

  var sourceInformation: CLLocationSourceInformation {
    CLLocationSourceInformation(
      softwareSimulationState: source.isSimulated, andExternalAccessoryState: !source.isSimulated)
  }

  // MARK: Driving

  /// Passes an input to the state machine and performs its outputs: those for the system at once, and those for clients by a
  /// call at their site. With a host, the caller of this method makes the calls. Calls are enqueued under the lock, so that
  /// their order is the order of the inputs, also with several threads.
  /// - Returns: the outputs for clients, with their listeners.
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
        // The other outputs concern the background, and a program on Linux is always in the foreground.
        default: break
        }
      }
    }
    for always in prompts { calls += carryOut(.authorizationDecided(authorize(always))) }
    // There is no user to ask, so exact positions are denied.
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

  /// The maximum time in seconds that a recorded file waits for the current work of the program's call sites.
  private static let firstTurn = 0.5

  private func startSource(_ state: inout State) {
    guard state.task == nil, !state.hasFinished else { return }
    // The first position of a recorded file must not be reported before the program has finished its current calls. The first
    // position of a receiver arrives later anyway.
    let sites = source.timekeeping == .switchesOff ? [] : state.managers.values.map(\.site)
    // The task does not retain the daemon, which is released with its last client.
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
        // No client requests positions any more.
      } catch {
        await self?.process(.unavailable("\(error)"))
        await self?.process(.finished)
      }
    }
  }

  /// Processes an event of the source. Returns when the delegates have been called with it.
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
      // The last position stays the known position, also if no client received it.
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

  /// Returns when the calls have been made. Each site makes its calls in order.
  private func finish(_ calls: [(Listener, LocationServices.Output)]) async {
    for (listener, _) in calls {
      await withCheckedContinuation { continuation in listener.site.async { continuation.resume() } }
    }
  }

  private func wake(at time: Date) {
    // `Duration` cannot represent an infinite delay.
    let delay = min(max(0, time.timeIntervalSince(now())), 1e9)
    // A timer of Dispatch with `.now()` would stop while the machine is suspended, and fire hours late.
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(delay))
      self?.handle(.timer)
    }
  }
}
