package import GodwitStore
internal import GodwitWire

/// The digests of regions in a database: one for each region, and one for all.
package enum RegionDigests {
  /// Recomputes the digests, because development builds used another algorithm. The sync state of devices is reset to no
  /// regions; the next sync corrects it.
  /// - Parameter db: a connection in a transaction.
  package static func recompute(_ db: any SQLConnection) throws {
    let regions = try db.all("SELECT revision, id, json FROM regions WHERE json IS NOT NULL") {
      try (revision: $0.integer("revision"), id: $0.text("id"), json: $0.blob("json"))
    }
    var all = RegionDigest.empty
    for region in regions {
      let digest = RegionDigest(id: region.id, json: region.json)
      all.toggle(digest)
      try db.run("UPDATE regions SET hash = ? WHERE revision = ?", digest.bytes, region.revision)
    }
    try db.run("UPDATE region_status SET digest = ?", all.bytes)
    try db.run("UPDATE region_syncs SET digest = ?", RegionDigest.empty.bytes)
  }
}
