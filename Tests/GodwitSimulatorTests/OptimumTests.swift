import Foundation
import GodwitModel
import Testing

@testable import GodwitSimulator

/// Returns the true track of a drive with a turn in the middle and a minute at rest at both ends, in one environment.
private func drive(_ environment: Environment = .suburb, seconds: Double = 240, speed: Double = 8) throws -> Truth {
  var rules = TruthRules()
  rules.surroundings = .only(environment)
  let half = seconds / 2
  let out = straight(from: 60, seconds: half, speed: speed)
  let aside = stride(from: 5, through: half, by: 5).map {
    sample(60 + half + $0, north: speed * half, east: speed * $0)
  }
  let still = [sample(60 + seconds + 60, north: speed * half, east: speed * half)]
  return try Truth(days: [[sample(0)], out, aside, still], rules: rules)
}

private func rules(_ change: (inout OptimumRules) -> Void = { _ in }) -> OptimumRules {
  var rules = OptimumRules()
  rules.maximumSamples = 1_000
  change(&rules)
  return rules
}

private func graph(_ truth: Truth, until end: Double, _ rules: OptimumRules) -> ScheduleGraph {
  ScheduleGraph(
    KnownDay(truth, from: at(0), to: at(end), rules: rules),
    model: MeasurementModel(phone: .usual, waiting: rules.waiting), rules: rules)
}

extension ScheduleGraph {
  /// Returns all paths from the start to the end with at most `limit` measurements.
  fileprivate func allPaths(atMost limit: Int) -> [[Int]] {
    var after: [[Int]] = Array(repeating: [], count: nodes.count)
    for (index, node) in nodes.enumerated() {
      for number in node.steps { after[Int(steps[number].source)].append(index) }
    }
    var done: [[Int]] = []
    var open: [[Int]] = [[0]]
    while let path = open.popLast() {
      guard let last = path.last else { continue }
      for next in after[last] {
        if next == nodes.count - 1 { done.append(path + [next]) } else if path.count <= limit { open.append(path + [next]) }
      }
    }
    return done
  }
}

@Suite("Offline optimum")
struct OptimumTests {
  @Test("the share of errors within a radius equals that of many random errors", arguments: [0.0, 4, 12, 30, 75])
  func rice(_ distance: Double) {
    var random = RandomSource(seed: 5, stream: "rice")
    for deviation in [2.0, 8, 25] {
      let count = 20_000
      let drawn = (0..<count).map { _ in
        let (y, x) = (distance + deviation * random.normal(), deviation * random.normal())
        return (y * y + x * x).squareRoot()
      }
      for radius in [15.0, 60, 100] {
        let share = Double(drawn.count { $0 <= radius }) / Double(count)
        let computed = RiceDistribution.shared.share(within: radius, distance: distance, deviation: deviation)
        #expect(abs(Double(computed) - share) < 0.012, "\(distance) m, \(deviation) m, within \(radius) m: \(share)")
      }
    }
  }

  @Test("for any prices dynamic programming finds the cheapest of all paths of a short day", arguments: [0.0, 0.02, 0.1, 0.5])
  func everyPath(_ price: Double) throws {
    let rules = rules { ($0.grid, $0.maximumGap) = (30, 120) }
    let graph = graph(try drive(seconds: 120), until: 240, rules)
    let prices = [price, price * 2, price / 2]
    let search = ScheduleSearch(graph, allowed: rules.allowed(of: graph.day.measured))
    let found = try #require(search.path(prices))
    func priced(_ energy: Double, _ shortfall: Shortfall) -> Double {
      energy + zip(prices, shortfall.values).reduce(0) { $0 + $1.0 * $1.1 }
    }
    let paths = graph.allPaths(atMost: 9)
    #expect(paths.count > 1_000)
    let all = paths.map { path in
      let (cost, shortfall) = graph.measure(path)
      return priced(cost.joules, shortfall)
    }
    let cheapest = try #require(all.min())
    #expect(abs(priced(found.energy, found.shortfall) - cheapest) < 1e-3 * cheapest + 1e-6)
  }

  @Test("the schedule costs no less than the cheapest of all that meet the bounds, and the lower bound no more")
  func bounds() throws {
    for environment in [Environment.openSky, .suburb, .urban] {
      let rules = rules { ($0.grid, $0.maximumGap) = (30, 120) }
      let graph = graph(try drive(environment, seconds: 120), until: 240, rules)
      let allowed = rules.allowed(of: graph.day.measured)
      let outcome = ScheduleSearch(graph, allowed: allowed).run()
      let measured = graph.allPaths(atMost: 9).map { graph.measure($0) }
      let cheapest = measured.filter { $0.shortfall.isWithin(allowed) }.map(\.cost.joules).min()
      let best = outcome.best?.energy
      #expect((best == nil) == (cheapest == nil))
      guard let best, let cheapest else { continue }
      #expect(outcome.lowerBound <= cheapest * 1.0001)
      #expect(cheapest <= best * 1.0001)
      // On such a short day a single measurement is a large part of the energy.
      #expect(best < cheapest * 1.5, "\(environment)")
    }
  }

  @Test("a day with two trips is within a few percent of the lower bound, meets the bounds and is reproducible")
  func ordinary() throws {
    let truth = try ordinaryDay()
    let optimum = try #require(OfflineOptimum(truth, from: at(0), to: at(86_400)))
    #expect(optimum.lowerBound <= optimum.joules && optimum.joules < optimum.lowerBound * 1.1)
    #expect(optimum.movingSeconds > 8_000)
    #expect(optimum.within[0] >= 0.4999 && optimum.within[1] >= 0.9499 && optimum.within[2] >= 0.9499)
    #expect(optimum == OfflineOptimum(truth, from: at(0), to: at(86_400)))
    #expect(zip(optimum.measurements, optimum.measurements.dropFirst()).allSatisfy { $0.time < $1.time })
  }

