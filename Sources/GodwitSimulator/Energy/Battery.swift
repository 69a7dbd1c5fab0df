/// A battery with its stored energy. The rate capacity effect, temperature and ageing are not modelled.
public struct Battery: Sendable, Hashable {
  public let capacity: Energy
  public private(set) var stored: Energy
  /// Power of the charger; zero without a charger.
  public var charging = Power.zero

  /// - Parameters:
  ///   - capacity: Energy of the full battery, above zero.
  ///   - level: Charge level, clamped to 0…1.
  public init(capacity: Energy, level: Double = 1) {
    self.capacity = capacity
    stored = .joules(capacity.joules * max(0, min(1, level)))
    stored = min(stored, capacity)
  }

  /// Charge level, 0…1.
  public var level: Double { capacity.picojoules > 0 ? Double(stored.picojoules) / Double(capacity.picojoules) : 0 }
  public var isEmpty: Bool { stored.picojoules <= 0 }
  public var isFull: Bool { stored >= capacity }

  /// Removes an amount of energy at once.
  public mutating func consume(_ energy: Energy) { stored = max(.zero, stored - energy) }

  /// Advances time with constant consumption and charging. Splitting the interval does not change the result.
  public mutating func advance(from start: SimulatedTime, to end: SimulatedTime, using power: Power) {
    guard end > start else { return }
    let net = charging - power
    stored = max(.zero, min(capacity, stored + net.energy(from: start, to: end)))
  }

  /// Returns the first microsecond at which the battery is empty at this power; `nil` if it never becomes empty.
  public func emptyTime(from start: SimulatedTime, using power: Power) -> SimulatedTime? {
    let net = (power - charging).microwatts
    guard net > 0 else { return nil }
    let microseconds = (stored.picojoules + Int128(net) - 1) / Int128(net)
    return Int64(exactly: Int128(start.microseconds) + microseconds).map(SimulatedTime.init(microseconds:))
  }
}
