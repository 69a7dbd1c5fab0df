/// A bit set of array indices. It selects circles of a ``CapIndex`` to exclude from a search.
public struct PositionSet: Sendable, Hashable {
  private var words: [UInt64]
  /// Upper limit of the indices: 0 ..< capacity.
  public let capacity: Int

  /// An empty set.
  /// - Parameter capacity: Size of the array, ≥ 0.
  public init(capacity: Int) {
    self.capacity = max(0, capacity)
    words = [UInt64](repeating: 0, count: (self.capacity + 63) / 64)
  }

  /// Returns whether an index is in the set. An index outside the capacity is not.
  public func contains(_ position: Int32) -> Bool {
    position >= 0 && Int(position) < capacity && words[Int(position) >> 6] & (1 << UInt64(position & 63)) != 0
  }

  /// Adds an index. An index outside the capacity is ignored.
  public mutating func insert(_ position: Int32) {
    guard position >= 0, Int(position) < capacity else { return }
    words[Int(position) >> 6] |= 1 << UInt64(position & 63)
  }

  /// Removes an index.
  public mutating func remove(_ position: Int32) {
    guard position >= 0, Int(position) < capacity else { return }
    words[Int(position) >> 6] &= ~(1 << UInt64(position & 63))
  }

  /// Removes all indices and keeps the memory.
  public mutating func removeAll() {
    for word in words.indices { words[word] = 0 }
  }

  /// Number of indices in the set.
  public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
}
