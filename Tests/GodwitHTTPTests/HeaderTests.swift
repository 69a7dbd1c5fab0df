import Testing

@testable import GodwitHTTP

@Suite("Headers")
struct HeaderTests {
  @Test(
    "Names are compared without regard to the case of ASCII letters",
    arguments: [
      ("Content-Type", "content-type", true), ("ETAG", "etag", true), ("", "", true), ("ETag", "ETags", false),
      // A K of Unicode is no k of ASCII, and `@` is not a backtick in another case.
      ("\u{212A}", "k", false), ("@", "`", false), ("[", "{", false),
    ])
  func names(_ first: String, _ second: String, _ isSame: Bool) {
    #expect(HeaderName.matches(first, second) == isSame)
    #expect(HeaderName.matches(second, first) == isSame)
  }

  @Test(
    "Credentials are a scheme and the rest without spaces at its ends",
    arguments: [
      ("Bearer gw_1", "bearer", "gw_1"), ("BEARER  gw_1 ", "bearer", "gw_1"), ("Basic a b\t", "basic", "a b"),
      ("Bearer ä", "bearer", "ä"),
    ])
  func credentials(_ header: String, _ scheme: String, _ rest: String) {
    let found = Authorization(header)
    #expect(found?.scheme == scheme)
    #expect(found?.credentials == rest)
  }

  @Test("A header without credentials has none", arguments: ["", "Bearer", "Bearer ", " gw_1", " "])
  func noCredentials(_ header: String) { #expect(Authorization(header) == nil) }
}
