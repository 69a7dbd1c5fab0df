package import GodwitModel

/// The result of a submission.
public struct SubmissionResult: Sendable, Hashable {
  /// New records.
  public var saved = 0
  /// Duplicate records.
  public var duplicates = 0
  /// New points among the new records.
  package var savedPoints = 0
  /// Indexes of the duplicate records, in order.
  package var known: [Int] = []
  /// Values of the transaction's participants.
  package var byProducts = ByProducts()
  /// Indexes of fixes that are not shown as live positions, in order: flagged or unconfirmed.
  package var withheld: [Int] = []
  /// Fixes of earlier uploads that this one confirmed.
  package var confirmed: [Record] = []
  public init(saved: Int = 0, duplicates: Int = 0) {
    self.saved = saved
    self.duplicates = duplicates
  }
}
