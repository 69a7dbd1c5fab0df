/// A set of non-zero numbers for hot paths: most lookups need one probe of one array.
struct StepSet {
  private var slots: [UInt64]
  private var count = 0

  init() { slots = Array(repeating: 0, count: 1 << 10) }

  /// Inserts a number.
  /// - Returns: `true` if the number was not in the set.
  @inline(__always)
  mutating func insert(_ number: UInt64) -> Bool {
    if count * 2 > slots.count { grow() }
    return place(number)
  }

  @inline(__always)
  private mutating func place(_ number: UInt64) -> Bool {
    let mask = slots.count - 1
    // Fibonacci hashing: the high bits of the product depend on all bits of the number.
    var index = Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while slots[index] != 0 {
      if slots[index] == number { return false }
      index = (index + 1) & mask
    }
    slots[index] = number
    count += 1
    return true
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: 0, count: old.count * 4)
    count = 0
    for number in old where number != 0 { _ = place(number) }
  }
}
