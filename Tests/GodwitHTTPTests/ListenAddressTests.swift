import Testing

@testable import GodwitHTTP

@Suite("Addresses with a port")
struct ListenAddressTests {
  @Test(
    "a text is divided at its last colon, and brackets are removed",
    arguments: [
      ("127.0.0.1:80", "127.0.0.1", 80), ("[::1]:0", "::1", 0), ("gps.example:65535", "gps.example", 65_535), (":1", "", 1),
      ("[]:1", "", 1), ("::1:80", "::1", 80), ("127.0.0.1", nil, 0), ("[::1]", nil, 0), ("a:65536", nil, 0), ("a:", nil, 0),
      ("", nil, 0),
    ] as [(String, String?, UInt16)])
  func parts(_ text: String, _ host: String?, _ port: UInt16) {
    let parts = HostAndPort(text)
    #expect(parts?.host == host && parts?.port ?? 0 == port)
    #expect(parts.map { $0.isBracketed == text.hasPrefix("[") } ?? true)
  }

  @Test(
    "a server listens at a numeric address",
    arguments: [
      ("127.0.0.1:8080", "127.0.0.1:8080"), ("localhost:1", "127.0.0.1:1"), (":80", "127.0.0.1:80"), ("[::1]:0", "[::1]:0"),
      ("::1:80", "[::1]:80"), ("0.0.0.0:0", "0.0.0.0:0"), ("[]:1", nil), ("[localhost]:1", nil), ("example.org:1", nil),
      ("127.0.0.1", nil), ("127.0.0.1:http", nil),
    ] as [(String, String?)])
  func address(_ text: String, _ description: String?) {
    #expect(ListenAddress(text)?.description == description)
  }
}
