internal import Foundation
internal import GodwitModel
internal import GodwitSQLite

/// The journal's state of an endpoint: its cursor, and the numbering of its records.
///
/// Each endpoint has its own identifier and its own numbers, which count only the records that it gets. Two servers
/// cannot join their data by them, and gaps do not reveal how many records an endpoint does not get.
package struct EndpointCursor: Sendable, Hashable {
  /// The kind of an endpoint's responses.
  package enum Dialect: Int64, Sendable {
    case unknown = 0
    /// Responses of a Godwit server.
    case godwit = 1
    case other = 2
  }

  /// The journal's number of the last record that it has, or that was removed before.
  var acknowledged: Int64
  /// The journal identifier that this endpoint gets.
  var identifier: UInt64
  /// The last number of this endpoint.
  var number: Int64 = 0
  /// Its numbers up to here were covered by a range, or are lost.
  var covered: Int64 = 0
  var dialect = Dialect.unknown

  /// It has been reported something.
  mutating func notify(_ reported: ReportedNumbers) {
    number = max(number, reported.number)
    if reported.isCovered { covered = max(covered, reported.number) }
  }

  /// Counts records that it will never get. A server without numbers cannot notice them.
  mutating func lose(_ count: Int64) {
    guard dialect != .other else { return }
    number += count
    covered = number
  }

  /// Returns all cursors of a file.
  static func all(in database: Database) throws -> [String: EndpointCursor] {
    let rows = try database.statement("SELECT endpoint, acknowledged, identifier, number, covered, dialect FROM cursors")
    defer { rows.reset() }
    var all: [String: EndpointCursor] = [:]
    while try rows.step() {
      try all[rows.text("endpoint")] = EndpointCursor(
        acknowledged: rows.integer("acknowledged"), identifier: UInt64(bitPattern: rows.integer("identifier")),
        number: rows.integer("number"),
        covered: rows.integer("covered"), dialect: Dialect(rawValue: rows.integer("dialect")) ?? .unknown)
    }
    return all
  }

  func write(as endpoint: String, to database: Database) throws {
    try database.run(
      """
      INSERT OR REPLACE INTO cursors (endpoint, acknowledged, identifier, number, covered, dialect)
      VALUES (?, ?, ?, ?, ?, ?)
      """, endpoint, acknowledged, Int64(bitPattern: identifier), number, covered, dialect.rawValue)
  }
}

/// The numbers of a batch for its endpoint.
package struct ReportedNumbers: Sendable, Hashable {
  /// The journal's number of the first record that the batch covers.
  package var first: Int64
  /// The endpoint's number of the last record that was sent.
  package var number: Int64
  /// Whether the request contained the range of numbers.
  package var isCovered: Bool

  package init(first: Int64, number: Int64, isCovered: Bool) {
    self.first = first
    self.number = number
    self.isCovered = isCovered
  }
}

/// The numbers of an endpoint's next records.
package struct EndpointNumbering: Sendable, Hashable {
  package var identifier: UInt64
  /// The last assigned number.
  package var last: Int64
  /// The first number that the next range covers.
  package var coveredFrom: Int64
  /// The first number that was ever assigned.
  package var since: Int64?
  /// Whether requests contain the range of numbers: the server has responded as a Godwit server.
  package var isRangeReported: Bool
}

extension Journal {
  /// Returns the numbers of the next records for an endpoint.
  package func numbering(endpoint: String) throws -> EndpointNumbering {
    let cursor = writing.withLock { queue.cursor(of: endpoint) }
    // An endpoint's own numbers begin with 1; those of an older journal may begin later.
    let isOwn = cursor.identifier != id
    let since = isOwn ? 1 : try remembered(Self.sinceNote(endpoint)).flatMap { Int64($0) }
    return EndpointNumbering(
      identifier: cursor.identifier, last: cursor.number, coveredFrom: cursor.covered + 1, since: since,
      isRangeReported: cursor.dialect == .godwit)
  }

  /// Records whether an endpoint has responded as a Godwit server. The kind stays while the responses are the same.
  package func recognize(endpoint: String, as dialect: EndpointCursor.Dialect) throws {
    try writing.withLock {
      var cursor = queue.cursor(of: endpoint)
      guard cursor.dialect != dialect else { return }
      cursor.dialect = dialect
      try queue.set(cursor, of: endpoint)
    }
  }

  static func sinceNote(_ endpoint: String) -> String { "since \(endpoint)" }
}
