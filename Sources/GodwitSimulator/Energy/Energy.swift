/// An exact amount of energy in whole picojoules. One picojoule is one microwatt times one microsecond.
public struct Energy: Sendable, Hashable, Comparable {
  /// The amount in picojoules.
  public var picojoules: Int128

  /// - Parameter picojoules: the amount.
  public init(picojoules: Int128) { self.picojoules = picojoules }

  /// Creates an amount in joules, rounded to the nearest picojoule.
  public static func joules(_ joules: Double) -> Energy { Energy(picojoules: Int128((joules * 1e12).rounded())) }
  /// Creates an amount in watt hours, rounded to the nearest picojoule.
  public static func wattHours(_ hours: Double) -> Energy { joules(hours * 3_600) }
  /// No energy.
  public static let zero = Energy(picojoules: 0)

  /// The amount in joules.
  public var joules: Double { Double(picojoules) / 1e12 }
  /// The amount in milliwatt hours.
  public var milliwattHours: Double { Double(picojoules) / 3.6e12 }

  public static func < (a: Self, b: Self) -> Bool { a.picojoules < b.picojoules }
  public static func + (a: Self, b: Self) -> Self { Energy(picojoules: a.picojoules + b.picojoules) }
  public static func - (a: Self, b: Self) -> Self { Energy(picojoules: a.picojoules - b.picojoules) }
  public static func += (a: inout Self, b: Self) { a.picojoules += b.picojoules }
  public static func -= (a: inout Self, b: Self) { a.picojoules -= b.picojoules }
}

/// Power in whole microwatts.
public struct Power: Sendable, Hashable, Comparable {
  /// The power in microwatts.
  public var microwatts: Int64

  /// - Parameter microwatts: the power.
  public init(microwatts: Int64) { self.microwatts = microwatts }

  /// Creates a power in milliwatts, rounded to the nearest microwatt.
  public static func milliwatts(_ value: Double) -> Power { Power(microwatts: Int64((value * 1e3).rounded())) }
  /// No power.
  public static let zero = Power(microwatts: 0)

  /// The power in milliwatts.
  public var milliwatts: Double { Double(microwatts) / 1e3 }

  public static func < (a: Self, b: Self) -> Bool { a.microwatts < b.microwatts }
  public static func + (a: Self, b: Self) -> Self { Power(microwatts: a.microwatts + b.microwatts) }
  public static func - (a: Self, b: Self) -> Self { Power(microwatts: a.microwatts - b.microwatts) }

  /// Returns the energy that this power uses from `start` to `end`.
  public func energy(from start: SimulatedTime, to end: SimulatedTime) -> Energy {
    Energy(picojoules: Int128(microwatts) * Int128(end.microseconds - start.microseconds))
  }
}
