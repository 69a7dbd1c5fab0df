/// Finds the path of least energy whose seconds beyond the bounds are allowed.
///
/// Every second beyond a bound costs a price in joules, one for each of the three bounds. For given prices the best path is found by
/// dynamic programming over the nodes in order of time. Whatever the prices, the energy of that path with its price, less the price of
/// what is allowed, is not above the energy of any path that meets the bounds: a lower bound. The prices for which it is highest
/// are found with the ellipsoid method (the bound is a concave function of the prices); the best path that was met on the way
/// and meets the bounds is the schedule.
struct ScheduleSearch: Sendable {
  let graph: ScheduleGraph
  let allowed: Shortfall
  /// Difference of the two bounds at which the search ends, of the energy.
  private let accuracy = 0.002
  private let maximumRounds = 160
  /// Seconds for which spread prices are the same.
  static let block = 300

  /// Joules for a second beyond each bound.
  typealias Prices = [Double]

  struct Outcome {
    /// The best path that meets the bounds; nil if none was found.
    var best: SchedulePath?
    /// Joules that every path which meets the bounds has at least.
    var lowerBound = 0.0
    /// How often the best path for some prices was computed.
    var rounds = 0
    /// Different paths that were the best for some prices.
    fileprivate var paths: [SchedulePath] = []
    fileprivate var exact: ExactShortfalls
  }

  init(_ graph: ScheduleGraph, allowed: Shortfall) {
    self.graph = graph
    self.allowed = allowed
  }

  func run() -> Outcome {
    var outcome = Outcome(exact: ExactShortfalls(graph))
    guard visit([0, 0, 0], &outcome) != nil, outcome.best == nil else { return outcome }
    let prices = ascend(&outcome)
    recover(prices, &outcome)
    if let best = outcome.best {
      let near = outcome.paths.sorted { $0.energy < $1.energy }.filter { $0.energy < best.energy * 1.5 }
      var splice = PathSplice(graph: graph, allowed: allowed, prices: prices, exact: outcome.exact)
      outcome.best = splice.improved(best, with: near)
    }
    return outcome
  }

  // MARK: Prices

  /// Raises the lower bound as far as it goes. - Returns: the prices at which it is highest.
  private func ascend(_ outcome: inout Outcome) -> Prices {
    // A second on the way within all bounds costs less than this.
    let highest = 4.0
    var ellipsoid = Ellipsoid(middle: [highest / 8, highest / 8, highest / 8], radius: highest)
    var best: Prices = [0, 0, 0]
    for _ in 0..<maximumRounds {
      let prices = ellipsoid.middle
      if let negative = prices.indices.first(where: { prices[$0] < 0 }) {
        var normal: Prices = [0, 0, 0]
        normal[negative] = 1
        guard ellipsoid.cut(towards: normal, depth: -prices[negative]) else { break }
        continue
      }
      let before = outcome.lowerBound
      guard let path = visit(prices, &outcome) else { break }
      if outcome.lowerBound > before { best = prices }
      let excess = zip(path.shortfall.values, allowed.values).map { $0 - $1 }
      let bound = path.energy + zip(prices, excess).reduce(0) { $0 + $1.0 * $1.1 }
      let room = ellipsoid.room(towards: excess)
      if room + bound - outcome.lowerBound < accuracy * max(1, outcome.lowerBound) { break }
      guard ellipsoid.cut(towards: excess, depth: outcome.lowerBound - bound) else { break }
    }
    return best
  }

  /// Looks near the best prices for paths that meet the bounds.
  private func recover(_ best: Prices, _ outcome: inout Outcome) {
    for factor in [0.7, 0.85, 1.15, 1.4] {
      for changed in [[0], [1], [2], [0, 1, 2]] {
        var prices = best
        for index in changed { prices[index] *= factor }
        guard visit(prices, &outcome) != nil else { return }
      }
    }
    approach(best, spread: 0, draw: 0, &outcome)
    for draw in 1...4 { for spread in [0.15, 0.4] { approach(best, spread: spread, draw: UInt64(draw), &outcome) } }
  }

