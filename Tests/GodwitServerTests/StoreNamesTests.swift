// Only this import: the file does not compile where the module lacks a name.
import GodwitStore
import Testing

@Suite("import GodwitStore")
struct StoreNamesTests {
  @Test("has the token whose hash a device is added with")
  func token() { #expect(AccessToken("gw_secret") == AccessToken("gw_secret") && AccessToken() != AccessToken()) }
}
