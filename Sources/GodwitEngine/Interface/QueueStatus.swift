public import struct Foundation.Date

/// What is known of the records that wait for an endpoint.
public struct QueueStatus: Sendable, Hashable, Codable {
  /// Records that it has not acknowledged.
  public var waiting: Int
  public var isUploading: Bool
  /// When the next attempt is due after a failure.
  public var retryAt: Date?
  /// When what waits is sent next, as things are; `nil`: nothing waits, it is being sent, or it is sent only by hand.
  public var nextSend: Date?
  public var lastSuccess: Date?
  /// What went wrong last, as a sentence; `nil` after a success.
  public var problem: String?
  /// Why nothing is sent although something waits, as a sentence.
  public var heldBecause: String?
}
