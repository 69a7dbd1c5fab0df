internal import GodwitPostgres
internal import GodwitSQLite

/// Why the store cannot write. The description contains no paths or statements, so that it can be sent to clients.
package struct StoreFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The disk is full.
    case full
    /// The database, its folder or its disk is read-only.
    case readOnly = "read_only"
    /// The database's files were removed or replaced while the server has them open.
    case moved
    /// The database is damaged.
    case damaged
    /// The disk reports an error.
    case device
    /// Another program holds the lock of the database for too long.
    case locked
    /// The database server does not answer, or refuses the connection.
    case unreachable
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// The store's fault that an error indicates; `nil` if the error concerns only its statement.
  package init?(_ error: any Error) {
    if let fault = error as? StoreFault {
      self = fault
    } else if let error = error as? SQLiteError, let kind = Self.kind(of: error) {
      self.init(kind)
    } else if let error = error as? PostgresError, let kind = Self.kind(of: error) {
      self.init(kind)
    } else {
      return nil
    }
  }

  private static func kind(of error: SQLiteError) -> Kind? {
    if error.isFull { return .full }
    if error.isReadOnly { return .readOnly }
    if error.isCorrupt { return .damaged }
    if error.isDevice { return .device }
    return error.isBusy ? .locked : nil
  }

  private static func kind(of error: PostgresError) -> Kind? {
    switch error.kind {
    case .connection, .admission, .timeout: .unreachable
    case .resources: error.state == "53100" ? .full : .unreachable
    case .unavailable, .rights: error.state == "25006" || error.kind == .rights ? .readOnly : .device
    case .address, .conflict, .duplicate, .unsuitable, .statement: nil
    }
  }

  package var description: String {
    switch kind {
    case .full: "The disk of the server's database is full. The server resumes storing when space is free."
    case .readOnly: "The server's database cannot be written: its files, its folder or its disk are read-only."
    case .moved:
      "The files of the server's database were removed or replaced while it runs. Put them back, or restart the server."
    case .damaged: "The server's database is damaged. Nothing is stored; `godwit doctor --server` shows the damage."
    case .device: "The disk of the server's database reports an error."
    case .locked: "Another program has locked the server's database. Try again in a moment."
    case .unreachable: "The server's database does not answer. Try again in a moment."
    }
  }

  /// The description of a store's error for clients, without paths and statements.
  package static func reason(of error: any Error) -> String {
    if let error = error as? StoreError { return error.description }
    if let error = error as? DamagedBlock { return error.description }
    return StoreFault(error)?.description ?? "The server's database rejected it; see the server's log."
  }
}
