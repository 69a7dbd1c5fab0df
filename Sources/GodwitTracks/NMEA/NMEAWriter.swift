internal import Foundation
package import GodwitModel
internal import GodwitText

/// Writes a fix as a receiver does, as RMC and GGA sentences, for programs that expect NMEA.
package enum NMEAWriter {
  /// Returns two lines with checksums. The position has seven decimals of a minute (0.2 mm), the time has milliseconds.
  package static func sentences(for fix: Fix) -> String {
    let milliseconds = fix.time.millisecondsSince1970
    let days = Int(DayLength.number(of: Int64(milliseconds)))
    let (year, month, day) = RFC3339.civil(daysSince1970: days)
    let rest = Int(milliseconds) - days * Int(DayLength.milliseconds)
    let second = rest / 1000
    let time =
      two(second / 3600) + two(second / 60 % 60) + two(second % 60) + "." + padded(rest % 1000, 3)
    let date = two(day) + two(month) + two(year % 100)
    let latitude = minutes(fix.coordinate.latitude, digits: 2)
    let longitude = minutes(fix.coordinate.longitude, digits: 3)
    let place =
      "\(latitude),\(fix.coordinate.latitude < 0 ? "S" : "N"),\(longitude),\(fix.coordinate.longitude < 0 ? "W" : "E")"
    let speed = fix.speed.map { decimal($0 / NMEAParser.knot, 3) } ?? ""
    let course = fix.course.map { decimal($0, 2) } ?? ""
    let altitude = fix.altitude.map { decimal($0, 3) } ?? "0.0"
    return line("GPRMC,\(time),A,\(place),\(speed),\(course),\(date),,,A")
      + line("GPGGA,\(time),\(place),1,08,1.0,\(altitude),M,0.0,M,,")
  }

  private static func line(_ body: String) -> String {
    let checksum = String(NMEASentence.checksum(body.utf8), radix: 16, uppercase: true)
    return "$\(body)*\(checksum.count == 1 ? "0" : "")\(checksum)\r\n"
  }

  /// Returns `ddmm.mmmmmmm`, computed in units of the last digit, so that 59.99999999 does not become 60.
  private static func minutes(_ degrees: Double, digits: Int) -> String {
    let units = Int64((abs(degrees) * 60 * 1e7).rounded())
    let whole = units / 600_000_000
    let rest = units % 600_000_000
    return padded(Int(whole), digits) + two(Int(rest / 10_000_000)) + "." + padded(Int(rest % 10_000_000), 7)
  }

  private static func decimal(_ value: Double, _ decimals: Int) -> String {
    var bytes: [UInt8] = []
    DecimalWriter.append(value, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func two(_ value: Int) -> String { padded(value, 2) }

  private static func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
