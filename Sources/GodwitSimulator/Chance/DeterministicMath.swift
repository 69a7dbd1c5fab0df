internal import GodwitModel

/// Elementary functions with results that are equal to the last bit on all machines. They use only sums, products, quotients and
/// square roots. The results have about 15 correct digits in the ranges that the simulator uses. Not for general use.
enum DeterministicMath {
  private static let ln2High = 0x1.62e42fefa38p-1
  private static let ln2Low = 0x1.ef35793c7673p-45
  private static let halfPiHigh = 0x1.921fb544p+0
  private static let halfPiLow = 0x1.0b4611a626331p-34

  /// Returns e to the power of x. An `x` outside −700…700 is clamped to that range.
  static func exp(_ x: Double) -> Double {
    let x = max(-700, min(700, x))
    let k = (x / (ln2High + ln2Low)).rounded()
    let r = x - k * ln2High - k * ln2Low
    // Taylor series: |r| ≤ 0.35, and the first omitted term is below 1e-17.
    var sum = 1.0
    var divisor = 13.0
    while divisor >= 1 {
      sum = 1 + sum * r / divisor
      divisor -= 1
    }
    return sum * Double(sign: .plus, exponent: Int(k), significand: 1)
  }

  /// Returns the natural logarithm of a positive number.
  static func log(_ x: Double) -> Double {
    var mantissa = x.significand
    var exponent = Double(x.exponent)
    if mantissa > 1.4142135623730951 {
      mantissa /= 2
      exponent += 1
    }
    // 2 artanh((m − 1) / (m + 1)): |s| ≤ 0.172.
    let s = (mantissa - 1) / (mantissa + 1)
    let q = s * s
    var sum = 1.0 / 21
    sum = sum * q + 1.0 / 19
    sum = sum * q + 1.0 / 17
    sum = sum * q + 1.0 / 15
    sum = sum * q + 1.0 / 13
    sum = sum * q + 1.0 / 11
    sum = sum * q + 1.0 / 9
    sum = sum * q + 1.0 / 7
    sum = sum * q + 1.0 / 5
    sum = sum * q + 1.0 / 3
    sum = sum * q + 1
    return 2 * s * sum + exponent * ln2Low + exponent * ln2High
  }

  /// Returns the sine and cosine of an angle in degrees. Accurate for angles up to a few full turns.
  static func sineCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    let x = degrees * (.pi / 180)
    let k = (x / (.pi / 2)).rounded()
    let r = x - k * halfPiHigh - k * halfPiLow
    let q = r * r
    var sine = 1.0
    var cosine = 1.0
    var n = 16.0
    while n >= 2 {
      sine = 1 - sine * q / (n * (n + 1))
      cosine = 1 - cosine * q / ((n - 1) * n)
      n -= 2
    }
    sine *= r
    return switch Int(k) & 3 {
    case 0: (sine, cosine)
    case 1: (cosine, -sine)
    case 2: (-sine, -cosine)
    default: (-cosine, sine)
    }
  }

  /// Returns the angle of a vector in degrees, −180…180, measured from the x axis towards the y axis. Returns 0 for the zero
  /// vector.
  static func angle(y: Double, x: Double) -> Degrees {
    if x == 0 && y == 0 { return 0 }
    let (short, long) = abs(y) <= abs(x) ? (abs(y), abs(x)) : (abs(x), abs(y))
    var t = short / long
    // Halve the angle twice: t ≤ 0.2.
    t /= 1 + (1 + t * t).squareRoot()
    t /= 1 + (1 + t * t).squareRoot()
    let q = t * t
    var sum = 1.0 / 23
    var n = 21.0
    while n >= 1 {
      sum = 1 / n - q * sum
      n -= 2
    }
    var angle = 4 * t * sum
    if abs(y) > abs(x) { angle = .pi / 2 - angle }
    if x < 0 { angle = .pi - angle }
    if y < 0 { angle = -angle }
    return angle * (180 / .pi)
  }
}
