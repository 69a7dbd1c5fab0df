import Foundation
import GodwitModel
import TestTexts
import Testing

private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
  try #require(Coordinate(latitude: latitude, longitude: longitude))
}

private func fix(_ place: Coordinate, accuracy: Double? = 5) -> Fix {
  Fix(
    time: Date(timeIntervalSince1970: 1_800_000_000), coordinate: place, horizontalAccuracy: accuracy, altitude: 312.5,
    verticalAccuracy: 3, speed: 4.25, speedAccuracy: 0.5, course: 91, courseAccuracy: 2)
}

extension Precision {
  fileprivate func reported(_ fix: Fix) throws -> Fix {
    guard case .fix(let reported) = applied(to: Record(kind: .fix(fix))).kind else { throw CancellationError() }
    return reported
  }
}

@Suite("Precision of positions")
struct PrecisionTests {
  static let sizes: [Double] = [10, 100, 500, 1000, 10_000, 100_000]
  static let precisions: [Precision] =
    [.rounded(decimals: 0), .rounded(decimals: 3), .rounded(decimals: 7)] + sizes.map { .grid($0) }

  @Test("exact returns the position unchanged")
  func exact() throws {
    #expect(Precision.exact.applied(to: fix(try place(46, 14), accuracy: nil)).horizontalAccuracy == nil)
    var record = Record(kind: .fix(fix(try place(52.5163, 13.3777))))
    record.context.wifi = "Home"
    #expect(Precision.exact.applied(to: record) == record)
  }

  @Test(
    "rounded keeps the given decimals and reports the error as accuracy",
    arguments: [(0, 53, 13, 78_600.0), (1, 52.5, 13.4, 7860), (2, 52.52, 13.38, 786), (3, 52.516, 13.378, 78.6)])
  func rounded(_ decimals: Int, _ latitude: Double, _ longitude: Double, _ accuracy: Double) throws {
    let reported = try Precision.rounded(decimals: decimals).reported(fix(try place(52.5163, 13.3777)))
    #expect(reported.coordinate == (try place(latitude, longitude)))
    #expect(abs(try #require(reported.horizontalAccuracy) - accuracy) < accuracy * 0.01)
    #expect(reported.speed == 4.25)
  }

  @Test("decimals out of range are clamped", arguments: [(-3, 0), (9, 7)])
  func decimals(_ wrong: Int, _ right: Int) throws {
    let fix = fix(try place(52.516312345678, 13.37771234567))
    #expect(try Precision.rounded(decimals: wrong).reported(fix) == Precision.rounded(decimals: right).reported(fix))
  }

  @Test("the sent position is never farther from the true one than its accuracy", arguments: precisions)
  func honest(_ precision: Precision) throws {
    var random = SeededNumbers(1)
    var places: [Coordinate] = [
      try place(90, 0), try place(-90, 77), try place(89.999_999, -180), try place(0, 180), try place(0, -180),
      try place(0, 0), try place(-89.5, 179.999_999), try place(89.1, 12),
    ]
    for _ in 0..<2000 {
      places.append(try place(.random(in: -90...90, using: &random), .random(in: -180...180, using: &random)))
      places.append(try place(.random(in: 88...90, using: &random), .random(in: -180...180, using: &random)))
    }
    for place in places {
      let reported = try precision.reported(fix(place, accuracy: nil))
      let distance = GreatCircle.distance(place, reported.coordinate)
      let accuracy = try #require(reported.horizontalAccuracy)
      #expect(distance <= accuracy * 1.000_001, "\(place.precise)")
    }
  }

  @Test("an accuracy that is worse than the precision is not improved")
  func inaccurate() throws {
    #expect(try Precision.grid(100).reported(fix(try place(45, 14), accuracy: 5000)).horizontalAccuracy == 5000)
  }

