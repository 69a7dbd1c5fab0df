/// A battery: what is in it, and when it will be empty. The rate capacity effect, temperature and ageing are not modelled.
public struct Battery: Sendable, Hashable {
  public let capacity: Energy
  public private(set) var stored: Energy
  /// What a charger gives; zero without one.
  public var charging = Power.zero

  /// - Parameters:
  ///   - capacity: when full; above zero.
  ///   - level: 0…1; held to it.
  public init(capacity: Energy, level: Double = 1) {
    self.capacity = capacity
    stored = .joules(capacity.joules * max(0, min(1, level)))
    stored = min(stored, capacity)
  }

  /// 0…1.
  public var level: Double { capacity.picojoules > 0 ? Double(stored.picojoules) / Double(capacity.picojoules) : 0 }
  public var isEmpty: Bool { stored.picojoules <= 0 }
  public var isFull: Bool { stored >= capacity }

  /// Takes out at once what something used at once.
  public mutating func consume(_ energy: Energy) { stored = max(.zero, stored - energy) }

  /// Time passes with constant power taken out and the charger's put in. Cutting the time changes nothing.
  public mutating func advance(from start: SimulatedTime, to end: SimulatedTime, using power: Power) {
    guard end > start else { return }
    let net = charging - power
    stored = max(.zero, min(capacity, stored + net.energy(from: start, to: end)))
  }

  /// When it will be empty at this power: the first microsecond at which nothing is left. Nil when it will not.
  public func emptyTime(from start: SimulatedTime, using power: Power) -> SimulatedTime? {
    let net = (power - charging).microwatts
    guard net > 0 else { return nil }
    let microseconds = (stored.picojoules + Int128(net) - 1) / Int128(net)
    guard microseconds < Int128(Int64.max - start.microseconds) else { return nil }
    return SimulatedTime(microseconds: start.microseconds + Int64(microseconds))
  }
}
