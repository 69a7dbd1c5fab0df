public import GodwitModel

/// The simulated world around a tracker: a true track, a phone with its radios and its battery, and the networks. It is a
/// discrete-event simulation whose result depends only on the arguments: the same seed gives the same events to the last bit on
/// every machine.
///
/// The caller requests the ``next(until:)`` event, and reports the actions of the app: location on and off, data sent, processor
/// used. Time advances only by these requests.
///
/// Each part of the phone has its own state: `Locating`, `Networks`, `Watching`, `BeaconListening`, `MotionChip`, `Resting`. The
/// parts share time, truth and power in the `Mainboard` and are independent of one another. The world passes alarms and the app's
/// actions to them.
public struct World: Sendable {
  private var board: Mainboard
  private var locating: Locating
  private var networks: Networks
  private var watching = Watching()
  private var beacons: BeaconListening
  private var chip: MotionChip
  private var resting: Resting
  /// Whether the app may run.
  private var isRunning = false
  private let hazards: HazardScript
  private let start: SimulatedTime
  private var nextHazard = 0
  /// Events of the current time that have not been returned yet.
  private var ready: [WorldEvent] = []

  /// - Parameters:
  ///   - truth: True track of the phone.
  ///   - phone: Energy profile of the phone.
  ///   - seed: Seed of all random numbers.
  ///   - network: Networks over time; `nil` for the networks along the track.
  ///   - hazards: Hazards with their times.
  ///   - batteryLevel: Initial battery level, 0…1.
  ///   - beacons: Beacons with their positions.
  ///   - motionChip: Errors of the motion chip; `nil` for an ideal chip.
  ///   - start: Start of the simulation; `nil` for the start of the truth.
  public init(
    truth: Truth, phone: PhoneProfile, seed: UInt64, network: NetworkScript? = nil, hazards: HazardScript = HazardScript(),
    batteryLevel: Double = 1, beacons: [PlacedBeacon] = [], motionChip: MotionChipModel? = nil, from start: SimulatedTime? = nil
  ) {
    let begin = start ?? truth.start
    self.start = begin
    self.hazards = hazards
    board = Mainboard(phone, truth, batteryLevel: batteryLevel, from: begin)
    locating = Locating(seed: seed)
    networks = Networks(network ?? .along(truth), from: begin)
    self.beacons = BeaconListening(beacons, seed: seed)
    chip = MotionChip(motionChip, seed: seed)
    resting = Resting(phone.restRules, seed: seed, &board)
    networks.plan(&board)
    planHazard()
    chip.plan(&board)
  }

  public var phone: PhoneProfile { board.phone }
  public var account: EnergyAccount { board.power.account }
  public var battery: Battery { board.power.battery }
  /// `false` from an empty battery until a successful ``powerOn()``.
  public var isAlive: Bool { board.isOn }
  /// The requested accuracy; `nil` while location is off.
  public var accuracy: DesiredAccuracy? { locating.accuracy }
  /// The network with the user's switches applied.
  public var network: NetworkCondition { networks.condition }
  /// The current use of beacons.
  public var beaconUse: BeaconUse { beacons.use }
  /// The motion that the motion chip reports; `nil` before its first report.
  public var motion: Motion? { chip.seen }
  public var now: SimulatedTime { board.time }
  /// Whether the restrictions of the phone's system at rest currently suspend location, network and timers of apps.
  public var isIdle: Bool { resting.isIdle }

  /// Returns the true state of the phone.
  public mutating func truth(at time: SimulatedTime) -> TruthState { board.truth(at: time) }
  /// Returns the true state now.
  public mutating func truth() -> TruthState { board.truth() }

  /// Returns the energy that each part used so far, in the order of the parts.
  public func energy() -> [(part: EnergyPart, energy: Energy)] {
    EnergyPart.allCases.map { ($0, account.used(by: $0, until: now)) }
  }

  // MARK: Time

