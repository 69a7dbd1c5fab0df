/// The phone's battery, and the power of each part of the phone.
struct PowerSupply: Sendable {
  /// Power of a basic charger.
  static let chargerPower = Power.milliwatts(5_000)

  private(set) var account: EnergyAccount
  private(set) var battery: Battery
  /// `false` from an empty battery until the phone is turned on again.
  private(set) var isOn = true
  /// Time up to which the battery level is computed.
  private var lastAdvance: SimulatedTime

  init(capacity: Energy, level: Double, from start: SimulatedTime) {
    account = EnergyAccount(from: start)
    battery = Battery(capacity: capacity, level: level)
    lastAdvance = start
  }

  /// Updates the battery level for the time since the last event, in which no power changed.
  mutating func advance(to now: SimulatedTime) {
    battery.advance(from: lastAdvance, to: now, using: account.power)
    lastAdvance = now
  }

  /// Returns the time at which the battery is empty, if that is not after `time` and no power changes.
  func emptyTime(before time: SimulatedTime, at now: SimulatedTime) -> SimulatedTime? {
    if battery.isEmpty { return battery.charging > account.power ? nil : now }
    guard account.power > battery.charging else { return nil }
    // The exact time needs a division. This check avoids it for most events.
    if time != .never, (account.power - battery.charging).energy(from: lastAdvance, to: time) < battery.stored { return nil }
    guard let empty = battery.emptyTime(from: lastAdvance, using: account.power), empty <= time else { return nil }
    return max(empty, now)
  }

  /// Sets the power of a part. The power is 0 while the phone is off.
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

  /// Turns the phone off because the battery is empty.
  mutating func turnOff() { isOn = false }

  /// Sets the power of all parts to 0.
  mutating func cut(at now: SimulatedTime) {
    for part in EnergyPart.allCases { account.set(part, .zero, at: now) }
  }

  /// - Returns: `false` if the battery is empty, so that the phone stays off.
  mutating func turnOn(at now: SimulatedTime) -> Bool {
    advance(to: now)
    guard !battery.isEmpty else { return false }
    isOn = true
    return true
  }
}
