/// A filter of regions by tags. An empty filter includes all.
public struct TagFilter: Sendable, Hashable, Codable {
  /// Only regions with one of these tags; empty: all.
  public var wanted: Set<String>
  /// No regions with one of these tags.
  public var without: Set<String>

  /// - Parameters:
  ///   - wanted: Only regions with one of these tags; empty: all.
  ///   - without: No regions with one of these tags.
  public init(wanted: Set<String> = [], without: Set<String> = []) {
    self.wanted = wanted
    self.without = without
  }

  /// Whether it includes everything.
  public var isEmpty: Bool { wanted.isEmpty && without.isEmpty }

  /// Returns whether it includes these tags.
  public func includes(_ tags: [String]) -> Bool {
    (wanted.isEmpty || tags.contains { wanted.contains($0) }) && !tags.contains { without.contains($0) }
  }

  /// Returns whether it includes a region.
  public func includes(_ region: Region) -> Bool { includes(region.tags) }
}
