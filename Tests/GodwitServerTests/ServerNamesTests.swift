// Only this import: the file does not compile where the module lacks a name.
import GodwitServer
import Testing

@Suite("import GodwitServer")
struct ServerNamesTests {
  @Test("has the names of a configuration, of users and of stored regions")
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
