public import Foundation

/// A device with what the store has of it.
public struct DeviceSummary: Sendable {
  public var device: Device
  public var points: Int
  public var first: Date?
  /// The newest point that is believed, which is not always the last that came.
  public var last: StoredPoint?
  /// When the device last sent anything.
  public var lastContact: Date?
  /// Refused parts that are not solved.
  public var refused: Int
  public var tokens: Int
}
