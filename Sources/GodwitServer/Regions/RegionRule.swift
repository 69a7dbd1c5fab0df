internal import Foundation

/// Which regions somebody gets: those with one of the tags and with none of the unwanted ones, and those that are named.
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
  /// Its own rule. Where it says nothing, and the device is in no group either, the device gets all regions.
  public var rule: RegionRule
  /// Names of the groups whose regions it gets as well. A group of which nobody said anything gives none.
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
public struct RegionWish: Sendable, Hashable, Codable {
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
  /// One of the rules that give regions.
  private struct Part: Sendable, Hashable {
    /// `nil`: any.
    var tags: Set<String>?
    var without: Set<String>

    func gives(_ has: [String]) -> Bool {
      if !without.isEmpty, has.contains(where: without.contains) { return false }
      guard let tags else { return true }
      return has.contains(where: tags.contains)
    }
  }

  private var parts: [Part]
  /// Holds for all parts.
  private var without: Set<String>
  /// `nil`: any.
  private var wanted: Set<String>?
  /// Regions that come whatever their tags are.
  let singles: Set<String>
  /// Names it in cursors: equal rules have equal names.
  let name: String

  /// Everything that there is.
  static let everything = RegionScope(rule: nil, groups: [:], wish: RegionWish())

  /// - Parameters:
  ///   - rule: the device's; `nil`: nobody said anything, or it is the owner.
  ///   - groups: the rules of all groups.
  ///   - wish: what the reader asks for.
  init(rule device: DeviceRegionRule?, groups: [String: RegionRule], wish: RegionWish) {
    let device = device ?? DeviceRegionRule()
    var rules = Set(device.groups).sorted().compactMap { groups[$0] }
    if !device.rule.tags.isEmpty || !device.rule.regions.isEmpty || device.groups.isEmpty { rules.append(device.rule) }
    parts = rules.compactMap { rule in
      // A rule of single regions only gives no others.
      if rule.tags.isEmpty, !rule.regions.isEmpty { return nil }
      return Part(tags: rule.tags.isEmpty ? nil : Set(rule.tags), without: Set(rule.without))
    }
    without = Set(device.rule.without).union(wish.without)
    wanted = wish.tags.isEmpty ? nil : Set(wish.tags)
    singles = Set(rules.flatMap(\.regions))
    // Counted, so that no list of tags reads like another one.
    func text(_ set: Set<String>?) -> String {
      set.map { set in set.sorted().reduce("\(set.count)[") { $0 + "\($1.utf8.count):\($1)" } + "]" } ?? "*"
    }
    let all = parts.map { text($0.tags) + text($0.without) }.sorted().joined() + text(without) + text(wanted) + text(singles)
    name = RegionDigest.hex(RegionDigest(id: "scope", json: Array(all.utf8)).high)
  }

  /// Nothing is left out.
  var isEverything: Bool {
    wanted == nil && without.isEmpty && parts.contains { $0.tags == nil && $0.without.isEmpty }
  }

  /// Whether a region is in it.
  func contains(id: String, tags: [String]) -> Bool {
    if !singles.isEmpty, singles.contains(id) { return true }
    if let wanted, !tags.contains(where: wanted.contains) { return false }
    if !without.isEmpty, tags.contains(where: without.contains) { return false }
    return parts.contains { $0.gives(tags) }
  }

  /// Tags of which each of its regions has one, single ones aside; `nil`: there are none such.
  var leadingTags: Set<String>? {
    if let wanted { return wanted }
    return parts.reduce(into: Set<String>?([])) { tags, part in tags = part.tags.flatMap { tags?.union($0) } }
  }
}
