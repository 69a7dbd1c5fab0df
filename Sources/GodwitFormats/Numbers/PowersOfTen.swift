/// 10⁰ to 10²²: the powers that a `Double` holds exactly.
enum PowersOfTen {
  /// - Parameter exponent: 0…22.
  @inline(__always)
  static subscript(exponent: Int) -> Double { table[exponent] }

  private static let table: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
    1e20, 1e21, 1e22,
  ]
}
