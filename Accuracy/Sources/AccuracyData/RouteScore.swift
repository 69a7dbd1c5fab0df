/// How much of a route was found: the lengths of arcs that both routes have, in the same order, and of those that one of them has.
///
/// The share of a set is that of map_matching_2's "weighted mean correct fraction": the correct length by the greater of the two lengths.
package struct RouteScore: Sendable {
  /// Metres.
  package private(set) var correct = 0.0
  package private(set) var truth = 0.0
  package private(set) var given = 0.0

  package init() {}

  /// The correct length by the greater of the true and the given one.
  package var share: Double { max(truth, given) > 0 ? correct / max(truth, given) : 1 }
  /// What is missing and what is too much, by the true length (Newson and Krumm's route mismatch).
  package var mismatch: Double { truth > 0 ? (truth - correct + given - correct) / truth : 0 }

  package mutating func add(_ other: RouteScore) {
    correct += other.correct
    truth += other.truth
    given += other.given
  }

  /// Adds a route.
  /// - Parameter lengths: Metres, for each arc.
  package mutating func add(truth: [Int], given: [Int], lengths: [Double]) {
    self.truth += truth.reduce(0) { $0 + lengths[$1] }
    self.given += given.reduce(0) { $0 + lengths[$1] }
    correct += Self.common(truth, given, lengths)
  }

  /// The greatest length of arcs that two routes have in the same order.
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
