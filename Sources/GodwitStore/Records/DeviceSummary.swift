public import Foundation

/// A device with a summary of its stored data.
public struct DeviceSummary: Sendable {
  public var device: Device
  public var points: Int
  public var first: Date?
  /// The newest live point, which is not always the last received.
  public var last: StoredPoint?
  /// Time of the device's last upload.
  public var lastContact: Date?
  /// Unresolved rejected records.
  public var rejected: Int
  public var tokens: Int
}
