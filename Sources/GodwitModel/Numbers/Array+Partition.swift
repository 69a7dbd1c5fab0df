extension Array {
  /// The first index whose element satisfies a condition that all later ones satisfy too; the count if none does. The list is in an order
  /// for which that holds.
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
