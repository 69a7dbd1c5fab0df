// Code that imports Core Motion on Apple's systems gets Foundation with it; here too.
@_exported public import Foundation

/// Whether the person allows motion to be read.
public enum CMAuthorizationStatus: Int, Sendable {
  case notDetermined = 0
  case restricted = 1
  case denied = 2
  case authorized = 3
}

/// How sure a motion chip is.
public enum CMMotionActivityConfidence: Int, Sendable {
  case low = 0
  case medium = 1
  case high = 2
}

/// What a motion chip saw. Several can be true at once: a car at a light is `automotive` and `stationary`.
public final class CMMotionActivity: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: constants only.
  public let startDate: Date
  public let confidence: CMMotionActivityConfidence
  public let unknown: Bool
  public let stationary: Bool
  public let walking: Bool
  public let running: Bool
  public let automotive: Bool
  public let cycling: Bool

  package init(
    startDate: Date, confidence: CMMotionActivityConfidence, unknown: Bool = false, stationary: Bool = false,
    walking: Bool = false, running: Bool = false, automotive: Bool = false, cycling: Bool = false
  ) {
    self.startDate = startDate
    self.confidence = confidence
    self.unknown = unknown
    self.stationary = stationary
    self.walking = walking
    self.running = running
    self.automotive = automotive
    self.cycling = cycling
  }
}
