internal import GodwitStore

/// Reads the import and the journal of points: in SQLite from rows of `contexts`, in PostgreSQL from columns of the points.
struct SharedContexts {
  private let importID: Int64?
  /// SQLite: the contexts of the import.
  private var imported: Set<Int64> = []
  /// SQLite: the row numbers of journals, by context.
  private let journals: JournalsOfContexts?

  /// - Parameters:
  ///   - importID: the import whose points are selected; `nil`: all points.
  ///   - db: the database.
  init(importID: Int64?, _ db: any SQLConnection) throws {
    self.importID = importID
    journals = db.dialect == .sqlite ? JournalsOfContexts(db) : nil
    guard db.dialect == .sqlite, let importID else { return }
    imported = Set(try db.all("SELECT id FROM contexts WHERE import = ?", importID) { try $0.integer("id") })
  }

  /// Whether a point belongs to the import.
  func isImported(_ row: any SQLRow) throws -> Bool {
    guard let importID else { return true }
    guard journals != nil else { return try row.optionalInteger("import") == importID }
    return try row.optionalInteger("context").map { imported.contains($0) } ?? false
  }

  /// Returns the row number of a point's journal.
  func journal(_ row: any SQLRow) throws -> Int64? {
    guard let journals else { return try row.optionalInteger("journal") }
    return try row.optionalInteger("context").flatMap { try journals.journal(ofContext: $0) }
  }
}

/// The journals of contexts, read on first use.
private final class JournalsOfContexts {
  private let db: any SQLConnection
  private var known: [Int64: Int64?] = [:]

  init(_ db: any SQLConnection) { self.db = db }

  func journal(ofContext context: Int64) throws -> Int64? {
    if let journal = known[context] { return journal }
    let journal = try db.integer("SELECT journal FROM contexts WHERE id = ?", context)
    known[context] = .some(journal)
    return journal
  }
}
