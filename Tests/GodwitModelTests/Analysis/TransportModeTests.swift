import Foundation
import Testing

@testable import GodwitModel

private let morning = Date(timeIntervalSince1970: 1_800_000_000)

/// A part of a track that its recorder labelled with a mode.
private struct Labelled {
  var person: String
  var mode: TransportMode
  var fixes: [Fix]
  var features: MotionFeatures?

  init(person: String, mode: TransportMode, fixes: [Fix]) {
    (self.person, self.mode, self.fixes) = (person, mode, fixes)
    features = Self.features(of: fixes, every: 0)
  }

  /// Returns the features of the fixes with at least `seconds` between two of them.
  static func features(of fixes: [Fix], every seconds: Double) -> MotionFeatures? {
    var meter = MotionMeter()
    var last = Date.distantPast
    for fix in fixes where fix.time.timeIntervalSince(last) >= seconds {
      meter.add(fix.coordinate, at: fix.time)
      last = fix.time
    }
    return meter.features
  }

  static let people = ["010", "062", "085", "125"]
  static let modes: [String: TransportMode] = [
    "walk": .walk, "bike": .bike, "bus": .motor, "car": .motor, "taxi": .motor, "train": .motor, "subway": .motor,
  ]

  /// Returns the parts of all labels with one of these modes and at least two positions.
  static func all() throws -> [Labelled] { try loaded.get() }

  /// The parts, read once for all tests.
  private static let loaded = Result { () throws -> [Labelled] in
    try people.flatMap { person in
      let fixes = try SharedTracks.fixes("geolife_labelled/\(person)", ".plt")
      return try SharedTracks.rows("geolife_labelled/\(person)/labels.txt", "\t").compactMap { row -> Labelled? in
        guard let mode = modes[row[2]] else { return nil }
        let (start, end) = (try time(row[0]), try time(row[1]))
        let inside = fixes.filter { $0.time >= start && $0.time <= end }
        return inside.count < 2 ? nil : Labelled(person: person, mode: mode, fixes: inside)
      }
    }
  }

  private static func time(_ text: String) throws -> Date {
    try #require(RFC3339.date(text.replacingOccurrences(of: "/", with: "-") + "Z"))
  }
}

@Suite("Mode of transport from positions alone")
struct TransportModeTests {
  /// A speed in metres per second, and its duration in seconds.
  typealias Piece = (speed: Double, seconds: Int)

  private func fixes(_ pieces: [Piece], every step: Int = 1) throws -> [Fix] {
    var place = try #require(Coordinate(latitude: 45.4, longitude: 179.99))
    var time = morning
    var fixes: [Fix] = []
    for piece in pieces {
      for _ in stride(from: 0, to: piece.seconds, by: step) {
        place = GreatCircle.destination(from: place, course: 70, distance: piece.speed * Double(step))
        time += Double(step)
        fixes.append(Fix(time: time, coordinate: place))
      }
    }
    return fixes
  }

  @Test(
    "a walk, a ride and a drive, at any interval of the receiver", arguments: [1, 5, 10, 30],
    [
      (TransportMode.walk, [(1.4, 600)]),
      (.walk, [(1.4, 300), (0, 300), (2.1, 200)]),
      (.bike, [(4.5, 900)]),
      (.bike, [(4.5, 300), (0, 60), (6, 600), (5, 120)]),
      (.motor, [(13, 300), (0, 60), (13, 300)]),
      (.motor, [(33, 3600)]),
      (.motor, [(250, 3600)]),
      (.motor, [(1.2, 600), (12, 120)]),
    ])
  func plain(_ step: Int, _ row: (mode: TransportMode, pieces: [Piece])) throws {
    #expect(TransportMode(of: try fixes(row.pieces, every: step)) == row.mode)
  }

  @Test("a bus in a town is distinguished from a fast bicycle by its braking")
  func braking() throws {
    let bus = (0..<10).flatMap { _ in [(8.5, 60), (4.0, 16), (0.0, 24)] }
    #expect(TransportMode(of: try fixes(bus)) == .motor)
    #expect(TransportMode(of: try fixes([(8.5, 900), (7, 60), (8.5, 300)])) == .bike)
  }

  @Test("a stationary device has no mode")
  func still() throws {
    #expect(TransportMode(of: [Fix]()) == nil)
    #expect(TransportMode(of: try fixes([(0, 1)])) == nil)
    #expect(TransportMode(of: try fixes([(0, 900)])) == nil)
    #expect(TransportMode(of: try fixes([(0.2, 900)])) == nil)
  }

  @Test("two positions five seconds apart are enough for a speed")
  func two() throws {
    let features = try #require(Labelled.features(of: try fixes([(1.5, 6)], every: 5), every: 0))
    #expect(abs(features.medianSpeed - 1.5) < 1e-6 && features.acceleration == nil && abs(features.movingTime - 5) < 1e-6)
  }

