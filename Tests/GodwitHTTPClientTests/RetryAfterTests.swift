import Foundation
import GodwitHTTPClient
import Testing

@Suite("Times of HTTP")
struct RetryAfterTests {
  @Test(
    "Retry-After is seconds or a date",
    arguments: [
      ("120", 120), (" 7 ", 7), ("0", 0), ("-5", 0), ("Tue, 14 Nov 2023 22:14:20 GMT", 60), ("Tue, 14 Nov 2023 22:00:00 GMT", 0),
      ("soon", nil), ("", nil), ("nan", nil), ("inf", nil), ("Tue, 14 Smarch 2023 22:14:20 GMT", nil), ("100000", 86_400),
    ] as [(String, Double?)])
  func retryAfter(_ text: String, _ seconds: Double?) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    #expect(RetryAfter.seconds(text, now: now) == seconds)
    #expect(HTTPClient.Response(status: 503, headers: ["retry-after": text]).retryAfter(now: now) == seconds)
  }

  @Test("an answer without the header asks for no wait")
  func absent() { #expect(HTTPClient.Response(status: 503).retryAfter(now: Date()) == nil) }

  @Test(
    "a date is that of RFC 9110",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Tue, 29 Feb 2000 23:59:60 GMT", 951_868_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
      ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Wed, 29 Feb 1900 00:00:00 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
      ("Sun, 06 Nov 1994 08:60:37 GMT", nil), ("Sun, 00 Nov 1994 08:49:37 GMT", nil), ("Sun, 6 Nov 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 08:49:37", nil), ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sun, 06 Nov 1994 +8:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 8:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49 GMT", nil), ("Sun, 31 Nov 1994 08:49:37 GMT", nil),
    ] as [(String, Double?)])
  func date(_ text: String, _ seconds: Double?) { #expect(HTTPDate.date(text)?.timeIntervalSince1970 == seconds) }
}
