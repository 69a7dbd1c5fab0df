public import GodwitModel

/// The world around a tracker: a way through space and time, a phone with its radios and its battery, and the networks about.
/// Only what happens is computed, and nothing of it depends on anything but the arguments: the same seed gives the same
/// events to the last bit on every machine.
///
/// Whoever runs it asks for the ``next(until:)`` event, and tells it what the app does: location on and off, data sent,
/// processor used. Time passes only by asking.
public struct World: Sendable {
  public let phone: PhoneProfile
  public internal(set) var account: EnergyAccount
  public internal(set) var battery: Battery
  /// False with an empty battery, until ``powerOn()``.
  public private(set) var isAlive = true
  /// What was asked for; nil while location is off.
  public internal(set) var accuracy: DesiredAccuracy?
  /// The network with the owner's switches counted in.
  public internal(set) var network: NetworkCondition

  var cursor: TruthCursor
  var schedule: Schedule<Alarm>
  var tickets: [Schedule<Alarm>.Ticket?]
  var satellites: SatelliteReceiver
  var coarse: CoarsePositions
  var ear: BeaconRadio
  /// What the phone does with beacons.
  public internal(set) var beaconUse = BeaconUse.none
  var random: RandomSource
  let script: NetworkScript
  var networkStep: Int
  var scripted: NetworkCondition
  let hazards: HazardScript
  var nextHazard = 0
  let start: SimulatedTime
  var radio = DataRadio()
  var radioPart = EnergyPart.mobileData
  var transfers: [(transfer: Transfer, end: SimulatedTime)] = []
  var transferCount = 0
  var settled: SimulatedTime
  var switches = Switches()
  var cached: Fix?
  var watched: Set<MonitoringService> = []
  var seen: Motion?
  /// Until when the motion chip is wrong.
  var flickerEnd: SimulatedTime?
  var ready: [WorldEvent] = []

  /// What wakes the world. One of each waits at most. Their order is that of their work at the same time.
  enum Alarm: Int, CaseIterable, Sendable {
    case hazard, network, radio, transfer, satellitesOff, burst, satellites, scan, cell, cache, watch, motion, beacons
  }

  struct Switches: Sendable {
    var aeroplane = false
    var wifi = true
    var cellular = true
    var services = true
    var captive = false
    var signalCost = 1.0
  }

  // Seconds. With 100 m, satellites are on for a tenth of the time while moving.
  static let burstInterval = 120.0
  static let burstLength = 12.0
  /// A first rough position comes so soon.
  static let firstRough: ClosedRange<Double> = 0.5...2
  /// A charger, as the simplest have it.
  static let chargerPower = Power.milliwatts(5_000)

  /// - Parameters:
  ///   - truth: the way of the phone.
  ///   - phone: what it costs.
  ///   - seed: of everything that happens by chance.
  ///   - network: the networks over time; nil for those along the way.
  ///   - hazards: what goes wrong.
  ///   - batteryLevel: in the beginning, 0…1.
  ///   - beacons: what stands along the way and advertises itself.
  ///   - start: when it begins; nil for the beginning of the truth.
  public init(
    truth: Truth, phone: PhoneProfile, seed: UInt64, network: NetworkScript? = nil, hazards: HazardScript = HazardScript(),
    batteryLevel: Double = 1, beacons: [PlacedBeacon] = [], from start: SimulatedTime? = nil
  ) {
    let begin = start ?? truth.start
    let script = network ?? .along(truth)
    self.phone = phone
    self.script = script
    self.hazards = hazards
    self.start = begin
    cursor = TruthCursor(truth)
    schedule = Schedule(from: begin)
    tickets = Alarm.allCases.map { _ in nil }
    satellites = SatelliteReceiver(seed: seed)
    coarse = CoarsePositions(seed: seed)
    ear = BeaconRadio(beacons, seed: seed)
    random = RandomSource(seed: seed, stream: "world")
    scripted = script.condition(at: begin)
    self.network = scripted
    networkStep = script.firstStep(after: begin)
    account = EnergyAccount(from: begin)
    battery = Battery(capacity: phone.energy(.battery), level: batteryLevel)
    settled = begin
    account.set(.standby, phone.power(.standby), at: begin)
    planNetwork()
    planHazard()
    planMotion()
  }

  public var now: SimulatedTime { schedule.time }

  /// Where the phone really is.
  public mutating func truth(at time: SimulatedTime) -> TruthState { cursor.state(at: time) }
  /// Where it really is now.
  public mutating func truth() -> TruthState { cursor.state(at: now) }

  /// The next thing that happens, not later than `end`; time passes to it. Nil when nothing does: then time passes to `end`.
  public mutating func next(until end: SimulatedTime) -> WorldEvent? {
    while true {
      if !ready.isEmpty { return ready.removeFirst() }
      let time = min(schedule.nextTime() ?? .never, end)
      if isAlive, let empty = emptyTime(before: time) {
        schedule.pass(to: empty)
        settle()
        die()
        return .died
      }
      guard let (_, alarm) = schedule.next(until: end) else {
        settle()
        return nil
      }
      tickets[alarm.rawValue] = nil
      settle()
      if let event = handle(alarm) { return event }
    }
  }

