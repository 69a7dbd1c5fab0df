import Foundation
import GodwitModel
import Testing

@testable import GodwitHistory
@testable import GodwitServer

@Suite("Live points")
struct LiveGateTests {
  /// A point at a second, its distance to the east of the start in kilometres, and the expected decision of the gate.
  struct Step: Sendable {
    var second: Int64
    var east: Double
    var expected: String
    /// The second at which the point is received; `nil`: immediately.
    var received: Int64?
    init(_ second: Int64, _ east: Double, _ expected: String, received: Int64? = nil) {
      (self.second, self.east, self.expected, self.received) = (second, east, expected, received)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: [Step]
    init(_ name: String, _ steps: Step...) { (testDescription, self.steps) = (name, steps) }
  }

  static let cases: [Case] = [
    Case("the first point is live", Step(0, 0, "live")),
    Case("a walk is live", Step(0, 0, "live"), Step(10, 0.01, "live"), Step(20, 0.02, "live")),
    Case("a plane is live", Step(0, 0, "live"), Step(10, 2.5, "live"), Step(20, 5, "live")),
    Case("a single jump waits", Step(0, 0, "live"), Step(10, 78, "waits")),
    Case(
      "the next point back near the old place refutes a jump", Step(0, 0, "live"), Step(10, 78, "waits"),
      Step(20, 0.01, "live, refutes 10"), Step(30, 0.02, "live")),
    Case(
      "the next point near a jump confirms it", Step(0, 0, "live"), Step(10, 78, "waits"), Step(20, 78.01, "live, confirms 10"),
      Step(30, 78, "live")),
    Case(
      "after hours the nearer of the two places decides", Step(0, 0, "live"), Step(10, 78, "waits"),
      Step(7210, 1, "live, refutes 10"), Step(7220, 78, "waits"), Step(14_000, 77, "live, confirms 7220")),
    Case(
      "a jump to a third place refutes the previous jump, and waits", Step(0, 0, "live"), Step(10, 78, "waits"),
      Step(20, -90, "waits, refutes 10"), Step(30, 0, "live, refutes 20")),
    Case("a long distance after a long time is not a jump", Step(0, 0, "live"), Step(86_400, 5000, "live")),
    Case("a late point changes nothing", Step(0, 0, "live"), Step(20, 0, "live"), Step(10, 900, "late")),
    Case(
      "a late point near a jump confirms it", Step(0, 0, "live"), Step(100, 78, "waits"),
      Step(90, 77.9, "live, confirms 100")),
    Case(
      "a late point at the old place has no effect on a jump", Step(0, 0, "live"), Step(100, 78, "waits"), Step(90, 0, "live"),
      Step(110, 78, "live, confirms 100")),
    Case(
      "after a clock that was ahead is corrected, the next point is live", Step(7200, 0, "live", received: 0),
      Step(10, 0.01, "live"), Step(20, 0.02, "live")),
    Case(
      "an upload with times of a clock that is ahead is live as well", Step(7200, 0, "live", received: 0),
      Step(7260, 1, "live", received: 60), Step(7320, 2, "live", received: 60)),
  ]

  @Test("a jump waits for another point", arguments: cases)
  func decisions(_ test: Case) throws {
    var gate = LiveGate()
    let start = try #require(Coordinate(latitude: 46, longitude: 14.5))
    let zero: Int64 = 1_795_000_000_000
    for step in test.steps {
      let place = GreatCircle.destination(from: start, course: step.east < 0 ? 270 : 90, distance: abs(step.east) * 1000)
      let point = TimelinePoint(
        time: zero + step.second * 1000, latitude: Int32((place.latitude * 1e7).rounded()),
        longitude: Int32((place.longitude * 1e7).rounded()), accuracy: 5)
      let received = zero + (step.received ?? .max / 2_000_000) * 1000
      // Only this state is stored between two points.
      gate = LiveGate(last: gate.last, pending: gate.pending)
      let outcome = gate.add(point, LiveRank(time: point.time, received: received))
      var words = "\(outcome.decision)"
      if let resolved = outcome.resolved {
        words += ", \(outcome.isConfirmed ? "confirms" : "refutes") \((resolved.point.time - zero) / 1000)"
      }
      #expect(words == step.expected, "second \(step.second)")
    }
  }

  @Test(
    "a point at null island or in the far future is an outlier",
    arguments: [
      (0, 0, 0, .nullIsland), (0, 0, 1, nil), (0, 1, 0, nil), (86_400_000, 1, 1, nil),
      (86_400_001, 1, 1, .future), (Int64.max, 1, 1, .future), (Int64.min, 1, 1, nil),
    ] as [(Int64, Int64, Int64, OutlierFilter.Reason?)])
  func byThemselves(_ time: Int64, _ latitude: Int64, _ longitude: Int64, _ expected: OutlierFilter.Reason?) {
    let reason = Plausibility.reason(time: time, latitude: latitude, longitude: longitude, received: 0)
    #expect(reason == expected)
  }

  @Test("the timeline and the live gate decide equally about a single jump, for any time until the next point")
  func timeline() {
    for pause in [20.0, 3600] {
      var journey = Journey()
      journey.go(600, at: 1.4)
      journey.stay(5, every: nil)
      journey.stray(north: 78_000, east: 0)
      let wrong = journey.points.last
      var gate = LiveGate()
      var refuted: [TimelinePoint] = []
      journey.stay(pause, every: nil)
      journey.go(600, at: 1.4)
      for point in journey.points {
        let outcome = gate.add(point, LiveRank(time: point.time, received: point.time))
        if let resolved = outcome.resolved, !outcome.isConfirmed { refuted.append(resolved.point) }
      }
      #expect(
        journey.results.outliers.map(\.point) == [wrong].compactMap(\.self) && journey.results.outliers[0].reason == .teleport)
      #expect(refuted == [wrong].compactMap(\.self))
    }
  }
}
