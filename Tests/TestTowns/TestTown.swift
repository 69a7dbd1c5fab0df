package import GodwitModel
package import GodwitRoads

/// An invented town with a grid of streets every 100 m.
package struct TestTown {
  package let graph: RoadGraph
  private let origin: Coordinate

  /// - Parameters:
  ///   - side: the number of crossings on a side.
  ///   - origin: the south-western crossing.
  ///   - isOpen: whether the street between two crossings is open forward (to the north or to the east) and backward.
  package init(
    side: Int, at origin: Coordinate,
    isOpen: (_ from: (Int, Int), _ to: (Int, Int)) -> (forward: Bool, backward: Bool) = { _, _ in (true, true) }
  ) throws {
    self.origin = origin
    var builder = RoadGraphBuilder()
    var numbers: [[UInt32]] = []
    for column in 0..<side {
      numbers.append(
        (0..<side).compactMap { builder.addPoint(RoadPoint(Self.place(origin, Double(column) * 100, Double($0) * 100))) })
    }
    for column in 0..<side {
      for row in 0..<side {
        for (toColumn, toRow) in [(column + 1, row), (column, row + 1)] where toColumn < side && toRow < side {
          var street = RoadAttributes(kind: .street)
          let open = isOpen((column, row), (toColumn, toRow))
          street.open(to: .motor, forward: open.forward, backward: open.backward)
          street.open(to: .foot, forward: true, backward: true)
          builder.addRoad(through: [numbers[column][row], numbers[toColumn][toRow]], street)
        }
      }
    }
    graph = builder.build().graph
  }

  /// Returns the position `east` and `north` metres from the origin.
  package func place(_ east: Double, _ north: Double) -> Coordinate { Self.place(origin, east, north) }

  private static func place(_ origin: Coordinate, _ east: Double, _ north: Double) -> Coordinate {
    GreatCircle.destination(
      from: GreatCircle.destination(from: origin, course: 0, distance: north), course: 90, distance: east)
  }

  /// Returns positions along straight lines between corners, one every `step` metres, each moved by up to `noise` metres.
  package func track(
    _ corners: [(Double, Double)], step: Double, noise: Double = 0, from random: inout some RandomNumberGenerator
  )
    -> [RoadFix]
  {
    var fixes: [RoadFix] = []
    for (start, end) in zip(corners, corners.dropFirst()) {
      let (east, north) = (end.0 - start.0, end.1 - start.1)
      let count = max(1, Int((east * east + north * north).squareRoot() / step))
      for index in 0..<count {
        let share = Double(index) / Double(count)
        fixes.append(
          RoadFix(
            place(
              start.0 + east * share + .random(in: -noise...noise, using: &random),
              start.1 + north * share + .random(in: -noise...noise, using: &random)), time: Double(fixes.count) * step / 10))
      }
    }
    if let last = corners.last { fixes.append(RoadFix(place(last.0, last.1), time: Double(fixes.count) * step / 10)) }
    return fixes
  }
}
