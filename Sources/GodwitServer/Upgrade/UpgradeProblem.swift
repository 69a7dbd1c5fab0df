/// An error: an upgrade, or its rehearsal, is not possible.
package struct UpgradeProblem: Error, Sendable, CustomStringConvertible {
  /// The cause, the place, and the remedy.
  package let description: String
  init(_ description: String) { self.description = description }
}
