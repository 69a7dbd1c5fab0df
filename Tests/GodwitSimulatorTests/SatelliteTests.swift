import Foundation
import GodwitModel
import GodwitSimulator
import Testing

/// Returns the fixes, once a second, with their errors in metres north and east.
private func run(_ environment: Environment, seconds: Int, seed: UInt64 = 3, from settled: Int = 120) throws
  -> [(north: Double, east: Double, fix: Fix)]
{
  var cursor = TruthCursor(try stationaryTruth(environment))
  var receiver = SatelliteReceiver(seed: seed)
  receiver.turnOn(at: midnight, truth: cursor.state(at: midnight), isAssisted: true)
  var seen: [(Double, Double, Fix)] = []
  while receiver.nextTick < at(Double(seconds)) {
    let time = receiver.nextTick
    let truth = cursor.state(at: time)
    guard let fix = receiver.tick(at: time, truth: truth, isAssisted: true), time > at(Double(settled)) else { continue }
    let meters = GreatCircle.earthRadius * .pi / 180
    seen.append(
      (
        (fix.coordinate.latitude - truth.latitude) * meters,
        (fix.coordinate.longitude - truth.longitude) * meters * cos(truth.latitude * .pi / 180), fix
      ))
  }
  return seen
}

@Suite("The satellite receiver")
struct SatelliteTests {
  @Test(
    "errors have the deviation of the environment, and the reported radius contains about 68 % of them",
    arguments: [(Environment.openSky, 2.0), (.suburb, 3.9), (.urban, 10)])
  func deviation(environment: Environment, deviation: Double) throws {
    let seen = try run(environment, seconds: 1_000_000)
    let variance = seen.reduce(0) { $0 + $1.north * $1.north + $1.east * $1.east } / Double(2 * seen.count)
    // A million seconds contain about 280 independent values of the slow part, on two axes.
    #expect(abs(variance.squareRoot() / deviation - 1) < 0.1)
    let within = seen.count { ($0.north * $0.north + $0.east * $0.east).squareRoot() <= $0.fix.horizontalAccuracy ?? 0 }
    #expect((0.6...0.78).contains(Double(within) / Double(seen.count)))
    let reported = seen.map { $0.fix.horizontalAccuracy ?? 0 }
    let range = try #require(SkyQuality.of(environment)).reported
    #expect(reported.allSatisfy { $0 >= range.lowerBound - 1e-9 && $0 <= range.upperBound + 1e-9 })
  }

  @Test("under open sky 95 % of the errors are within 4.9 m, as GPS.gov states for smartphones")
  func open() throws {
    let errors = try run(.openSky, seconds: 1_000_000).map { ($0.north * $0.north + $0.east * $0.east).squareRoot() }.sorted()
    #expect(abs(errors[errors.count * 95 / 100] / 4.9 - 1) < 0.1)
  }

  @Test("errors are correlated: nearly equal after a second, with the fast part reduced by a factor of e after a minute")
  func correlation() throws {
    let seen = try run(.suburb, seconds: 1_000_000).map(\.north)
    func covariance(_ lag: Int) -> Double {
      var sum = 0.0
      for i in 0..<(seen.count - lag) { sum += seen[i] * seen[i + lag] }
      return sum / Double(seen.count - lag)
    }
    for lag in [1, 60, 300, 1_800] {
      let expected = 6.25 * exp(-Double(lag) / 60) + 9 * exp(-Double(lag) / 1_800)
      #expect(abs(covariance(lag) - expected) < 1.7)
    }
    #expect(covariance(1) / covariance(0) > 0.99)
  }

  @Test("between high buildings positions jump by 30 to 150 m, satellites are lost, and one radius in five is too small")
  func canyon() throws {
    let seen = try run(.canyon, seconds: 300_000)
    var jumps = 0
    for i in 1..<seen.count {
      let (north, east) = (seen[i].north - seen[i - 1].north, seen[i].east - seen[i - 1].east)
      if (north * north + east * east).squareRoot() > 25 { jumps += 1 }
    }
    // One jump to the false position and one back in 60 + 17.5 seconds, except those during an outage.
    let expected = 300_000 / 77.5 * 2
    #expect(Double(jumps) > expected * 0.75 && Double(jumps) < expected * 1.1)
    let lost = 1 - Double(seen.count) / 300_000
    #expect(lost > 0.03 && lost < 0.07)
    let optimistic = Double(
      seen.count { ($0.fix.horizontalAccuracy ?? 99) <= 65 * 0.4 && ($0.fix.horizontalAccuracy ?? 99) < 15 })
    #expect(abs(optimistic / Double(seen.count) - 0.2) < 0.05)
    let errors = seen.map { ($0.north * $0.north + $0.east * $0.east).squareRoot() }.sorted()
    #expect((20...45).contains(errors[errors.count / 2]))
  }

