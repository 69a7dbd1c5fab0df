internal import GodwitModel

/// All schedules of a day as a graph. A node is a kind of measurement at a time, and a step leads from one measurement to a later
/// one. A path is a schedule.
///
/// The error between two measurements depends only on these two, so that energy and expected seconds beyond the bounds add up along
/// a path.
struct ScheduleGraph: Sendable {
  /// A step from one measurement to a later one.
  struct Step: Sendable {
    /// Index of a node; 0 is the beginning of the day.
    var source: Int32
    /// Joules.
    var energy: Float
    var shortfall: Shortfall
  }

  /// A possible measurement. The first node is the beginning of the day and the last node is its end.
  struct Node: Sendable {
    var second: Int
    var kind: MeasurementKind?
    /// Indices of the steps that lead to it.
    var steps: Range<Int>
  }

  private(set) var nodes: [Node] = []
  private(set) var steps: [Step] = []
  let day: KnownDay
  let model: MeasurementModel
  private let rules: OptimumRules
  private let gap: GapErrors

  /// The kinds of measurement that are possible at a second.
  private struct Candidate {
    var second: Int
    var kinds: [MeasurementKind]
    /// Index of the node of the first kind.
    var node: Int
  }

  init(_ day: KnownDay, model: MeasurementModel, rules: OptimumRules) {
    self.day = day
    self.model = model
    self.rules = rules
    gap = GapErrors(day: day, model: model, rules: rules)
    nodes.append(Node(second: 0, kind: nil, steps: 0..<0))
    let stays = day.stays.filter { isFindable($0) }
    var candidates: [Candidate] = []
    for second in day.candidates(grid: rules.grid) {
      let kinds = MeasurementKind.allCases.filter { isPossible($0, at: second) }
      guard !kinds.isEmpty else { continue }
      let candidate = Candidate(second: second, kinds: kinds, node: nodes.count)
      for kind in kinds { nodes.append(Node(second: second, kind: kind, steps: steps.count..<steps.count)) }
      addSteps(to: candidate, from: candidates, stays: stays)
      candidates.append(candidate)
    }
    nodes.append(Node(second: day.count, kind: nil, steps: steps.count..<steps.count))
    addLastSteps(from: candidates, stays: stays)
  }

  private func isPossible(_ kind: MeasurementKind, at second: Int) -> Bool {
    guard kind.usesSatellites else { return day.wifiCoverage[second] }
    let lead = model.lead(kind, in: day.environments[second])
    return day.environments[second].seesSky && Double(day.skySince[second]) > lead
  }

  /// Returns whether any measurement can find a stay. A stay that cannot be found does not restrict the schedule.
  private func isFindable(_ stay: KnownDay.StayWindow) -> Bool {
    // The first position also holds from the beginning of the day.
    let last = stay.first == 0 ? stay.last : stay.deadline
    return day.candidates(grid: rules.grid).contains { second in
      second >= stay.first && second <= last
        && MeasurementKind.allCases.contains { isPossible($0, at: second) && sees(stay, $0, at: second) }
    }
  }

  // MARK: Steps

  private mutating func addSteps(to b: Candidate, from candidates: [Candidate], stays: [KnownDay.StayWindow]) {
    var incoming = [[Step]](repeating: [], count: b.kinds.count)
    let here = day.environments[b.second]
    func add(_ kind: Int, _ source: Int, _ cost: StepCost, _ shortfall: Shortfall) {
      incoming[kind].append(Step(source: Int32(source), energy: Float(cost.joules), shortfall: shortfall))
    }
    for a in candidates.reversed() {
      let measured = day.measured(from: a.second, to: b.second)
      guard measured <= rules.maximumGap else { break }
      let passed = stays.filter { $0.deadline >= a.second && $0.deadline < b.second }
      var errors = gap.reading(from: a.second, to: b.second)
      let there = day.environments[a.second]
      for (index, from) in a.kinds.enumerated() where passed.allSatisfy({ sees($0, from, at: a.second) }) {
        for (target, to) in b.kinds.enumerated() {
          guard
            let cost = model.cost(
              from: .init(kind: from, environment: there), to: .init(kind: to, environment: here),
              seconds: b.second - a.second, measured: measured)
          else { continue }
          add(target, a.node + index, cost, gap.shortfall(&errors, from: from, to: to))
        }
      }
    }
    let measured = day.measured(from: 0, to: b.second)
    if measured <= rules.maximumGap {
      let passed = stays.filter { $0.deadline < b.second }
      for (target, to) in b.kinds.enumerated() where passed.allSatisfy({ sees($0, to, at: b.second) }) {
        guard
          let cost = model.cost(
            from: nil, to: .init(kind: to, environment: here), seconds: b.second, measured: measured)
        else { continue }
        add(target, 0, cost, gap.held(b.second, to, from: 0, to: b.second))
      }
    }
    for (target, list) in incoming.enumerated() {
      nodes[b.node + target].steps = steps.count..<steps.count + list.count
      steps += list
    }
  }