  /// Advances to the next event not later than `end` and returns it. Without such an event advances to `end` and returns `nil`.
  public mutating func next(until end: SimulatedTime) -> WorldEvent? {
    while true {
      if !ready.isEmpty { return ready.removeFirst() }
      let time = min(board.nextTime(), end)
      if isAlive, let empty = board.power.emptyTime(before: time, at: now) {
        board.advance(to: empty)
        board.power.advance(to: now)
        die()
        return .died
      }
      let alarm = board.next(until: end)
      board.power.advance(to: now)
      guard let alarm else { return nil }
      if let event = handle(alarm) { return event }
    }
  }

  private mutating func handle(_ alarm: Mainboard.Alarm) -> WorldEvent? {
    switch alarm {
    case .hazard: return hazard()
    case .network: return process(networks.advance(&board))
    case .radio:
      networks.advanceRadio(&board)
      return nil
    case .transfer: return networks.finishTransfer(&board)
    case .satellitesOff:
      locating.satellitesOff(&board)
      return nil
    case .burst:
      locating.burst(networks.reception, &board)
      return nil
    case .satellites: return locating.satelliteTick(networks.reception, &board)
    case .scan: return locating.scan(networks.reception, &board)
    case .cell: return locating.cell(networks.reception, &board)
    case .cache: return locating.cached.map { .position($0, .cache) }
    case .watch:
      watching.plan(&board)
      return locating.watched(isNear: watching.isNear, networks.reception, &board)
    case .motion:
      guard let motion = chip.poll(&board) else { return nil }
      watching.motionChanged(isMoving: MotionChip.isMoving(motion), isWrong: false, &board)
      rest { $0.setMoving(MotionChip.isMoving(motion), &$1) }
      return .motion(motion)
    case .beacons: return beacons.listen(&board)
    case .rest:
      rest { $0.advance(&$1) }
      return nil
    }
  }

  /// Transfers that were lost with the old network are reported after the new network.
  private mutating func process(_ change: Networks.Change) -> WorldEvent? {
    ready += change.lost
    return change.event
  }

  /// Applies an event to the restrictions at rest, and updates the other parts if the phone becomes idle or active.
  private mutating func rest(_ body: (inout Resting, inout Mainboard) -> Void) {
    let wasIdle = isIdle
    body(&resting, &board)
    let isIdle = isIdle
    guard isIdle != wasIdle else { return }
    let change = networks.change(&board) { $0.isBlocked = isIdle }
    locating.setAsleep(isIdle, networks.reception, &board)
    setRunning(isRunning)
    if !isIdle { wake() }
    ready.append(.idle(isIdle))
    if let event = change.event { ready.append(event) }
    ready += change.lost
  }

  private mutating func die() {
    board.power.turnOff()
    beacons.turnOff()
    watching.turnOff()
    locating.turnOff(&board)
    board.cancel(Mainboard.Alarm.allCases.filter { !$0.isOfTheWorld })
    ready += networks.disconnect(&board)
    rest { $0.restart(&$1) }
    board.power.cut(at: now)
  }

  /// Turns the phone on. - Returns: `false` if the battery is empty, so that the phone stays off.
  public mutating func powerOn() -> Bool {
    guard board.power.turnOn(at: now) else { return false }
    board.set(.standby, board.phone.power(.standby))
    chip.plan(&board)
    rest { $0.restart(&$1) }
    return true
  }

  // MARK: Hazards

  private mutating func planHazard() {
    if nextHazard < hazards.lines.count { board.set(.hazard, at: start + hazards.lines[nextHazard].after) }
  }

  private mutating func hazard() -> WorldEvent? {
    let hazard = hazards.lines[nextHazard].hazard
    nextHazard += 1
    planHazard()
    if let change = apply(hazard) { ready.insert(change, at: 0) }
    return .hazard(hazard)
  }

