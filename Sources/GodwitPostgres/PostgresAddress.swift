internal import CPostgres

/// Where a PostgreSQL database is and who asks, as the URL that PostgreSQL's own programs take:
/// `postgres://user:password@host:port/database?sslmode=require`. `postgres:///database?host=/run/postgresql` is a socket of
/// this machine. What the URL leaves out comes from the variables of the environment (`PGPASSWORD`…) and from `~/.pgpass`, as
/// in those programs.
///
/// The password is in no description.
public struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
  /// libpq's names of what the URL says, and the values.
  let parts: [String: String]

  /// - Parameter url: begins with `postgres://` or `postgresql://`.
  /// - Throws: ``PostgresError`` when it cannot be read. It does not repeat the URL.
  public init(_ url: String) throws(PostgresError) {
    guard Self.isAddress(url) else {
      throw PostgresError(
        kind: .address, message: "the address of the database does not begin with postgres://",
        address: "postgres://USER:PASSWORD@HOST:PORT/DATABASE")
    }
    var said: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(url, &said) else {
      // libpq repeats what it cannot read, and that may be the password.
      let isHarmless = !url.contains("@") && !url.lowercased().contains("password")
      let reason = isHarmless ? said.map { ": " + String(cString: $0).trimmed } ?? "" : ""
      PQfreemem(said)
      throw PostgresError(
        kind: .address, message: "the address of the database cannot be read\(reason)",
        address: "postgres://USER:PASSWORD@HOST:PORT/DATABASE")
    }
    defer { PQconninfoFree(options) }
    var parts: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { parts[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    self.parts = parts
  }

  /// Whether a text is meant as one.
  public static func isAddress(_ text: String) -> Bool { text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") }

  /// Without the password.
  public var description: String {
    let host = parts["host"] ?? parts["hostaddr"] ?? ""
    let isSocket = host.hasPrefix("/")
    var text = "postgres://"
    if let user = parts["user"] { text += user + "@" }
    if !isSocket { text += host.contains(":") ? "[\(host)]" : host }
    if let port = parts["port"] { text += ":" + port }
    text += "/" + (parts["dbname"] ?? "")
    return isSocket ? text + "?host=" + host : text
  }
}

extension String {
  /// Without the white space at its ends, which PostgreSQL's sentences have.
  var trimmed: String {
    var part = Substring(self)
    while part.last?.isWhitespace == true { part.removeLast() }
    while part.first?.isWhitespace == true { part.removeFirst() }
    return String(part)
  }
}
