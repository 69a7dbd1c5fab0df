/// A set of positions in an array, a bit each: which circles of a ``CapIndex`` a search is to leave out.
public struct PositionSet: Sendable, Hashable {
  private var words: [UInt64]
  /// Positions that it can hold: 0 ..< capacity.
  public let capacity: Int

  /// An empty set.
  /// - Parameter capacity: Size of the array, ≥ 0.
  public init(capacity: Int) {
    self.capacity = max(0, capacity)
    words = [UInt64](repeating: 0, count: (self.capacity + 63) / 64)
  }

  /// Whether a position is in it. One that it cannot hold is not.
  public func contains(_ position: Int32) -> Bool {
    position >= 0 && Int(position) < capacity && words[Int(position) >> 6] & (1 << UInt64(position & 63)) != 0
  }

  /// Adds a position. One that it cannot hold changes nothing.
  public mutating func insert(_ position: Int32) {
    guard position >= 0, Int(position) < capacity else { return }
    words[Int(position) >> 6] |= 1 << UInt64(position & 63)
  }

  /// Takes a position out.
  public mutating func remove(_ position: Int32) {
    guard position >= 0, Int(position) < capacity else { return }
    words[Int(position) >> 6] &= ~(1 << UInt64(position & 63))
  }

  /// Takes all out, and keeps the memory.
  public mutating func removeAll() {
    for word in words.indices { words[word] = 0 }
  }

  /// How many are in it.
  public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
}
