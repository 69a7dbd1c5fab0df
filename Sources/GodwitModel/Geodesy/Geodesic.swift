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

  /// Length of the shortest line on the ellipsoid in metres: the inverse problem by Vincenty's iteration
  /// (Survey Review XXIII, 1975), exact to 0.5 mm. Nearly antipodal points, for which it does not converge,
  /// get the great-circle distance, whose error there is below 0.3 %.
  public static func distance(_ a: Coordinate, _ b: Coordinate) -> Meters {
    if a == b { return 0 }
    let f = flattening
    let semiMinorAxis = semiMajorAxis * (1 - f)
    let L = (b.longitude - a.longitude).radians
    let U1 = atan((1 - f) * tan(a.latitude.radians))
    let U2 = atan((1 - f) * tan(b.latitude.radians))
    let (sinU1, cosU1, sinU2, cosU2) = (sin(U1), cos(U1), sin(U2), cos(U2))
    var λ = L
    for _ in 0..<50 {
      let (sinλ, cosλ) = (sin(λ), cos(λ))
      let p = cosU2 * sinλ
      let q = cosU1 * sinU2 - sinU1 * cosU2 * cosλ
      let sinσ = (p * p + q * q).squareRoot()
      if sinσ == 0 { return 0 }
      let cosσ = sinU1 * sinU2 + cosU1 * cosU2 * cosλ
      let σ = atan2(sinσ, cosσ)
      let sinα = cosU1 * cosU2 * sinλ / sinσ
      let cos2α = 1 - sinα * sinα
      // On the equator cos²α is 0 and the term vanishes.
      let cos2σm = cos2α == 0 ? 0 : cosσ - 2 * sinU1 * sinU2 / cos2α
      let C = f / 16 * cos2α * (4 + f * (4 - 3 * cos2α))
      let previous = λ
      λ = L + (1 - C) * f * sinα * (σ + C * sinσ * (cos2σm + C * cosσ * (-1 + 2 * cos2σm * cos2σm)))
      guard abs(λ) <= .pi * 2 else { break }
      if abs(λ - previous) < 1e-12 {
        let u2 = cos2α * (semiMajorAxis * semiMajorAxis / (semiMinorAxis * semiMinorAxis) - 1)
        let A = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
        let B = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
        let Δσ =
          B * sinσ
          * (cos2σm + B / 4
            * (cosσ * (-1 + 2 * cos2σm * cos2σm)
              - B / 6 * cos2σm * (-3 + 4 * sinσ * sinσ) * (-3 + 4 * cos2σm * cos2σm)))
        return semiMinorAxis * A * (σ - Δσ)
      }
    }
    return GreatCircle.distance(a, b)
  }
}
