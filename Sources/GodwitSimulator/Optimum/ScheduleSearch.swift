/// Finds the path with the least energy whose seconds beyond the bounds are allowed.
///
/// The search is a Lagrangian relaxation. Each second beyond one of the three bounds has a price in joules. For given prices the
/// best path is found by dynamic programming over the nodes in order of time. For any prices, the energy of that path plus the
/// price of its seconds, minus the price of the allowance, is a lower bound for the energy of each path that meets the bounds. This
/// lower bound is a concave function of the prices, and the ellipsoid method finds its maximum. The result is the best path found
/// during the search that meets the bounds.
struct ScheduleSearch: Sendable {
  let graph: ScheduleGraph
  let allowed: Shortfall
  /// Relative difference between upper and lower bound at which the search ends.
  private let accuracy = 0.002
  private let maximumRounds = 160
  /// Seconds of a block of the day. Varied prices are constant in a block.
  static let block = 300

  /// Joules for each second beyond each bound.
  typealias Prices = [Double]

  struct Outcome {
    /// The best path that meets the bounds; nil if none was found.
    var best: SchedulePath?
    /// Minimum joules of any path that meets the bounds.
    var lowerBound = 0.0
    /// Number of times that the best path for given prices was computed.
    var rounds = 0
    /// Distinct paths that were the best for some prices.
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

  /// Raises the lower bound as far as possible. - Returns: the prices with the highest lower bound.
  private func ascend(_ outcome: inout Outcome) -> Prices {
    // Upper limit of the joules for a second while moving that meets all bounds.
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

  /// Searches near the best prices for paths that meet the bounds.
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

  /// Adjusts the prices until the path just meets the bounds: the price of a missed bound is raised, the others are lowered.
  ///
  /// On a uniform day, the path for some prices misses a bound all day, and the path for slightly different prices exceeds the
  /// requirement all day. If the prices vary over the day, some parts of the day use the first path and others the second.
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

  /// Returns the best path for given prices. Records the path and its lower bound.
  private func visit(_ prices: Prices, _ outcome: inout Outcome) -> SchedulePath? {
    outcome.rounds += 1
    guard let path = path(prices) else { return nil }
    let priced = zip(prices, zip(path.shortfall.values, allowed.values)).reduce(0) { $0 + $1.0 * ($1.1.0 - $1.1.1) }
    outcome.lowerBound = max(outcome.lowerBound, path.energy + priced)
    record(path, &outcome)
    return path
  }

  /// Stores a path, also as the best one if it meets the bounds with less energy than the best one so far.
  private func record(_ path: SchedulePath, _ outcome: inout Outcome) {
    if !outcome.paths.contains(where: { $0.energy == path.energy && $0.steps == path.steps }) { outcome.paths.append(path) }
    // Check the error at every second.
    if path.energy < outcome.best?.energy ?? .infinity, path.shortfall.isWithin(allowed),
      outcome.exact.sum(path).isWithin(allowed)
    {
      outcome.best = path
    }
  }

  // MARK: Dynamic programming

  /// Returns the path with the least energy plus price of its seconds beyond the bounds; `nil` if there is no path.
  /// - Parameters:
  ///   - prices: Joules for each second beyond each bound.
  ///   - factors: Factors of these prices for each ``block`` of the day; empty for constant prices.
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
