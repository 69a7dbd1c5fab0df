package import Foundation
internal import GodwitModel
internal import GodwitServices
package import GodwitStore

/// An entry of the audit log. It contains no secrets, and no unknown name that was entered at sign-in.
package struct AuditEntry: Sendable {
  /// The number of the user; `nil`: the actor is not a user.
  package var account: Int64?
  /// The user or program that performed the action, as readable text.
  package var actor: String
  /// The action: "sign-in", or a route such as `PUT /api/v1/regions/ID`.
  package var action: String
  /// The object of the action.
  package var subject = ""
  package var address: String

  package init(account: Int64? = nil, actor: String, action: String, subject: String = "", address: String) {
    self.account = account
    self.actor = actor
    self.action = action
    self.subject = subject
    self.address = address
  }
}

/// Writes entries to the audit log of a store.
package struct AuditLog: Sendable {
  package let store: any StoreDatabase

  package init(store: any StoreDatabase) {
    self.store = store
  }

  /// Writes an entry asynchronously.
  package func record(_ entry: AuditEntry) {
    let now = store.clock.now
    store.write({ try AuditTable.add(entry, at: now, $0) }, completion: { _ in })
  }
}

/// The audit log in the database.
package enum AuditTable {
  /// Days for which lines are stored.
  package static let days = 365.0
  /// Maximum characters of the object.
  private static let maximumSubject = 200

  package static func add(_ entry: AuditEntry, at now: Date, _ db: any SQLConnection) throws {
    try db.run(
      "INSERT INTO audit_log (time, account, actor, action, subject, address) VALUES (?, ?, ?, ?, ?, ?)",
      now.millisecondsSince1970, entry.account, entry.actor, entry.action,
      String(entry.subject.prefix(maximumSubject)), entry.address)
  }

  /// Deletes lines that are older than ``days``.
  package static func discardOld(at now: Date, _ db: any SQLConnection) throws {
    try db.run(
      "DELETE FROM audit_log WHERE time < ?", now.addingTimeInterval(-days * DayLength.seconds).millisecondsSince1970)
  }

  /// A filter of lines.
  package struct Query: Sendable {
    package var account: Int64?
    package var action: String?
    package var before = Int64.max
    package var limit: Int

    package init(account: Int64? = nil, action: String? = nil, before: Int64 = Int64.max, limit: Int) {
      self.account = account
      self.action = action
      self.before = before
      self.limit = limit
    }
  }

  package struct Line: Sendable {
    package var id: Int64
    package var time: Date
    package var entry: AuditEntry
  }

  /// Returns the lines that match a query, newest first.
  package static func lines(_ query: Query, _ db: any SQLConnection) throws -> [Line] {
    var conditions = "id < ?"
    var arguments: [SQLArgument] = [query.before.argument]
    if let account = query.account {
      conditions += " AND account = ?"
      arguments.append(account.argument)
    }
    if let action = query.action {
      conditions += " AND action = ?"
      arguments.append(action.argument)
    }
    var lines: [Line] = []
    try db.query(
      "SELECT id, time, account, actor, action, subject, address FROM audit_log WHERE \(conditions) ORDER BY id DESC LIMIT ?",
      with: arguments + [query.limit.argument]
    ) { row in
      let entry = try AuditEntry(
        account: row.optionalInteger("account"), actor: row.text("actor"), action: row.text("action"),
        subject: row.text("subject"), address: row.text("address"))
      try lines.append(Line(id: row.integer("id"), time: row.time("time"), entry: entry))
      return true
    }
    return lines
  }
}
