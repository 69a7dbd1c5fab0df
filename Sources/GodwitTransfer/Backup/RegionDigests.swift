package import GodwitStore
internal import GodwitWire

/// The digests of regions in a database: of each region, and of all.
package enum RegionDigests {
  /// Computes them again, because development builds computed them otherwise. Devices are as if they had synced with no region: the
  /// next sync corrects that.
  /// - Parameter db: in a transaction.
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
