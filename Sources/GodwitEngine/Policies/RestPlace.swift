internal import GodwitModel

internal import struct Foundation.Date

/// The place of a stop: the mean of what was measured at it, the exact counting more.
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

  /// Errors of a receiver that stands still have much in common: more fixes make the place steadier, and its accuracy is
  /// that of the best one.
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
