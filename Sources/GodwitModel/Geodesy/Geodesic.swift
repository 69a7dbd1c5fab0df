#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Geometry on the WGS 84 ellipsoid.
public enum Geodesic {
  /// Semi-major axis of WGS 84 in metres (NIMA TR8350.2).
  public static let semiMajorAxis: Meters = 6_378_137
  /// Flattening of WGS 84 (NIMA TR8350.2).
  public static let flattening = 1 / 298.257223563

  /// Returns the length in metres of the shortest line on the ellipsoid: the inverse problem by Vincenty's iteration (Survey Review
  /// XXIII, 1975), exact to 0.5 mm. The iteration does not converge for nearly antipodal points. For these the great-circle
  /// distance is returned, with an error below 0.3 %.
  public static func distance(_ a: Coordinate, _ b: Coordinate) -> Meters {
    if a == b { return 0 }
    // Names as in Vincenty's paper, with reduced latitudes u1 and u2; his L is `longitudes`, his A and B are
    // `scale` and `correction`.
    let f = flattening
    let semiMinorAxis = semiMajorAxis * (1 - f)
    let longitudes = (b.longitude - a.longitude).radians
    let reduced1 = atan((1 - f) * tan(a.latitude.radians))
    let reduced2 = atan((1 - f) * tan(b.latitude.radians))
    let (sinu1, cosu1, sinu2, cosu2) = (sin(reduced1), cos(reduced1), sin(reduced2), cos(reduced2))
    var lambda = longitudes
    for _ in 0..<50 {
      let (sinLambda, cosLambda) = (sin(lambda), cos(lambda))
      let p = cosu2 * sinLambda
      let q = cosu1 * sinu2 - sinu1 * cosu2 * cosLambda
      let sinSigma = (p * p + q * q).squareRoot()
      if sinSigma == 0 { return 0 }
      let cosSigma = sinu1 * sinu2 + cosu1 * cosu2 * cosLambda
      let sigma = atan2(sinSigma, cosSigma)
      let sinAlpha = cosu1 * cosu2 * sinLambda / sinSigma
      let cos2Alpha = 1 - sinAlpha * sinAlpha
      // On the equator cos²α is 0 and the term vanishes.
      let cos2SigmaM = cos2Alpha == 0 ? 0 : cosSigma - 2 * sinu1 * sinu2 / cos2Alpha
      let c = f / 16 * cos2Alpha * (4 + f * (4 - 3 * cos2Alpha))
      let previous = lambda
      lambda =
        longitudes + (1 - c) * f * sinAlpha
        * (sigma + c * sinSigma * (cos2SigmaM + c * cosSigma * (-1 + 2 * cos2SigmaM * cos2SigmaM)))
      guard abs(lambda) <= .pi * 2 else { break }
      if abs(lambda - previous) < 1e-12 {
        let uSquared = cos2Alpha * (semiMajorAxis * semiMajorAxis / (semiMinorAxis * semiMinorAxis) - 1)
        let scale = 1 + uSquared / 16384 * (4096 + uSquared * (-768 + uSquared * (320 - 175 * uSquared)))
        let correction = uSquared / 1024 * (256 + uSquared * (-128 + uSquared * (74 - 47 * uSquared)))
        let deltaSigma =
          correction * sinSigma
          * (cos2SigmaM + correction / 4
            * (cosSigma * (-1 + 2 * cos2SigmaM * cos2SigmaM)
              - correction / 6 * cos2SigmaM * (-3 + 4 * sinSigma * sinSigma) * (-3 + 4 * cos2SigmaM * cos2SigmaM)))
        return semiMinorAxis * scale * (sigma - deltaSigma)
      }
    }
    return GreatCircle.distance(a, b)
  }
}
