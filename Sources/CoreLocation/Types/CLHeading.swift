public import Foundation

/// Which way the device points.
///
/// `@unchecked Sendable`: constants only.
public final class CLHeading: NSObject, @unchecked Sendable {
  /// Degrees clockwise from magnetic north.
  public let magneticHeading: CLLocationDirection
  /// Degrees clockwise from true north; negative: invalid.
  public let trueHeading: CLLocationDirection
  /// Degrees that `magneticHeading` may be wrong by; negative: invalid.
  public let headingAccuracy: CLLocationDirection
  public let x: CLHeadingComponentValue
  public let y: CLHeadingComponentValue
  public let z: CLHeadingComponentValue
  public let timestamp: Date

  package init(
    magneticHeading: CLLocationDirection, trueHeading: CLLocationDirection, headingAccuracy: CLLocationDirection,
    x: CLHeadingComponentValue, y: CLHeadingComponentValue, z: CLHeadingComponentValue, timestamp: Date
  ) {
    self.magneticHeading = magneticHeading
    self.trueHeading = trueHeading
    self.headingAccuracy = headingAccuracy
    (self.x, self.y, self.z) = (x, y, z)
    self.timestamp = timestamp
  }
}
