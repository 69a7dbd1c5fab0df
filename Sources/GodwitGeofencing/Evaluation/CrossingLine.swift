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

/// The line between two consecutive fixes of a device. It is used to find the geofences that the device crossed between the
/// two fixes.
///
/// A geofence is crossed if neither end of the line is inside it, and the deepest point of the line is inside it by more
/// than the line's uncertainty.
struct CrossingLine {
  /// Maximum milliseconds between the two fixes. Over a longer time a device seldom moves in a straight line.
  static let maximumGap: Int64 = 300_000
  /// Maximum metres between the two fixes.
  static let maximumLength: Meters = 10_000
  /// Minimum metres of uncertainty.
  static let minimumUncertainty: Meters = 10
  /// Uncertainty in metres per metre of length: roads are not straight.
  static let bend = 0.05

  private let segment: GreatSegment
  private let startTime, endTime: Int64
  /// Maximum distance in metres between the line and the device's path: the worse accuracy of the two fixes, plus a
  /// twentieth of the length.
  let uncertainty: Meters

  var length: Meters { segment.length }

  /// Returns `nil` if the two fixes are too far apart in time or space, are out of order, or have the same time or place.
  init?(from start: LineStart, to end: LineStart) {
    // Times come from clients, so that their difference may overflow.
    let (gap, overflow) = end.time.subtractingReportingOverflow(start.time)
    guard !overflow, gap > 0, gap <= Self.maximumGap else { return nil }
    segment = GreatSegment(from: start.coordinate, to: end.coordinate)
    guard segment.length > 0, segment.length <= Self.maximumLength else { return nil }
    (startTime, endTime) = (start.time, end.time)
    uncertainty = max(Self.minimumUncertainty, start.accuracy, end.accuracy) + Self.bend * segment.length
  }

  /// The time and the place at which the line is deepest inside a geofence.
  struct Crossing {
    /// Milliseconds since 1970.
    var time: Int64
    var place: Coordinate
  }

  /// Returns the crossing of a geofence, or `nil` if the line does not cross it. Precondition: the end of the line is
  /// outside the geofence.
  func crossing(of geofence: GeofenceSet.Geofence) -> Crossing? {
    let nearest = segment.share(nearest: geofence.circle.center)
    // The depth in the enclosing circle is an upper bound of the depth in the area.
    let place = segment.place(at: nearest)
    guard -geofence.circle.distanceToEdge(from: place) > uncertainty, geofence.distance(from: segment.start) > 0 else {
      return nil
    }
    guard let share = geofence.area == nil ? nearest : deepest(in: geofence) else { return nil }
    let time = min(endTime, startTime + Int64((Double(endTime - startTime) * share).rounded()))
    guard geofence.hours?.isActive(at: time) ?? true else { return nil }
    return Crossing(time: time, place: segment.place(at: share))
  }

  /// Returns the position of the line's deepest point in an area, as a share of the length, or `nil` if the depth there is
  /// not greater than the uncertainty. The depth changes by at most one metre per metre of the line, so that the search
  /// skips most of the line.
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
