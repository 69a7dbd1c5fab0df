public import GodwitModel

public import struct Foundation.Date

/// The motion chip's state from a time on.
public struct MotionSpan: Sendable, Hashable, Codable {
  public var start: Date
  public var motion: Motion

  /// - Parameters:
  ///   - start: When it began.
  ///   - motion: The state; empty: unknown.
  public init(start: Date, motion: Motion) {
    self.start = start
    self.motion = motion
  }
}
