internal import Foundation
internal import GodwitModel
internal import GodwitWire

/// Selects the regions of a device: those with one of the tags and with no excluded tag, and the named ones. Without
/// tags and names: all but the excluded.
public struct RegionRule: Sendable, Hashable, Codable {
  /// Tags, any of which is enough.
  public var tags: [String]
  /// Excluded tags; named regions are not affected.
  public var without: [String]
  /// Identifiers of regions that are included regardless of tags.
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
  /// The device's own rule. Empty and without groups, it selects all regions. A user's device without any rule gets
  /// only the regions of its own app.
  public var rule: RegionRule
  /// Names of groups whose regions the device also gets. An unknown group has none.
  public var groups: [String]
  /// Whether the server evaluates the device's positions; `nil`: only as long as the device has never synced regions.
  public var evaluates: Bool?

  public init(rule: RegionRule = RegionRule(), groups: [String] = [], evaluates: Bool? = nil) {
    self.rule = rule
    self.groups = groups
    self.evaluates = evaluates
  }
}

/// A filter that the reader sets within its rule.
public struct RegionFilter: Sendable, Hashable, Codable {
  /// Tags, any of which is enough; none: all.
  public var tags: [String]
  public var without: [String]

  public init(tags: [String] = [], without: [String] = []) {
    self.tags = tags
    self.without = without
  }
}

/// The regions of one reader: the combination of all rules.
package struct RegionScope: Sendable, Hashable {
  /// The filters of the rules.
  private var parts: [TagFilter]
  /// The filter of the reader.
  private var limit: TagFilter
  /// Regions that are included regardless of tags.
  package let singles: Set<String>
  /// The tag of regions from the device's own app, which the rules do not affect; `nil`: the administrator, which sees the regions of all
  /// apps.
  package let own: String?
  /// The name in cursors: equal rules have equal names.
  package let name: String

  /// The scope of all regions.
  package static let everything = RegionScope(rule: nil, groups: [:], filter: RegionFilter(), own: nil)

  /// - Parameters:
  ///   - rule: the device's rule; `nil`: none, or the reader is the administrator.
  ///   - groups: the rules of all groups.
  ///   - filter: the reader's filter.
  ///   - own: ``own``.
  ///   - isMembers: whether the device belongs to a user, whose devices get regions of the administrator only by a
  ///     rule.
  package init(
    rule device: DeviceRegionRule?, groups: [String: RegionRule], filter: RegionFilter, own: String?, isMembers: Bool = false
  ) {
    self.own = own
    let givesNothing = device == nil && isMembers
    let device = device ?? DeviceRegionRule()
    var rules = Set(device.groups).sorted().compactMap { groups[$0] }
    if !device.rule.tags.isEmpty || !device.rule.regions.isEmpty || device.groups.isEmpty { rules.append(device.rule) }
    // A rule with only named regions selects no others.
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
  /// Whether all regions are included except those of other devices' apps.
  package var hasEverythingOfUser: Bool { limit.isEmpty && parts.contains { $0.isEmpty } }

  /// Whether the scope contains a region.
  package func contains(id: String, tags: [String]) -> Bool {
    if !singles.isEmpty, singles.contains(id) { return true }
    guard limit.includes(tags) else { return false }
    if let own {
      if tags.contains(own) { return true }
      // Regions of another device's app are included only by an explicit tag.
      if AppRegions.areTheirs(tags) { return parts.contains { !$0.wanted.isEmpty && $0.includes(tags) } }
    }
    return parts.contains { $0.includes(tags) }
  }

  /// Tags of which each region of the scope has at least one, named regions aside; `nil`: no such tags.
  var leadingTags: Set<String>? {
    if !limit.wanted.isEmpty { return limit.wanted }
    if parts.contains(where: { $0.wanted.isEmpty }) { return nil }
    return parts.reduce(into: own.map { [$0] } ?? []) { $0.formUnion($1.wanted) }
  }
}
