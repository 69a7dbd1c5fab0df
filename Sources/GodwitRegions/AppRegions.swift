package import GodwitStore

/// Regions that were created in an app on a device. A tag assigns them to that device. Other devices get them only by another tag
/// or by id.
package enum AppRegions {
  private static let prefix = "owntracks:"
  /// Maximum characters of a tag, as in `RegionRules`.
  private static let maximumTag = 64

  /// Returns the tag of regions from the app of a device. If the name is too long for a tag, the number of the device replaces
  /// it.
  package static func tag(of device: Device) -> String {
    let tag = prefix + device.name
    return tag.unicodeScalars.count <= maximumTag ? tag : "\(prefix)#\(device.id)"
  }

  /// Whether tags contain the tag of an app.
  static func areTheirs(_ tags: [String]) -> Bool { tags.contains { $0.hasPrefix(prefix) } }

  /// The condition on a row of `region_tags`.
  package static let condition = "tag >= 'owntracks:' AND tag < 'owntracks;'"

  /// Whether the store has regions of apps.
  package static func exist(_ db: any SQLConnection) throws -> Bool {
    try db.integer("SELECT 1 FROM region_tags WHERE \(condition) LIMIT 1") != nil
  }
}
