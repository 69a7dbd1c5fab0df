import Foundation
import GodwitHTTPClient
import Testing

@Suite("Retry-After and dates of HTTP")
struct RetryAfterTests {
  @Test(
    "Retry-After is seconds or a date",
    arguments: [
      ("120", 120), (" 7 ", 7), ("0", 0), ("-5", 0), ("Tue, 14 Nov 2023 22:14:20 GMT", 60), ("Tue, 14 Nov 2023 22:00:00 GMT", 0),
      ("Tuesday, 14-Nov-23 22:14:20 GMT", 60), ("Tue Nov 14 22:14:20 2023", 60),
      ("soon", nil), ("", nil), ("nan", nil), ("inf", nil), ("Tue, 14 Smarch 2023 22:14:20 GMT", nil), ("100000", 86_400),
    ] as [(String, Double?)])
  func retryAfter(_ text: String, _ seconds: Double?) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    #expect(RetryAfter.seconds(text, now: now) == seconds)
    #expect(HTTPClient.Response(status: 503, headers: ["retry-after": text]).retryAfter(now: now) == seconds)
  }

  @Test("a date of Retry-After counts from the date of the response, whatever the clock", arguments: [-60.0, 0, 20])
  func wrongClock(_ days: Double) {
    let now = Date(timeIntervalSince1970: 1_700_000_000 + days * 86_400)
    let headers = ["date": "Tue, 14 Nov 2023 22:13:20 GMT", "retry-after": "Tue, 14 Nov 2023 22:15:20 GMT"]
    #expect(HTTPClient.Response(status: 503, headers: headers).retryAfter(now: now) == 120)
  }

  @Test("a response without the header has no Retry-After")
  func absent() { #expect(HTTPClient.Response(status: 503).retryAfter(now: Date()) == nil) }

  @Test(
    "a date has one of the three formats of RFC 9110",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Tue, 29 Feb 2000 23:59:60 GMT", 951_868_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
      ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Wed, 29 Feb 1900 00:00:00 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
      ("Sun, 06 Nov 1994 08:60:37 GMT", nil), ("Sun, 00 Nov 1994 08:49:37 GMT", nil), ("Sun, 6 Nov 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 08:49:37", nil), ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sun, 06 Nov 1994 +8:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 8:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49 GMT", nil), ("Sun, 31 Nov 1994 08:49:37 GMT", nil),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Sun Nov 16 08:49:37 1994", 784_975_777), ("Sunday, 06-Nov-1994 08:49:37 GMT", nil), ("Sunday, 06-Nov-94 08:49:37", nil),
      ("Sunday, 6-Nov-94 08:49:37 GMT", nil), ("Sun Nov 31 08:49:37 1994", nil), ("Sun Nov 006 08:49:37 1994", nil),
    ] as [(String, Double?)])
  func date(_ text: String, _ seconds: Double?) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    #expect(HTTPDate.date(text, now: now)?.timeIntervalSince1970 == seconds)
  }

  @Test(
    "a year of two digits is at most 50 years in the future",
    arguments: [("23", "2023"), ("24", "2024"), ("73", "2073"), ("74", "1974"), ("99", "1999"), ("00", "2000")])
  func century(_ digits: String, _ year: String) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let date = HTTPDate.date("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: now)
    #expect(date != nil && date == HTTPDate.date("Sun, 06 Nov \(year) 08:49:37 GMT", now: now))
  }
}