  @Test("averaging any number of fixes in a cell gives only the cell's centre", arguments: sizes)
  func averaging(_ size: Double) throws {
    var random = SeededNumbers(2)
    let home = try place(52.5163, 13.3777)
    let center = try Precision.grid(size).reported(fix(home)).coordinate
    var reported: Set<Fix> = []
    var inside = 0
    for _ in 0..<5000 {
      // Noise of a tenth of the cell around a home that is not at its centre.
      let noisy = GreatCircle.destination(
        from: home, course: .random(in: 0..<360, using: &random), distance: size / 10 * .random(in: 0...1, using: &random))
      var fix = fix(noisy, accuracy: .random(in: 1...7, using: &random))
      fix.altitude = .random(in: 0...50, using: &random)
      fix.speed = .random(in: 0...3, using: &random)
      fix.course = .random(in: 0..<360, using: &random)
      let result = try Precision.grid(size).reported(fix)
      guard result.coordinate == center else { continue }
      inside += 1
      reported.insert(result)
    }
    #expect(inside > 500)
    // All fixes in the cell are reported as the same fix, so an average gives no other position.
    #expect(reported.count == 1)
  }

  @Test("cells are fixed: their centres are inside them and do not depend on the input", arguments: sizes)
  func still(_ size: Double) throws {
    var random = SeededNumbers(3)
    for _ in 0..<500 {
      let somewhere = try place(.random(in: -89...89, using: &random), .random(in: -180...180, using: &random))
      let center = try Precision.grid(size).reported(fix(somewhere)).coordinate
      #expect(try Precision.grid(size).reported(fix(center)).coordinate == center)
    }
  }

  @Test("the width of cells is about their height, from the equator to 85°", arguments: [0.0, 30, 60, 85])
  func square(_ latitude: Double) throws {
    var centers: Set<Coordinate> = []
    for step in 0..<2000 {
      centers.insert(
        try Precision.grid(1000).reported(
          fix(GreatCircle.destination(from: try place(latitude, 20), course: 90, distance: Double(step) * 5))
        ).coordinate)
    }
    // The positions cover ten kilometres to the east.
    #expect((10...13).contains(centers.count))
  }

  @Test("the two sides of the antimeridian are adjacent cells, and the centres of the cells at a pole are near the pole")
  func edges() throws {
    let grid = Precision.grid(1000)
    let west = try grid.reported(fix(try place(10, 179.9999))).coordinate
    let east = try grid.reported(fix(try place(10, -179.9999))).coordinate
    #expect(west.longitude > 179.9 && east.longitude < -179.9)
    #expect(GreatCircle.distance(west, east) < 1010)
    #expect(try grid.reported(fix(try place(10, 180))).coordinate == west)
    for latitude in [90.0, -90] {
      let centers = Set(try [-180, -90, 0, 90, 179.9].map { try grid.reported(fix(try place(latitude, $0))).coordinate })
      // The row at a pole has four cells.
      #expect(centers.count == 4)
      for center in centers { #expect(abs(center.latitude) > 89.99) }
    }
  }

  @Test(
    "an invalid size is clamped, and never gives the exact position",
    arguments: [(0.0, 10.0), (-5, 10), (.nan, 10), (.infinity, 2.1e7), (1e9, 2.1e7)])
  func noSize(_ wrong: Double, _ right: Double) throws {
    let exact = fix(try place(52.5163, 13.3777))
    let reported = try Precision.grid(wrong).reported(exact)
    #expect(reported.coordinate != exact.coordinate)
    let same = try Precision.grid(right).reported(exact)
    #expect(GreatCircle.distance(reported.coordinate, same.coordinate) < 1)
  }

  @Test("a grid removes speed, course, altitude and wifi network, which would reveal the position")
  func besides() throws {
    var record = Record(kind: .fix(fix(try place(52.5163, 13.3777))))
    (record.context.wifi, record.context.wifiBSSID, record.context.carrier) = ("Home", "00:11:22:33:44:55", "A")
    let reported = Precision.grid(500).applied(to: record)
    guard case .fix(let fix) = reported.kind else { throw CancellationError() }
    #expect(fix.altitude == nil && fix.verticalAccuracy == nil)
    #expect(fix.speed == nil && fix.speedAccuracy == nil && fix.course == nil && fix.courseAccuracy == nil)
    #expect(reported.context.wifi == nil && reported.context.wifiBSSID == nil)
    #expect(reported.context.carrier == "A")
  }

  @Test("the precision applies to every position of every kind of record", arguments: precisions)
  func kinds(_ precision: Precision) throws {
    let exact = try place(52.516_312_345, 13.377_712_345)
    let time = Date(timeIntervalSince1970: 1_800_000_000)
    let expected = try precision.reported(fix(exact))
    let visit = Visit(time: time, coordinate: exact, horizontalAccuracy: 20, arrival: time)
    let trip = Trip(
      start: time, end: time, mode: "bicycle", startFix: fix(exact), endFix: fix(exact), duration: 0, distance: 0)
    guard case .visit(let reportedVisit) = precision.applied(to: Record(kind: .visit(visit))).kind,
      case .trip(let reportedTrip) = precision.applied(to: Record(kind: .trip(trip))).kind,
      case .action(let reportedAction) = precision.applied(
        to: Record(kind: .action(Action(time: time, name: "paused_location_updates", coordinate: exact)))
      ).kind
    else { throw CancellationError() }
    #expect(reportedVisit.coordinate == expected.coordinate)
    #expect(try #require(reportedVisit.horizontalAccuracy) >= 20)
    #expect(reportedTrip.startFix == expected && reportedTrip.endFix == expected)
    #expect(reportedAction.coordinate == expected.coordinate)
  }
}

@Suite("Zones whose records are not sent")
struct PrivateZoneTests {
  private let time = Date(timeIntervalSince1970: 1_800_000_000)

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Latitude, longitude, radius.
    var zone: (Double, Double, Double)
    var place: (Double, Double)
    var isInside: Bool
  }

