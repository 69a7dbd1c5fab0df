import Foundation
import GodwitModel
import Testing

@Suite("Times as text")
struct RFC3339Tests {
  @Test(
    "times in the usual forms of the internet are parsed",
    arguments: [
      ("1970-01-01T00:00:00Z", 0),
      ("2015-10-01T08:00:00-0700", 1_443_711_600_000),
      ("2015-10-01T08:00:00-07:00", 1_443_711_600_000),
      ("2015-10-01T17:00:00+02", 1_443_711_600_000),
      ("2026-11-20t22:34:00.25z", 1_795_214_040_250),
      ("2026-11-20 22:34:00,5Z", 1_795_214_040_500),
      ("2024-02-29T23:59:60Z", 1_709_251_200_000),
      ("0001-01-01T00:00:00Z", -62_135_596_800_000),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
      ("1969-12-31T23:59:59.999Z", -1),
    ] as [(String, Int64)])
  func reads(_ text: String, _ milliseconds: Int64) {
    #expect(RFC3339.date(text)?.millisecondsSince1970 == milliseconds)
  }

  @Test(
    "invalid times are rejected",
    arguments: [
      "", "now", "2026-11-20", "2026-11-20T22:34:00", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
      "2026-11-20T24:00:00Z", "2026-11-20T22:60:00Z", "0000-01-01T00:00:00Z", "2026-11-20T22:34:00.Z",
      "2026-11-20T22:34:00+25:00", "2026-11-20T22:34:00Zx", "2026/11/20T22:34:00Z", "２０２６-11-20T22:34:00Z",
    ])
  func refuses(_ text: String) {
    #expect(RFC3339.date(text) == nil)
  }

  @Test("written times are parsed equal, in all years", arguments: 1...399)
  func roundTrip(_ number: Int) {
    // Steps of about 25 years, with different days and fractions.
    let milliseconds = -62_135_596_800_000 + Int64(number) * 788_923_151_987
    let date = Date(millisecondsSince1970: milliseconds)
    let text = RFC3339.string(date)
    #expect(RFC3339.date(text)?.millisecondsSince1970 == milliseconds)
    // Foundation uses the Julian calendar before 1582; RFC 3339 does not.
    if milliseconds > -12_219_292_800_000 { #expect(date.ISO8601Format().prefix(19) == text.prefix(19)) }
  }

  @Test("the fraction of a second has the requested number of digits")
  func precision() {
    let date = Date(millisecondsSince1970: 1_795_214_040_250)
    #expect(RFC3339.string(date, .seconds) == "2026-11-20T22:34:00Z")
    #expect(RFC3339.string(date, .automatic) == "2026-11-20T22:34:00.250Z")
    #expect(RFC3339.string(Date(timeIntervalSince1970: 0), .milliseconds) == "1970-01-01T00:00:00.000Z")
    #expect(RFC3339.string(.distantFuture).hasPrefix("4001"))
    #expect(RFC3339.string(Date(timeIntervalSince1970: 1e18)) == "9999-12-31T23:59:59.999Z")
  }
}
