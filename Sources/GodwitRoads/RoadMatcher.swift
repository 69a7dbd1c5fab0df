package import GodwitModel

/// A recorded position for a matcher.
package struct RoadFix: Sendable, Hashable {
  package var point: RoadPoint
  /// Seconds, from any beginning.
  package var time: Double
  /// The radius in metres within which the position is with 68 %; `nil` where the receiver states none, or no positive number.
  package let accuracy: Double?

  package init(_ coordinate: Coordinate, time: Double, accuracy: Double? = nil) {
    (point, self.time) = (RoadPoint(coordinate), time)
    self.accuracy = accuracy.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
  }

  /// The straight distance in metres, exact for neighbours and rough for others.
  package func distance(to other: RoadFix) -> Double { LocalPlane(around: point).position(other.point).length }
}

/// Finds the roads of a track: the sequence of roads that explains the recorded positions best.
///
/// A hidden Markov model (Newson and Krumm, Hidden Markov map matching through noise and sparseness, 2009): the states of a position are
/// the places on roads near it, in each direction of travel. A place costs the more, the farther it is from the position and the more its
/// direction differs from that of the track. A transition costs the more, the more the path on roads differs from the straight distance; to
/// turn back costs extra. Viterbi's algorithm returns the sequence with the least cost.
package struct RoadMatcher: ~Copyable {
  /// The numbers of the model. Costs are negative logarithms of probabilities.
  package struct Settings: Sendable, Hashable {
    /// Standard deviation of a position across the road, metres, where no accuracy is known.
    package var deviation = 7.0
    /// Errors of positions that are nearer to each other than this are alike, metres: nearer positions count as fewer.
    package var correlation = 120.0
    /// Farthest road from a position, metres. A position with a worse accuracy looks farther, up to ``farthest``.
    package var radius = 100.0
    package var farthest = 250.0
    /// Positions nearer than this to the last used one are left out, metres.
    package var spacing = 15.0
    /// The cost of the opposite direction, on a road whose direction differs by 90° half of it.
    package var heading = 3.0
    /// Metres by which the path may differ from the straight line at the cost of 1, and the share of the straight line.
    package var detour = 8.0
    package var detourShare = 0.1
    /// The cost of turning back, on a road or at a node that is no dead end.
    package var turn = 12.0
    /// The metres that a turn of 180° counts where several paths lead to a place.
    package var turnLength = 300.0
    /// The cost of a position that is on no road, and of leaving the roads, coming back to them, or beginning off them.
    package var offRoad = 6.0
    package var leave = 25.0
    /// A stretch off the roads is filled with the path between its ends if that is at most this longer than straight, metres and share:
    /// it was noise, or no road was near enough.
    package var fill = 60.0
    package var fillShare = 0.3
    /// States that cost this much more than the best are dropped.
    package var beam = 40.0
    /// Fastest travel, metres per second.
    package var fastest = 70.0

    package init() {}
  }

  struct State {
    /// `nil` off the roads.
    var edge: RoadGraph.DirectedEdge?
    /// Metres from the start of the directed edge.
    var offset: Double
    var cost: Double
    /// The index of the state before; -1 at a beginning.
    var previous: Int32
  }

  /// A used position and its states. The first is off the roads.
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
  /// The costs of the newest states without what leads to them.
  private var own: [Double] = []

  package init(_ graph: RoadGraph, travel: Travel, settings: Settings = Settings()) {
    (self.graph, self.travel, self.settings) = (graph, travel, settings)
    search = RoadSearch(graph, travel, turn: settings.turnLength)
  }

  /// Returns the roads of a track, in parts where it leaves the roads or has a gap that no road explains.
  /// - Parameter fixes: In the order of time.
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

  /// The positions that are used: those that are ``Settings/spacing`` from the last used one, and the last.
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

  /// The direction of the track at a used position, as a vector: of length 1 where the neighbours are far from each other, and shorter
  /// where noise may have made it.
  private func direction(at index: Int, _ anchors: [Int], _ fixes: [RoadFix]) -> SIMD2<Double> {
    let plane = LocalPlane(around: fixes[anchors[index]].point)
    let before = index > 0 ? plane.position(fixes[anchors[index - 1]].point) : SIMD2(0, 0)
    let after = index + 1 < anchors.count ? plane.position(fixes[anchors[index + 1]].point) : SIMD2(0, 0)
    let (a, b) = (unit(-before), unit(after))
    return (a + b) / (index > 0 && index + 1 < anchors.count ? 2 : 1)
  }

  /// The number of positions around one whose errors are alike.
  private func alike(at index: Int, _ anchors: [Int], _ fixes: [RoadFix]) -> Double {
    guard anchors.count > 1 else { return 1 }
    let neighbour = LocalPlane(around: fixes[anchors[index]].point).position(fixes[anchors[index > 0 ? index - 1 : 1]].point)
    return settings.correlation / min(settings.correlation, max(neighbour.length, settings.spacing))
  }

  private func unit(_ vector: SIMD2<Double>) -> SIMD2<Double> {
    let length = vector.length
    guard length > settings.spacing / 2 else { return SIMD2(0, 0) }
    // A track of a fix a minute says little about the direction of the road between.
    return vector / length * min(1, 60 / length)
  }

  /// Adds the states of a position, without what leads to them.
  /// - Parameter alike: The number of positions with the same error.
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
      // Beyond three deviations the cost is linear: receivers have more large errors than a normal distribution.
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

  /// Finds what leads to the states from `first`, and drops those that cost too much.
  private mutating func advance(from last: Layer, _ fixes: [RoadFix], _ fix: Int, _ first: Int) {
    let distance = LocalPlane(around: fixes[last.fix].point).position(fixes[fix].point).length
    let seconds = fixes[fix].time - fixes[last.fix].time
    let fastest = seconds > 0 ? settings.fastest * seconds + 200 : Double.infinity
    own.removeAll(keepingCapacity: true)
    for index in first..<states.count { own.append(states[index].cost) }
    leaveAndReturn(last, first)
    if states.count > first + 1 {
      // A long search only where a short one finds no path.
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

  /// The transitions off the roads: to the first state from all, and from the last layer's first to all.
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

  /// Finds the cheapest path on roads to each state from `first`; `false` if no path leads to any.
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

  /// Metres on roads between two states after a search from the end of the first's edge, and whether the way turns back.
  @inline(__always)
  private func path(
    _ from: (edge: RoadGraph.DirectedEdge, offset: Double), _ rest: Double, _ end: UInt32,
    to: (edge: RoadGraph.DirectedEdge, offset: Double)
  ) -> (length: Double, turnsBack: Bool)? {
    if to.edge == from.edge {
      // Noise along the road may bring a position a little back.
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

  /// Metres by which noise may bring a position back on its road.
  private var slack: Double { 5 * settings.deviation }

  /// The routes of the cheapest sequence of states.
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

  /// The edges between those of two places; `nil` if they are too long to fill a stretch off the roads with them.
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