  /// Changes prices until the path meets the bounds closely: a price of what is missed is raised, the others are lowered.
  ///
  /// On a day that is everywhere alike, one path for some prices misses a bound all day, and the next one is better than demanded all day. With
  /// prices that are spread over the day, some parts of it take the one and some the other.
  private func approach(_ best: Prices, spread: Double, draw: UInt64, _ outcome: inout Outcome) {
    var random = RandomSource(seed: draw, stream: "prices")
    let blocks = graph.day.count / Self.block + 1
    let factors = (0..<blocks).map { _ in best.map { _ in Float(1 + spread * (2 * random.uniform() - 1)) } }
    var prices = best
    var step = spread > 0 ? 0.1 : 0.05
    for _ in 0..<(spread > 0 ? 12 : 30) {
      guard let path = spread > 0 ? path(prices, factors: factors) : visit(prices, &outcome) else { return }
      if spread > 0 {
        outcome.rounds += 1
        record(path, &outcome)
      }
      let excess = zip(path.shortfall.values, allowed.values).map { $0 - $1 }
      let meets = path.shortfall.isWithin(allowed)
      for index in prices.indices {
        if excess[index] > 0 {
          prices[index] = prices[index] * (1 + step) + 1e-5
        } else if meets {
          prices[index] *= 1 - step
        }
      }
      if meets { step *= 0.7 }
    }
  }

  /// The best path for some prices, noted with the bound that it gives.
  private func visit(_ prices: Prices, _ outcome: inout Outcome) -> SchedulePath? {
    outcome.rounds += 1
    guard let path = path(prices) else { return nil }
    let priced = zip(prices, zip(path.shortfall.values, allowed.values)).reduce(0) { $0 + $1.0 * ($1.1.0 - $1.1.1) }
    outcome.lowerBound = max(outcome.lowerBound, path.energy + priced)
    record(path, &outcome)
    return path
  }

  /// Keeps a path for later, and as the best one if it is.
  private func record(_ path: SchedulePath, _ outcome: inout Outcome) {
    if !outcome.paths.contains(where: { $0.energy == path.energy && $0.steps == path.steps }) { outcome.paths.append(path) }
    // With the error at every second.
    if path.energy < outcome.best?.energy ?? .infinity, path.shortfall.isWithin(allowed),
      outcome.exact.sum(path).isWithin(allowed)
    {
      outcome.best = path
    }
  }

  // MARK: Dynamic programming

  /// The path of least energy with the price of its seconds beyond the bounds; nil if there is no path at all.
  /// - Parameters:
  ///   - prices: joules for a second beyond each bound.
  ///   - factors: of these prices, for each ``block`` of the day; empty to have the same prices all day.
  func path(_ prices: Prices, factors: [[Float]] = []) -> SchedulePath? {
    var (median, percentile, covered) = (Float(prices[0]), Float(prices[1]), Float(prices[2]))
    var lowest = [Float](repeating: .infinity, count: graph.nodes.count)
    var via = [Int32](repeating: -1, count: graph.nodes.count)
    lowest[0] = 0
    graph.steps.withUnsafeBufferPointer { steps in
      for (index, node) in graph.nodes.enumerated() where !node.steps.isEmpty {
        if !factors.isEmpty {
          let factor = factors[node.second / Self.block]
          (median, percentile, covered) = (
            Float(prices[0]) * factor[0], Float(prices[1]) * factor[1], Float(prices[2]) * factor[2]
          )
        }
        var best = Float.infinity
        var from: Int32 = -1
        for number in node.steps {
          let step = steps[number]
          let shortfall = step.shortfall
          let total =
            lowest[Int(step.source)] + step.energy + median * shortfall.median + percentile * shortfall.percentile95
            + covered * shortfall.covered
          if total < best {
            best = total
            from = Int32(number)
          }
        }
        lowest[index] = best
        via[index] = from
      }
    }
    var node = graph.nodes.count - 1
    guard lowest[node] < .infinity else { return nil }
    var path = [Int]()
    while node != 0 {
      path.append(Int(via[node]))
      node = Int(graph.steps[Int(via[node])].source)
    }
    return graph.path(path.reversed())
  }
}