  static let cases = [
    Case(testDescription: "in the middle", zone: (52, 13, 100), place: (52, 13), isInside: true),
    Case(testDescription: "99 m to the north", zone: (52, 13, 100), place: (52.000_890, 13), isInside: true),
    Case(testDescription: "101 m to the north", zone: (52, 13, 100), place: (52.000_909, 13), isInside: false),
    Case(
      testDescription: "99 m to the east, where degrees are short", zone: (60, 13, 100), place: (60, 13.001_780),
      isInside: true),
    Case(
      testDescription: "over the antimeridian", zone: (0, 179.9999, 100), place: (0, -179.9999), isInside: true),
    Case(testDescription: "over the north pole", zone: (89.9999, 0, 100), place: (89.9999, 180), isInside: true),
    Case(testDescription: "at the south pole, whatever the longitude", zone: (-90, 0, 1), place: (-90, 123), isInside: true),
    Case(testDescription: "on the other side of the earth", zone: (52, 13, 100), place: (-52, -167), isInside: false),
    Case(testDescription: "at the centre of a zone of no size", zone: (52, 13, 0), place: (52, 13), isInside: true),
  ]

  @Test("records inside a zone are omitted, of every kind", arguments: cases)
  func zones(_ example: Case) throws {
    let center = try place(example.zone.0, example.zone.1)
    let spot = try place(example.place.0, example.place.1)
    let zones = [PrivateZone(center: try place(10, 10), radius: 5), PrivateZone(center: center, radius: example.zone.2)]
    let visit = Record(kind: .visit(Visit(time: time, coordinate: spot)))
    let action = Record(kind: .action(Action(time: time, name: "will_terminate", coordinate: spot)))
    let far = fix(try place(1, 1))
    let trip = Record(
      kind: .trip(
        Trip(start: time, end: time, mode: "car", startFix: fix(spot), endFix: far, duration: 1, distance: 2)))
    #expect((zones.leavingOut(Record(kind: .fix(fix(spot)))) == nil) == example.isInside)
    #expect((zones.leavingOut(visit) == nil) == example.isInside)
    guard case .action(let reportedAction) = try #require(zones.leavingOut(action)).kind,
      case .trip(let reportedTrip) = try #require(zones.leavingOut(trip)).kind
    else { throw CancellationError() }
    #expect((reportedAction.coordinate == nil) == example.isInside)
    #expect((reportedTrip.startFix == nil) == example.isInside)
    #expect(reportedTrip.endFix == far && reportedTrip.distance == 2)
  }

  @Test("without zones every record is sent")
  func none() throws {
    let record = Record(kind: .fix(fix(try place(52, 13))))
    #expect([PrivateZone]().leavingOut(record) == record)
  }
}
