internal import Foundation
internal import GodwitModel
internal import GodwitSQLite

/// The state of an endpoint in the journal: its cursor, and the numbering of its records.
///
/// Each endpoint has its own identifier and its own numbers, which count only the records that it gets. Two servers cannot join
/// their data by these numbers, and gaps do not reveal how many records an endpoint does not get.
package struct EndpointCursor: Sendable, Hashable {
  /// The kind of an endpoint's responses.
  package enum Dialect: Int64, Sendable {
    case unknown = 0
    /// Responses of a Godwit server.
    case godwit = 1
    case other = 2
  }

  /// The sequence number of the last record that the endpoint has acknowledged, or that was removed before.
  var acknowledged: Int64
  /// The journal identifier that this endpoint receives.
  var identifier: UInt64
  /// The last number that was assigned for this endpoint.
  var number: Int64 = 0
  /// The numbers of the endpoint up to this one were reported in a range, or are lost.
  var covered: Int64 = 0
  var dialect = Dialect.unknown

  /// Updates the numbers after a batch was sent.
  mutating func notify(_ reported: ReportedNumbers) {
    number = max(number, reported.number)
    if reported.isCovered { covered = max(covered, reported.number) }
  }

  /// Counts records that the endpoint will never get. A server that does not use the numbers cannot detect them.
  mutating func lose(_ count: Int64) {
    guard dialect != .other else { return }
    number += count
    covered = number
  }

  /// Returns the cursors of all endpoints in a file.
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
  /// The sequence number of the first record that the batch covers.
  package var first: Int64
  /// The number, for the endpoint, of the last record that was sent.
  package var number: Int64
  /// Whether the request contained the range of numbers.
  package var isCovered: Bool

  package init(first: Int64, number: Int64, isCovered: Bool) {
    self.first = first
    self.number = number
    self.isCovered = isCovered
  }
}

/// The numbers of the next records for an endpoint.
package struct EndpointNumbering: Sendable, Hashable {
  package var identifier: UInt64
  /// The last assigned number.
  package var last: Int64
  /// The first number that the next range covers.
  package var coveredFrom: Int64
  /// The first number that was ever assigned; `nil`: unknown.
  package var since: Int64?
  /// Whether requests contain the range of numbers. They do if the server has responded as a Godwit server.
  package var isRangeReported: Bool
}

extension Journal {
  /// Returns the numbers of the next records for an endpoint.
  package func numbering(endpoint: String) throws -> EndpointNumbering {
    let cursor = writing.withLock { queue.cursor(of: endpoint) }
    // The own numbers of an endpoint begin with 1. Those of an older journal may begin later.
    let isOwn = cursor.identifier != id
    let since = isOwn ? 1 : try remembered(Self.sinceNote(endpoint)).flatMap { Int64($0) }
    return EndpointNumbering(
      identifier: cursor.identifier, last: cursor.number, coveredFrom: cursor.covered + 1, since: since,
      isRangeReported: cursor.dialect == .godwit)
  }

  /// Records whether an endpoint has responded as a Godwit server. The kind is written only if it has changed.
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
