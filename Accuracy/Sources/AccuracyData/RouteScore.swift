/// The share of a route that was found, by the lengths of the arcs that both routes have in the same order.
///
/// The share of a set is map_matching_2's "weighted mean correct fraction": the correct length divided by the greater of the two lengths.
package struct RouteScore: Sendable {
  /// Metres.
  package private(set) var correct = 0.0
  package private(set) var truth = 0.0
  package private(set) var given = 0.0

  package init() {}

  /// The correct length divided by the greater of the true and the given length.
  package var share: Double { max(truth, given) > 0 ? correct / max(truth, given) : 1 }
  /// The missing and the surplus length divided by the true length (Newson and Krumm's route mismatch).
  package var mismatch: Double { truth > 0 ? (truth - correct + given - correct) / truth : 0 }

  package mutating func add(_ other: RouteScore) {
    correct += other.correct
    truth += other.truth
    given += other.given
  }

  /// Adds a route.
  /// - Parameter lengths: the length of each arc in metres.
  package mutating func add(truth: [Int], given: [Int], lengths: [Double]) {
    self.truth += truth.reduce(0) { $0 + lengths[$1] }
    self.given += given.reduce(0) { $0 + lengths[$1] }
    correct += Self.common(truth, given, lengths)
  }

  /// Returns the greatest length of arcs that two routes have in the same order.
  private static func common(_ a: [Int], _ b: [Int], _ lengths: [Double]) -> Double {
    var row = [Double](repeating: 0, count: b.count + 1)
    for arc in a {
      var diagonal = 0.0
      for index in b.indices {
        let above = row[index + 1]
        row[index + 1] = b[index] == arc ? diagonal + lengths[arc] : max(above, row[index])
        diagonal = above
      }
    }
    return row[b.count]
  }
}
