internal import Foundation
internal import GodwitModel
internal import GodwitWire

/// Selects the regions of a device: those that have one of the tags and no excluded tag, and the named ones. Without tags and
/// names, all regions are selected except the excluded ones.
public struct RegionRule: Sendable, Hashable, Codable {
  /// The tags. A region needs one of them.
  public var tags: [String]
  /// The excluded tags. They do not affect named regions.
  public var without: [String]
  /// The identifiers of regions that are included regardless of tags.
  public var regions: [String]

  public init(tags: [String] = [], without: [String] = [], regions: [String] = []) {
    self.tags = tags
    self.without = without
    self.regions = regions
  }

  /// Whether the rule is empty.
  public var isEmpty: Bool { tags.isEmpty && without.isEmpty && regions.isEmpty }
}

/// The settings of a device's regions.
public struct DeviceRegionRule: Sendable, Hashable, Codable {
  /// The own rule of the device. If it is empty and there are no groups, it selects all regions. A device of a user without any
  /// rule gets only the regions of its own app.
  public var rule: RegionRule
  /// The names of groups whose regions the device also gets. An unknown group has no regions.
  public var groups: [String]
  /// Whether the server evaluates the positions of the device; `nil`: only while the device has never synced regions.
  public var evaluates: Bool?

  public init(rule: RegionRule = RegionRule(), groups: [String] = [], evaluates: Bool? = nil) {
    self.rule = rule
    self.groups = groups
    self.evaluates = evaluates
  }
}

/// A filter that the reader requests within its rule.
public struct RegionFilter: Sendable, Hashable, Codable {
  /// The tags. A region needs one of them; empty: all regions.
  public var tags: [String]
  public var without: [String]

  public init(tags: [String] = [], without: [String] = []) {
    self.tags = tags
    self.without = without
  }
}

/// The regions of one reader: the result of all rules.
package struct RegionScope: Sendable, Hashable {
  /// The filters of the rules.
  private var parts: [TagFilter]
  /// The filter that the reader requests, with the excluded tags of the device.
  private var limit: TagFilter
  /// The identifiers of regions that are included regardless of tags.
  package let singles: Set<String>
  /// The tag of regions from the own app of the device, which the rules do not affect; `nil`: the administrator, which gets the
  /// regions of all apps.
  package let own: String?
  /// The name of the scope in cursors. Equal rules have equal names.
  package let name: String

  /// The scope of all regions.
  package static let everything = RegionScope(rule: nil, groups: [:], filter: RegionFilter(), own: nil)

  /// - Parameters:
  ///   - rule: the rule of the device; `nil`: none, or the reader is the administrator.
  ///   - groups: the rules of all groups, by name.
  ///   - filter: the filter of the reader.
  ///   - own: ``own``.
  ///   - isMembers: whether the device belongs to a user. Such a device gets regions of the administrator only by a rule.
  package init(
    rule device: DeviceRegionRule?, groups: [String: RegionRule], filter: RegionFilter, own: String?, isMembers: Bool = false
  ) {
    self.own = own
    let givesNothing = device == nil && isMembers
    let device = device ?? DeviceRegionRule()
    var rules = Set(device.groups).sorted().compactMap { groups[$0] }
    if !device.rule.tags.isEmpty || !device.rule.regions.isEmpty || device.groups.isEmpty { rules.append(device.rule) }
    // A rule that only names regions selects no other regions.
    parts =
      givesNothing
      ? []
      : rules.filter { !$0.tags.isEmpty || $0.regions.isEmpty }
        .map { TagFilter(wanted: Set($0.tags), without: Set($0.without)) }
    limit = TagFilter(wanted: Set(filter.tags), without: Set(device.rule.without).union(filter.without))
    singles = Set(rules.flatMap(\.regions))
    // Lengths are included, so that different lists of tags give different texts.
    func text(_ set: Set<String>) -> String { set.sorted().reduce("\(set.count)[") { $0 + "\($1.utf8.count):\($1)" } }
    let all =
      (parts.map { text($0.wanted) + text($0.without) }.sorted() + [text(limit.wanted), text(limit.without), text(singles)])
      .joined(separator: "]")
    name = RegionDigest.hex(RegionDigest(id: "scope", json: Array(all.utf8)).high)
  }

  /// Whether all regions are included.
  package var isEverything: Bool { own == nil && hasEverythingOfUser }
  /// Whether all regions are included, except those of the apps of other devices.
  package var hasEverythingOfUser: Bool { limit.isEmpty && parts.contains { $0.isEmpty } }

  /// Whether the scope contains a region.
  package func contains(id: String, tags: [String]) -> Bool {
    if !singles.isEmpty, singles.contains(id) { return true }
    guard limit.includes(tags) else { return false }
    if let own {
      if tags.contains(own) { return true }
      // Regions from the app of another device are included only by an explicit tag.
      if AppRegions.areTheirs(tags) { return parts.contains { !$0.wanted.isEmpty && $0.includes(tags) } }
    }
    return parts.contains { $0.includes(tags) }
  }

  /// The tags of which each region of the scope has at least one, except for named regions; `nil`: there are no such tags.
  var leadingTags: Set<String>? {
    if !limit.wanted.isEmpty { return limit.wanted }
    if parts.contains(where: { $0.wanted.isEmpty }) { return nil }
    return parts.reduce(into: own.map { [$0] } ?? []) { $0.formUnion($1.wanted) }
  }
}
