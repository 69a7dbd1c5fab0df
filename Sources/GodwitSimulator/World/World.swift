public import GodwitModel

/// The world around a tracker: a way through space and time, a phone with its radios and its battery, and the networks about.
/// Only what happens is computed, and nothing of it depends on anything but the arguments: the same seed gives the same
/// events to the last bit on every machine.
///
/// The caller requests the ``next(until:)`` event, and reports what the app does: location on and off, data sent, processor used. Time
/// passes only by these requests.
///
/// Each part of the phone keeps its own state: `Locating`, `Networks`, `Watching`, `BeaconListening`, `MotionChip`, `Resting`.
/// They share time, truth and power, which the `Mainboard` has, and are independent of one another; the world passes alarms and what
/// the app does to them.
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
  /// Events that have happened at this time, and are to be reported.
  private var ready: [WorldEvent] = []

  /// - Parameters:
  ///   - truth: the way of the phone.
  ///   - phone: what it costs.
  ///   - seed: of everything that happens by chance.
  ///   - network: the networks over time; nil for those along the way.
  ///   - hazards: what goes wrong.
  ///   - batteryLevel: in the beginning, 0…1.
  ///   - beacons: what stands along the way and advertises itself.
  ///   - motionChip: how its motion chip errs; nil for one that is always right.
  ///   - start: when it begins; nil for the beginning of the truth.
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
  /// False with an empty battery, until ``powerOn()``.
  public var isAlive: Bool { board.isOn }
  /// The requested accuracy; nil while location is off.
  public var accuracy: DesiredAccuracy? { locating.accuracy }
  /// The network with the user's switches counted in.
  public var network: NetworkCondition { networks.condition }
  /// What the phone does with beacons.
  public var beaconUse: BeaconUse { beacons.use }
  /// What the motion chip sees; nil before it has looked.
  public var motion: Motion? { chip.seen }
  public var now: SimulatedTime { board.time }
  /// Whether location, network and timers of apps wait now, by the rules at rest of the phone's system.
  public var isIdle: Bool { resting.isIdle }

  /// Where the phone really is.
  public mutating func truth(at time: SimulatedTime) -> TruthState { board.truth(at: time) }
  /// Where it really is now.
  public mutating func truth() -> TruthState { board.truth() }

  /// Energy used by each part so far, in the order of the parts.
  public func energy() -> [(part: EnergyPart, energy: Energy)] {
    EnergyPart.allCases.map { ($0, account.used(by: $0, until: now)) }
  }

  // MARK: Time

  /// The next thing that happens, not later than `end`; time passes to it. Nil when nothing does: then time passes to `end`.
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

  /// What was lost with the old network is reported after the new one.
  private mutating func process(_ change: Networks.Change) -> WorldEvent? {
    ready += change.lost
    return change.event
  }

  /// Something happens that counts for the rules at rest; the parts of the phone follow.
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

  /// On again, with whatever the charger has put in. False without anything in the battery: it stays off.
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

  /// The world's own part of a hazard, whether it is of the script or comes from the caller.
  /// - Returns: the change of the network, or of what the motion chip sees, that it brought.
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
      // Everything is off for a moment; the caller starts the app again.
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

  /// The app requests positions of an accuracy: see `Locating` for the radios that this means.
  ///
  /// The last known position, if there is one, is reported at once, however old it is; then comes a rough one, and an exact one
  /// when the satellites have been found.
  public mutating func startUpdating(_ accuracy: DesiredAccuracy) { locating.start(accuracy, networks.reception, &board) }

  /// The app requests no more positions. The satellites' receiver stays on for a while, as they do.
  public mutating func stopUpdating() { locating.stop(&board) }

  /// The system watches so many things at the same time; it then reports rough positions, also while none are requested.
  /// ``MonitoringService/regionsNear`` costs something only on the way.
  /// A phone without power watches nothing, and needs new requests when it is on again.
  public mutating func setMonitoring(_ services: Set<MonitoringService>) { watching.set(services, &board) }

  /// The system listens for beacons from now on, seldom or once a second.
  public mutating func setBeacons(_ use: BeaconUse) { beacons.set(use, &board) }

  // MARK: What the app does

  /// The app may run, or sleeps. In a phone that is idle the processor sleeps in both cases.
  public mutating func setRunning(_ isRunning: Bool) {
    self.isRunning = isRunning
    board.set(.processor, isRunning && !isIdle ? board.phone.power(.runnable) : .zero)
  }
  /// The processor was woken up.
  public mutating func wake() { board.spend(.processor, board.phone.energy(.wake)) }
  /// The app was launched again.
  public mutating func relaunch() { board.spend(.processor, board.phone.energy(.relaunch)) }
  /// The processor worked so many seconds, in no time.
  public mutating func work(seconds: Double) { board.spend(.processor, .joules(board.phone[.busy] / 1e3 * max(0, seconds))) }
  /// Positions were reported to the app.
  public mutating func deliver(_ count: Int = 1) {
    board.spend(.delivery, Energy(picojoules: board.phone.energy(.delivery).picojoules * Int128(max(0, count))))
  }
  /// The motion chip reports to the app what it sees.
  public mutating func setMotion(_ isOn: Bool) { board.set(.motion, isOn ? board.phone.power(.motion) : .zero) }
  /// The system reports to the app a change of what it watches.
  public mutating func monitoringReported() { board.spend(.monitoring, board.phone.energy(.monitoringEvent)) }
  /// A charger of 5 W is put in or taken out.
  public mutating func setCharger(_ isIn: Bool) {
    board.power.setCharger(isIn, at: now)
    rest { $0.setCharging(isIn, &$1) }
  }
  /// The screen is turned on or off.
  public mutating func setScreen(isOn: Bool) { rest { $0.setScreen(isOn: isOn, &$1) } }

  /// Sends data, after what is being sent already.
  /// - Parameters:
  ///   - up: bytes sent, everything counted.
  ///   - down: bytes received.
  /// - Returns: nil when no network is there. A captive one is, and answers something of its own: ask ``network``.
  public mutating func send(up: Int, down: Int) -> Transfer? { networks.send(up: up, down: down, &board) }
}
