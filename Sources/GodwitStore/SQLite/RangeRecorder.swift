internal import GodwitModel
internal import GodwitSQLite

/// Stores the ranges of sequence numbers that uploads cover, merged to as few ranges as possible for each journal. Used by the
/// writer's thread.
struct RangeRecorder {
  private let touching: Statement
  private let removal: Statement
  private let insertion: Statement
  private let start: Statement

  init(_ database: Database) throws {
    touching = try database.statement(
      """
      SELECT first, last, began, ended FROM received_ranges WHERE journal = ?1 AND first <= ?3 + 1 AND last >= ?2 - 1 ORDER BY first
      """)
    removal = try database.statement("DELETE FROM received_ranges WHERE journal = ?1 AND first >= ?2 AND first <= ?3")
    insertion = try database.statement("INSERT INTO received_ranges (journal, first, last, began, ended) VALUES (?, ?, ?, ?, ?)")
    start = try database.statement("UPDATE journals SET since = ?2 WHERE id = ?1 AND (since IS NULL OR since > ?2)")
  }

  /// Adds a range, and merges it with the ranges that it touches.
  /// - Parameters:
  ///   - range: the covered range.
  ///   - journal: the number of the journal's row.
  ///   - received: time of receipt, in milliseconds since 1970.
  func add(_ range: SequenceRange, journal: Int64, received: Int64) throws {
    var (first, last) = (range.numbers.lowerBound.value, range.numbers.upperBound.value)
    var (began, ended): (Int64?, Int64?) = (received, received)
    touching.bind(journal, at: 1)
    touching.bind(first, at: 2)
    touching.bind(last, at: 3)
    var (count, isCovered) = (0, false)
    do {
      defer { touching.reset() }
      while try touching.step() {
        let known = try (first: touching.integer("first"), last: touching.integer("last"))
        count += 1
        isCovered = known.first <= first && known.last >= last
        if known.first <= first { (first, began) = (known.first, try touching.optionalInteger("began")) }
        if known.last >= last { (last, ended) = (known.last, try touching.optionalInteger("ended")) }
      }
    }
    if count == 1, isCovered { return try begin(range, journal) }
    if count > 0 {
      removal.bind(journal, at: 1)
      removal.bind(first, at: 2)
      removal.bind(last, at: 3)
      try removal.runAndReset()
    }
    insertion.bind(journal, at: 1)
    insertion.bind(first, at: 2)
    insertion.bind(last, at: 3)
    insertion.bind(began, at: 4)
    insertion.bind(ended, at: 5)
    try insertion.runAndReset()
    try begin(range, journal)
  }

  private func begin(_ range: SequenceRange, _ journal: Int64) throws {
    guard let since = range.since else { return }
    start.bind(journal, at: 1)
    start.bind(since.value, at: 2)
    try start.runAndReset()
  }
}
