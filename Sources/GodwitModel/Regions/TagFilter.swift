/// Which regions somebody gets, by their tags. An empty one lets all through.
public struct TagFilter: Sendable, Hashable, Codable {
  /// Regions with one of these; empty: regions with any tags or none.
  public var wanted: Set<String>
  /// But none with one of these.
  public var without: Set<String>

  /// - Parameters:
  ///   - wanted: Regions with one of these; empty: regions with any tags or none.
  ///   - without: But none with one of these.
  public init(wanted: Set<String> = [], without: Set<String> = []) {
    self.wanted = wanted
    self.without = without
  }

  /// Whether it lets everything through.
  public var isEmpty: Bool { wanted.isEmpty && without.isEmpty }

  /// Whether it lets something with these tags through.
  public func includes(_ tags: [String]) -> Bool {
    (wanted.isEmpty || tags.contains { wanted.contains($0) }) && !tags.contains { without.contains($0) }
  }

  /// Whether it lets a region through.
  public func includes(_ region: Region) -> Bool { includes(region.tags) }
}
