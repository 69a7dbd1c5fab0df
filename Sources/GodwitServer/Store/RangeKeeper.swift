internal import GodwitModel
internal import GodwitSQLite

/// Keeps what devices say their uploads cover, as few ranges of each journal as can be. Belongs to the writer's thread.
struct RangeKeeper {
  private let touching: Statement
  private let removal: Statement
  private let insertion: Statement
  private let start: Statement

  init(_ database: Database) throws {
    touching = try database.statement(
      "SELECT min(first), max(last), count(*) FROM ranges WHERE journal = ?1 AND first <= ?3 + 1 AND last >= ?2 - 1")
    removal = try database.statement("DELETE FROM ranges WHERE journal = ?1 AND first >= ?2 AND first <= ?3")
    insertion = try database.statement("INSERT INTO ranges (journal, first, last) VALUES (?, ?, ?)")
    start = try database.statement("UPDATE journals SET since = ?2 WHERE id = ?1 AND (since IS NULL OR since > ?2)")
  }

  /// Adds a range, and makes one of those that it touches.
  func add(_ range: SequenceRange, journal: Int64) throws {
    var (first, last) = (range.numbers.lowerBound, range.numbers.upperBound)
    touching.bind(journal, at: 1)
    touching.bind(first, at: 2)
    // One more is looked for, and there is none after the last number that there is.
    touching.bind(min(last, .max - 1), at: 3)
    let known: (first: Int64, last: Int64, count: Int64)?
    do {
      defer { touching.reset() }
      known =
        try touching.step() && touching.integer(2) > 0
        ? (touching.integer(0), touching.integer(1), touching.integer(2)) : nil
    }
    if let known {
      if known.count == 1, known.first <= first, known.last >= last { return try begin(range, journal) }
      first = min(first, known.first)
      last = max(last, known.last)
      removal.bind(journal, at: 1)
      removal.bind(first, at: 2)
      removal.bind(last, at: 3)
      try removal.runAndReset()
    }
    insertion.bind(journal, at: 1)
    insertion.bind(first, at: 2)
    insertion.bind(last, at: 3)
    try insertion.runAndReset()
    try begin(range, journal)
  }

  private func begin(_ range: SequenceRange, _ journal: Int64) throws {
    guard let since = range.since else { return }
    start.bind(journal, at: 1)
    start.bind(since, at: 2)
    try start.runAndReset()
  }
}
