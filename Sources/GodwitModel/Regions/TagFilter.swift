/// A filter of regions by tags. An empty filter includes all.
public struct TagFilter: Sendable, Hashable, Codable {
  /// Include only regions with one of these tags; empty for all regions.
  public var wanted: Set<String>
  /// Exclude regions with one of these tags.
  public var without: Set<String>

  /// - Parameters:
  ///   - wanted: Include only regions with one of these tags; empty for all regions.
  ///   - without: Exclude regions with one of these tags.
  public init(wanted: Set<String> = [], without: Set<String> = []) {
    self.wanted = wanted
    self.without = without
  }

  /// Whether the filter includes all regions.
  public var isEmpty: Bool { wanted.isEmpty && without.isEmpty }

  /// Returns whether the filter includes a region with these tags.
  public func includes(_ tags: [String]) -> Bool {
    (wanted.isEmpty || tags.contains { wanted.contains($0) }) && !tags.contains { without.contains($0) }
  }

  /// Returns whether the filter includes a region.
  public func includes(_ region: Region) -> Bool { includes(region.tags) }
}
