/// A seeded pseudo-random number generator. The same seed and stream give the same numbers on every machine.
///
/// The generator is xoshiro256** (Blackman and Vigna, ACM TOMS 47, 2021). SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) fills its
/// state. Each part of the simulated world draws from its own stream, so that adding or removing one part does not change the
/// numbers of the others. Numbers are computed from the bits with sums, products, quotients and square roots only: IEEE 754 defines
/// these to the last bit. The system's math library is not used because its last bits differ between platforms.
public struct RandomSource: RandomNumberGenerator, Sendable {
  private var s0: UInt64
  private var s1: UInt64
  private var s2: UInt64
  private var s3: UInt64
  /// The second number of the last pair from ``normal()``, which computes two at a time.
  private var spare: Double?

  /// - Parameters:
  ///   - seed: Any number. It reproduces a run.
  ///   - stream: Name of the part of the world that draws, for example "gnss".
  public init(seed: UInt64, stream: String = "") {
    var state = seed ^ Self.hash(stream)
    s0 = Self.splitMix(&state)
    s1 = Self.splitMix(&state)
    s2 = Self.splitMix(&state)
    s3 = Self.splitMix(&state)
  }

  /// Creates a generator with a given state. Tests compare it with the authors' code.
  init(state: (UInt64, UInt64, UInt64, UInt64)) { (s0, s1, s2, s3) = state }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    let product = s1 &* 5
    let result = ((product << 7) | (product >> 57)) &* 9
    let shifted = s1 << 17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << 45) | (s3 >> 19)
    return result
  }

  /// Returns a uniformly distributed number in 0..<1.
  public mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a uniformly distributed number in a range.
  public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// Returns `true` with the given probability, 0…1.
  public mutating func happens(_ probability: Double) -> Bool { uniform() < probability }

  /// Returns a number of the standard normal distribution, by Marsaglia's polar method (SIAM Review 6, 1964).
  public mutating func normal() -> Double {
    if let number = spare {
      spare = nil
      return number
    }
    while true {
      let x = 2 * uniform() - 1
      let y = 2 * uniform() - 1
      let square = x * x + y * y
      guard square < 1, square > 0 else { continue }
      let scale = (-2 * DeterministicMath.log(square) / square).squareRoot()
      spare = y * scale
      return x * scale
    }
  }

  /// Returns a number of the exponential distribution with this mean.
  public mutating func exponential(mean: Double) -> Double { -mean * DeterministicMath.log(1 - uniform()) }

  /// Returns a number of the lognormal distribution.
  /// - Parameters:
  ///   - median: Median of the distribution.
  ///   - spread: Standard deviation of the logarithm.
  public mutating func lognormal(median: Double, spread: Double) -> Double { median * DeterministicMath.exp(spread * normal()) }

  /// Returns a uniformly distributed direction in the plane, as a vector of length 1.
  public mutating func direction() -> (north: Double, east: Double) {
    while true {
      let x = 2 * uniform() - 1
      let y = 2 * uniform() - 1
      let square = x * x + y * y
      guard square <= 1, square > 1e-6 else { continue }
      let length = square.squareRoot()
      return (x / length, y / length)
    }
  }

  /// Returns the next number of SplitMix64.
  static func splitMix(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns bits for a square of a grid on the earth. The same seed, row and column always give the same bits.
  static func bits(seed: UInt64, row: Int32, column: Int32) -> UInt64 {
    var state = seed ^ (UInt64(UInt32(bitPattern: row)) << 32 | UInt64(UInt32(bitPattern: column)))
    return splitMix(&state)
  }

  /// Returns the 64-bit FNV-1a hash of a text; 0 for an empty text.
  private static func hash(_ text: String) -> UInt64 {
    if text.isEmpty { return 0 }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
