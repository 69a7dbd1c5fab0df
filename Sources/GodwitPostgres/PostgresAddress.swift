internal import CPostgres

/// The address and the user of a PostgreSQL database, as the URL that PostgreSQL's own programs accept:
/// `postgres://user:password@host:port/database?sslmode=require`.
///
/// `postgres:///database?host=/run/postgresql` is a socket of this machine. `postgres://user:password@a.example,b.example/database`
/// is a server and its standby; a session uses the one that can write. Values that the URL does not contain are read from
/// environment variables (`PGPASSWORD`…) and from `~/.pgpass`, as by those programs.
///
/// Descriptions do not contain the password.
public struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
  /// The values in the URL, by libpq's names.
  let parts: [String: String]

  /// - Parameter url: begins with `postgres://` or `postgresql://`.
  /// - Throws: ``PostgresError`` if the URL is invalid. The error does not contain the URL.
  public init(_ url: String) throws(PostgresError) {
    guard Self.isAddress(url) else {
      throw PostgresError(
        kind: .address, message: "the address of the database does not begin with postgres://",
        address: "postgres://USER:PASSWORD@HOST:PORT/DATABASE")
    }
    var said: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(url, &said) else {
      // libpq's message repeats the invalid part, which may be the password.
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

  /// Whether a text is an address of PostgreSQL, by its scheme.
  public static func isAddress(_ text: String) -> Bool { text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") }

  /// Whether the address has several servers, of which only one can write.
  var hasSeveralServers: Bool { host.contains(",") }

  private var host: String { parts["host"] ?? parts["hostaddr"] ?? "" }

  /// The URL without the password.
  public var description: String {
    let start = "postgres://" + (parts["user"].map { $0 + "@" } ?? "")
    let end = "/" + (parts["dbname"] ?? "")
    guard host.hasPrefix("/") else { return start + servers.joined(separator: ",") + end }
    return start + (parts["port"].map { ":" + $0 } ?? "") + end + "?host=" + host
  }

  /// Each server with its port, if the URL has one. A single port applies to all servers.
  private var servers: [String] {
    let ports = (parts["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    return host.split(separator: ",", omittingEmptySubsequences: false).enumerated().map { index, host in
      let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
      return (host.contains(":") ? "[\(host)]" : String(host)) + (port.isEmpty ? "" : ":" + port)
    }
  }
}

extension String {
  /// The text without the white space at its ends, which PostgreSQL's messages have.
  var trimmed: String {
    var part = Substring(self)
    while part.last?.isWhitespace == true { part.removeLast() }
    while part.first?.isWhitespace == true { part.removeFirst() }
    return String(part)
  }
}