  @Test("there is no fix indoors, underground and in the air", arguments: [Environment.indoors, .underground, .flight])
  func none(environment: Environment) throws { #expect(try run(environment, seconds: 3_600, from: 0).isEmpty) }

  @Test(
    "the time to the first fix is that of a hot, assisted, warm or cold start",
    arguments: [
      (SatelliteReceiver.Start.hot, 1.0...5.0, 3.0), (.assisted, 3...10, 6.5), (.warm, 20...45, 32.5), (.cold, 30...750, 75),
    ])
  func timeToFirstFix(start: SatelliteReceiver.Start, range: ClosedRange<Double>, mean: Double) {
    var random = RandomSource(seed: 5)
    let times = (0..<20_000).map { _ in start.seconds(&random) }
    #expect(times.allSatisfy(range.contains))
    #expect(abs(times.reduce(0, +) / 20_000 / mean - 1) < 0.03)
  }

  @Test(
    "the age and position of the last fix and the network determine the kind of start",
    arguments: [
      // Seconds since the last fix, kilometres from it, network.
      (nil, 0.0, true, SatelliteReceiver.Start.assisted), (nil, 0, false, .cold), (600, 0, false, .hot), (7_000, 50, true, .hot),
      (7_400, 0, true, .assisted), (7_400, 0, false, .warm), (600, 120, false, .cold), (600, 120, true, .assisted),
      (40 * 86_400, 0, false, .cold),
    ] as [(Double?, Double, Bool, SatelliteReceiver.Start)])
  func starts(age: Double?, kilometers: Double, isAssisted: Bool, expected: SatelliteReceiver.Start) throws {
    var first = TruthCursor(try stationaryTruth(.openSky)).later(0)
    var receiver = SatelliteReceiver(seed: 1)
    var time = midnight
    if let age {
      receiver.turnOn(at: time, truth: first, isAssisted: true)
      while receiver.tick(at: receiver.nextTick, truth: first, isAssisted: true) == nil {}
      time = receiver.nextTick - 1 + age
      receiver.turnOff()
      #expect(receiver.nextTick == .never)
    }
    first.latitude += kilometers / 111.195
    receiver.turnOn(at: time, truth: first, isAssisted: isAssisted)
    #expect(receiver.start == expected)
    // The time to the first fix is in the range of this kind of start.
    while receiver.tick(at: receiver.nextTick, truth: first, isAssisted: isAssisted) == nil {}
    let needed = (receiver.nextTick - 1) - time
    let range: ClosedRange<Double> =
      switch expected {
      case .hot: 1...5
      case .assisted: 3...10
      case .warm: 20...45
      case .cold: 30...750
      }
    #expect(range.contains(needed))
  }

  @Test(
    "after a tunnel the first fix takes seconds, after a night indoors as long as after a start",
    arguments: [(5.0, 0.0...1.0), (60, 1...7), (30_000, 3...11)])
  func lost(seconds: Double, needed: ClosedRange<Double>) throws {
    var rules = TruthRules()
    rules.surroundings = .only(.openSky)
    rules.stretches = [.init(from: at(600), to: at(600 + seconds), environment: .underground)]
    let track = straight(from: 0, seconds: 40_000, speed: 0.5)
    var cursor = TruthCursor(try Truth(days: [track], rules: rules))
    var receiver = SatelliteReceiver(seed: 21)
    receiver.turnOn(at: midnight, truth: cursor.state(at: midnight), isAssisted: true)
    var last = midnight
    var maximum = 0.0
    while receiver.nextTick < at(32_000) {
      let time = receiver.nextTick
      guard receiver.tick(at: time, truth: cursor.state(at: time), isAssisted: true) != nil else { continue }
      if time > at(590) { maximum = max(maximum, time - last) }
      last = time
    }
    // The last fix is up to a second before the tunnel, and the search takes whole seconds.
    #expect(maximum >= seconds + needed.lowerBound - 1 && maximum <= seconds + needed.upperBound + 2)
  }

  @Test("the first fixes after a start improve from about 65 m to the usual error within 15 seconds")
  func convergence() throws {
    let reported = try run(.openSky, seconds: 60, from: 0).map { $0.fix.horizontalAccuracy ?? 0 }
    #expect((45...110).contains(reported[0]))
    #expect(reported[5] < reported[0] / 2 && reported[15] < 8)
  }

  @Test("speed is accurate to 0.3 m/s, and the course is reported from 0.5 m/s on and improves with speed")
  func speed() throws {
    var rules = TruthRules()
    rules.surroundings = .only(.openSky)
    for (speed, courseError) in [(20.0, 0.86), (1.5, 11.5)] {
      var cursor = TruthCursor(try Truth(days: [straight(from: 0, seconds: 4_000, speed: speed)], rules: rules))
      var receiver = SatelliteReceiver(seed: 9)
      receiver.turnOn(at: midnight, truth: cursor.state(at: midnight), isAssisted: true)
      var (speeds, courses, count) = (0.0, 0.0, 0.0)
      while receiver.nextTick < at(4_000) {
        let time = receiver.nextTick
        guard let fix = receiver.tick(at: time, truth: cursor.state(at: time), isAssisted: true) else { continue }
        let real = try #require(fix.speed)
        // The measured speed is randomly below the limit of the course, three times in ten thousand at 1.5 m/s.
        guard let course = fix.course else {
          #expect(real < 0.5)
          continue
        }
        speeds += (real - speed) * (real - speed)
        let off = course > 180 ? course - 360 : course
        courses += off * off
        count += 1
      }
      #expect(abs((speeds / count).squareRoot() / 0.3 - 1) < 0.1)
      #expect(abs((courses / count).squareRoot() / courseError - 1) < 0.2)
    }
    #expect(try run(.openSky, seconds: 600).allSatisfy { $0.fix.course == nil })
  }
}

extension TruthCursor {
  fileprivate func later(_ seconds: Double) -> TruthState {
    var cursor = self
    return cursor.state(at: at(seconds))
  }
}

@Suite("Positions from wifi and cells")
struct CoarsePositionTests {
  private func distance(_ fix: Fix, _ truth: TruthState) -> Double { GreatCircle.distance(fix.coordinate, truth.coordinate) }

