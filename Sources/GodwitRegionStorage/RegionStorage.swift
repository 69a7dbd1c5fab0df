internal import Foundation
package import GodwitEngine
internal import GodwitJournal
package import GodwitModel
package import GodwitSQLite
package import GodwitWire

/// The copy of the regions on the device, with the state of their evaluation and the events that are not in the journal yet.
///
/// Pages of a sync are staged next to the active regions. The last page replaces the active regions in one transaction that also
/// moves the cursor. After a kill at any time, either the old or the new regions are active.
///
/// `@unchecked Sendable`: the connection is used only while `lock` is held.
package final class RegionStorage: @unchecked Sendable {
  package let path: String
  /// An identifier that distinguishes the event numbers from those of an earlier file.
  package let id: String
  /// The new name of an unreadable file that this file replaced; `nil`: there was none.
  package let damaged: String?
  private let lock = NSLock()
  private let database: Database

  /// Maximum events that wait for the journal. If there are more, the oldest are dropped.
  package static let maximumEvents: Int64 = 10_000

  /// Opens the file, or creates it.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - newID: the identifier of a new file.
  ///   - damaged: the new name of a file that this one replaces.
  /// - Throws: `SQLiteError` or `MigrationError`.
  package init(path: String, newID: UInt64, damaged: String? = nil) throws {
    self.path = path
    self.damaged = damaged
    try RegionStorageSchema.migrations.checkHeader(of: path)
    database = try Database(path: path)
    // The unit is KiB; SQLite expects it as a negative number.
    try database.execute("PRAGMA cache_size = -256")
    try RegionStorageSchema.migrations.apply(to: database)
    let database = database
    id = try database.transaction {
      if let kept = try database.text("SELECT value FROM stored_values WHERE key = 'id'") { return kept }
      let name = String(newID, radix: 16)
      try database.run("INSERT INTO stored_values (key, value) VALUES ('id', ?)", name)
      return name
    }
  }

  /// Opens the file and reads it. A damaged file is renamed and replaced by a new one, because the server still has the regions.
  /// - Returns: the storage and its regions.
  package static func open(path: String, newID: UInt64) throws -> (storage: RegionStorage, catalogue: RegionCatalogue) {
    do {
      let storage = try RegionStorage(path: path, newID: newID)
      return (storage, try storage.catalogue())
    } catch let error as SQLiteError where error.isCorrupt && !Database.isInMemory(path) {
      let aside = try DamagedFile.moveAside(path)
      return (try RegionStorage(path: path, newID: newID, damaged: aside), .empty)
    }
  }

  // MARK: Sync

  /// The position of the active and of the staged regions.
  package struct Position: Sendable, Hashable {
    /// The cursor of the active regions; `nil`: never synced.
    package var cursor: String?
    package var epoch: String?
    /// The entity tag of the last response, for conditional requests.
    package var tag: String?
    /// The query of the active regions. Another query needs another copy.
    package var query: String?
    /// The cursor of the next page; `nil`: no sync has begun.
    package var staged: String?
    /// Whether the staged pages are a full copy, and not changes of the active regions.
    package var isStagedWhole = false
    /// The epoch of the staged pages.
    package var stagedEpoch: String?
    /// The query of the staged pages.
    package var stagedQuery: String?
  }

  package func position() throws -> Position {
    try lock.withLock {
      var position = Position()
      // A server without regions returns an empty cursor.
      position.cursor = try value("cursor").flatMap { $0.isEmpty ? nil : $0 }
      position.epoch = try value("epoch")
      position.tag = try value("tag")
      position.query = try value("query")
      position.staged = try value("staged_cursor")
      position.isStagedWhole = try value("staged_whole") != nil
      position.stagedEpoch = try value("staged_epoch")
      position.stagedQuery = try value("staged_query")
      return position
    }
  }

  /// A page of a sync.
  package struct Page: Sendable {
    /// The changes, in order.
    package var nodes: [RegionPage.Node]
    package var epoch: String
    /// The cursor of the next page.
    package var cursor: String
    /// Whether it is the first page of a full copy. Earlier staged and active regions are not part of the copy.
    package var isBeginning: Bool
    /// The expected digest after the last page; `nil`: more pages follow.
    package var digest: RegionDigest?
    package var tag: String?
    package var query: String?
    /// The texts, as the server wrote them, of regions with unknown members, by id.
    package var texts: [String: [UInt8]]

    package init(
      nodes: [RegionPage.Node] = [], epoch: String, cursor: String, isBeginning: Bool = false, digest: RegionDigest? = nil,
      tag: String? = nil, query: String? = nil, texts: [String: [UInt8]] = [:]
    ) {
      (self.nodes, self.epoch, self.cursor, self.isBeginning) = (nodes, epoch, cursor, isBeginning)
      (self.digest, self.tag, self.query, self.texts) = (digest, tag, query, texts)
    }
  }

  /// The result of a page.
  package enum Staging: Sendable, Hashable {
    /// More pages follow.
    case staged
    /// The active regions have changed.
    case swapped
    /// Nothing changed.
    case unchanged
    /// The digest differs. The staged pages were discarded, and a full copy is needed.
    case mismatch(RegionDigest)
  }

  /// Stages a page. The last page activates all staged regions in one transaction.
  /// - Throws: `SQLiteError`; nothing was changed then.
  package func stage(_ page: Page) throws -> Staging {
    try lock.withLock {
      var result = Staging.staged
      do {
        try database.transaction {
          if page.isBeginning { try discardStaged() }
          if page.isBeginning { try write("staged_whole", "1") }
          for node in page.nodes {
            switch node {
            case .region(let region, _): try stage(region, page.texts[region.id])
            case .deleted(let id, _): try stage(removalOf: id)
            }
          }
          try write("staged_cursor", page.cursor)
          try write("staged_epoch", page.epoch)
          try write("staged_query", page.query)
          guard let digest = page.digest else { return }
          result = try swap(page, digest)
        }
      } catch let mismatch as Mismatch {
        // The transaction is rolled back: the active regions and their cursor stay.
        try database.transaction { try discardStaged() }
        return .mismatch(mismatch.found)
      }
      return result
    }
  }

  /// The digest differs from the digest of the server.
  private struct Mismatch: Error {
    var found: RegionDigest
  }

  /// Discards staged pages.
  package func discard() throws { try lock.withLock { try database.transaction { try discardStaged() } } }

  /// Discards staged pages. Requires the lock and a transaction.
  private func discardStaged() throws {
    try database.run("DELETE FROM staged_regions")
    for key in ["staged_cursor", "staged_whole", "staged_epoch", "staged_query"] { try write(key, nil) }
  }

  private static let separator: Character = "\u{1F}"

  /// - Parameters:
  ///   - region: the decoded region.
  ///   - text: the text from a newer server. It is stored unchanged for later versions that can decode all of it.
  private func stage(_ region: Region, _ text: [UInt8]?) throws {
    let row = try database.statement(
      "INSERT OR REPLACE INTO staged_regions (removed, \(RegionStorageSchema.columns)) VALUES (0,?,?,?,?,?,?,?,?,?)")
    row.bind(region.id, at: 1)
    row.bind((text.map { RegionDigest(id: region.id, json: $0) } ?? RegionDigest(of: region)).bytes, at: 2)
    row.bind(region.name, at: 3)
    row.bind(region.tags.joined(separator: String(Self.separator)), at: 7)
    row.bind(region.dwell, at: 8)
    if case .circle(let circle) = region.shape {
      row.bind(circle.center.latitude, at: 4)
      row.bind(circle.center.longitude, at: 5)
      row.bind(circle.radius, at: 6)
    } else {
      for column in 4...6 as ClosedRange<Int32> { row.bindNull(at: column) }
    }
    if let text {
      row.bind(String(decoding: text, as: UTF8.self), at: 9)
    } else if Self.isPlain(region) {
      row.bindNull(at: 9)
    } else {
      var bytes: [UInt8] = []
      RegionJSON.write(region, into: &bytes)
      row.bind(String(decoding: bytes, as: UTF8.self), at: 9)
    }
    try row.runAndReset()
  }

  private func stage(removalOf id: String) throws {
    try database.run("INSERT OR REPLACE INTO staged_regions (id, removed, hash, name, tags) VALUES (?, 1, x'', '', '')", id)
  }

  /// Whether the columns contain the whole region. Parsing JSON text takes ten times as long.
  private static func isPlain(_ region: Region) -> Bool {
    guard case .circle = region.shape, region.schedule == nil, region.extras == nil else { return false }
    return !region.tags.contains { $0.contains(separator) || $0.isEmpty }
  }

  /// Activates the staged regions. - Throws: ``Mismatch`` if the digest differs from the expected one.
  private func swap(_ page: Page, _ expected: RegionDigest) throws -> Staging {
    let isWhole = try value("staged_whole") != nil
    var digest = isWhole ? RegionDigest.empty : RegionDigest(try value("digest") ?? "") ?? .empty
    var hasChanges = false
    let changes = try database.statement(
      isWhole
        ? "SELECT hash, x'' AS former_hash FROM staged_regions WHERE removed = 0"
        : "SELECT staged_regions.hash, coalesce(regions.hash, x'') AS former_hash FROM staged_regions LEFT JOIN regions ON regions.id = staged_regions.id"
    )
    while try changes.step() {
      let (new, old) = try (RegionDigest(bytes: changes.blob("hash")), RegionDigest(bytes: changes.blob("former_hash")))
      digest.toggle(new)
      digest.toggle(old)
      if new != old { hasChanges = true }
    }
    changes.reset()
    guard digest == expected else { throw Mismatch(found: digest) }
    let before = try value("digest")
    if isWhole {
      hasChanges = before != digest.description
      if hasChanges { try database.run("DELETE FROM regions") }
    }
    if hasChanges {
      try database.run("DELETE FROM regions WHERE id IN (SELECT id FROM staged_regions WHERE removed = 1)")
      try database.run(
        """
        INSERT OR REPLACE INTO regions (\(RegionStorageSchema.columns))
        SELECT \(RegionStorageSchema.columns) FROM staged_regions WHERE removed = 0 ORDER BY id
        """)
    }
    try discardStaged()
    try write("digest", digest.description)
    try write("cursor", page.cursor)
    try write("epoch", page.epoch)
    try write("tag", page.tag)
    try write("query", page.query)
    return hasChanges || before == nil ? .swapped : .unchanged
  }

  // MARK: Active regions

  /// Returns the active regions with their digest, which is empty if the device has never synced. A damaged row is skipped.
  package func catalogue() throws -> RegionCatalogue {
    try lock.withLock {
      // A transaction, so that both queries see the same state.
      try database.transaction {
        let count = Int(try database.integer("SELECT count(*) FROM regions") ?? 0)
        let digest = try value("digest").flatMap { RegionDigest($0) }?.description ?? ""
        return try RegionCatalogue(capacity: count, digest: digest) { take in
          let row = try database.statement("SELECT \(RegionStorageSchema.columns) FROM regions ORDER BY id")
          defer { row.reset() }
          // Thousands of regions share their tags, so each text of tags is decoded once.
          var known: [String: [String]] = [:]
          while try row.step() { if let region = try Self.region(row, &known) { take(region) } }
        }
      }
    }
  }

  private static func region(_ row: Statement, _ known: inout [String: [String]]) throws -> Region? {
    if let detail = try row.optionalText("detail") { return try? RegionJSON.readStored(Array(detail.utf8)) }
    let center = try Coordinate(latitude: row.double("latitude"), longitude: row.double("longitude"))
    guard let center else { return nil }
    let text = try row.text("tags")
    let tags = known[text] ?? (text.isEmpty ? [] : text.split(separator: separator).map(String.init))
    if known.count < maximumKnownTags { known[text] = tags }
    return try Region(
      id: row.text("id"), name: row.text("name"), shape: .circle(Circle(center: center, radius: row.double("radius"))),
      tags: tags, dwell: row.optionalDouble("dwell"))
  }

  private static let maximumKnownTags = 1000

  // MARK: State of the evaluation

  /// An event with its number in the file.
  package struct NumberedEvent: Sendable, Hashable {
    package var number: Int64
    package var event: RegionEvent
  }

  /// Stores the state of the evaluation and its events in one transaction. After a kill, either both or neither are stored.
  /// - Parameters:
  ///   - memory: the state; `nil`: none.
  ///   - events: the events.
  /// - Returns: the events with their numbers.
  /// - Throws: `SQLiteError`; nothing was written then.
  package func store(memory: String?, events: [RegionEvent]) throws -> [NumberedEvent] {
    try lock.withLock {
      try database.transaction {
        try write("watch", memory)
        var numbered: [NumberedEvent] = []
        for event in events {
          let text = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
          try database.run("INSERT INTO events (event) VALUES (?)", text)
          numbered.append(NumberedEvent(number: database.lastInsertedRow, event: event))
        }
        if let last = numbered.last { try database.run("DELETE FROM events WHERE number <= ?", last.number - Self.maximumEvents) }
        return numbered
      }
    }
  }

  /// Returns the stored state of the evaluation; `nil`: there is none.
  package func memory() throws -> String? { try lock.withLock { try value("watch") } }

  /// Returns the events after a number.
  package func events(after number: Int64) throws -> [NumberedEvent] {
    try lock.withLock {
      let row = try database.statement("SELECT number, event FROM events WHERE number > ? ORDER BY number")
      row.bind(number, at: 1)
      defer { row.reset() }
      var events: [NumberedEvent] = []
      while try row.step() {
        // A damaged row is skipped.
        let text = try row.text("event")
        guard let event = try? JSONDecoder().decode(RegionEvent.self, from: Data(text.utf8)) else { continue }
        events.append(NumberedEvent(number: try row.integer("number"), event: event))
      }
      return events
    }
  }

  /// Removes the events up to a number, because the journal has them.
  package func discardEvents(through number: Int64) throws {
    try lock.withLock { try database.run("DELETE FROM events WHERE number <= ?", number) }
  }

  /// Stores a value of the sync; `nil` removes it.
  package func remember(_ key: String, _ value: String?) throws { try lock.withLock { try write("own " + key, value) } }
  package func remembered(_ key: String) throws -> String? { try lock.withLock { try value("own " + key) } }

  /// Stops all writing, to simulate a program that was killed.
  package func freeze() { lock.withLock { try? database.execute("PRAGMA query_only = ON") } }

  /// Gives access to the database, for tests of disk errors.
  package func withDatabase(_ body: (Database) throws -> Void) throws { try lock.withLock { try body(database) } }

  // MARK: Stored values. They require the lock

  private func value(_ key: String) throws -> String? { try database.text("SELECT value FROM stored_values WHERE key = ?", key) }

  private func write(_ key: String, _ value: String?) throws {
    if let value {
      try database.run(
        "INSERT INTO stored_values (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
    } else {
      try database.run("DELETE FROM stored_values WHERE key = ?", key)
    }
  }
}
