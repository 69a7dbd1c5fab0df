/// Counts the changes between two states that are found within a tolerance of their time.
package struct ChangeScore: Sendable {
  /// A change to a state or from it.
  package struct Change: Sendable, Hashable {
    /// Milliseconds.
    package var time: Int64
    package var isBegin: Bool

    package init(time: Int64, isBegin: Bool) { (self.time, self.isBegin) = (time, isBegin) }
  }

  /// The maximum number of milliseconds between a true change and the change that was found for it.
  package let tolerance: Int64
  package private(set) var truth = 0
  package private(set) var given = 0
  package private(set) var found = 0

  package init(tolerance: Int64) { self.tolerance = tolerance }

  /// The share of the true changes that are found, 0…1.
  package var recall: Double { truth > 0 ? Double(found) / Double(truth) : 0 }
  /// The share of the given changes that are true, 0…1.
  package var precision: Double { given > 0 ? Double(found) / Double(given) : 0 }

  /// Returns the changes in a list of states.
  package static func changes(_ states: [(time: Int64, isOn: Bool)]) -> [Change] {
    zip(states, states.dropFirst()).compactMap { $0.isOn == $1.isOn ? nil : Change(time: $1.time, isBegin: $1.isOn) }
  }

  /// Adds the true and the given changes of a track, both in order of time. A given change matches at most one true change.
  package mutating func add(truth: [Change], given: [Change]) {
    self.truth += truth.count
    self.given += given.count
    for isBegin in [false, true] {
      var rest = given.filter { $0.isBegin == isBegin }[...]
      for change in truth where change.isBegin == isBegin {
        rest = rest.drop { $0.time < change.time - tolerance }
        guard let first = rest.first, first.time <= change.time + tolerance else { continue }
        found += 1
        rest = rest.dropFirst()
      }
    }
  }
}
