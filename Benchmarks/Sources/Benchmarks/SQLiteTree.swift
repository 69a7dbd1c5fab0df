import CSpatialSQLite
import Foundation
import GodwitModel

/// Circles in an R*Tree of SQLite in memory, for comparison. The tree has a box around each circle and is queried with boxes; then exact
/// distances are computed. The box of a circle at a pole or across the antimeridian extends around the earth.
final class SQLiteTree {
  struct Failure: Error {
    var message: String
  }

  private let circles: [Circle]
  private var database: OpaquePointer?
  private var query: OpaquePointer?
  private static let degree = GreatCircle.earthRadius * .pi / 180

  /// - Parameter circles: the circles, which are inserted in one transaction.
  init(_ circles: [Circle]) throws {
    self.circles = circles
    try check(sqlite3_open(":memory:", &database))
    try run("CREATE VIRTUAL TABLE tree USING rtree(id, west, east, south, north)")
    try run("BEGIN")
    var insert: OpaquePointer?
    try check(sqlite3_prepare_v2(database, "INSERT INTO tree VALUES (?, ?, ?, ?, ?)", -1, &insert, nil))
    defer { sqlite3_finalize(insert) }
    for (position, circle) in circles.enumerated() {
      let box = Self.box(around: circle.center, circle.radius)
      sqlite3_bind_int64(insert, 1, Int64(position))
      bind(box, to: insert, from: 2)
      guard sqlite3_step(insert) == SQLITE_DONE else { throw failure }
      sqlite3_reset(insert)
    }
    try run("COMMIT")
    try check(
      sqlite3_prepare_v2(
        database, "SELECT id FROM tree WHERE east >= ? AND west <= ? AND north >= ? AND south <= ?", -1, &query, nil))
  }

  deinit {
    sqlite3_finalize(query)
    sqlite3_close_v2(database)
  }

  /// The bytes that SQLite has allocated.
  var memory: Int64 { sqlite3_memory_used() }

  /// West, east, south, north.
  private static func box(around center: Coordinate, _ distance: Meters) -> (Double, Double, Double, Double) {
    // A millionth more, because the formula for the width has other rounding errors than that for distances.
    let angle = distance / degree * 1.000001 + 1e-6
    let (south, north) = (center.latitude - angle, center.latitude + angle)
    guard south > -90, north < 90 else { return (-180, 180, south, north) }
    let width = asin(sin(angle * .pi / 180) / cos(center.latitude * .pi / 180)) * 180 / .pi
    let (west, east) = (center.longitude - width, center.longitude + width)
    return west < -180 || east > 180 ? (-180, 180, south, north) : (west, east, south, north)
  }

  private func bind(_ box: (Double, Double, Double, Double), to statement: OpaquePointer?, from first: Int32) {
    sqlite3_bind_double(statement, first, box.0)
    sqlite3_bind_double(statement, first + 1, box.1)
    sqlite3_bind_double(statement, first + 2, box.2)
    sqlite3_bind_double(statement, first + 3, box.3)
  }

  /// Returns the circles that may be within a distance of a place, each with its exact distance.
  private func candidates(_ place: Coordinate, _ distance: Meters) -> [CapIndex.Neighbor] {
    var found: [CapIndex.Neighbor] = []
    bind(Self.box(around: place, distance), to: query, from: 1)
    // The query has the eastern bound first: east ≥ the box's west, west ≤ its east.
    while sqlite3_step(query) == SQLITE_ROW {
      let position = Int(sqlite3_column_int64(query, 0))
      found.append(CapIndex.Neighbor(position: Int32(position), distanceToEdge: circles[position].distanceToEdge(from: place)))
    }
    sqlite3_reset(query)
    return found
  }

  func containing(_ place: Coordinate) -> [CapIndex.Neighbor] { candidates(place, 0).filter { $0.distanceToEdge <= 0 } }

  /// - Parameters:
  ///   - k: the maximum number of results.
  ///   - place: the place from which distances are measured.
  ///   - first: metres of the first query. The distance is doubled until no circle outside of it can be nearer.
  func nearest(_ k: Int, to place: Coordinate, first: Meters) -> [CapIndex.Neighbor] {
    var distance = first
    while true {
      let found = candidates(place, distance).filter { $0.distanceToEdge <= distance }
      if found.count >= k || distance > 20_100_000 { return LinearScan.nearest(k, of: found) }
      distance *= 2
    }
  }

  private func run(_ sql: String) throws { try check(sqlite3_exec(database, sql, nil, nil, nil)) }
  private func check(_ code: Int32) throws { if code != SQLITE_OK { throw failure } }
  private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(database))) }
}

/// A scan of every circle, for comparison.
enum LinearScan {
  static func nearest(_ k: Int, to place: Coordinate, of circles: [Circle]) -> [CapIndex.Neighbor] {
    nearest(
      k,
      of: circles.lazy.enumerated().map {
        CapIndex.Neighbor(position: Int32($0.offset), distanceToEdge: $0.element.distanceToEdge(from: place))
      })
  }

  static func containing(_ place: Coordinate, of circles: [Circle]) -> [Int32] {
    circles.indices.filter { circles[$0].contains(place) }.map { Int32($0) }
  }

  /// Returns the nearest, by insertion into a list of k.
  static func nearest(_ k: Int, of all: some Sequence<CapIndex.Neighbor>) -> [CapIndex.Neighbor] {
    var best: [CapIndex.Neighbor] = []
    for neighbor in all {
      if best.count == k, let last = best.last, !isNearer(neighbor, last) { continue }
      let place = best.firstIndex { isNearer(neighbor, $0) } ?? best.count
      best.insert(neighbor, at: place)
      if best.count > k { best.removeLast() }
    }
    return best
  }

  private static func isNearer(_ a: CapIndex.Neighbor, _ b: CapIndex.Neighbor) -> Bool {
    (a.distanceToEdge, a.position) < (b.distanceToEdge, b.position)
  }
}
