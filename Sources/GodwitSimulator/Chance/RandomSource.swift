/// Chance from a seed: the same seed and the same stream give the same numbers on every machine.
///
/// The generator is xoshiro256** (Blackman and Vigna, ACM TOMS 47, 2021), its state filled by SplitMix64 (Steele, Lea and
/// Flood, OOPSLA 2014). Each part of the simulated world draws from a stream of its own, so that one part more or less changes nothing in
/// the others. Everything that is made of the bits is sums, products, quotients and square roots, which IEEE 754 defines to the last bit;
/// the system's mathematical library, whose last bits differ, is not used.
public struct RandomSource: RandomNumberGenerator, Sendable {
  private var s0: UInt64
  private var s1: UInt64
  private var s2: UInt64
  private var s3: UInt64
  /// The second of two normal numbers, which come in pairs.
  private var spare: Double?

  /// - Parameters:
  ///   - seed: any number; what a run is reproduced with.
  ///   - stream: the part of the world that draws, "gnss" for example.
  public init(seed: UInt64, stream: String = "") {
    var state = seed ^ Self.hash(stream)
    s0 = Self.splitMix(&state)
    s1 = Self.splitMix(&state)
    s2 = Self.splitMix(&state)
    s3 = Self.splitMix(&state)
  }

  /// The generator in a known state, to compare it with its authors' code.
  init(state: (UInt64, UInt64, UInt64, UInt64)) { (s0, s1, s2, s3) = state }

  /// The next 64 bits.
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

  /// Evenly between 0 and 1; never 1.
  public mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Evenly between two numbers.
  public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// True with a probability, 0…1.
  public mutating func happens(_ probability: Double) -> Bool { uniform() < probability }

  /// Of the standard normal distribution, by Marsaglia's polar method (SIAM Review 6, 1964).
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

  /// Of the exponential distribution with this mean.
  public mutating func exponential(mean: Double) -> Double { -mean * DeterministicMath.log(1 - uniform()) }

  /// Of the lognormal distribution.
  /// - Parameters:
  ///   - median: half of the numbers are smaller.
  ///   - spread: standard deviation of the logarithm.
  public mutating func lognormal(median: Double, spread: Double) -> Double { median * DeterministicMath.exp(spread * normal()) }

  /// A direction in the plane, evenly: a vector of length 1.
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

  /// The next number of SplitMix64.
  static func splitMix(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Bits that belong to a square of a grid on the earth: the same place always has the same.
  static func bits(seed: UInt64, row: Int32, column: Int32) -> UInt64 {
    var state = seed ^ (UInt64(UInt32(bitPattern: row)) << 32 | UInt64(UInt32(bitPattern: column)))
    return splitMix(&state)
  }

  /// FNV-1a, 64 bits. 0 for no text.
  private static func hash(_ text: String) -> UInt64 {
    if text.isEmpty { return 0 }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
