internal import GodwitModel

/// Finds circles near a place. Everything that the engine asks of the index of circles is asked here.
struct CircleIndex: Sendable {
  private let index: CapIndex
  /// Where each circle lies in the index; nothing where nobody asks for them.
  private var slots: [Int32] = []

  init(_ circles: [Circle]) { index = CapIndex(circles) }

  /// An index that also gives its circles back.
  init(_ skeleton: consuming CapIndex.Skeleton) {
    index = skeleton.index()
    slots = index.slots
  }

  var count: Int { index.count }

  subscript(position: Int) -> Circle { index.circle(inSlot: slots[position]) }

  /// The positions of the nearest ones with the metres to their edges, those that one is deepest inside of first.
  func nearest(_ limit: Int, to place: Coordinate) -> [(position: Int, distance: Meters)] {
    index.nearest(limit, to: place).map { (Int($0.position), $0.distanceToEdge) }
  }

  /// The positions of those that contain a place, with the metres to their edges, in no order.
  func containing(_ place: Coordinate) -> [(position: Int, distance: Meters)] {
    index.containing(place).map { (Int($0.position), $0.distanceToEdge) }
  }
}
