/// A schedule: a path from the beginning of the day to its end.
struct SchedulePath: Sendable, Hashable {
  /// Indices of its nodes, and of the steps between them: the first leads from the first node to the second.
  var nodes: [Int]
  var steps: [Int]
  var energy: Double
  var shortfall: Shortfall
}

extension ScheduleGraph {
  /// The path of some steps, each of which begins where the one before ends.
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

/// Makes a path cheaper with parts of other paths, as far as the bounds allow.
///
/// The best paths for some prices use what is allowed only nearly. Two paths have many nodes in common; between two of these either part
/// can be taken.
struct PathSplice {
  let graph: ScheduleGraph
  let allowed: Shortfall
  /// Joules for a second beyond each bound.
  let prices: [Double]
  var exact: ExactShortfalls

  /// A part that another path has in place of some steps.
  private struct Part {
    var own: Range<Int>
    var steps: ArraySlice<Int>
    /// Joules saved, and further seconds beyond the bounds.
    var saved: Double
    var more: Shortfall
    /// Saved joules for each joule of the price of what is beyond the bounds.
    var worth: Double
  }

  mutating func improved(_ path: SchedulePath, with others: [SchedulePath]) -> SchedulePath {
    var best = path
    // Steps have sampled errors; what counts is the error at every second.
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

  /// What the sum over the steps may be, so that the exact one is what is allowed.
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

  /// The parts of another path that cost less.
  private func parts(of other: SchedulePath, in path: SchedulePath) -> [Part] {
    var parts: [Part] = []
    var (i, j) = (0, 0)
    var (first, start) = (0, 0)
    while i + 1 < path.nodes.count, j + 1 < other.nodes.count {
      // Nodes are in order of time.
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
