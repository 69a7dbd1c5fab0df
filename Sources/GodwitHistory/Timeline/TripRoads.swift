package import GodwitModel
package import GodwitModes
package import GodwitRoads

/// Finds the roads of the parts of trips.
package struct TripRoads: Sendable {
  /// The metres between two positions above which no roads are matched between them: the positions do not determine the roads, and
  /// the search is long.
  static let maximumStep: Meters = 5_000
  /// A route that is longer than the line through its positions times `times` plus `metres` is discarded.
  static let believed = (times: 3.0, metres: 500.0)

  /// A stretch of a part of a trip.
  package struct Stretch: Sendable {
    /// The indices of the first and the last position of the stretch. Two consecutive stretches share the position between them.
    package var positions: ClosedRange<Int>
    /// The route between these positions; `nil` if the stretch is not on roads.
    package var route: MatchedRoute?
  }

  package let graph: RoadGraph

  package init(_ graph: RoadGraph) { self.graph = graph }

  /// Returns the way in which a mode travels on roads; `nil` if it does not.
  package static func travel(by mode: TravelMode) -> Travel? {
    switch mode {
    case .walk, .run: .foot
    case .cycle: .bicycle
    case .car: .motor
    case .train: .rail
    case .plane, .boat, .unknown: nil
    }
  }

  /// Returns the probability that a motorized part is on rails, 0…1.
  /// - Parameters:
  ///   - steps: the positions of the part.
  ///   - kinds: the probabilities of the model for the part.
  package func probabilityOfRails(_ steps: [TimelineBuilder.Step], _ kinds: KindProbabilities) -> Double {
    let fixes = steps.lazy.filter { !$0.isPlace }.map { RoadFix($0.coordinate, time: Double($0.time) / 1000) }
    let evidence = graph.railEvidence(of: fixes)
    return kinds.weighted(train: evidence.train, subway: evidence.subway).rails
  }

  /// Divides positions into stretches on roads and off roads, in order and without gaps.
  /// - Parameters:
  ///   - fixes: the positions in the order of time.
  ///   - travel: the kind of travel, which determines the usable roads.
  package func stretches(of fixes: [RoadFix], _ travel: Travel) -> [Stretch] {
    guard fixes.count > 1 else { return [] }
    var matcher = RoadMatcher(graph, travel: travel)
    var stretches: [Stretch] = []
    var last = 0
    func leave(to next: Int) {
      if next > last { stretches.append(Stretch(positions: last...next, route: nil)) }
    }
    for part in Self.parts(of: fixes) {
      for route in matcher.match(Array(fixes[part])) {
        guard let first = route.places.first, let end = route.places.last, end.fix > first.fix else { continue }
        let positions = part.lowerBound + first.fix...part.lowerBound + end.fix
        guard Self.isBelieved(route, Self.length(of: fixes[positions])) else { continue }
        leave(to: positions.lowerBound)
        stretches.append(Stretch(positions: positions, route: route))
        last = positions.upperBound
      }
    }
    leave(to: fixes.count - 1)
    return stretches
  }

  /// Returns the length of a part of a trip: along roads where it is on roads, and from position to position elsewhere; `nil` if
  /// the mode does not use roads.
  package func length(of steps: some Collection<TimelineBuilder.Step>, by mode: TravelMode) -> Meters? {
    guard let travel = Self.travel(by: mode), let first = steps.first else { return nil }
    // The centres of stays are not measured positions.
    let measured = steps.filter { !$0.isPlace }
    let fixes = measured.map { RoadFix($0.coordinate, time: Double($0.time) / 1000) }
    var length = steps.reduce(first) { _, step in step }.metres - first.metres
    for stretch in stretches(of: fixes, travel) {
      guard let route = stretch.route else { continue }
      length += route.length - (measured[stretch.positions.upperBound].metres - measured[stretch.positions.lowerBound].metres)
    }
    return max(0, length)
  }

  /// Returns the ranges of positions whose distances are small enough for matching.
  private static func parts(of fixes: [RoadFix]) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var first = 0
    for index in fixes.indices.dropFirst() where fixes[index].distance(to: fixes[index - 1]) > maximumStep {
      parts.append(first..<index)
      first = index
    }
    return parts + [first..<fixes.count]
  }

  /// Returns the length of the line through positions.
  package static func length(of fixes: ArraySlice<RoadFix>) -> Meters {
    zip(fixes, fixes.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
  }

  private static func isBelieved(_ route: MatchedRoute, _ straight: Meters) -> Bool {
    route.length <= believed.times * straight + believed.metres
  }
}
