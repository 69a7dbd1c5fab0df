internal import GodwitModel

/// Shared state of all parts of the phone: the time with the pending alarms, the true track, and power.
struct Mainboard: Sendable {
  /// Kinds of alarms. At most one alarm of each kind is pending. Alarms of the same time are handled in the order of the cases.
  enum Alarm: Int, CaseIterable, Sendable {
    case hazard, network, radio, transfer, satellitesOff, burst, satellites, scan, cell, cache, watch, motion, beacons, rest

    /// Whether the alarm also occurs while the phone is off.
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

  /// Returns the true state of the phone.
  mutating func truth(at time: SimulatedTime) -> TruthState { cursor.state(at: time) }
  /// Returns the true state now.
  mutating func truth() -> TruthState { cursor.state(at: time) }
  /// Returns the next change of the true motion.
  mutating func motionChange(after time: SimulatedTime) -> (time: SimulatedTime, motion: Motion)? {
    cursor.motionChange(after: time)
  }

  // MARK: Time

  /// The current time.
  var time: SimulatedTime { schedule.time }

  mutating func nextTime() -> SimulatedTime { schedule.nextTime() ?? .never }

  /// Advances to the next alarm and returns it. Without an alarm until `end`, advances to `end` and returns `nil`.
  mutating func next(until end: SimulatedTime) -> Alarm? {
    guard let (_, alarm) = schedule.next(until: end) else { return nil }
    tickets[alarm.rawValue] = nil
    return alarm
  }

  mutating func advance(to time: SimulatedTime) { schedule.advance(to: time) }

  func isSet(_ alarm: Alarm) -> Bool { tickets[alarm.rawValue] != nil }

  /// Sets an alarm and replaces a pending one of the same kind. The time `never` only cancels the pending alarm.
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
