// This is the only import: the file does not compile if a name is missing from the module.
import GodwitStore
import Testing

@Suite("Names of GodwitStore")
struct StoreNamesTests {
  @Test("the module exports the access token")
  func token() { #expect(AccessToken("gw_secret") == AccessToken("gw_secret") && AccessToken() != AccessToken()) }
}
