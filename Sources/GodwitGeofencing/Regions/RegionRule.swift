internal import Foundation
internal import GodwitModel

/// Which regions a device gets: those with one of the tags and with none of the unwanted ones, and those that are named.
/// Where neither tags nor regions are named: all but the unwanted.
public struct RegionRule: Sendable, Hashable, Codable {
  /// One of them is enough.
  public var tags: [String]
  /// A region with one of them does not come by its tags.
  public var without: [String]
  /// Identifiers of regions that come whatever their tags are.
  public var regions: [String]

  public init(tags: [String] = [], without: [String] = [], regions: [String] = []) {
    self.tags = tags
    self.without = without
    self.regions = regions
  }

  /// It says nothing.
  public var isEmpty: Bool { tags.isEmpty && without.isEmpty && regions.isEmpty }
}

/// What the owner said about the regions of one device.
public struct DeviceRegionRule: Sendable, Hashable, Codable {
  /// Its own rule. Where it says nothing, and the device is in no group either, the device gets all regions. A device of a member
  /// that has no rule at all gets those of its own app only.
  public var rule: RegionRule
  /// Names of the groups whose regions it gets as well. An unknown group gives none.
  public var groups: [String]
  /// Whether the server itself looks which regions the device's positions are in; `nil`: only as long as the device has
  /// never synced regions.
  public var evaluates: Bool?

  public init(rule: RegionRule = RegionRule(), groups: [String] = [], evaluates: Bool? = nil) {
    self.rule = rule
    self.groups = groups
    self.evaluates = evaluates
  }
}

/// What the reader itself asks for, within what the owner gives it.
public struct RegionFilter: Sendable, Hashable, Codable {
  /// One of them is enough; none: all.
  public var tags: [String]
  public var without: [String]

  public init(tags: [String] = [], without: [String] = []) {
    self.tags = tags
    self.without = without
  }
}

/// The regions of one reader, as all the rules together make it.
struct RegionScope: Sendable, Hashable {
  /// What the rules give by tags.
  private var parts: [TagFilter]
  /// What of that the reader gets.
  private var limit: TagFilter
  /// Regions that come whatever their tags are.
  let singles: Set<String>
  /// The tag of what the device's own app made, which it gets whatever the rules are; `nil`: it is the owner, who gets what
  /// all apps made.
  package let own: String?
  /// Names it in cursors: equal rules have equal names.
  package let name: String

  /// Everything that there is.
  package static let everything = RegionScope(rule: nil, groups: [:], wish: RegionFilter(), own: nil)

  /// - Parameters:
  ///   - rule: the device's; `nil`: there is none, or it is the owner.
  ///   - groups: the rules of all groups.
  ///   - wish: what the reader asks for.
  ///   - own: ``own``.
  ///   - isMembers: whether the device is a member's, who gets the administrator's regions by a rule only.
  package init(
    rule device: DeviceRegionRule?, groups: [String: RegionRule], wish: RegionFilter, own: String?, isMembers: Bool = false
  ) {
    self.own = own
    let givesNothing = device == nil && isMembers
    let device = device ?? DeviceRegionRule()
    var rules = Set(device.groups).sorted().compactMap { groups[$0] }
    if !device.rule.tags.isEmpty || !device.rule.regions.isEmpty || device.groups.isEmpty { rules.append(device.rule) }
    // A rule of single regions only gives no others.
    parts =
      givesNothing
      ? []
      : rules.filter { !$0.tags.isEmpty || $0.regions.isEmpty }
        .map { TagFilter(wanted: Set($0.tags), without: Set($0.without)) }
    limit = TagFilter(wanted: Set(wish.tags), without: Set(device.rule.without).union(wish.without))
    singles = Set(rules.flatMap(\.regions))
    // Counted, so that no list of tags reads like another one.
    func text(_ set: Set<String>) -> String { set.sorted().reduce("\(set.count)[") { $0 + "\($1.utf8.count):\($1)" } }
    let all =
      (parts.map { text($0.wanted) + text($0.without) }.sorted() + [text(limit.wanted), text(limit.without), text(singles)])
      .joined(separator: "]")
    name = RegionDigest.hex(RegionDigest(id: "scope", json: Array(all.utf8)).high)
  }

  /// Nothing is left out.
  package var isEverything: Bool { own == nil && hasAllOfOwner }
  /// Nothing is left out but what the apps of other devices made.
  var hasAllOfOwner: Bool { limit.isEmpty && parts.contains { $0.isEmpty } }

  /// Whether a region is in it.
  package func contains(id: String, tags: [String]) -> Bool {
    if !singles.isEmpty, singles.contains(id) { return true }
    guard limit.includes(tags) else { return false }
    if let own {
      if tags.contains(own) { return true }
      // Another device's: only who names a tag of it gets it.
      if AppRegions.areTheirs(tags) { return parts.contains { !$0.wanted.isEmpty && $0.includes(tags) } }
    }
    return parts.contains { $0.includes(tags) }
  }

  /// Tags of which each of its regions has one, single ones aside; `nil`: there are none such.
  var leadingTags: Set<String>? {
    if !limit.wanted.isEmpty { return limit.wanted }
    if parts.contains(where: { $0.wanted.isEmpty }) { return nil }
    return parts.reduce(into: own.map { [$0] } ?? []) { $0.formUnion($1.wanted) }
  }
}
