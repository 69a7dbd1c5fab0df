package import Foundation
internal import GodwitModel
package import GodwitStore
internal import GodwitWire

/// Filters rows of regions for one reader.
package struct RegionScan {
  /// The columns that ``node(_:)`` reads. The JSON is last, so that it is read only if needed.
  package static let columns = "revision, id, created_revision, changed, tags, former_tags, json"
  /// Separates tags.
  package static let unit = "\u{1F}"
  /// Precedes each list of tags.
  package static let list = "\u{1E}"
  /// Replaces the lists if there are too many.
  package static let any = "*"

  private let scope: RegionScope
  private let cursor: RegionCursor
  private let isEverything: Bool
  /// Whether a value of the column `tags` is in the scope. It is cached, because most regions share their tags with others.
  private var known: [String: Bool] = [:]

  /// - Parameters:
  ///   - scope: the scope of the reader.
  ///   - cursor: the position of the reader.
  init(scope: RegionScope, from cursor: RegionCursor) {
    self.scope = scope
    self.cursor = cursor
    isEverything = scope.isEverything
  }

  /// Returns the node for a row; `nil`: the row does not concern the reader.
  package mutating func node(_ row: any SQLRow) throws -> StoredRegionPage.Node? {
    let revision = try row.integer("revision")
    let id = try row.text("id")
    if try !row.isNull("json"), try isEverything || isInside(id: id, tags: row.text("tags")) {
      return .region(
        StoredRegion(id: id, revision: revision, changed: try row.time("changed"), json: try row.blob("json")))
    }
    // The reader can have the region only if it synced after the creation and before the removal of the region.
    guard try row.integer("created_revision") <= cursor.revision, revision > cursor.begin,
      wasInside(id: id, earlier: try row.text("former_tags"))
    else { return nil }
    return .gone(id: id, revision: revision)
  }

  /// Returns the time of a change that concerns the reader; `nil`: it does not concern the reader.
  package mutating func change(_ row: any SQLRow) throws -> Date? { try node(row) == nil ? nil : row.time("changed") }

  private mutating func isInside(id: String, tags: String) -> Bool {
    if !scope.singles.isEmpty, scope.singles.contains(id) { return true }
    if let known = known[tags] { return known }
    // The result is the same for every id that is not a named region.
    let isInside = scope.contains(id: id, tags: Self.split(tags))
    if known.count > 10_000 { known.removeAll() }
    known[tags] = isInside
    return isInside
  }

  private mutating func wasInside(id: String, earlier: String) -> Bool {
    if isEverything || earlier == Self.any { return true }
    return earlier.components(separatedBy: Self.list).dropFirst().contains { isInside(id: id, tags: $0) }
  }

  package static func split(_ tags: String) -> [String] { tags.isEmpty ? [] : tags.components(separatedBy: unit) }

  /// Returns the digest and the number of the regions in a scope.
  static func total(of scope: RegionScope, _ db: any SQLConnection) throws -> RegionTotal {
    var total = RegionTotal.empty
    func add(_ row: any SQLRow) throws {
      guard scope.contains(id: try row.text("id"), tags: split(try row.text("tags"))) else { return }
      total.digest.toggle(RegionDigest(bytes: try row.blob("hash")))
      total.count += 1
    }
    let select = "SELECT id, tags, hash FROM regions WHERE hash IS NOT NULL"
    guard let tags = scope.leadingTags else {
      try db.forEach(select, body: add)
      return total
    }
    // The list is one argument, so that the statement is compiled once.
    try db.forEach(
      """
      \(select) AND id IN (
        SELECT id FROM region_tags WHERE tag IN (\(db.dialect.words(in: "?1")))
        UNION \(db.dialect.words(in: "?2")))
      """, try json(tags.sorted()), try json(scope.singles.sorted()), body: add)
    return total
  }

  /// Returns the total without the regions that the apps of other devices created.
  static func rest(of all: RegionTotal, in scope: RegionScope, _ db: any SQLConnection) throws -> RegionTotal {
    var rest = all
    try db.forEach(
      """
      SELECT id, tags, hash FROM regions
      WHERE hash IS NOT NULL AND id IN (SELECT id FROM region_tags WHERE \(AppRegions.condition))
      """
    ) { row in
      guard !scope.contains(id: try row.text("id"), tags: split(try row.text("tags"))) else { return }
      rest.digest.toggle(RegionDigest(bytes: try row.blob("hash")))
      rest.count -= 1
    }
    return rest
  }

  package static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
