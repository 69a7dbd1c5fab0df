internal import GodwitModel

internal import struct Foundation.Date

/// The place of a stop: the weighted mean of the positions at it. Accurate positions have a larger weight.
struct RestPlace: Sendable, Hashable, Codable {
  private(set) var coordinate: Coordinate
  /// Metres.
  private(set) var accuracy: Meters
  private var weight: Double

  init(_ fix: Fix) {
    coordinate = fix.coordinate
    accuracy = max(5, fix.horizontalAccuracy ?? Adaptive.goodAccuracy)
    weight = 1 / (accuracy * accuracy)
  }

  init(_ rest: Rest) {
    coordinate = rest.coordinate
    accuracy = max(5, rest.accuracy)
    weight = 1 / (accuracy * accuracy)
  }

  func fix(at time: Date) -> Fix { Fix(time: time, coordinate: coordinate, horizontalAccuracy: accuracy, speed: 0) }

  /// Adds a position. The errors of a receiver that stands still are correlated. More fixes make the place steadier, but the
  /// accuracy is that of the best fix.
  mutating func add(_ fix: Fix) {
    let new = RestPlace(fix)
    let share = new.weight / (weight + new.weight)
    let distance = GreatCircle.distance(coordinate, new.coordinate)
    let course = GreatCircle.initialCourse(from: coordinate, to: new.coordinate)
    coordinate = GreatCircle.destination(from: coordinate, course: course, distance: distance * share)
    weight += new.weight
    accuracy = min(accuracy, new.accuracy)
  }
}
