public import Foundation
public import GodwitModel

/// A request's records for the store.
public struct Submission: Sendable {
  public var device: Device
  public var records: [Record]
  /// The rejected records of the request.
  public var rejections: [RejectedRecord]
  /// The range of the journal's numbers that the request covers, if the device sent it.
  public var range: SequenceRange?
  /// The time of receipt.
  public var received: Date
  /// The rejected record that is retried; then ``rejections`` are reasons why it is still rejected, and not new records.
  package var retrying: RetriedRejectedRecord?
  public var completion: @Sendable (Result<SubmissionResult, any Error>) -> Void
  /// Whether the records are from an imported file: no events, no contact, and no evaluation of regions.
  package var isHistory = false
  /// The import of the records.
  package var importID: Int64?
  /// The range of the device's history of which the submission has all records; `nil`: nothing is deleted.
  package var replaced: ReplacedRange?
  /// Further writes in the same transaction. They may run twice, if the transaction is restarted; only the last run is
  /// committed.
  package var alongside: (@Sendable (SubmissionResult, any SQLConnection) throws -> Void)?

  /// Number of entries that use memory until they are stored.
  var size: Int { records.count + rejections.count }

  public init(
    device: Device, records: [Record], rejections: [RejectedRecord] = [], range: SequenceRange? = nil, received: Date,
    completion: @escaping @Sendable (Result<SubmissionResult, any Error>) -> Void
  ) {
    self.device = device
    self.records = records
    self.rejections = rejections
    self.range = range
    self.received = received
    self.completion = completion
  }
}

/// A retried rejected record.
package struct RetriedRejectedRecord: Sendable, Hashable {
  /// Its number in the store.
  package var rejection: Int64
  /// Time of the retry.
  package var time: Date

  package init(rejection: Int64, time: Date) { (self.rejection, self.time) = (rejection, time) }
}
