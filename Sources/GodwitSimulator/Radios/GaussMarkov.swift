/// A first-order Gauss–Markov process of variance 1: noise that remembers. Its correlation falls by e in `correlationTime`.
///
/// Exact for any step: two steps have the distribution of one of the same length.
public struct GaussMarkov: Sendable {
  /// Seconds.
  public let correlationTime: Double
  public private(set) var value: Double

  /// - Parameters:
  ///   - correlationTime: seconds, above 0.
  ///   - chance: where the first value is drawn from.
  public init(correlationTime: Double, chance: inout Chance) {
    self.correlationTime = correlationTime
    value = chance.normal()
  }

  /// Goes on by seconds.
  public mutating func advance(_ seconds: Double, chance: inout Chance) {
    advance(Memory(seconds: seconds, correlationTime: correlationTime), chance: &chance)
  }

  /// What is left of the old value after a step, and how much is new. Made once for steps of one length.
  struct Memory: Sendable {
    var kept: Double
    var fresh: Double

    init(seconds: Double, correlationTime: Double) {
      kept = Portable.exp(-seconds / correlationTime)
      fresh = (1 - kept * kept).squareRoot()
    }
  }

  mutating func advance(_ memory: Memory, chance: inout Chance) { value = memory.kept * value + memory.fresh * chance.normal() }
}

/// A place's error as the sum of a fast and a slow process on each of three axes, scaled by the surroundings.
struct CorrelatedNoise: Sendable {
  private var fast: (north: GaussMarkov, east: GaussMarkov, up: GaussMarkov)
  private var slow: (north: GaussMarkov, east: GaussMarkov, up: GaussMarkov)
  private var step = -1.0
  private var fastTime = 0.0
  private var fastMemory: GaussMarkov.Memory
  private var slowMemory: GaussMarkov.Memory

  /// Seconds. Stationary receivers: a bend near a minute and a long second part (see Documentation/Simulator.md).
  static let fastTime = 60.0
  static let slowTime = 1_800.0

  init(chance: inout Chance) {
    func process(_ time: Double, _ chance: inout Chance) -> GaussMarkov {
      GaussMarkov(correlationTime: time, chance: &chance)
    }
    fast = (process(Self.fastTime, &chance), process(Self.fastTime, &chance), process(Self.fastTime, &chance))
    slow = (process(Self.slowTime, &chance), process(Self.slowTime, &chance), process(Self.slowTime, &chance))
    fastMemory = GaussMarkov.Memory(seconds: 0, correlationTime: Self.fastTime)
    slowMemory = fastMemory
  }

  /// - Parameters:
  ///   - seconds: since the last step.
  ///   - fastTime: correlation time of the fast part, seconds.
  ///   - chance: where the new part is drawn from.
  mutating func advance(_ seconds: Double, fastTime: Double, chance: inout Chance) {
    if seconds != step || fastTime != self.fastTime {
      step = seconds
      self.fastTime = fastTime
      fastMemory = GaussMarkov.Memory(seconds: seconds, correlationTime: fastTime)
      slowMemory = GaussMarkov.Memory(seconds: seconds, correlationTime: Self.slowTime)
    }
    fast.north.advance(fastMemory, chance: &chance)
    fast.east.advance(fastMemory, chance: &chance)
    fast.up.advance(fastMemory, chance: &chance)
    slow.north.advance(slowMemory, chance: &chance)
    slow.east.advance(slowMemory, chance: &chance)
    slow.up.advance(slowMemory, chance: &chance)
  }

  /// Metres, of these standard deviations of the two parts.
  func offset(fast a: Double, slow b: Double) -> (north: Double, east: Double, up: Double) {
    (
      a * fast.north.value + b * slow.north.value, a * fast.east.value + b * slow.east.value,
      a * fast.up.value + b * slow.up.value
    )
  }
}
