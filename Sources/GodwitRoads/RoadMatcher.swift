package import GodwitModel

/// A recorded position for map matching.
package struct RoadFix: Sendable, Hashable {
  package var point: RoadPoint
  /// Time in seconds, from any origin.
  package var time: Double
  /// Radius in metres that contains the position with a probability of 68 %; `nil` if the receiver reports none or one that is not
  /// positive.
  package let accuracy: Double?

  package init(_ coordinate: Coordinate, time: Double, accuracy: Double? = nil) {
    (point, self.time) = (RoadPoint(coordinate), time)
    self.accuracy = accuracy.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
  }

  /// Returns the straight distance in metres. Exact for nearby positions and approximate for others.
  package func distance(to other: RoadFix) -> Double { LocalPlane(around: point).position(other.point).length }
}

/// Finds the most probable sequence of roads for the positions of a track (map matching).
///
/// The model is a hidden Markov model (Newson and Krumm, Hidden Markov map matching through noise and sparseness, 2009). The states
/// of a position are the points on nearby roads, in each direction of travel. The cost of a state increases with its distance from
/// the position, and with the difference between its direction and that of the track. The cost of a transition increases with the
/// difference between the length of the path on roads and the straight distance. A U-turn has an additional cost. The Viterbi
/// algorithm returns the sequence with the lowest cost.
package struct RoadMatcher: ~Copyable {
  /// Parameters of the model. Costs are negative logarithms of probabilities.
  package struct Settings: Sendable, Hashable {
    /// Standard deviation in metres of a position across the road, if its accuracy is unknown.
    package var deviation = 7.0
    /// Correlation length of position errors in metres. Positions that are closer to each other have a lower weight.
    package var correlation = 120.0
    /// Maximum distance in metres of a road from a position. For a position with a lower accuracy the distance is greater, up to
    /// ``farthest``.
    package var radius = 100.0
    package var farthest = 250.0
    /// Minimum metres between two matched positions. Positions in between are skipped.
    package var spacing = 15.0
    /// Cost of a state in the direction opposite to the track. At a difference of 90° the cost is half of it.
    package var heading = 3.0
    /// Difference in metres between path and straight line that costs 1, plus a fraction of the straight line.
    package var detour = 8.0
    package var detourShare = 0.1
    /// Cost of a U-turn on a road, or at a node that is not a dead end.
    package var turn = 12.0
    /// Metres by which a turn of 180° lengthens a path when several paths lead to a state.
    package var turnLength = 300.0
    /// Cost of a position off the roads, and cost of leaving the roads, returning to them, or starting off them.
    package var offRoad = 6.0
    package var leave = 25.0
    /// A section off the roads is replaced by the path between its ends if the path exceeds the straight line by at most these
    /// metres and this fraction. Such a section is caused by noise, or by a road that is too far away.
    package var fill = 60.0
    package var fillShare = 0.3
    /// States whose cost exceeds the lowest cost by this are dropped.
    package var beam = 40.0
    /// Maximum speed in metres per second.
    package var fastest = 70.0

    package init() {}
  }

  struct State {
    /// `nil` off the roads.
    var edge: RoadGraph.DirectedEdge?
    /// Metres from the start of the directed edge.
    var offset: Double
    var cost: Double
    /// Index of the previous state; −1 for the first position.
    var previous: Int32
  }

  /// A matched position with its states. The first state is off the roads.
  private struct Layer {
    var fix: Int
    var states: Range<Int>
  }

  private let graph: RoadGraph
  private let travel: Travel
  private let settings: Settings
  private var search: RoadSearch
  private var found: [RoadCandidate] = []
  private var states: [State] = []
  private var layers: [Layer] = []
  /// Costs of the newest states without transitions.
  private var own: [Double] = []

  package init(_ graph: RoadGraph, travel: Travel, settings: Settings = Settings()) {
    (self.graph, self.travel, self.settings) = (graph, travel, settings)
    search = RoadSearch(graph, travel, turn: settings.turnLength)
  }

  /// Returns the roads of a track, split where the track leaves the roads or has a gap without a plausible path.
  /// - Parameter fixes: Positions sorted by time.
  package mutating func match(_ fixes: [RoadFix]) -> [MatchedRoute] {
    states.removeAll(keepingCapacity: true)
    layers.removeAll(keepingCapacity: true)
    let anchors = anchors(of: fixes)
    for (index, fix) in anchors.enumerated() {
      let first = states.count
      addStates(fixes[fix], direction(at: index, anchors, fixes), alike: alike(at: index, anchors, fixes))
      if let last = layers.last { advance(from: last, fixes, fix, first) } else { states[first].cost += settings.leave }
      layers.append(Layer(fix: fix, states: first..<states.count))
    }
    return routes(fixes)
  }

  /// Returns the indices of the positions to match: those at least ``Settings/spacing`` from the previous one, and the last.
  private func anchors(of fixes: [RoadFix]) -> [Int] {
    guard let first = fixes.first else { return [] }
    var anchors = [0]
    var plane = LocalPlane(around: first.point)
    for index in fixes.indices.dropFirst() {
      let position = plane.position(fixes[index].point)
      guard (position * position).sum() >= settings.spacing * settings.spacing || index == fixes.count - 1 else { continue }
      anchors.append(index)
      plane = LocalPlane(around: fixes[index].point)
    }
    return anchors
  }

  /// Returns the direction of the track at a position as a vector. Its length is 1 if the neighbours are far away, and lower if
  /// noise may affect the direction.
  private func direction(at index: Int, _ anchors: [Int], _ fixes: [RoadFix]) -> SIMD2<Double> {
    let plane = LocalPlane(around: fixes[anchors[index]].point)
    let before = index > 0 ? plane.position(fixes[anchors[index - 1]].point) : SIMD2(0, 0)
    let after = index + 1 < anchors.count ? plane.position(fixes[anchors[index + 1]].point) : SIMD2(0, 0)
    let (a, b) = (unit(-before), unit(after))
    return (a + b) / (index > 0 && index + 1 < anchors.count ? 2 : 1)
  }

  /// Returns the number of positions with correlated errors around a position.
  private func alike(at index: Int, _ anchors: [Int], _ fixes: [RoadFix]) -> Double {
    guard anchors.count > 1 else { return 1 }
    let neighbour = LocalPlane(around: fixes[anchors[index]].point).position(fixes[anchors[index > 0 ? index - 1 : 1]].point)
    return settings.correlation / min(settings.correlation, max(neighbour.length, settings.spacing))
  }

  private func unit(_ vector: SIMD2<Double>) -> SIMD2<Double> {
    let length = vector.length
    guard length > settings.spacing / 2 else { return SIMD2(0, 0) }
    // With one fix per minute, the direction of the track contains little information about the direction of the road.
    return vector / length * min(1, 60 / length)
  }

  /// Adds the states of a position, without transitions.
  /// - Parameter alike: Number of positions with correlated errors.
  private mutating func addStates(_ fix: RoadFix, _ direction: SIMD2<Double>, alike: Double) {
    states.append(State(edge: nil, offset: 0, cost: settings.offRoad, previous: -1))
    let accuracy = fix.accuracy ?? 0
    var radius = min(settings.farthest, max(settings.radius, 2 * accuracy))
    repeat {
      graph.candidates(near: fix.point, travel: travel, radius: radius, into: &found)
      radius *= 2
    } while found.isEmpty && radius <= settings.farthest
    let deviation = max(settings.deviation, min(accuracy, settings.farthest / 2)) * alike.squareRoot()
    let strength = direction.length
    for candidate in found {
      let share = candidate.distance / deviation
      // Beyond three deviations the cost is linear, because receivers have more large errors than a normal distribution.
      let cost = share < 3 ? share * share / 2 : 3 * share - 4.5
      let turn = (candidate.direction * direction).sum()
      for isReversed in [false, true] {
        let edge = RoadGraph.DirectedEdge(edge: Int(candidate.edge), isReversed: isReversed)
        guard graph.isOpen(edge, to: travel) else { continue }
        let heading = settings.heading / 2 * (strength - (isReversed ? -turn : turn))
        let length = graph.length(of: edge)
        states.append(
          State(
            edge: edge, offset: isReversed ? length - candidate.offset : candidate.offset, cost: cost + heading, previous: -1))
      }
    }
  }

  /// Finds the best transitions to the states from `first` on, and drops states with a high cost.
  private mutating func advance(from last: Layer, _ fixes: [RoadFix], _ fix: Int, _ first: Int) {
    let distance = LocalPlane(around: fixes[last.fix].point).position(fixes[fix].point).length
    let seconds = fixes[fix].time - fixes[last.fix].time
    let fastest = seconds > 0 ? settings.fastest * seconds + 200 : Double.infinity
    own.removeAll(keepingCapacity: true)
    for index in first..<states.count { own.append(states[index].cost) }
    leaveAndReturn(last, first)
    if states.count > first + 1 {
      // A search with the larger limit runs only if the smaller one finds no path.
      for limit in [2 * distance + 150, 6 * distance + 1_000] where connect(last, first, distance, min(limit, fastest)) { break }
    }
    let minimum = states[first...].reduce(Double.infinity) { min($0, $1.cost) }
    var kept = first + 1
    for index in first + 1..<states.count where states[index].cost <= minimum + settings.beam {
      states[kept] = states[index]
      kept += 1
    }
    states.removeSubrange(kept...)
  }

  /// Sets the transitions off the roads: from all states to the first one, and from the first state of the previous layer to all.
  private mutating func leaveAndReturn(_ last: Layer, _ first: Int) {
    let off = states[last.states.lowerBound]
    var best = (cost: off.cost, previous: last.states.lowerBound)
    for index in last.states.dropFirst() where states[index].cost + settings.leave < best.cost {
      best = (states[index].cost + settings.leave, index)
    }
    states[first].cost = own[0] + best.cost
    states[first].previous = Int32(best.previous)
    for index in first + 1..<states.count {
      states[index].cost = own[index - first] + off.cost + settings.leave
      states[index].previous = Int32(last.states.lowerBound)
    }
  }

  /// Finds the best path on roads to each state from `first` on. Returns `false` if there is no path to any of them.
  private mutating func connect(_ last: Layer, _ first: Int, _ straight: Double, _ limit: Double) -> Bool {
    var isReached = false
    search.beginTargets()
    for index in first + 1..<states.count {
      if let edge = states[index].edge { search.addTarget(graph.start(of: edge)) }
    }
    let scale = settings.detour + settings.detourShare * straight
    for previous in last.states.dropFirst() {
      let from = states[previous]
      guard let edge = from.edge else { continue }
      let rest = graph.length(of: edge) - from.offset
      let end = graph.end(of: edge)
      search.run(from: end, arrival: edge, limit: limit - rest)
      for index in first + 1..<states.count {
        guard let to = states[index].edge,
          let path = path((edge, from.offset), rest, end, to: (to, states[index].offset)), path.length <= limit
        else { continue }
        isReached = true
        let cost = from.cost + abs(path.length - straight) / scale + (path.turnsBack ? settings.turn : 0) + own[index - first]
        if cost < states[index].cost {
          states[index].cost = cost
          states[index].previous = Int32(previous)
        }
      }
    }
    return isReached
  }

  /// Returns the metres on roads between two states, and whether the path contains a U-turn. Requires a search from the end of the
  /// first state's edge.
  @inline(__always)
  private func path(
    _ from: (edge: RoadGraph.DirectedEdge, offset: Double), _ rest: Double, _ end: UInt32,
    to: (edge: RoadGraph.DirectedEdge, offset: Double)
  ) -> (length: Double, turnsBack: Bool)? {
    if to.edge == from.edge {
      // Noise along the road can move a position backwards.
      if to.offset >= from.offset - slack { return (max(0, to.offset - from.offset), false) }
    } else if to.edge == from.edge.opposite {
      let ahead = graph.length(of: to.edge) - to.offset
      return (abs(ahead - from.offset), true)
    }
    let start = graph.start(of: to.edge)
    guard let between = search.length(to: start) else { return nil }
    let turnsBack = start != end && search.arrival(at: start) == to.edge.opposite && graph.edgesLeaving(start).count > 1
    return (rest + between + to.offset, turnsBack)
  }

  /// Maximum metres by which noise can move a position backwards on its road.
  private var slack: Double { 5 * settings.deviation }

  /// Returns the routes of the sequence of states with the lowest cost.
  private mutating func routes(_ fixes: [RoadFix]) -> [MatchedRoute] {
    guard let last = layers.last, var index = last.states.min(by: { states[$0].cost < states[$1].cost }) else { return [] }
    var chosen: [State] = []
    while index >= 0 {
      chosen.append(states[index])
      index = Int(states[index].previous)
    }
    chosen.reverse()
    var routes: [MatchedRoute] = []
    var previous: Int?
    for (number, state) in chosen.enumerated() {
      guard let edge = state.edge else { continue }
      let place = MatchedRoute.Place(fix: layers[number].fix, edge: edge, offset: state.offset)
      if let previous, let route = routes.last,
        let between = edges(from: route.places[route.places.count - 1], to: place, fixes, isFilled: previous < number - 1)
      {
        routes[routes.count - 1].add(place, over: between, in: graph)
      } else {
        routes.append(MatchedRoute(from: place))
      }
      previous = number
    }
    return routes
  }

  /// Returns the edges between those of two places; `nil` if there is no path, or if it is too long to replace a section off the
  /// roads.
  private mutating func edges(from: MatchedRoute.Place, to: MatchedRoute.Place, _ fixes: [RoadFix], isFilled: Bool)
    -> [RoadGraph.DirectedEdge]?
  {
    let isAhead = to.edge == from.edge && to.offset >= from.offset - slack
    guard !isAhead, to.edge != from.edge.opposite else { return [] }
    let (start, end) = (graph.start(of: to.edge), graph.end(of: from.edge))
    var limit = Double.infinity
    if isFilled {
      let straight = LocalPlane(around: fixes[from.fix].point).position(fixes[to.fix].point).length
      let rest = graph.length(of: from.edge) - from.offset + to.offset
      limit = straight * (1 + settings.fillShare) + settings.fill - rest
    }
    search.beginTargets()
    search.addTarget(start)
    search.run(from: end, arrival: from.edge, limit: limit)
    guard start == end || search.length(to: start) != nil else { return nil }
    return search.edges(to: start, from: end)
  }
}
