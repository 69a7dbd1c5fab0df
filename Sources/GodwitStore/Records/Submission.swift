public import Foundation
public import GodwitModel

/// One request's worth of work for the store.
public struct Submission: Sendable {
  public var device: Device
  public var records: [Record]
  /// What of the request was no valid record, kept as it came.
  public var refusals: [RejectedRecord]
  /// Which of its journal's numbers the device says that this covers, if it says so.
  public var range: SequenceRange?
  /// When the request arrived.
  public var received: Date
  /// The refused part that is read again; then ``refusals`` say why it is no record still, and are no new ones.
  package var retrying: RetriedRejectedRecord?
  public var completion: @Sendable (Result<SubmissionResult, any Error>) -> Void
  /// It is an old file's, and nothing that happens now: nobody is told of it, the device was not heard of, and regions are not
  /// looked at.
  package var isHistory = false
  /// The import that brings it.
  package var importID: Int64?
  /// What else is written in its transaction. It may run twice, where the transaction is begun anew; only what it did last holds.
  package var alongside: (@Sendable (SubmissionResult, any SQLConnection) throws -> Void)?

  /// What of it takes memory until it is stored.
  var size: Int { records.count + refusals.count }

  public init(
    device: Device, records: [Record], refusals: [RejectedRecord] = [], range: SequenceRange? = nil, received: Date,
    completion: @escaping @Sendable (Result<SubmissionResult, any Error>) -> Void
  ) {
    self.device = device
    self.records = records
    self.refusals = refusals
    self.range = range
    self.received = received
    self.completion = completion
  }
}

/// A refused part that is read again.
package struct RetriedRejectedRecord: Sendable, Hashable {
  /// The store's number of it.
  package var refusal: Int64
  /// When it is tried.
  package var time: Date

  package init(refusal: Int64, time: Date) { (self.refusal, self.time) = (refusal, time) }
}
