internal import Foundation
package import GodwitRoads
package import GodwitStore
internal import Synchronization

/// The file of roads of a store. Distances are measured along its roads, and trains are recognized by its rails.
///
/// The store contains the path and the checksum of the file, so that every program that computes timelines uses the same roads. A
/// program that does not find the file measures distances straight from position to position.
package final class RoadLibrary: Sendable {
  /// The chosen file, and its content when it was chosen.
  package struct Choice: Sendable, Hashable {
    package var path: String
    package var checksum: Int64
    package var bytes: Int64

    fileprivate init(path: String, _ graph: RoadGraph) {
      (self.path, checksum, bytes) = (path, Int64(graph.checksum), Int64(graph.byteCount))
    }

    fileprivate init(_ row: any SQLRow) throws {
      (path, checksum, bytes) = try (row.text("path"), row.integer("checksum"), row.integer("bytes"))
    }

    /// Whether the roads are the same, regardless of the path.
    fileprivate func hasSameRoads(as other: Choice) -> Bool { checksum == other.checksum && bytes == other.bytes }
  }

  package static let sqlite = """
    -- The file of roads for distances of trips; at most one row.
    CREATE TABLE roads (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      path TEXT NOT NULL,
      checksum INTEGER NOT NULL,
      bytes INTEGER NOT NULL
    ) STRICT;
    """

  package static let postgres = """
    CREATE TABLE roads (
      id BIGINT PRIMARY KEY CHECK (id = 1),
      path TEXT NOT NULL,
      checksum BIGINT NOT NULL,
      bytes BIGINT NOT NULL
    );
    """

  /// SQL for both databases: marks all days as dirty if a file of roads is chosen, because trips on its rails become train trips.
  package static let recomputation = TimelineTables.recomputation(where: "EXISTS (SELECT 1 FROM roads)")

  /// An open file.
  package struct OpenFile: Sendable {
    package let choice: Choice
    fileprivate let roads: TripRoads

    package init(path: String, _ graph: RoadGraph) { (choice, roads) = (Choice(path: path, graph), TripRoads(graph)) }
  }

  /// The last chosen file, and its roads if the file was found.
  private struct Last: Sendable {
    var choice: Choice
    var roads: TripRoads?
  }

  private let last = Mutex<Last?>(nil)

  package init() {}

  /// Returns the roads of the file that the store refers to; `nil` if there is none, or the file is missing or was changed.
  package func roads(_ db: any SQLConnection) throws -> TripRoads? {
    guard let choice = try Self.choice(db) else { return nil }
    return last.withLock { last in
      if let last, last.choice == choice { return last.roads }
      let file = (try? RoadGraph(path: choice.path)).map { OpenFile(path: choice.path, $0) }
      // A file that was replaced is not the chosen one, until the program that replaced it chooses it.
      last = Last(choice: choice, roads: file?.choice == choice ? file?.roads : nil)
      return last?.roads
    }
  }

  /// Caches a file that is already open, so that it is not read and checked again; `nil` releases the cached file.
  package func replace(with file: OpenFile?) { last.withLock { $0 = file.map { Last(choice: $0.choice, roads: $0.roads) } } }

  /// Returns the file that the store refers to.
  package static func choice(_ db: any SQLConnection) throws -> Choice? {
    try db.first("SELECT path, checksum, bytes FROM roads WHERE id = 1") { try Choice($0) }
  }

  /// Chooses a file, or none. If the roads change, trips are marked to be computed again.
  package static func choose(_ choice: Choice?, _ db: any SQLConnection) throws {
    let before = try Self.choice(db)
    guard choice != before else { return }
    try db.run("DELETE FROM roads WHERE id = 1")
    if let choice {
      try db.run("INSERT INTO roads (id, path, checksum, bytes) VALUES (1, ?, ?, ?)", choice.path, choice.checksum, choice.bytes)
    }
    if let choice, let before, choice.hasSameRoads(as: before) { return }
    try recordTrips(db)
  }

  /// Marks the days of all trips as dirty, and the newest day of each device, whose trip may be incomplete.
  private static func recordTrips(_ db: any SQLConnection) throws {
    let days = """
      SELECT device, day FROM trips WHERE day <> \(TimelineTables.openDay)
      UNION SELECT device, max(day) AS day FROM timeline_days GROUP BY device
      """
    // Without WHERE, SQLite parses ON CONFLICT as the ON of a join.
    try db.run(
      """
      INSERT INTO dirty_days (device, day, since, queued, changed, revision)
      SELECT device, day, day * 86400000, 0, 0, 1 FROM (\(days)) AS found WHERE true
      ON CONFLICT (device, day) DO UPDATE SET queued = 0, revision = dirty_days.revision + 1
      """)
  }
}
