import Testing

@testable import GodwitPostgres

@Suite("An address of a PostgreSQL database")
struct PostgresAddressTests {
  static let addresses: [(url: String, description: String)] = [
    ("postgres://ann:s%40cret@db.example:5433/tracks", "postgres://ann@db.example:5433/tracks"),
    ("postgresql://db.example/tracks?sslmode=require&password=secret", "postgres://db.example/tracks"),
    ("postgres:///tracks?host=/run/postgresql", "postgres:///tracks?host=/run/postgresql"),
    ("postgres://ann:secret@[::1]:5432/tracks", "postgres://ann@[::1]:5432/tracks"),
    ("postgres://a.example:1,b.example:2/tracks", "postgres://a.example:1,b.example:2/tracks"),
    ("postgres://ann:secret@a.example,[::1]:2/tracks", "postgres://ann@a.example,[::1]:2/tracks"),
    ("postgres:///tracks?host=a.example,b.example&port=5433&password=secret", "postgres://a.example:5433,b.example:5433/tracks"),
  ]

  @Test("is described without its password", arguments: addresses)
  func description(_ url: String, _ description: String) throws {
    let address = try PostgresAddress(url)
    #expect("\(address)" == description)
    #expect(!String(reflecting: address).contains("secret"))
    #expect(!String(reflecting: address).contains("s@cret"))
  }

  @Test(
    "that is invalid is rejected without its password",
    arguments: [
      "", "tracks.sqlite", "mysql://ann:secret@db/x", "postgres://ann:secret%zz@db/x", "postgres://ann:secret@[::1/x",
      "postgres://db/x?password=secret&colour=blue", "postgres://db/x?password%zz=secret",
    ])
  func bad(_ url: String) throws {
    let error = try #require(throws: PostgresError.self) { try PostgresAddress(url) }
    #expect(error.kind == .address)
    #expect(!error.isPassing)
    let text = "\(error)"
    #expect(text.contains("postgres://USER:PASSWORD@HOST:PORT/DATABASE"))
    #expect(!text.contains("secret"))
  }

  @Test("with an unknown parameter is rejected with the name of the parameter")
  func parameter() throws {
    let error = try #require(throws: PostgresError.self) { try PostgresAddress("postgres://db/x?colour=blue") }
    #expect("\(error)".contains("colour"))
  }
}
