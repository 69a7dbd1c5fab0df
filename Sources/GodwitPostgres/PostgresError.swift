/// An error of PostgreSQL or of the connection to it. It contains neither arguments nor passwords.
public struct PostgresError: Error, Sendable, CustomStringConvertible {
  /// The category of an error.
  public enum Kind: Sendable, Hashable {
    /// The address is invalid.
    case address
    /// No server answers at the address, or the connection was lost. It is unknown whether the last transaction was committed.
    case connection
    /// The server rejected the sign-in: user, password or database are wrong.
    case admission
    /// The user lacks a permission.
    case rights
    /// A statement took longer than its timeout.
    case timeout
    /// The transaction conflicts with another one. Repeating it may succeed.
    case conflict
    /// A unique value exists already.
    case duplicate
    /// The disk, the memory or the connections of the server are exhausted.
    case resources
    /// The server is a read-only standby, or reports an internal or I/O error.
    case unavailable
    /// The server cannot be used: it is too old, or its database has another encoding.
    case unsuitable
    /// The statement is wrong, or the schema differs from the expected one.
    case statement
  }

  /// The category of the error.
  public let kind: Kind
  /// The SQLSTATE, five characters of <https://www.postgresql.org/docs/15/errcodes-appendix.html>; "" if the server sent none.
  public let state: String
  /// The message of PostgreSQL, or of this library.
  public let message: String
  /// The statement.
  public let sql: String?
  /// The address of the database, without the password.
  public let address: String

  init(kind: Kind, state: String = "", message: String, sql: String? = nil, address: String) {
    self.kind = kind
    self.state = state
    self.message = message
    self.sql = sql
    self.address = address
  }

  /// The category of a SQLSTATE. An unknown one counts as an error of the statement.
  static func kind(ofState state: String) -> Kind {
    switch state {
    case "40001", "40P01", "55P03": .conflict
    case "23505": .duplicate
    case "57014", "25P03", "25P04": .timeout
    case "57P01", "57P02", "57P03", "57P05": .connection
    case "25006": .unavailable
    case "42501": .rights
    case "3D000": .admission
    default:
      switch state.prefix(2) {
      case "08": .connection
      case "28": .admission
      case "53": .resources
      case "58", "XX": .unavailable
      default: .statement
      }
    }
  }

  /// Whether the transaction conflicts with another one, and may be repeated at once.
  public var isConflict: Bool { kind == .conflict }
  /// Whether the statement is correct and may succeed later: the server cannot run it now.
  public var isPassing: Bool {
    switch kind {
    case .connection, .timeout, .conflict, .resources, .unavailable: true
    case .address, .admission, .rights, .duplicate, .unsuitable, .statement: false
    }
  }

  /// The fault, its place, and the remedy.
  public var description: String {
    var text = "\(address): \(message)"
    if !state.isEmpty { text += " (PostgreSQL code \(state))" }
    if let sql { text += " in: \(sql)" }
    switch kind {
    case .address: text += ". Write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ in the password."
    case .connection: text += ". Is PostgreSQL running there, and does it accept connections from this machine?"
    case .admission: text += ". Check the user, the password and the name of the database, and pg_hba.conf of the server."
    case .rights: text += ". Make this user the owner of the database: ALTER DATABASE … OWNER TO …."
    case .timeout: text += ". See pg_stat_activity for long queries."
    case .conflict: text += ". Try again."
    case .resources: text += ". A resource of the server is used up; its log says which one."
    case .unavailable: text += ". Use the address of the primary server, and check its log."
    case .duplicate, .unsuitable, .statement: break
    }
    return text
  }
}
