extension Array {
  /// Returns the positions of the steps of a track that are at least partly in a range of times. A step leads from one position to the
  /// next.
  /// - Parameters:
  ///   - times: The range, in milliseconds since 1970.
  ///   - time: Returns the time of a position in milliseconds since 1970. The positions are in the order of their times.
  /// - Returns: Consecutive positions; none if the track is outside of the range.
  package func steps(in times: ClosedRange<Int64>, time: (Element) -> Int64) -> [Element] {
    guard let begin = self.first, let end = self.last, time(begin) <= times.upperBound, time(end) >= times.lowerBound else {
      return []
    }
    if time(begin) >= times.lowerBound, time(end) <= times.upperBound { return self }
    let start = self.lastIndex { time($0) <= times.lowerBound } ?? startIndex
    let stop = self.firstIndex { time($0) >= times.upperBound } ?? endIndex - 1
    return Array(self[start...Swift.max(start, stop)])
  }
}
