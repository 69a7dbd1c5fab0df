internal import GodwitModel

/// Finds circles near a place. Everything that the engine asks of the index of circles is asked here.
struct CircleIndex: Sendable {
  private let circles: [Circle]

  init(_ circles: [Circle]) { self.circles = circles }

  var count: Int { circles.count }

  /// The positions of the nearest ones with the metres to their edges, those that one is deepest inside of first.
  func nearest(_ limit: Int, to place: Coordinate) -> [(position: Int, distance: Meters)] {
    let all = circles.indices.map { (position: $0, distance: circles[$0].distanceToEdge(from: place)) }
    return Array(all.sorted { ($0.distance, $0.position) < ($1.distance, $1.position) }.prefix(limit))
  }

  /// The positions of those whose edge is at most so many metres away or behind one.
  func within(_ distance: Meters, of place: Coordinate) -> [Int] {
    circles.indices.filter { circles[$0].distanceToEdge(from: place) <= distance }
  }
}
