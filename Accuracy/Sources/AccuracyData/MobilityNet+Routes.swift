package import Foundation
package import GodwitModel

extension MobilityNet {
  /// Seconds between two positions of a true track. More than a minute would count as a gap.
  private static let step = 10.0

  /// Returns the true positions of a trip, along the lines of its legs, at a constant speed in each leg. Legs without a line are gaps.
  package func track(of trip: DateInterval) -> [Fix] {
    legs.filter { $0.start >= trip.start.addingTimeInterval(-1) && $0.end <= trip.end.addingTimeInterval(1) }.flatMap(Self.track)
  }

  private static func track(of leg: Leg) -> [Fix] {
    let line = TrackLine(leg.line)
    let seconds = leg.end.timeIntervalSince(leg.start)
    guard line.length > 0, seconds > 0 else { return [] }
    let count = max(1, (seconds / step).rounded(.up))
    return stride(from: 0, through: count, by: 1).compactMap { number in
      line.place(at: line.length * number / count).map {
        Fix(time: leg.start.addingTimeInterval(seconds * number / count), coordinate: $0)
      }
    }
  }
}

/// A line of positions, computed on a plane between two neighbours.
package struct TrackLine: Sendable {
  private let places: [Coordinate]
  /// Metres from the start to each place.
  private let distances: [Meters]

  package init(_ places: [Coordinate]) {
    self.places = places
    var (distance, distances) = (0.0, [Double]())
    for (index, place) in places.enumerated() {
      if index > 0 { distance += GreatCircle.distance(places[index - 1], place) }
      distances.append(distance)
    }
    self.distances = distances
  }

  /// Metres from the first to the last place.
  package var length: Meters { distances.last ?? 0 }

  /// Returns the place at a distance from the start, the nearest end outside of the line, or `nil` for an empty line.
  package func place(at distance: Meters) -> Coordinate? {
    guard let index = distances.firstIndex(where: { $0 >= distance }) else { return places.last }
    guard index > 0, distances[index] > distances[index - 1] else { return places[index] }
    let part = (distance - distances[index - 1]) / (distances[index] - distances[index - 1])
    let (a, b) = (places[index - 1], places[index])
    return Coordinate(
      latitude: a.latitude + (b.latitude - a.latitude) * part, longitude: a.longitude + (b.longitude - a.longitude) * part)
  }

  /// Returns the metres from a place to the nearest point of the line; `nil` for a line of fewer than two places.
  package func distance(to place: Coordinate) -> Meters? {
    guard places.count > 1 else { return nil }
    let north = 111_194.9
    let east = north * cos(place.latitude * .pi / 180)
    func flat(_ other: Coordinate) -> (x: Double, y: Double) {
      ((other.longitude - place.longitude) * east, (other.latitude - place.latitude) * north)
    }
    return zip(places, places.dropFirst()).map { start, end in
      let (a, b) = (flat(start), flat(end))
      let (x, y) = (b.x - a.x, b.y - a.y)
      let square = x * x + y * y
      let part = square > 0 ? min(1, max(0, -(a.x * x + a.y * y) / square)) : 0
      return hypot(a.x + x * part, a.y + y * part)
    }.min()
  }
}
