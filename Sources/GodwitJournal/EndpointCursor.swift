internal import Foundation
internal import GodwitModel
internal import GodwitSQLite

/// What the journal knows of an endpoint: how far it is, and how records are named to it.
///
/// Each endpoint has an identifier and numbers of its own, which count only what it is told. Two servers cannot join what they
/// have by them, and none of them learns from holes how much it is not told.
package struct EndpointCursor: Sendable, Hashable {
  /// How an endpoint answers.
  package enum Dialect: Int64, Sendable {
    case unknown = 0
    /// In the words of a Godwit server.
    case godwit = 1
    case other = 2
  }

  /// The journal's number of the last record that it has, or that was removed before it could.
  var acknowledged: Int64
  /// What it knows the journal by.
  var identifier: UInt64
  /// The last number of its own.
  var number: Int64 = 0
  /// Its numbers up to here were said to be covered, or are lost.
  var covered: Int64 = 0
  var dialect = Dialect.unknown

  /// It has been told something.
  mutating func tell(_ told: ReportedNumbers) {
    number = max(number, told.number)
    if told.isCovered { covered = max(covered, told.number) }
  }

  /// It will never be told so many records. A server that asks for no numbers does not learn of it by them.
  mutating func lose(_ count: Int64) {
    guard dialect != .other else { return }
    number += count
    covered = number
  }

  /// All that a file has.
  static func all(in database: Database) throws -> [String: EndpointCursor] {
    let rows = try database.statement("SELECT endpoint, acknowledged, identifier, number, covered, dialect FROM cursors")
    defer { rows.reset() }
    var all: [String: EndpointCursor] = [:]
    while try rows.step() {
      all[rows.text(0)] = EndpointCursor(
        acknowledged: rows.integer(1), identifier: UInt64(bitPattern: rows.integer(2)), number: rows.integer(3),
        covered: rows.integer(4), dialect: Dialect(rawValue: rows.integer(5)) ?? .unknown)
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

/// How a batch was numbered for its endpoint.
public struct ReportedNumbers: Sendable, Hashable {
  /// The journal's number of the first record that the batch covers.
  public var first: Int64
  /// The endpoint's number of the last record that it was told.
  public var number: Int64
  /// Whether the request said which numbers it covers.
  public var isCovered: Bool

  package init(first: Int64, number: Int64, isCovered: Bool) {
    self.first = first
    self.number = number
    self.isCovered = isCovered
  }
}

/// The numbers that an endpoint's next records get.
package struct EndpointNumbering: Sendable, Hashable {
  package var identifier: UInt64
  /// The last number that was given.
  package var last: Int64
  /// The first number that the next range covers.
  package var coveredFrom: Int64
  /// The first number that was ever meant for it.
  package var since: Int64?
  /// It is said which numbers a request covers: the server has answered as Godwit's does.
  package var isRangeTold: Bool
}

extension Journal {
  /// How the next records for an endpoint are named to it.
  package func numbering(endpoint: String) throws -> EndpointNumbering {
    let cursor = writing.withLock { cursors[endpoint] ?? newCursor(endpoint) }
    // Numbers of its own begin with 1; those of a journal of before may begin later.
    let isOwn = cursor.identifier != id
    let since = isOwn ? 1 : try remembered(Self.sinceNote(endpoint)).flatMap { Int64($0) }
    return EndpointNumbering(
      identifier: cursor.identifier, last: cursor.number, coveredFrom: cursor.covered + 1, since: since,
      isRangeTold: cursor.dialect == .godwit)
  }

  /// An endpoint has answered in Godwit's words, or in others. What it once was it stays while it answers the same.
  package func recognize(endpoint: String, as dialect: EndpointCursor.Dialect) throws {
    try writing.withLock {
      var cursor = cursors[endpoint] ?? newCursor(endpoint)
      guard cursor.dialect != dialect else { return }
      cursor.dialect = dialect
      try cursor.write(as: endpoint, to: writer)
      cursors[endpoint] = cursor
    }
  }

  /// With `writing` locked. The place in the journal goes into the identifier: an endpoint that is named again later begins
  /// with new numbers.
  func newCursor(_ endpoint: String) -> EndpointCursor {
    var words = withUnsafeBytes(of: endpointKey.littleEndian) { Array($0) }
    words += withUnsafeBytes(of: firstSequence.littleEndian) { Array($0) }
    words += Array(endpoint.utf8)
    let hash = BLAKE2b.hash(words, length: 8)
    let identifier = hash.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return EndpointCursor(acknowledged: firstSequence - 1, identifier: max(1, identifier))
  }

  static func sinceNote(_ endpoint: String) -> String { "since \(endpoint)" }
}
