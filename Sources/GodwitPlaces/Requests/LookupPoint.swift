internal import GodwitModel

/// A coordinate as it is sent to a service, rounded to four decimals (11 m of latitude). This is enough to find a shop and too
/// coarse to find a table in it. Equal points can share a cached response.
struct LookupPoint: Sendable, Hashable, CustomStringConvertible {
  /// In 1e-4 degrees.
  private let north: Int
  private let east: Int

  init(_ coordinate: Coordinate) {
    north = Int((coordinate.latitude * 10_000).rounded())
    east = Int((coordinate.longitude * 10_000).rounded())
  }

  /// In degrees.
  var latitude: Degrees { Double(north) / 10_000 }
  var longitude: Degrees { Double(east) / 10_000 }
  /// Text with exactly four decimals and without an exponent, for example "52.5163".
  var latitudeText: String { Self.text(north) }
  var longitudeText: String { Self.text(east) }
  /// Latitude and longitude as text, for example "52.5163,13.3777".
  var text: String { "\(latitudeText),\(longitudeText)" }

  /// Coordinates are redacted in logs.
  var description: String { "<coordinate>" }

  /// Texts that the service may repeat in a message.
  var spellings: [String] { [latitudeText, longitudeText, "\(latitude)", "\(longitude)"] }

  private static func text(_ value: Int) -> String {
    let (whole, part) = value.magnitude.quotientAndRemainder(dividingBy: 10_000)
    let digits = String(part)
    return "\(value < 0 ? "-" : "")\(whole).\(String(repeating: "0", count: 4 - digits.count))\(digits)"
  }
}
