public import Foundation
public import GodwitModel

/// The records of a request, to be stored.
public struct Submission: Sendable {
  public var device: Device
  public var records: [Record]
  /// The rejected records of the request.
  public var rejections: [RejectedRecord]
  /// The range of journal numbers that the request covers, if the device sent it.
  public var range: SequenceRange?
  /// The time of receipt.
  public var received: Date
  /// The rejected record that is retried. If set, ``rejections`` are the reasons why it is still rejected, and no new rejected records.
  package var retrying: RetriedRejectedRecord?
  public var completion: @Sendable (Result<SubmissionResult, any Error>) -> Void
  /// Whether the records are from an imported file. Such records cause no events, no contact of the device, and no evaluation of regions.
  package var isHistory = false
  /// The number of the import that the records belong to.
  package var importID: Int64?
  /// The range of the device's history that the submission replaces; `nil`: nothing is deleted.
  package var replaced: ReplacedRange?
  /// Further writes in the same transaction. They may run several times, if the transaction is restarted.
  package var alongside: (@Sendable (SubmissionResult, any SQLConnection) throws -> Void)?

  /// Number of entries that occupy memory until they are stored.
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
  /// The number of the rejected record in the store.
  package var rejection: Int64
  /// Time of the retry.
  package var time: Date

  package init(rejection: Int64, time: Date) { (self.rejection, self.time) = (rejection, time) }
}
