/// The counts of pairs of a true class and the class that a classifier gave.
package struct ConfusionMatrix {
  package let classes: [String]
  /// Rows are the truth.
  package private(set) var counts: [[Int]]

  package init(classes: [String]) {
    self.classes = classes
    counts = classes.map { _ in classes.map { _ in 0 } }
  }

  package mutating func add(truth: Int, given: Int, _ count: Int = 1) { counts[truth][given] += count }

  /// Adds the counts of a matrix of the same classes.
  package static func += (sum: inout Self, other: Self) {
    precondition(sum.classes == other.classes, "matrices of different classes")
    for truth in sum.counts.indices { for given in sum.counts.indices { sum.counts[truth][given] += other.counts[truth][given] } }
  }

  package var total: Int { counts.reduce(0) { $0 + $1.reduce(0, +) } }

  /// The share of correct results, 0…1.
  package var accuracy: Double { Double(classes.indices.reduce(0) { $0 + counts[$1][$1] }) / Double(max(total, 1)) }

  /// The share of correct results of a true class; `nil` if the truth does not have the class.
  package func recall(_ index: Int) -> Double? {
    let sum = counts[index].reduce(0, +)
    return sum > 0 ? Double(counts[index][index]) / Double(sum) : nil
  }

  /// The mean recall of the classes that the truth has.
  package var balancedAccuracy: Double {
    let recalls = classes.indices.compactMap(recall)
    return recalls.reduce(0, +) / Double(max(recalls.count, 1))
  }

  /// The F1 score of a class, 0…1: the harmonic mean of its recall and its precision.
  package func f1(_ index: Int) -> Double {
    let right = Double(counts[index][index])
    let wrong = Double(counts[index].reduce(0, +)) + Double(counts.reduce(0) { $0 + $1[index] }) - 2 * right
    return right > 0 ? 2 * right / (2 * right + wrong) : 0
  }

  /// The mean of the F1 scores of all classes.
  package var macroF1: Double { classes.indices.reduce(0) { $0 + f1($1) } / Double(max(classes.count, 1)) }
}
