import Testing

@testable import GodwitHTTP

@Suite("Headers")
struct HeaderTests {
  @Test(
    "Names are compared without the case of ASCII letters",
    arguments: [
      ("Content-Type", "content-type", true), ("ETAG", "etag", true), ("", "", true), ("ETag", "ETags", false),
      // U+212A (Kelvin sign) is not the ASCII letter k, and `@` differs from a backtick by the bit of the case only.
      ("\u{212A}", "k", false), ("@", "`", false), ("[", "{", false),
    ])
  func names(_ first: String, _ second: String, _ isSame: Bool) {
    #expect(HeaderName.matches(first, second) == isSame)
    #expect(HeaderName.matches(second, first) == isSame)
  }

  @Test(
    "Authorization has a scheme and credentials without surrounding spaces",
    arguments: [
      ("Bearer gw_1", "bearer", "gw_1"), ("BEARER  gw_1 ", "bearer", "gw_1"), ("Basic a b\t", "basic", "a b"),
      ("Bearer ä", "bearer", "ä"),
    ])
  func credentials(_ header: String, _ scheme: String, _ value: String) {
    let found = Authorization(header)
    #expect(found?.scheme == scheme)
    #expect(found?.credentials == value)
  }

  @Test("Authorization without a scheme or credentials is rejected", arguments: ["", "Bearer", "Bearer ", " gw_1", " "])
  func noCredentials(_ header: String) { #expect(Authorization(header) == nil) }
}
