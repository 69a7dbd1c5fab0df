public import GodwitModel

public import struct Foundation.Date

/// What the motion chip saw from a moment on.
public struct MotionSpan: Sendable, Hashable, Codable {
  public var start: Date
  public var motion: Motion

  /// - Parameters:
  ///   - start: When it began.
  ///   - motion: What was seen; empty: nothing that it knows.
  public init(start: Date, motion: Motion) {
    self.start = start
    self.motion = motion
  }
}