  @Test("narrower bounds never cost less")
  func narrower() throws {
    let truth = try drive(seconds: 900)
    func bounds(_ change: (inout OptimumRules) -> Void) throws -> (lower: Double, upper: Double) {
      let optimum = try #require(OfflineOptimum(truth, from: at(0), to: at(1_020), rules: rules(change)))
      return (optimum.lowerBound, optimum.joules)
    }
    let changes: [[(inout OptimumRules) -> Void]] = [
      [{ $0.median = 60 }, { $0.median = 30 }, { $0.median = 15 }, { $0.median = 8 }],
      [{ $0.percentile95 = 200 }, { $0.percentile95 = 60 }, { $0.percentile95 = 20 }],
      [{ $0.covered = 0.5 }, { $0.covered = 0.95 }, { $0.covered = 1 }],
    ]
    for row in changes {
      let found = try row.map(bounds)
      for (wide, narrow) in zip(found, found.dropFirst()) {
        // The bounds around the true optimum must not be in the wrong order.
        #expect(wide.lower <= narrow.upper * 1.0001)
      }
      let (first, last) = (try #require(found.first), try #require(found.last))
      #expect(first.upper <= last.upper * 1.02)
    }
  }

  @Test("the energy of the waiting program is added")
  func waiting() throws {
    let truth = try ordinaryDay()
    let energy = try OptimumRules.Waiting.allCases.map { waiting in
      try #require(OfflineOptimum(truth, from: at(0), to: at(86_400), rules: rules { $0.waiting = waiting })).joules
    }
    #expect(energy[0] < energy[1] && energy[1] < energy[2])
    // 9,000 s of motion at 37 mW.
    #expect(energy[1] - energy[0] > 200)
  }

  @Test("a day at one place needs one measurement, and a day without a stay and a trip none")
  func atRest() throws {
    let truth = try stationaryTruth(.indoors)
    let networks = CoarsePositions(seed: 1)
    var cursor = TruthCursor(truth)
    try #require(networks.isWifiInRange(cursor.state(at: at(0))))
    let day = try #require(OfflineOptimum(truth, from: at(0), to: at(86_400)))
    #expect(day.measurements.map(\.source) == [.wifi])
    let minute = try #require(OfflineOptimum(truth, from: at(0), to: at(60)))
    #expect(minute.measurements.isEmpty && minute.joules == PhoneProfile.usual[.relaunch])
  }

  @Test("without satellites there is no schedule")
  func underground() throws {
    var rules = TruthRules()
    rules.stretches = [TruthRules.Stretch(from: at(0), to: at(7_200), environment: .underground)]
    let truth = try Truth(days: [straight(from: 600, seconds: 3_000, speed: 12)], rules: rules)
    #expect(OfflineOptimum(truth, from: at(0), to: at(7_200)) == nil)
  }

  @Test("every stay has a measurement at its place in its first half, or before it")
  func stays() throws {
    let truth = try ordinaryDay()
    let day = KnownDay(truth, from: at(0), to: at(86_400), rules: OptimumRules())
    #expect(day.stays.count == 3)
    let optimum = try #require(OfflineOptimum(truth, from: at(0), to: at(86_400)))
    for stay in day.stays {
      let seconds = optimum.measurements.map { Int($0.time - at(0)) }
      let before = seconds.last { $0 <= stay.deadline } ?? seconds[0]
      #expect(stay.distance(day.places[before]) < stay.radius)
    }
  }

  @Test(
    "with simulated radios, the schedule uses the computed energy and meets the bounds of the report", arguments: [1, 2, 3])
  func replayed(_ seed: UInt64) throws {
    let truth = try ordinaryDay()
    // The time to the first fix varies, so a gap of exactly the maximum could be exceeded. The schedule uses a smaller maximum.
    let optimum = try #require(
      OfflineOptimum(
        truth, from: at(0), to: at(86_400), rules: rules { ($0.seed, $0.measuring.maximumGap) = (seed, 170) }))
    var world = World(truth: truth, phone: .usual, seed: seed, from: at(0))
    var records: [Record] = []
    for measurement in optimum.measurements {
      let isScan = measurement.source == .wifi
      world.advance(until: measurement.time - (isScan ? 1.25 : measurement.lead))
      world.startUpdating(isScan ? .hundredMeters : .best)
      var enough = SimulatedTime.never
      while let event = world.next(until: measurement.time + 60) {
        guard let (fix, origin) = event.position, origin == (isScan ? .wifi : .satellites) else { continue }
        enough = min(enough, world.now + measurement.held)
        guard world.now >= enough else { continue }
        world.deliver()
        world.wake()
        records.append(Record(kind: .fix(fix)))
        break
      }
      world.stopUpdating()
    }
    world.advance(until: at(86_400))
    var log = log(until: 86_400, records)
    log.energy = world.energy().map(\.energy)
    let measures = MeasuredRun(log, truth: truth).measures
    #expect(try #require(measures.track.median) < 18)
    #expect(try #require(measures.track.percentile95) < 80)
    #expect(try #require(measures.track.covered) > 0.9)
    #expect(measures.stays.recall == 1)
    let satellites = Double(world.account.used(by: .satellites, until: at(86_400)).joules)
    #expect(abs(satellites / optimum.parts[EnergyPart.satellites.rawValue] - 1) < 0.15)
  }
}
