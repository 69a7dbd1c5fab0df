import Testing

@testable import GodwitHTTP

@Suite("The network of a client")
struct ClientNetworkTests {
  // A provider usually assigns a whole /64 to one customer.
  @Test(
    "addresses of one customer are one network",
    arguments: [
      ("192.0.2.7", "192.0.2.7/32"), ("::ffff:192.0.2.7", "192.0.2.7/32"), ("2001:db8:0:1::5", "2001:db8:0:1::/64"),
      ("2001:db8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"), ("2001:db8:0:2::5", "2001:db8:0:2::/64"),
      ("fe80::1%eth0", "fe80:0:0:0::/64"), ("example.org", "unknown"), ("", "unknown"),
    ])
  func networks(address: String, network: String) { #expect(ClientNetwork(address).description == network) }

  @Test("IPv6 networks are equal by their first 64 bits, IPv4 addresses by all their bits")
  func equality() {
    #expect(ClientNetwork("2001:db8::1") == ClientNetwork("2001:db8::2"))
    #expect(ClientNetwork("2001:db8::1") != ClientNetwork("2001:db8:0:1::1"))
    #expect(ClientNetwork("192.0.2.1") != ClientNetwork("192.0.2.2"))
    #expect(ClientNetwork("192.0.2.1") == ClientNetwork("::ffff:192.0.2.1"))
  }
}