  /// Applies a hazard of the script or of the caller to the phone and the networks.
  /// - Returns: the resulting change of the network or of the reported motion.
  @discardableResult
  public mutating func apply(_ hazard: Hazard) -> WorldEvent? {
    switch hazard {
    case .aeroplane(let isOn): return change { $0.aeroplane = isOn }
    case .wifi(let isOn): return change { $0.wifi = isOn }
    case .cellular(let isOn): return change { $0.cellular = isOn }
    case .captive(let isOn): return change { $0.captive = isOn }
    case .signal(let cost): return change { $0.signalCost = cost }
    case .movedRouter(let isOn): locating.moveRouters(isOn)
    case .services(let isOn): locating.switchServices(isOn, networks.reception, &board)
    case .flicker(let motion, let seconds):
      guard chip.flicker(motion, seconds: seconds, &board) else { return nil }
      watching.motionChanged(isMoving: MotionChip.isMoving(motion), isWrong: true, &board)
      rest { $0.setMoving(MotionChip.isMoving(motion), &$1) }
      return .motion(motion)
    case .charger(let isIn): setCharger(isIn)
    case .batteryLevel(let level): board.power.setLevel(level, at: now)
    case .reboot, .upgrade:
      // All receivers are off for a moment. The caller starts the app again.
      locating.restart(&board)
      ready += networks.disconnect(&board)
      rest { $0.restart(&$1) }
    default: break
    }
    return nil
  }

  private mutating func change(_ body: (inout Networks.Switches) -> Void) -> WorldEvent? {
    process(networks.change(&board, body))
  }

  // MARK: What the system does

  /// Starts location updates with an accuracy. `Locating` describes the receivers for each accuracy.
  ///
  /// The last known position is reported at once, if there is one, independent of its age. It is followed by a coarse position, and
  /// by an accurate one when the satellites have been found.
  public mutating func startUpdating(_ accuracy: DesiredAccuracy) { locating.start(accuracy, networks.reception, &board) }

  /// Stops location updates. The satellite receiver stays on for its off-delay.
  public mutating func stopUpdating() { locating.stop(&board) }

  /// Sets the monitoring services. The system reports coarse positions for them, also while the app requests none.
  /// ``MonitoringService/regionsNear`` uses energy only while the phone moves. A phone without power stops monitoring, and the
  /// services must be set again after ``powerOn()``.
  public mutating func setMonitoring(_ services: Set<MonitoringService>) { watching.set(services, &board) }

  /// Sets the use of beacons: no scans, infrequent scans, or a scan every second.
  public mutating func setBeacons(_ use: BeaconUse) { beacons.set(use, &board) }

  // MARK: What the app does

  /// Sets whether the app may run or is suspended. While the phone is idle the processor sleeps in both cases.
  public mutating func setRunning(_ isRunning: Bool) {
    self.isRunning = isRunning
    board.set(.processor, isRunning && !isIdle ? board.phone.power(.runnable) : .zero)
  }
  /// Adds the energy of a wake-up of the processor.
  public mutating func wake() { board.spend(.processor, board.phone.energy(.wake)) }
  /// Adds the energy of a launch of the app.
  public mutating func relaunch() { board.spend(.processor, board.phone.energy(.relaunch)) }
  /// Adds the energy of some seconds of processor work. Time does not advance.
  public mutating func work(seconds: Double) { board.spend(.processor, .joules(board.phone[.busy] / 1e3 * max(0, seconds))) }
  /// Adds the energy of the delivery of positions to the app.
  public mutating func deliver(_ count: Int = 1) {
    board.spend(.delivery, Energy(picojoules: board.phone.energy(.delivery).picojoules * Int128(max(0, count))))
  }
  /// Sets whether the motion chip reports to the app.
  public mutating func setMotion(_ isOn: Bool) { board.set(.motion, isOn ? board.phone.power(.motion) : .zero) }
  /// Adds the energy of an event of a monitoring service.
  public mutating func monitoringReported() { board.spend(.monitoring, board.phone.energy(.monitoringEvent)) }
  /// Connects or disconnects a charger of 5 W.
  public mutating func setCharger(_ isIn: Bool) {
    board.power.setCharger(isIn, at: now)
    rest { $0.setCharging(isIn, &$1) }
  }
  /// Turns the screen on or off.
  public mutating func setScreen(isOn: Bool) { rest { $0.setScreen(isOn: isOn, &$1) } }

  /// Sends data after the transfers in progress.
  /// - Parameters:
  ///   - up: Bytes to send, including overhead.
  ///   - down: Bytes to receive.
  /// - Returns: The transfer; `nil` without a network. A captive portal counts as a network and sends its own response; see
  ///   ``network``.
  public mutating func send(up: Int, down: Int) -> Transfer? { networks.send(up: up, down: down, &board) }
}
