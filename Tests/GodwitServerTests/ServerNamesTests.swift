// This is the only import: the file does not compile if a name is missing from the module.
import GodwitServer
import Testing

@Suite("Names of GodwitServer")
struct ServerNamesTests {
  @Test("the module exports the names for configurations, users and stored regions")
  func names() {
    let limits: (RateLimits, ShareLimits) = (RateLimits(), ShareLimits())
    #expect(limits.0 == RateLimits() && limits.1 == ShareLimits())
    let types: [Any.Type] = [
      MQTTConfiguration.self, BrokerAddress.self, IdentityHeader.self, ListenAddress.self, User.self, UserAdministration.self,
      RegionFilter.self, DatabaseRegionStore.self,
    ]
    #expect(Set(types.map { "\($0)" }).count == types.count)
  }
}
