#if os(Linux)
  import Foundation
  import TestServer
  import Testing

  @testable import GodwitHTTPClient

  @Suite("Clients limited to public addresses", .timeLimit(.minutes(20)))
  struct PublicAddressTests {
    @Test(
      "loopback, private and special addresses are not public",
      arguments: [
        ("8.8.8.8", true), ("1.1.1.1", true), ("172.15.255.255", true), ("172.32.0.0", true), ("100.63.255.255", true),
        ("100.128.0.0", true), ("223.255.255.255", true), ("192.0.1.0", true), ("0.0.0.0", false), ("0.255.255.255", false),
        ("10.0.0.1", false), ("100.64.0.0", false), ("100.127.255.255", false), ("127.0.0.1", false), ("127.255.255.254", false),
        ("169.254.169.254", false), ("172.16.0.0", false), ("172.31.255.255", false), ("192.0.0.8", false), ("192.0.2.1", false),
        ("192.168.1.5", false), ("198.18.0.1", false), ("198.19.255.255", false), ("198.51.100.7", false), ("203.0.113.9", false),
        ("224.0.0.1", false), ("239.255.255.255", false), ("240.0.0.1", false), ("255.255.255.255", false),
      ])
    func four(_ text: String, _ isPublic: Bool) {
      let number = text.split(separator: ".").reduce(UInt32(0)) { $0 << 8 | (UInt32($1) ?? 0) }
      #expect(PublicAddress.isPublic(four: number) == isPublic)
      let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
      // The IPv6 addresses that contain the IPv4 address.
      #expect(PublicAddress.isPublic(six: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes) == isPublic, "mapped")
      #expect(PublicAddress.isPublic(six: [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + bytes) == isPublic, "NAT64")
      #expect(PublicAddress.isPublic(six: [0x20, 0x02] + bytes + [UInt8](repeating: 1, count: 10)) == isPublic, "6to4")
    }

    @Test(
      "only global IPv6 addresses are public",
      arguments: [
        ("2a00:1450:4001:0830:0000:0000:0000:200e", true), ("2606:4700:4700:0000:0000:0000:0000:1111", true),
        ("0000:0000:0000:0000:0000:0000:0000:0001", false), ("0000:0000:0000:0000:0000:0000:0000:0000", false),
        ("fe80:0000:0000:0000:0000:0000:0000:0001", false), ("fc00:0000:0000:0000:0000:0000:0000:0001", false),
        ("fdff:0000:0000:0000:0000:0000:0000:0001", false), ("ff02:0000:0000:0000:0000:0000:0000:0001", false),
        ("2001:0db8:0000:0000:0000:0000:0000:0001", false), ("2001:0000:0000:0000:0000:0000:0000:0001", false),
        ("3fff:0000:0000:0000:0000:0000:0000:0001", false), ("0064:ff9b:0001:0000:0000:0000:0808:0808", false),
        ("fec0:0000:0000:0000:0000:0000:0000:0001", false), ("4000:0000:0000:0000:0000:0000:0000:0001", false),
      ])
    func six(_ text: String, _ isPublic: Bool) {
      let bytes = text.split(separator: ":").flatMap { word -> [UInt8] in
        let number = UInt16(word, radix: 16) ?? 0
        return [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
      }
      #expect(PublicAddress.isPublic(six: bytes) == isPublic)
    }

    @Test("a client limited to public addresses opens no connection to this machine", arguments: [false, true])
    func client(_ isIPv6: Bool) async throws {
      let server = try LocalServer(isIPv6: isIPv6) { _, connection in connection.respond() }
      let client = HTTPClient.live(reaching: .publicAddresses)
      var urls = [try server.url("/")]
      if !isIPv6, let named = URL(string: "http://localhost:\(server.port)/") { urls.append(named) }
      for url in urls {
        await #expect(throws: HTTPError.beyondReach) { try await client.send(HTTPClient.Request(method: "GET", url: url)) }
        _ = try await HTTPClient.live().send(HTTPClient.Request(method: "GET", url: url))
      }
      #expect(server.connections == urls.count, "only the other client connected")
    }
  }
#endif
