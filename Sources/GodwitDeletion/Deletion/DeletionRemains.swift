internal import Foundation
package import GodwitAccounts
internal import GodwitHistory
internal import GodwitModel
package import GodwitStore
internal import GodwitVisits

/// What many points share, and what is kept of places: deleted when nothing of what is left needs it.
package struct DeletionRemains: Sendable {
  package let database: any StoreDatabase
  /// The entry of the trash that addresses go into; `nil`: they are deleted permanently.
  package let trash: Int64?

  /// Rows in one transaction.
  private static let step = 1_000

  /// - Parameter contexts: those that deleted points had; `nil`: it is not known which, and all are examined.
  package func clear(_ contexts: Set<Int64>?) throws {
    try clearContexts(contexts)
    try clearAddresses()
  }

  /// Contexts have names of networks, trips and devices. A context is first taken out of use: no new point refers to it from then
  /// on, in whatever server. What no point refers to afterwards is deleted. The points are looked through while others write.
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

  /// The contexts among these that no point refers to. While a block is damaged it is not known which its points refer to, and none counts as unused;
  /// a later deletion finds them.
  private static func unused(_ contexts: Set<Int64>, _ db: any SQLConnection) throws -> Set<Int64> {
    guard !contexts.isEmpty else { return [] }
    var unused = contexts
    try db.forEach("SELECT DISTINCT context FROM points WHERE context IS NOT NULL") {
      try unused.remove($0.integer("context"))
    }
    do { try BlockTable.forEachContext(db) { unused.remove($0) } } catch is DamagedBlock { return [] }
    return unused
  }

  /// Addresses show a presence: those with a visit left in their square stay.
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

/// How many stored points lie in a private zone.
package enum StoredPointsInside {
  /// - Parameters:
  ///   - zone: of which points that it blurred already are not counted.
  ///   - device: the device of the points.
  ///   - db: where they are.
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

  /// The same of all devices of the zone's account.
  package static func count(_ zone: PrivacyZone, _ db: any SQLConnection) throws -> Int {
    try DeletionRun.devices(of: zone.account, db).reduce(0) { try $0 + count(zone, device: $1, db) }
  }
}
