internal import GodwitModel

/// What every part of the phone works with: the time with the alarms that wait, the way through space, and power.
struct Mainboard: Sendable {
  /// What wakes the world. One of each waits at most. Their order is that of their work at the same time.
  enum Alarm: Int, CaseIterable, Sendable {
    case hazard, network, radio, transfer, satellitesOff, burst, satellites, scan, cell, cache, watch, motion, beacons, rest

    /// Whether it comes to a phone that is off as well.
    var isOfTheWorld: Bool { self == .network || self == .hazard }
  }

  let phone: PhoneProfile
  var power: PowerSupply
  private var cursor: TruthCursor
  private var schedule: Schedule<Alarm>
  private var tickets: [Schedule<Alarm>.Ticket?]

  init(_ phone: PhoneProfile, _ truth: Truth, batteryLevel: Double, from start: SimulatedTime) {
    self.phone = phone
    power = PowerSupply(capacity: phone.energy(.battery), level: batteryLevel, from: start)
    cursor = TruthCursor(truth)
    schedule = Schedule(from: start)
    tickets = Alarm.allCases.map { _ in nil }
    power.set(.standby, phone.power(.standby), at: start)
  }

  // MARK: Truth

  /// Where the phone really is.
  mutating func truth(at time: SimulatedTime) -> TruthState { cursor.state(at: time) }
  /// Where it really is now.
  mutating func truth() -> TruthState { cursor.state(at: time) }
  /// The next change of its motion.
  mutating func motionChange(after time: SimulatedTime) -> (time: SimulatedTime, motion: Motion)? {
    cursor.motionChange(after: time)
  }

  // MARK: Time

  /// What time it is.
  var time: SimulatedTime { schedule.time }

  mutating func nextTime() -> SimulatedTime { schedule.nextTime() ?? .never }

  /// Time passes to an alarm, or to the end when there is none before it.
  mutating func next(until end: SimulatedTime) -> Alarm? {
    guard let (_, alarm) = schedule.next(until: end) else { return nil }
    tickets[alarm.rawValue] = nil
    return alarm
  }

  mutating func advance(to time: SimulatedTime) { schedule.advance(to: time) }

  func isSet(_ alarm: Alarm) -> Bool { tickets[alarm.rawValue] != nil }

  /// Replaces a waiting alarm of the same kind. Never is no time.
  mutating func set(_ alarm: Alarm, at time: SimulatedTime) {
    cancel(alarm)
    guard time != .never else { return }
    tickets[alarm.rawValue] = schedule.plan(alarm, at: time, rank: alarm.rawValue)
  }

  mutating func set(_ alarm: Alarm, in seconds: Double) { set(alarm, at: time + seconds) }

  mutating func cancel(_ alarm: Alarm) {
    guard let ticket = tickets[alarm.rawValue] else { return }
    schedule.cancel(ticket)
    tickets[alarm.rawValue] = nil
  }

  mutating func cancel(_ alarms: [Alarm]) { for alarm in alarms { cancel(alarm) } }

  // MARK: Power

  var isOn: Bool { power.isOn }

  mutating func set(_ part: EnergyPart, _ power: Power) { self.power.set(part, power, at: time) }
  mutating func spend(_ part: EnergyPart, _ energy: Energy) { power.spend(part, energy) }
}
