/// An upgrade, or its rehearsal, that is not possible.
package struct UpgradeProblem: Error, Sendable, CustomStringConvertible {
  /// What is wrong, where, and what to do.
  package let description: String
  init(_ description: String) { self.description = description }
}
