public import struct Foundation.Date

/// The state of the records that wait for an endpoint.
public struct QueueStatus: Sendable, Hashable, Codable {
  /// The number of records that the endpoint has not acknowledged.
  public var waiting: Int
  public var isUploading: Bool
  /// The time of the next attempt after a failure; `nil`: the last attempt did not fail.
  public var retryAt: Date?
  /// The time of the next upload under the present conditions; `nil`: no record waits, an upload is in flight, or records are
  /// sent only on request.
  public var nextSend: Date?
  public var lastSuccess: Date?
  /// The last problem, as a sentence; `nil` after a success.
  public var problem: String?
  /// Why waiting records are not sent, as a sentence; `nil`: they are not held.
  public var heldBecause: String?
}