  private mutating func handle(_ alarm: Alarm) -> WorldEvent? {
    switch alarm {
    case .hazard: return hazard()
    case .network: return networkChanged()
    case .radio:
      radio.advance(to: now)
      followRadio()
      return nil
    case .transfer: return transferEnded()
    case .satellitesOff:
      satellitesOff()
      return nil
    case .burst:
      burst()
      return nil
    case .satellites: return satelliteTick()
    case .scan: return scan()
    case .cell: return cell()
    case .cache: return cached.map { .position($0, .cache) }
    case .watch: return watch()
    case .motion: return motionChanged()
    case .beacons: return listen()
    }
  }

  // MARK: Time and energy

  /// The battery pays for the time since the last event, during which no power changed.
  mutating func settle() {
    battery.pass(from: settled, to: now, using: account.power)
    settled = now
  }

  private func emptyTime(before time: SimulatedTime) -> SimulatedTime? {
    if battery.isEmpty { return battery.charging > account.power ? nil : now }
    guard account.power > battery.charging else { return nil }
    // The exact moment needs a division; most events are far from it.
    if time != .never, (account.power - battery.charging).energy(from: settled, to: time) < battery.stored { return nil }
    guard let empty = battery.emptyTime(from: settled, using: account.power), empty <= time else { return nil }
    return max(empty, now)
  }

  mutating func set(_ part: EnergyPart, _ power: Power) {
    settle()
    account.set(part, isAlive ? power : .zero, at: now)
  }

  mutating func spend(_ part: EnergyPart, _ energy: Energy) {
    guard isAlive else { return }
    account.add(part, energy)
    battery.take(energy)
  }

  private mutating func die() {
    isAlive = false
    accuracy = nil
    beaconUse = .none
    watched = []
    flickerEnd = nil
    satellitesOff()
    for alarm in Alarm.allCases where alarm != .network && alarm != .hazard { cancel(alarm) }
    lose()
    for part in EnergyPart.allCases { account.set(part, .zero, at: now) }
  }

  /// On again, with whatever the charger has put in. False without anything in the battery: it stays off.
  public mutating func powerOn() -> Bool {
    settle()
    guard !battery.isEmpty else { return false }
    isAlive = true
    set(.standby, phone.power(.standby))
    planMotion()
    return true
  }

  /// Energy used by each part so far, in the order of the parts.
  public func energy() -> [(part: EnergyPart, energy: Energy)] {
    EnergyPart.allCases.map { ($0, account.used(by: $0, until: now)) }
  }

  // MARK: What the app does

  /// The app may run, or sleeps.
  public mutating func setRunning(_ isRunning: Bool) { set(.processor, isRunning ? phone.power(.runnable) : .zero) }
  /// The processor was woken up.
  public mutating func wake() { spend(.processor, phone.energy(.wake)) }
  /// The app was launched anew.
  public mutating func relaunch() { spend(.processor, phone.energy(.relaunch)) }
  /// The processor worked so many seconds, in no time.
  public mutating func work(seconds: Double) { spend(.processor, .joules(phone[.busy] / 1e3 * max(0, seconds))) }
  /// Positions were told to the app.
  public mutating func deliver(_ count: Int = 1) {
    spend(.delivery, Energy(picojoules: phone.energy(.delivery).picojoules * Int128(max(0, count))))
  }
  /// The motion chip tells the app what it sees.
  public mutating func setMotion(_ isOn: Bool) { set(.motion, isOn ? phone.power(.motion) : .zero) }
  /// The system tells the app something of what it watches.
  public mutating func monitoringTold() { spend(.monitoring, phone.energy(.monitoringEvent)) }
  /// A charger of 5 W is put in or taken out.
  public mutating func setCharger(_ isIn: Bool) {
    settle()
    battery.charging = isIn ? Self.chargerPower : .zero
  }

  /// Sends data, after what is being sent already.
  /// - Parameters:
  ///   - up: bytes sent, everything counted.
  ///   - down: bytes received.
  /// - Returns: nil when no network is there. A captive one is, and answers something of its own: ask ``network``.
  public mutating func send(up: Int, down: Int) -> Transfer? {
    guard isAlive, network.kind != .none, let cost = phone.radio(network.kind) else { return nil }
    settle()
    radioPart = network.kind == .wifi ? .wifiData : .mobileData
    let end = radio.transfer(up: up, down: down, over: network, cost: cost, at: now)
    transferCount += 1
    let transfer = Transfer(number: transferCount)
    transfers.append((transfer, end))
    followRadio()
    planTransfer()
    return transfer
  }
}
