public import Foundation

/// A device with a summary of its stored data.
public struct DeviceSummary: Sendable {
  public var device: Device
  public var points: Int
  public var first: Date?
  /// The newest live point. It is not always the last one that was received.
  public var last: StoredPoint?
  /// Time of the device's last upload.
  public var lastContact: Date?
  /// Unresolved rejected records.
  public var rejected: Int
  public var tokens: Int
}
