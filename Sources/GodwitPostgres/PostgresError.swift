/// What PostgreSQL rejected, or could not be sent. Neither arguments nor passwords are part of it.
public struct PostgresError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, coarsely.
  public enum Kind: Sendable, Hashable {
    /// The address cannot be read.
    case address
    /// No server answers at the address, or the connection was lost: whether the last transaction was committed is not known.
    case connection
    /// The server does not let us in: user, password or database are wrong.
    case admission
    /// The user may not do that.
    case rights
    /// It took longer than it may.
    case timeout
    /// The transaction conflicts with another one; the same again may succeed.
    case conflict
    /// Something that must be unique is there already.
    case duplicate
    /// The disk of the server is full, or its memory, or its connections.
    case resources
    /// The server is a copy that only reads, or shuts down.
    case unavailable
    /// The server is of a kind that cannot be used: too old, or with another encoding.
    case unsuitable
    /// The statement is wrong, or the schema is not what it should be.
    case statement
  }

  /// What went wrong, coarsely.
  public let kind: Kind
  /// The five characters of <https://www.postgresql.org/docs/15/errcodes-appendix.html>; "" where the server sent none.
  public let state: String
  /// PostgreSQL's own sentence, or ours.
  public let message: String
  /// The statement.
  public let sql: String?
  /// The database, without the password.
  public let address: String

  init(kind: Kind, state: String = "", message: String, sql: String? = nil, address: String) {
    self.kind = kind
    self.state = state
    self.message = message
    self.sql = sql
    self.address = address
  }

  /// What a code means for us. A code that is not known is the statement's fault.
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

  /// A conflict with another transaction: the same transaction may be tried again at once.
  public var isConflict: Bool { kind == .conflict }
  /// The statement is correct; the server cannot answer now and may later.
  public var isPassing: Bool {
    switch kind {
    case .connection, .timeout, .conflict, .resources, .unavailable: true
    case .address, .admission, .rights, .duplicate, .unsuitable, .statement: false
    }
  }

  /// What was wrong, where, and what to do about it.
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
