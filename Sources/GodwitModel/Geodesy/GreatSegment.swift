/// The shortest line between two places that are not far apart. A fraction of the line is one of its chord: over 100 km it differs
/// from that of the arc by less than a metre.
package struct GreatSegment: Sendable {
  /// The ends of the line.
  package let start, end: Coordinate
  /// Length in metres.
  package let length: Meters
  private let origin, step: UnitVector

  package init(from start: Coordinate, to end: Coordinate) {
    (self.start, self.end) = (start, end)
    length = GreatCircle.distance(start, end)
    origin = UnitVector(start)
    step = UnitVector(end).minus(origin)
  }

  /// Returns the place at a fraction of the line, 0...1.
  package func place(at share: Double) -> Coordinate {
    UnitVector(x: origin.x + share * step.x, y: origin.y + share * step.y, z: origin.z + share * step.z).coordinate ?? start
  }

  /// Returns the fraction of the line, 0...1, that is nearest to a place.
  package func share(nearest place: Coordinate) -> Double {
    let squared = step.dot(step)
    guard squared > 0 else { return 0 }
    return max(0, min(1, UnitVector(place).minus(origin).dot(step) / squared))
  }
}
