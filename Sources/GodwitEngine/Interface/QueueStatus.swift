public import struct Foundation.Date

/// The state of the records that wait for an endpoint.
public struct QueueStatus: Sendable, Hashable, Codable {
  /// Records that it has not acknowledged.
  public var waiting: Int
  public var isUploading: Bool
  /// When the next attempt is due after a failure.
  public var retryAt: Date?
  /// The time of the next upload under present conditions; `nil`: nothing waits, an upload is in flight, or it is sent
  /// only on request.
  public var nextSend: Date?
  public var lastSuccess: Date?
  /// The last problem, as a sentence; `nil` after a success.
  public var problem: String?
  /// Why waiting records are not sent, as a sentence.
  public var heldBecause: String?
}
