package import GodwitStore

/// Regions that were made in an app on a device, and belong to that device. A tag says so, and no other device gets them unless they
/// are named, by another tag or by their id.
package enum AppRegions {
  private static let prefix = "owntracks:"
  /// Characters of a tag, as `RegionRules` has it.
  private static let maximumTag = 64

  /// The tag of what a device's app made. A name that is too long for one is replaced by the store's number.
  package static func tag(of device: Device) -> String {
    let tag = prefix + device.name
    return tag.unicodeScalars.count <= maximumTag ? tag : "\(prefix)#\(device.id)"
  }

  /// Whether tags are those of a device's own region.
  static func areTheirs(_ tags: [String]) -> Bool { tags.contains { $0.hasPrefix(prefix) } }

  /// The condition on a row of `region_tags`.
  package static let condition = "tag >= 'owntracks:' AND tag < 'owntracks;'"

  /// Whether there is any.
  package static func exist(in database: any SQLConnection) throws -> Bool {
    try database.integer("SELECT 1 FROM region_tags WHERE \(condition) LIMIT 1") != nil
  }
}
