internal import GodwitModel

/// Finds circles near a place. It wraps the queries of `CapIndex` that the engine needs.
struct CircleIndex: Sendable {
  private let index: CapIndex
  /// The slot of each circle in the index; empty if the circles are not read back.
  private var slots: [Int32] = []

  init(_ circles: [Circle]) { index = CapIndex(circles) }

  /// Creates an index whose circles can be read back.
  init(_ skeleton: consuming CapIndex.Skeleton) {
    index = skeleton.index()
    slots = index.slots
  }

  var count: Int { index.count }

  subscript(position: Int) -> Circle { index.circle(inSlot: slots[position]) }

  /// Returns the positions of the nearest circles and the metres to their edges. Circles that contain the place come first, the
  /// deepest first.
  func nearest(_ limit: Int, to place: Coordinate) -> [(position: Int, distance: Meters)] {
    index.nearest(limit, to: place).map { (Int($0.position), $0.distanceToEdge) }
  }

  /// Returns the positions of the circles that contain a place, with the metres to their edges, in no order.
  func containing(_ place: Coordinate) -> [(position: Int, distance: Meters)] {
    index.containing(place).map { (Int($0.position), $0.distanceToEdge) }
  }
}