  private mutating func addLastSteps(from candidates: [Candidate], stays: [KnownDay.StayWindow]) {
    let first = steps.count
    for a in candidates.reversed() {
      let measured = day.measured(from: a.second, to: day.count)
      guard measured <= rules.maximumGap else { break }
      let passed = stays.filter { $0.deadline >= a.second }
      for (index, from) in a.kinds.enumerated() where passed.allSatisfy({ sees($0, from, at: a.second) }) {
        guard
          let cost = model.cost(
            from: .init(kind: from, environment: day.environments[a.second]), to: nil, seconds: day.count - a.second,
            measured: measured)
        else { continue }
        steps.append(
          Step(
            source: Int32(a.node + index), energy: Float(cost.joules),
            shortfall: gap.held(a.second, from, from: a.second, to: day.count)))
      }
    }
    // A day without a measurement.
    if stays.isEmpty, day.measured <= rules.maximumGap,
      let cost = model.cost(from: nil, to: nil, seconds: day.count, measured: day.measured)
    {
      let all = Float(day.measured)
      steps.append(
        Step(source: 0, energy: Float(cost.joules), shortfall: Shortfall(median: all, percentile95: all, covered: all)))
    }
    nodes[nodes.count - 1].steps = first..<steps.count
  }

  /// Returns whether a measurement is recorded at a stay with the required probability.
  private func sees(_ stay: KnownDay.StayWindow, _ kind: MeasurementKind, at second: Int) -> Bool {
    guard let quality = model.quality(kind, in: day.environments[second]) else { return false }
    let share = RiceDistribution.shared.share(
      within: stay.radius, distance: stay.distance(day.places[second]), deviation: quality.variance.squareRoot())
    return Double(share) * quality.usable >= rules.stayFound
  }

  // MARK: Reading a path

  /// Returns the energy of a path by part, and its expected seconds beyond the bounds with the error computed at every second.
  func measure(_ path: [Int]) -> (cost: StepCost, shortfall: Shortfall) {
    var sum = StepCost()
    var shortfall = Shortfall()
    func end(_ node: Node) -> MeasurementModel.End? {
      node.kind.map { MeasurementModel.End(kind: $0, environment: day.environments[node.second]) }
    }
    for (first, second) in zip(path, path.dropFirst()) {
      let (a, b) = (nodes[first], nodes[second])
      let measured = day.measured(from: a.second, to: b.second)
      if let cost = model.cost(from: end(a), to: end(b), seconds: b.second - a.second, measured: measured) { sum.add(cost) }
      shortfall = shortfall + exactShortfall(from: first, to: second)
    }
    return (sum, shortfall)
  }

  /// Returns the expected seconds beyond the bounds between two nodes, with the error computed at every second.
  func exactShortfall(from first: Int, to second: Int) -> Shortfall {
    let exact = GapErrors(day: day, model: model, rules: rules, samplesEverySecond: true)
    let (a, b) = (nodes[first], nodes[second])
    switch (a.kind, b.kind) {
    case (let from?, let to?):
      var errors = exact.reading(from: a.second, to: b.second)
      return exact.shortfall(&errors, from: from, to: to)
    case (nil, let to?): return exact.held(b.second, to, from: 0, to: b.second)
    case (let from?, nil): return exact.held(a.second, from, from: a.second, to: day.count)
    case (nil, nil):
      let all = Float(day.measured)
      return Shortfall(median: all, percentile95: all, covered: all)
    }
  }
}

/// Shortfalls of paths with the error computed at every second. A step that many paths have in common is computed once.
struct ExactShortfalls {
  private let graph: ScheduleGraph
  private var known: [Int: Shortfall] = [:]

  init(_ graph: ScheduleGraph) { self.graph = graph }

  mutating func sum(_ path: SchedulePath) -> Shortfall {
    var sum = Shortfall()
    for (index, step) in path.steps.enumerated() {
      let shortfall = known[step] ?? graph.exactShortfall(from: path.nodes[index], to: path.nodes[index + 1])
      known[step] = shortfall
      sum = sum + shortfall
    }
    return sum
  }
}

extension StepCost {
  mutating func add(_ other: StepCost) {
    satellites += other.satellites
    processor += other.processor
    wifiScans += other.wifiScans
    cellPositions += other.cellPositions
    delivery += other.delivery
  }
}
