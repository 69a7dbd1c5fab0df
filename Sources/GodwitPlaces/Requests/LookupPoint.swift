internal import GodwitModel

/// A coordinate as a service gets to see it: rounded to four decimals, which is 11 m of latitude. Enough to find
/// a shop; not enough to report the table. Two that are equal can share an answer.
struct LookupPoint: Sendable, Hashable, CustomStringConvertible {
  /// Ten-thousandths of a degree.
  private let north: Int
  private let east: Int

  init(_ coordinate: Coordinate) {
    north = Int((coordinate.latitude * 10_000).rounded())
    east = Int((coordinate.longitude * 10_000).rounded())
  }

  /// Degrees.
  var latitude: Degrees { Double(north) / 10_000 }
  var longitude: Degrees { Double(east) / 10_000 }
  /// "52.5163", always with four decimals and never with an exponent.
  var latitudeText: String { Self.text(north) }
  var longitudeText: String { Self.text(east) }
  /// "52.5163,13.3777".
  var text: String { "\(latitudeText),\(longitudeText)" }

  /// Coordinates are redacted in logs.
  var description: String { "<coordinate>" }

  /// As a service may repeat it in what it says.
  var spellings: [String] { [latitudeText, longitudeText, "\(latitude)", "\(longitude)"] }

  private static func text(_ value: Int) -> String {
    let (whole, part) = value.magnitude.quotientAndRemainder(dividingBy: 10_000)
    let digits = String(part)
    return "\(value < 0 ? "-" : "")\(whole).\(String(repeating: "0", count: 4 - digits.count))\(digits)"
  }
}
