package import GodwitModel

/// A fix from which a line to the next fix may start.
package struct LineStart: Sendable, Hashable {
  /// Milliseconds since 1970.
  package var time: Int64
  package var coordinate: Coordinate
  /// Metres; 0 for an unknown accuracy.
  package var accuracy: Meters

  package init(time: Int64, coordinate: Coordinate, accuracy: Meters) {
    (self.time, self.coordinate, self.accuracy) = (time, coordinate, accuracy)
  }
}

/// The line between two consecutive fixes of a device, which finds the geofences that the device crossed in between.
///
/// A geofence is crossed if neither end is inside it, and the line is inside it by more than the line's uncertainty at its
/// deepest place.
struct CrossingLine {
  /// Maximum milliseconds between the two fixes. Over a longer time a device seldom moves straight on.
  static let maximumGap: Int64 = 300_000
  /// Maximum metres between the two fixes.
  static let maximumLength: Meters = 10_000
  /// Minimum metres of uncertainty.
  static let minimumUncertainty: Meters = 10
  /// The part of the uncertainty that grows with the length: roads are not straight.
  static let bend = 0.05

  private let segment: GreatSegment
  private let startTime, endTime: Int64
  /// Metres by which the device may have been beside the line: the worse accuracy of the two fixes, and a twentieth of the
  /// length.
  let uncertainty: Meters

  var length: Meters { segment.length }

  /// Returns `nil` if the two fixes are too far apart, or at the same place.
  init?(from start: LineStart, to end: LineStart) {
    // Times from outside may be anything.
    let (gap, overflow) = end.time.subtractingReportingOverflow(start.time)
    guard !overflow, gap > 0, gap <= Self.maximumGap else { return nil }
    segment = GreatSegment(from: start.coordinate, to: end.coordinate)
    guard segment.length > 0, segment.length <= Self.maximumLength else { return nil }
    (startTime, endTime) = (start.time, end.time)
    uncertainty = max(Self.minimumUncertainty, start.accuracy, end.accuracy) + Self.bend * segment.length
  }

  /// Where and when the line is deepest in a geofence.
  struct Crossing {
    /// Milliseconds since 1970.
    var time: Int64
    var place: Coordinate
  }

  /// Returns `nil` if the geofence is not crossed. The caller has tested that the end of the line is outside the geofence.
  func crossing(of geofence: GeofenceSet.Geofence) -> Crossing? {
    let nearest = segment.share(nearest: geofence.circle.center)
    // The depth in the enclosing circle is an upper bound for that in the area.
    let place = segment.place(at: nearest)
    guard -geofence.circle.distanceToEdge(from: place) > uncertainty, geofence.distance(from: segment.start) > 0 else {
      return nil
    }
    guard let share = geofence.area == nil ? nearest : deepest(in: geofence) else { return nil }
    let time = min(endTime, startTime + Int64((Double(endTime - startTime) * share).rounded()))
    guard geofence.hours?.isActive(at: time) ?? true else { return nil }
    return Crossing(time: time, place: segment.place(at: share))
  }

  /// The share of the line at which it is deepest in an area, or `nil` if that is not deeper than the uncertainty. A depth
  /// changes by at most a metre a metre, so that most of the line is skipped.
  private func deepest(in geofence: GeofenceSet.Geofence) -> Double? {
    let step = uncertainty / 4
    var (depth, found) = (uncertainty, Double?.none)
    var traveled: Meters = 0
    while traveled < length {
      let share = traveled / length
      let here = -geofence.distance(from: segment.place(at: share))
      if here > depth { (depth, found) = (here, share) }
      traveled += max(step, depth - here)
    }
    return found
  }
}
