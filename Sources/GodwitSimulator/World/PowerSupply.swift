/// The phone's battery, and what each part of the phone takes from it.
struct PowerSupply: Sendable {
  /// A charger, as the simplest have it.
  static let chargerPower = Power.milliwatts(5_000)

  private(set) var account: EnergyAccount
  private(set) var battery: Battery
  /// False with an empty battery, until the phone is turned on again.
  private(set) var isOn = true
  /// Until when the battery has paid.
  private var lastAdvance: SimulatedTime

  init(capacity: Energy, level: Double, from start: SimulatedTime) {
    account = EnergyAccount(from: start)
    battery = Battery(capacity: capacity, level: level)
    lastAdvance = start
  }

  /// The battery pays for the time since the last event, during which no power changed.
  mutating func advance(to now: SimulatedTime) {
    battery.advance(from: lastAdvance, to: now, using: account.power)
    lastAdvance = now
  }

  /// When the battery is empty, if that is before a time and nothing changes.
  func emptyTime(before time: SimulatedTime, at now: SimulatedTime) -> SimulatedTime? {
    if battery.isEmpty { return battery.charging > account.power ? nil : now }
    guard account.power > battery.charging else { return nil }
    // The exact moment needs a division; most events are far from it.
    if time != .never, (account.power - battery.charging).energy(from: lastAdvance, to: time) < battery.stored { return nil }
    guard let empty = battery.emptyTime(from: lastAdvance, using: account.power), empty <= time else { return nil }
    return max(empty, now)
  }

  /// A part takes so much from now on; nothing of a phone that is off.
  mutating func set(_ part: EnergyPart, _ power: Power, at now: SimulatedTime) {
    advance(to: now)
    account.set(part, isOn ? power : .zero, at: now)
  }

  mutating func spend(_ part: EnergyPart, _ energy: Energy) {
    guard isOn else { return }
    account.add(part, energy)
    battery.consume(energy)
  }

  mutating func setCharger(_ isIn: Bool, at now: SimulatedTime) {
    advance(to: now)
    battery.charging = isIn ? Self.chargerPower : .zero
  }

  /// - Parameter level: 0…1.
  mutating func setLevel(_ level: Double, at now: SimulatedTime) {
    advance(to: now)
    let charging = battery.charging
    battery = Battery(capacity: battery.capacity, level: level)
    battery.charging = charging
  }

  /// The battery is empty.
  mutating func turnOff() { isOn = false }

  /// No part takes anything any more.
  mutating func cut(at now: SimulatedTime) {
    for part in EnergyPart.allCases { account.set(part, .zero, at: now) }
  }

  /// - Returns: false without anything in the battery: it stays off.
  mutating func turnOn(at now: SimulatedTime) -> Bool {
    advance(to: now)
    guard !battery.isEmpty else { return false }
    isOn = true
    return true
  }
}
