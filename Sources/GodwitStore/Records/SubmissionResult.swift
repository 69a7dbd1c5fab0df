package import GodwitModel

/// What became of a submission.
public struct SubmissionResult: Sendable, Hashable {
  /// Records that are new.
  public var saved = 0
  /// Records that the store had already.
  public var duplicates = 0
  /// Points among the records that are new.
  package var savedPoints = 0
  /// Positions of the records that the store had already, in their order.
  package var known: [Int] = []
  /// What participants of the transaction added.
  package var byProducts = ByProducts()
  /// Positions of the fixes that are not live, in their order: they are flagged as impossible, or wait for confirmation.
  package var withheld: [Int] = []
  /// Fixes of earlier uploads that waited until this one confirmed them.
  package var confirmed: [Record] = []
  public init(saved: Int = 0, duplicates: Int = 0) {
    self.saved = saved
    self.duplicates = duplicates
  }
}
