public import GodwitModel

public import struct Foundation.Date

/// A state of the motion chip, and the time at which it began.
public struct MotionSpan: Sendable, Hashable, Codable {
  public var start: Date
  public var motion: Motion

  /// - Parameters:
  ///   - start: the time at which the state began.
  ///   - motion: the state; empty: unknown.
  public init(start: Date, motion: Motion) {
    self.start = start
    self.motion = motion
  }
}