  @Test("wifi: half of the errors are within 30 m, one in a hundred is that of a relocated router, and accuracies have steps")
  func wifi() throws {
    let truth = TruthCursor(try stationaryTruth(.canyon)).later(0)
    var errors: [Double] = []
    var reported: Set<Double> = []
    for seed in 0..<40 as Range<UInt64> {
      var positions = CoarsePositions(seed: seed)
      for scan in 0..<500 {
        let scanned = positions.wifi(at: at(Double(scan) * 600), truth: truth)
        let fix = try #require(scanned)
        errors.append(distance(fix, truth))
        reported.insert(fix.horizontalAccuracy ?? 0)
        #expect(fix.speed == nil && fix.course == nil && fix.verticalAccuracy == nil)
      }
    }
    errors.sort()
    #expect(abs(errors[errors.count / 2] / 30 - 1) < 0.05)
    let moved = Double(errors.count { $0 > 900 }) / Double(errors.count)
    #expect(abs(moved - 0.01) < 0.003 && (errors.last ?? 0) < 101_000)
    #expect(reported.isSubset(of: [35, 50, 65, 100, 165]) && reported.count >= 3)
  }

  @Test("cells: errors are lognormal with a median of 800 m, or 3,200 m in rural areas, and equal within a cell")
  func cell() throws {
    for (environment, median) in [(Environment.urban, 800.0), (.openSky, 3_200)] {
      var truth = TruthCursor(try stationaryTruth(environment)).later(0)
      var positions = CoarsePositions(seed: 4)
      var errors: [Double] = []
      for row in 0..<4_000 {
        truth.latitude = -40 + Double(row) * 0.02
        let found = positions.cell(at: midnight, truth: truth)
        let fix = try #require(found)
        errors.append(distance(fix, truth))
      }
      errors.sort()
      #expect(abs(errors[2_000] / median - 1) < 0.07)
      #expect(abs(errors[200] / (median * exp(-1.645 * 0.7)) - 1) < 0.12)
      let first = positions.cell(at: at(0), truth: truth)
      let later = positions.cell(at: at(500), truth: truth)
      #expect(first != nil && later?.coordinate == first?.coordinate)
      let cell = positions.cellIdentity(truth)
      truth.latitude += 0.02
      #expect(positions.cellIdentity(truth) != cell)
    }
    var unreachable = CoarsePositions(seed: 4)
    let flying = unreachable.cell(at: midnight, truth: TruthCursor(try stationaryTruth(.flight)).later(0))
    #expect(flying == nil)
  }
}
