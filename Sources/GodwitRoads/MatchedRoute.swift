package import GodwitModel

/// The roads along a part of a track.
package struct MatchedRoute: Sendable {
  /// The position of a fix on the roads.
  package struct Place: Sendable, Hashable {
    /// Index of the fix in the track.
    package var fix: Int
    package var edge: RoadGraph.DirectedEdge
    /// Metres from the start of the directed edge.
    package var offset: Double
  }

  /// A part of an edge, in the direction of travel.
  package struct Step: Sendable, Hashable {
    package var edge: RoadGraph.DirectedEdge
    /// Start and end of the travel on the edge, in metres from the start of the directed edge.
    package var start: Double
    package var end: Double
  }

  /// Parts of edges in the order of travel; at least one.
  package private(set) var steps: [Step]
  /// The matched fixes in their order; at least one.
  package private(set) var places: [Place]

  init(from place: Place) {
    steps = [Step(edge: place.edge, start: place.offset, end: place.offset)]
    places = [place]
  }

  /// Length in metres.
  package var length: Double { steps.reduce(0) { $0 + $1.end - $1.start } }

  /// Returns the line of the route from its first place to its last, with at least two points.
  package func line(in graph: RoadGraph) -> [Coordinate] {
    var line: [Coordinate] = []
    for step in steps {
      let points = graph.points(of: step.edge)
      var passed = 0.0
      for (a, b) in zip(points, points.dropFirst()) {
        let plane = LocalPlane(around: a)
        let vector = plane.position(b)
        let length = vector.length
        defer { passed += length }
        // The first and the last segment of a step end on the edge.
        let (from, to) = (max(0, step.start - passed), min(length, step.end - passed))
        guard to >= from, length > 0 else { continue }
        for distance in [from, to] {
          guard let point = plane.point(vector * (distance / length)).coordinate, line.last != point else { continue }
          line.append(point)
        }
      }
    }
    // The route can consist of a single place.
    if line.count == 1 { line.append(line[0]) }
    return line
  }

  /// Extends the route to a place.
  /// - Parameter between: The edges between the last one and that of the place.
  mutating func add(_ place: Place, over between: [RoadGraph.DirectedEdge], in graph: RoadGraph) {
    places.append(place)
    let last = steps[steps.count - 1]
    if place.edge == last.edge, between.isEmpty {
      steps[steps.count - 1].end = max(last.end, place.offset)
      return
    }
    let length = graph.length(of: last.edge)
    if place.edge == last.edge.opposite, between.isEmpty {
      // The turn is at the farthest point of the travel on the edge.
      let turn = max(last.end, length - place.offset)
      steps[steps.count - 1].end = turn
      steps.append(Step(edge: place.edge, start: length - turn, end: place.offset))
      return
    }
    steps[steps.count - 1].end = length
    for edge in between { steps.append(Step(edge: edge, start: 0, end: graph.length(of: edge))) }
    steps.append(Step(edge: place.edge, start: 0, end: place.offset))
  }
}
