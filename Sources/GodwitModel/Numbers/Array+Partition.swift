extension Array {
  /// Returns the first index whose element satisfies the condition; `count` if none does. The array must be partitioned: if an
  /// element satisfies the condition, all later elements do.
  @inlinable
  package func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
