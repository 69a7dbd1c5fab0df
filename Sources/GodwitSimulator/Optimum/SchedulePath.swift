/// A schedule: a path from the beginning of the day to its end.
struct SchedulePath: Sendable, Hashable {
  /// Indices of the nodes, and of the steps between them. The first step leads from the first node to the second.
  var nodes: [Int]
  var steps: [Int]
  var energy: Double
  var shortfall: Shortfall
}

extension ScheduleGraph {
  /// Returns the path of consecutive steps. Each step begins at the node where the previous one ends.
  func path(_ numbers: [Int]) -> SchedulePath {
    var path = SchedulePath(nodes: [], steps: numbers, energy: 0, shortfall: Shortfall())
    for number in numbers {
      let step = steps[number]
      path.nodes.append(Int(step.source))
      path.energy += Double(step.energy)
      path.shortfall = path.shortfall + step.shortfall
    }
    path.nodes.append(nodes.count - 1)
    return path
  }
}

/// Reduces the energy of a path by replacing parts of it with parts of other paths, as far as the bounds allow.
///
/// The best paths for given prices do not use the whole allowance. Two paths have many nodes in common, and between two common
/// nodes either part can be used.
struct PathSplice {
  let graph: ScheduleGraph
  let allowed: Shortfall
  /// Joules for each second beyond each bound.
  let prices: [Double]
  var exact: ExactShortfalls

  /// A part of another path that replaces some steps.
  private struct Part {
    var own: Range<Int>
    var steps: ArraySlice<Int>
    /// Joules saved, and additional seconds beyond the bounds.
    var saved: Double
    var more: Shortfall
    /// Saved joules per joule of the price of the additional seconds.
    var worth: Double
  }

  mutating func improved(_ path: SchedulePath, with others: [SchedulePath]) -> SchedulePath {
    var best = path
    // Steps have sampled errors. The bounds apply to the error at every second.
    var limit = limit(of: best)
    for _ in 0..<4 {
      let before = best.energy
      for other in others {
        let candidate = spliced(best, other, limit: limit)
        guard candidate.energy < best.energy - 1e-6 else { continue }
        guard exact.sum(candidate).isWithin(allowed) else { continue }
        best = candidate
        limit = self.limit(of: best)
      }
      guard best.energy < before * 0.9999 else { break }
    }
    return best
  }

  /// Returns the maximum sum of the sampled shortfalls for which the exact shortfall meets the bounds.
  private mutating func limit(of path: SchedulePath) -> Shortfall {
    let exact = exact.sum(path)
    return Shortfall(
      median: allowed.median + path.shortfall.median - exact.median,
      percentile95: allowed.percentile95 + path.shortfall.percentile95 - exact.percentile95,
      covered: allowed.covered + path.shortfall.covered - exact.covered)
  }

  private func spliced(_ path: SchedulePath, _ other: SchedulePath, limit: Shortfall) -> SchedulePath {
    var taken: [Part] = []
    var shortfall = path.shortfall
    for part in parts(of: other, in: path).sorted(by: { ($0.worth, $1.own.lowerBound) > ($1.worth, $0.own.lowerBound) }) {
      let sum = shortfall + part.more
      guard sum.isWithin(limit) else { continue }
      shortfall = sum
      taken.append(part)
    }
    guard !taken.isEmpty else { return path }
    var steps: [Int] = []
    var next = 0
    for part in taken.sorted(by: { $0.own.lowerBound < $1.own.lowerBound }) {
      steps += path.steps[next..<part.own.lowerBound]
      steps += part.steps
      next = part.own.upperBound
    }
    return graph.path(steps + path.steps[next...])
  }

  /// Returns the parts of another path that use less energy.
  private func parts(of other: SchedulePath, in path: SchedulePath) -> [Part] {
    var parts: [Part] = []
    var (i, j) = (0, 0)
    var (first, start) = (0, 0)
    while i + 1 < path.nodes.count, j + 1 < other.nodes.count {
      // Nodes are sorted by time.
      if path.nodes[i + 1] < other.nodes[j + 1] {
        i += 1
      } else if path.nodes[i + 1] > other.nodes[j + 1] {
        j += 1
      } else {
        (i, j) = (i + 1, j + 1)
        if let part = part(path.steps[first..<i], other.steps[start..<j]) { parts.append(part) }
        (first, start) = (i, j)
      }
    }
    return parts
  }

  private func part(_ own: ArraySlice<Int>, _ steps: ArraySlice<Int>) -> Part? {
    guard own != steps else { return nil }
    var saved = 0.0
    var more = [0.0, 0, 0]
    for (list, sign) in [(own, -1.0), (steps, 1.0)] {
      for number in list {
        saved -= sign * Double(graph.steps[number].energy)
        for (index, value) in graph.steps[number].shortfall.values.enumerated() { more[index] += sign * value }
      }
    }
    guard saved > 1e-6 else { return nil }
    let price = zip(prices, more).reduce(0) { $0 + $1.0 * $1.1 }
    return Part(
      own: own.indices, steps: steps, saved: saved,
      more: Shortfall(median: Float(more[0]), percentile95: Float(more[1]), covered: Float(more[2])),
      worth: saved / max(1e-9, price))
  }
}
