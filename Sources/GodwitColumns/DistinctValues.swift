/// The distinct values of a column, if they are few.
struct DistinctValues {
  /// The distinct values, in ascending order.
  let sorted: [Int64]
  /// The position in ``sorted`` of the value of each row.
  let places: [Int64]

  /// - Returns: `nil` if more than a quarter of the values are distinct.
  init?(_ values: [Int64]) {
    let limit = values.count / 4
    let width = UInt64(64 - max(values.count / 2, 8).leadingZeroBitCount) + 1
    var slots = [Int32](repeating: -1, count: 1 << Int(width))
    var found: [Int64] = []
    var numbers: [Int32] = []
    numbers.reserveCapacity(values.count)
    for value in values {
      // Fibonacci hashing: the multiplier is 2^64 divided by the golden ratio. The highest bits of the product are well
      // distributed.
      var slot = Int((UInt64(bitPattern: value) &* 0x9e37_79b9_7f4a_7c15) &>> (64 &- width))
      while slots[slot] >= 0, found[Int(slots[slot])] != value { slot = (slot &+ 1) & (slots.count &- 1) }
      if slots[slot] < 0 {
        guard found.count < limit else { return nil }
        slots[slot] = Int32(truncatingIfNeeded: found.count)
        found.append(value)
      }
      numbers.append(slots[slot])
    }
    let order = found.indices.sorted { found[$0] < found[$1] }
    var ranks = [Int64](repeating: 0, count: found.count)
    for (rank, number) in order.enumerated() { ranks[number] = Int64(rank) }
    sorted = order.map { found[$0] }
    places = numbers.map { ranks[Int($0)] }
  }
}
