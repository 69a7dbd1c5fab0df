/// A first-order Gauss–Markov process of variance 1: noise that remembers. Its correlation falls by e in `correlationTime`.
///
/// Exact for any step: two steps have the distribution of one of the same length.
public struct GaussMarkov: Sendable {
  /// Seconds.
  public let correlationTime: Double
  public private(set) var value: Double

  /// - Parameters:
  ///   - correlationTime: seconds, above 0.
  ///   - random: where the first value is drawn from.
  public init(correlationTime: Double, random: inout RandomSource) {
    self.correlationTime = correlationTime
    value = random.normal()
  }

  /// Goes on by seconds.
  public mutating func advance(_ seconds: Double, random: inout RandomSource) {
    advance(Memory(seconds: seconds, correlationTime: correlationTime), random: &random)
  }

  /// What is left of the old value after a step, and how much is new. Made once for steps of one length.
  struct Memory: Sendable {
    var kept: Double
    var fresh: Double

    init(seconds: Double, correlationTime: Double) {
      kept = DeterministicMath.exp(-seconds / correlationTime)
      fresh = (1 - kept * kept).squareRoot()
    }
  }

  mutating func advance(_ memory: Memory, random: inout RandomSource) {
    value = memory.kept * value + memory.fresh * random.normal()
  }
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

  init(random: inout RandomSource) {
    func process(_ time: Double, _ random: inout RandomSource) -> GaussMarkov {
      GaussMarkov(correlationTime: time, random: &random)
    }
    fast = (process(Self.fastTime, &random), process(Self.fastTime, &random), process(Self.fastTime, &random))
    slow = (process(Self.slowTime, &random), process(Self.slowTime, &random), process(Self.slowTime, &random))
    fastMemory = GaussMarkov.Memory(seconds: 0, correlationTime: Self.fastTime)
    slowMemory = fastMemory
  }

  /// - Parameters:
  ///   - seconds: since the last step.
  ///   - fastTime: correlation time of the fast part, seconds.
  ///   - random: where the new part is drawn from.
  mutating func advance(_ seconds: Double, fastTime: Double, random: inout RandomSource) {
    if seconds != step || fastTime != self.fastTime {
      step = seconds
      self.fastTime = fastTime
      fastMemory = GaussMarkov.Memory(seconds: seconds, correlationTime: fastTime)
      slowMemory = GaussMarkov.Memory(seconds: seconds, correlationTime: Self.slowTime)
    }
    fast.north.advance(fastMemory, random: &random)
    fast.east.advance(fastMemory, random: &random)
    fast.up.advance(fastMemory, random: &random)
    slow.north.advance(slowMemory, random: &random)
    slow.east.advance(slowMemory, random: &random)
    slow.up.advance(slowMemory, random: &random)
  }

  /// Metres, of these standard deviations of the two parts.
  func offset(fast a: Double, slow b: Double) -> (north: Double, east: Double, up: Double) {
    (
      a * fast.north.value + b * slow.north.value, a * fast.east.value + b * slow.east.value,
      a * fast.up.value + b * slow.up.value
    )
  }
}
