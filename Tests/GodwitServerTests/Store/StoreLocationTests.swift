import Testing

@testable import GodwitServer
@testable import GodwitStore

@Suite("Store locations")
struct StoreLocationTests {
  @Test(
    "a location is a folder by path or URL",
    arguments: [
      ("data", "data"), ("/var/lib/godwit", "/var/lib/godwit"), ("sqlite:///var/lib/godwit", "/var/lib/godwit"),
      ("SQLite:///var/my%20data", "/var/my data"), ("./a:b", "./a:b"),
    ])
  func folders(_ text: String, _ folder: String) throws {
    #expect(try StoreLocation(text) == .folder(folder))
    #expect(try StoreLocation(text).description == folder)
  }

  @Test("a location is a PostgreSQL database, whose description hides the password", arguments: ["postgres", "postgresql"])
  func databases(_ scheme: String) throws {
    let location = try StoreLocation("\(scheme)://me:secret@host:5433/tracks?sslmode=require")
    guard case .postgres = location else { throw StoreError.closed }
    #expect(location.description == "postgres://me@host:5433/tracks")
  }

  @Test(
    "any other text is rejected with the valid forms",
    arguments: [
      ("", "It is empty. Expected a folder"), ("mysql://host/db", "mysql:// is unknown. Expected a folder"),
      ("sqlite://data", "three slashes"), ("sqlite:///", "three slashes"), ("sqlite:data", "two slashes are missing"),
      ("postgres:/host", "two slashes are missing"), ("file:///data", "file:// is unknown"),
      ("postgres://[host/db", "cannot be read"),
    ])
  func errors(_ text: String, _ words: String) {
    let error = #expect(throws: StoreLocationError.self) { try StoreLocation(text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test(
    "the text of a location in an error contains no password",
    arguments: [
      ("mysql://me:secret@host/db", "mysql://…"), ("postgres:me:secret@host", "postgres://…"),
      ("postgres://[host", "postgres://…"),
      ("nowhere://host", "nowhere://host"), ("sqlite:data", "sqlite:data"),
    ])
  func shown(_ text: String, _ shown: String) { #expect(StoreLocation.shown(text) == shown) }
}
