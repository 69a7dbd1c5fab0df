internal import Foundation
package import GodwitAccounts
internal import GodwitHistory
internal import GodwitModel
package import GodwitStore
internal import GodwitVisits

/// Deletes shared contexts of points, and addresses, that no remaining record needs.
package struct DeletionRemains: Sendable {
  package let database: any StoreDatabase
  /// The entry of the trash that receives addresses; `nil`: they are deleted permanently.
  package let trash: Int64?

  /// Rows in one transaction.
  private static let step = 1_000

  /// - Parameter contexts: the contexts of deleted points; `nil`: unknown, so that all contexts are examined.
  package func clear(_ contexts: Set<Int64>?) throws {
    try clearContexts(contexts)
    try clearAddresses()
  }

  /// Contexts contain names of networks, trips and devices. A context is first retired: from then on, no server stores a
  /// new point that refers to it. After that, retired contexts without points are deleted. The points are read while other
  /// transactions write.
  private func clearContexts(_ wanted: Set<Int64>?) throws {
    let candidates = try database.read { db in
      let there = Set(try db.all("SELECT id FROM contexts") { try $0.integer("id") })
      return try Self.unused(wanted.map { there.intersection($0) } ?? there, db)
    }
    guard !candidates.isEmpty else { return }
    try inParts(candidates) { part, connection in
      for id in part { try connection.run("UPDATE contexts SET retired = 1 WHERE id = ?", id) }
      try FilterVersion.increment(connection)
    }
    let unused = try database.read { try Self.unused(candidates, $0) }
    try inParts(unused) { part, connection in
      for id in part { try connection.run("DELETE FROM contexts WHERE id = ?", id) }
    }
  }

  /// Returns the contexts to which no point refers. If a block is damaged, the contexts of its points are unknown, and no
  /// context counts as unused. A later deletion removes them.
  private static func unused(_ contexts: Set<Int64>, _ db: any SQLConnection) throws -> Set<Int64> {
    guard !contexts.isEmpty else { return [] }
    var unused = contexts
    try db.forEach("SELECT DISTINCT context FROM points WHERE context IS NOT NULL") {
      try unused.remove($0.integer("context"))
    }
    do { try BlockTable.forEachContext(db) { unused.remove($0) } } catch is DamagedBlock { return [] }
    return unused
  }

  /// Deletes addresses, which reveal a presence. Addresses with a remaining visit in their square stay.
  private func clearAddresses() throws {
    let gone = try database.read { db -> Set<AddressTable.Square> in
      var squares = Set(
        try db.all("SELECT north, east FROM addresses") {
          try AddressTable.Square(row: $0.integer("north"), column: $0.integer("east"))
        })
      guard !squares.isEmpty else { return [] }
      try db.forEach("SELECT latitude, longitude FROM visits") { row in
        let place = try Coordinate(
          latitude: Double(row.integer("latitude")) / 1e7, longitude: Double(row.integer("longitude")) / 1e7)
        if let place { squares.remove(AddressTable.Square(place)) }
      }
      return squares
    }
    try inParts(gone) { [trash] part, connection in
      try TrashBin.filled(trash, connection) { bin in
        for square in part { try bin.remove("addresses", where: "north = ? AND east = ?", square.row, square.column) }
      }
    }
  }

  private func inParts<Element: Sendable>(
    _ all: some Collection<Element>, _ body: @escaping @Sendable ([Element], any SQLConnection) throws -> Void
  ) throws {
    var rest = Array(all)[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(Self.step))
      rest = rest.dropFirst(part.count)
      try database.writeAndWait { try body(part, $0) }
    }
  }
}

/// Counts stored points in a private zone.
package enum StoredPointsInside {
  /// Returns the number of points of a device.
  ///
  /// - Parameters:
  ///   - zone: the zone. Points that it has already coarsened are not counted.
  ///   - device: the device of the points.
  ///   - db: the database.
  package static func count(_ zone: PrivacyZone, device: Int64, _ db: any SQLConnection) throws -> Int {
    let reported = PreparedZone(zone.options).reported
    let (latitude, longitude) = (PointRow.exact(reported.latitude, by: 1e7), PointRow.exact(reported.longitude, by: 1e7))
    let points = DeletionPoints(PointSelection(device: device, area: .shape(zone.options.shape)))
    var (count, after): (Int, PointKey?) = (0, nil)
    repeat {
      let page = try points.page(after: after, db)
      count +=
        zone.options.action == .drop
        ? page.points.count : page.points.filter { $0.key.latitude != latitude || $0.key.longitude != longitude }.count
      after = page.next
    } while after != nil
    return count
  }

  /// Returns the number of points of all devices of the zone's account.
  package static func count(_ zone: PrivacyZone, _ db: any SQLConnection) throws -> Int {
    try DeletionRun.devices(of: zone.account, db).reduce(0) { try $0 + count(zone, device: $1, db) }
  }
}
