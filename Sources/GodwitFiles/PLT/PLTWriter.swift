internal import GodwitModel
internal import GodwitText

/// Writes GeoLife's PLT: positions, altitudes in feet, and times in whole seconds.
enum PLTWriter {
  static let heading =
    "Geolife trajectory\r\nWGS 84\r\nAltitude is in Feet\r\nReserved 3\r\n0,2,255,My Track,0,0,2,8421376\r\n0\r\n"

  /// The date 1970-01-01 in days since 1899-12-30.
  private static let epoch = 25_569.0

  static func append(_ fix: Fix, into bytes: inout [UInt8]) {
    let seconds = fix.time.wholeSecondsSince1970
    let text = RFC3339.string(fix.time, .seconds)
    DecimalWriter.append(fix.coordinate.latitude, decimals: 9, to: &bytes)
    bytes.append(UInt8(ascii: ","))
    DecimalWriter.append(fix.coordinate.longitude, decimals: 9, to: &bytes)
    JSONWriter.raw(",0,", to: &bytes)
    // In this format −777 feet means that the altitude is unknown.
    DecimalWriter.append(fix.altitude.map { $0 / PointField.foot } ?? -777, decimals: 4, to: &bytes)
    bytes.append(UInt8(ascii: ","))
    DecimalWriter.append(Self.epoch + Double(seconds) / DayLength.seconds, decimals: 9, to: &bytes)
    bytes.append(contentsOf: ",\(text.prefix(10)),\(text.dropFirst(11).prefix(8))\r\n".utf8)
  }
}