  @Test("a jump of the receiver and an old position change nothing")
  func jumps() throws {
    var track = try fixes([(1.4, 600)])
    let before = try #require(Labelled.features(of: track, every: 0))
    track.insert(Fix(time: morning, coordinate: try #require(Coordinate(latitude: 10, longitude: 10))), at: 300)
    #expect(Labelled.features(of: track, every: 0) == before)
    track[400].coordinate = try #require(Coordinate(latitude: 46, longitude: 10))
    let after = try #require(Labelled.features(of: track, every: 0))
    #expect(abs(after.topSpeed - before.topSpeed) < 1e-6)
  }

  @Test(
    "at least 0.92 of the labelled data of four people is classified correctly, with the documented figures",
    .enabled(if: SharedTracks.areAvailable, SharedTracks.skipReason))
  func labelled() throws {
    let labelled = try Labelled.all()
    #expect(labelled.count == 103)
    let right = labelled.filter { $0.features.map(TransportMode.init) == $0.mode }
    #expect(right.count >= 97, "\(right.count) of \(labelled.count)")
    // The figures of Documentation/Analysis.md.
    let figures = Labelled.people.map { person in
      "\(right.count { $0.person == person })/\(labelled.count { $0.person == person })"
    }
    #expect(figures == ["35/36", "19/22", "15/15", "28/30"])
    let confusion = TransportMode.allCases.map { mode in
      TransportMode.allCases.map { reported in
        labelled.count { $0.mode == mode && $0.features.map(TransportMode.init) == reported }
      }
    }
    #expect(confusion == [[11, 1, 0], [0, 15, 1], [2, 2, 71]])
  }

  @Test(
    "fast cyclists are classified as cycling, although they are as fast as a bus",
    .enabled(if: SharedTracks.areAvailable, SharedTracks.skipReason),
    arguments: ["sports/rides_3939576645.gpx", "gpsbabel/garmin-edge-800-output.gpx"])
  func sport(_ file: String) throws {
    let features = try #require(Labelled.features(of: try SharedTracks.fixes(file), every: 0))
    #expect(features.topSpeed > 9 && TransportMode(features) == .bike)
  }

  @Test(
    "larger intervals reduce the accuracy slightly",
    .enabled(if: SharedTracks.areAvailable, SharedTracks.skipReason),
    arguments: [(5.0, 97), (10, 95), (15, 94), (20, 92), (30, 95), (60, 86)])
  func sparse(_ seconds: Double, _ minimum: Int) throws {
    let right = try Labelled.all().count { one in
      Labelled.features(of: one.fixes, every: seconds).map(TransportMode.init) == one.mode
    }
    #expect(right >= minimum)
  }

  private static var limits: [(String, WritableKeyPath<TransportMode.Limits, Double>)] {
    [
      ("walking", \.walking), ("riding", \.riding), ("descending", \.descending), ("engine", \.engine),
      ("acceleration", \.acceleration), ("contrast", \.contrast),
    ]
  }

  private static func right(_ limits: TransportMode.Limits, _ labelled: [Labelled]) -> Int {
    labelled.count { $0.features.map(limits.mode) == $0.mode }
  }

  @Test(
    "no limit is overfitted: after a change of any limit by a fifth, 0.92 are still correct",
    .enabled(if: SharedTracks.areAvailable, SharedTracks.skipReason))
  func sensitivity() throws {
    let labelled = try Labelled.all()
    for (name, path) in Self.limits {
      for factor in [0.8, 0.9, 1.1, 1.2] {
        var limits = TransportMode.Limits()
        limits[keyPath: path] *= factor
        let right = Self.right(limits, labelled)
        #expect(Double(right) >= 0.92 * Double(labelled.count), "\(name) × \(factor): \(right)")
      }
    }
  }

  @Test(
    "limits that are optimal for three people are good for the fourth (cross-validation)",
    .enabled(if: SharedTracks.areAvailable, SharedTracks.skipReason))
  func crossValidation() throws {
    let labelled = try Labelled.all()
    let factors = [1, 0.8, 1.25]
    var right: [Int] = []
    for person in Labelled.people {
      let others = labelled.filter { $0.person != person }
      var best = (limits: TransportMode.Limits(), right: Self.right(TransportMode.Limits(), others), changed: 0)
      // All combinations, as numbers to the base of three with one digit for each limit. Ties are won by the fewest changes.
      for combination in 0..<729 {
        var (limits, rest, changed) = (TransportMode.Limits(), combination, 0)
        for (_, path) in Self.limits {
          limits[keyPath: path] *= factors[rest % 3]
          changed += rest % 3 == 0 ? 0 : 1
          rest /= 3
        }
        let score = Self.right(limits, others)
        if score > best.right || (score == best.right && changed < best.changed) { best = (limits, score, changed) }
      }
      right.append(Self.right(best.limits, labelled.filter { $0.person == person }))
    }
    #expect(right == [35, 19, 15, 26])
    #expect(Double(right.reduce(0, +)) >= 0.92 * Double(labelled.count))
  }
}
