/// A first-order Gauss–Markov process of variance 1: correlated noise. The correlation falls by a factor of e in `correlationTime`.
///
/// The process is exact for any step: two steps have the same distribution as one step of the same total duration.
public struct GaussMarkov: Sendable {
  /// Correlation time in seconds.
  public let correlationTime: Double
  public private(set) var value: Double

  /// - Parameters:
  ///   - correlationTime: Seconds, above 0.
  ///   - random: Source of the first value.
  public init(correlationTime: Double, random: inout RandomSource) {
    self.correlationTime = correlationTime
    value = random.normal()
  }

  /// Advances the process by a number of seconds.
  public mutating func advance(_ seconds: Double, random: inout RandomSource) {
    advance(Memory(seconds: seconds, correlationTime: correlationTime), random: &random)
  }

  /// Weights of the old value and of new noise in a step. Computed once for steps of equal duration.
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

/// A position error as the sum of a fast and a slow process on each of three axes, scaled by the surroundings.
struct CorrelatedNoise: Sendable {
  private var fast: (north: GaussMarkov, east: GaussMarkov, up: GaussMarkov)
  private var slow: (north: GaussMarkov, east: GaussMarkov, up: GaussMarkov)
  private var step = -1.0
  private var fastTime = 0.0
  private var fastMemory: GaussMarkov.Memory
  private var slowMemory: GaussMarkov.Memory

  /// Correlation times in seconds. Stationary receivers show a bend near one minute and a long second component (see
  /// Documentation/Simulator.md).
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
  ///   - seconds: Seconds since the last step.
  ///   - fastTime: Correlation time of the fast component in seconds.
  ///   - random: Source of the new noise.
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

  /// Returns the error in metres for given standard deviations of the two components.
  func offset(fast a: Double, slow b: Double) -> (north: Double, east: Double, up: Double) {
    (
      a * fast.north.value + b * slow.north.value, a * fast.east.value + b * slow.east.value,
      a * fast.up.value + b * slow.up.value
    )
  }
}
