import Foundation
import GodwitModel
import Testing

@testable import GodwitModes

/// Writes models in their binary format, so that a test can change single bytes.
private struct ModelText {
  var bytes: [UInt8] = []

  mutating func add(_ value: Float) { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 } }
  mutating func add(_ value: UInt16) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
  mutating func addLeaf(_ score: Double) {
    bytes.append(127)
    add(UInt16(bitPattern: Int16(score * 4096)))
  }

  /// A model of one tree per kind. Only the first feature has a limit, 2 m/s: up to it the score of walking is 1, above it that of
  /// bicycles.
  /// - Parameter isLeftUnknown: whether a part without the feature goes to the left.
  static func simple(isLeftUnknown: Bool = false, share: Float = 1 / 6) -> ModelText {
    var text = ModelText(bytes: [1, 6, UInt8(MovementFeatures.names.count)])
    for _ in 0..<42 { text.add(share) }
    text.bytes.append(1)
    text.add(Float(2))
    text.bytes += [UInt8](repeating: 0, count: MovementFeatures.names.count - 1)
    for _ in 0..<6 { text.add(UInt16(1)) }
    for (below, above) in [(1.0, 0.0), (0, 1)] {
      text.bytes += [isLeftUnknown ? 0x80 : 0, 0]
      text.addLeaf(below)
      text.addLeaf(above)
    }
    for _ in 0..<4 { text.addLeaf(-2) }
    return text
  }

  var base64: String { Data(bytes).base64EncodedString() }
  var model: ModeModel { get throws { try ModeModel(text: base64) } }
}

private let noon = Date(timeIntervalSince1970: 1_800_000_000)

private func features(_ first: Double) -> MovementFeatures {
  MovementFeatures(values: [first] + [Double](repeating: .nan, count: MovementFeatures.names.count - 1))
}

@Suite("The model of the kinds of transport")
struct ModeModelTests {
  @Test(
    "a value up to the limit goes to the left, and an unknown value in the direction of the node",
    arguments: [
      (1.0, false, TransportKind.walk), (2, false, .walk), (2.01, false, .bicycle), (.nan, false, .bicycle), (.nan, true, .walk),
    ])
  func tree(value: Double, isLeftUnknown: Bool, kind: TransportKind) throws {
    let probabilities = try ModelText.simple(isLeftUnknown: isLeftUnknown).model.probabilities(of: features(value))
    #expect(probabilities.best == kind)
    // The scores are 1, 0 and four times −2.
    #expect(abs(probabilities[kind] - M_E / (M_E + 1 + 4 / (M_E * M_E))) < 1e-6)
    #expect(abs(TransportKind.allCases.reduce(0) { $0 + probabilities[$1] } - 1) < 1e-12)
    #expect(abs(TransportMode.allCases.reduce(0) { $0 + probabilities[mode: $1] } - 1) < 1e-12)
  }

  @Test("invalid, truncated and changed models are rejected")
  func wrong() throws {
    let valid = ModelText.simple()
    _ = try valid.model
    for count in 0..<valid.bytes.count {
      #expect(throws: ModeModel.Failure.self) { try ModelText(bytes: Array(valid.bytes.prefix(count))).model }
    }
    for (index, byte, reason) in [
      (0, 2, "version"), (1, 5, "kinds"), (2, 1, "features"), (valid.bytes.count - 27, 0x7E, "unknown feature"),
      // The byte after the shares is the number of limits of the first feature.
      (3 + 42 * 4, 255, "at most 254"),
    ] as [(Int, UInt8, String)] {
      var text = valid
      text.bytes[index] = byte
      let failure = #expect(throws: ModeModel.Failure.self) { try text.model }
      #expect(failure?.description.contains(reason) == true, "\(index): \(failure.map { "\($0)" } ?? "")")
    }
    #expect(throws: ModeModel.Failure.self) { try ModelText(bytes: valid.bytes + [0]).model }
    #expect(throws: ModeModel.Failure.self) { try ModelText.simple(share: 0).model }
    #expect(throws: ModeModel.Failure.self) { try ModelText.simple(share: .nan).model }
    #expect(throws: ModeModel.Failure.self) { try ModeModel(text: "no model!") }
    // A tree without leaves.
    var endless = valid
    endless.bytes.removeLast(30)
    endless.bytes += [UInt8](repeating: 0, count: 200)
    #expect(throws: ModeModel.Failure.self) { try endless.model }
  }

  /// The features of a track of one position per second, to the east-north-east across the 180th meridian.
  /// - Parameter pieces: speeds in metres per second, with their durations in seconds.
  private func track(_ pieces: [(speed: Double, seconds: Int)]) throws -> MovementFeatures? {
    var (meter, time) = (MovementMeter(), noon)
    var place = try #require(Coordinate(latitude: 45.4, longitude: 179.99))
    for piece in pieces {
      for _ in 0..<piece.seconds {
        place = GreatCircle.destination(from: place, course: 70, distance: piece.speed)
        time += 1
        meter.add(place, at: time)
      }
    }
    return meter.features
  }

  @Test("a walk with a rest has the documented features, also across the antimeridian")
  func meaning() throws {
    let values = try #require(try track([(1.5, 400), (0, 100), (1.5, 500)])).values
    let named = Dictionary(uniqueKeysWithValues: zip(MovementFeatures.names, values))
    #expect(values.count == MovementFeatures.names.count)
    func value(_ name: String) throws -> Double { try #require(named[name]) }
    #expect(try abs(value("speed, 50 %") - 1.5) < 0.01)
    #expect(try abs(value("share of the time below 0.5 m/s") - 0.1) < 0.02)
    #expect(try abs(value("share from 0.5 to 2 m/s") - 0.9) < 0.02)
    #expect(try abs(value("mean speed") - 1.35) < 0.01)
    #expect(try abs(value("stops per kilometre") - 1 / 1.35) < 0.02)
    #expect(try abs(value("seconds per stop") - 100) < 12)
    #expect(try abs(value("distance of the ends per length") - 1) < 0.01)
    #expect(try value("turns of 30 degrees per kilometre") == 0)
    #expect(try value("share of gaps above one minute") == 0 && value("speed in such gaps").isNaN)
  }

  @Test("a stationary track has no features, and a jump of the receiver does not affect the speed")
  func still() throws {
    #expect(try track([]) == nil && track([(0, 600)]) == nil && track([(0.2, 600)]) == nil)
    let jumped = try #require(try track([(1.5, 100), (9_000, 1), (1.5, 100)]))
    #expect(jumped.values[6] < 2)
  }

  @Test(
    "the compiled model classifies walks, rides and drives",
    arguments: [
      (TransportMode.walk, [(1.4, 600)]), (.walk, [(1.3, 300), (0, 60), (1.5, 400)]), (.bike, [(4.5, 900)]),
      (.bike, [(4.5, 300), (0, 40), (5.5, 600)]), (.motor, [(13, 300), (0, 60), (15, 300), (0, 30), (12, 400)]),
      (.motor, [(30, 3600)]), (.motor, [(250, 3600)]), (.bike, [(7, 1800)]),
    ] as [(TransportMode, [(Double, Int)])])
  func compiled(mode: TransportMode, pieces: [(Double, Int)]) throws {
    let features = try #require(try track(pieces.map { (speed: $0.0, seconds: $0.1) }))
    let probabilities = ModeModel.standard.probabilities(of: features)
    #expect(probabilities.bestMode == mode, "\(TransportKind.allCases.map { "\($0) \(probabilities[$0])" })")
  }
}

@Suite("Adjacent parts of a track")
struct KindSequenceTests {
  private func part(_ minute: Double, _ weights: [Double], _ confirmed: TransportKind? = nil) -> KindSequence.Part {
    KindSequence.Part(
      start: noon + minute * 60, end: noon + minute * 60 + 600, probabilities: KindProbabilities(weights: weights),
      confirmed: confirmed)
  }
  private var sequence: KindSequence { KindSequence(model: .standard) }
  private let busOrCar = [0.02, 0.02, 0.48, 0.48, 0, 0]

  @Test("no parts give no result, and one part keeps its kind")
  func few() throws {
    #expect(sequence.probabilities(of: []).isEmpty)
    #expect(sequence.probabilities(of: [part(0, [0.9, 0.1, 0, 0, 0, 0])]).map(\.best) == [.walk])
  }

  @Test("frequent driving makes a car more probable, and confirmed modes of a device make theirs more probable")
  func habits() {
    let alone = sequence.probabilities(of: [part(0, busOrCar)])[0]
    let cars = (1...300).map { part(Double($0) * 60, [0.01, 0.01, 0.08, 0.9, 0, 0]) }
    let driver = sequence.probabilities(of: [part(0, busOrCar)] + cars)[0]
    #expect(driver[.car] > alone[.car] + 0.1 && driver.best == .car)
    let confirmed = (1...100).map { part(Double($0) * 60, busOrCar, .bus) }
    let passenger = sequence.probabilities(of: [part(0, busOrCar)] + confirmed)
    #expect(passenger[0].best == .bus && passenger[0][.bus] > alone[.bus])
    #expect(passenger[50][.bus] == 1)
  }

  @Test("the previous part affects a part only after a short pause")
  func neighbours() {
    // After a walk, another walk is less probable than a bus.
    let unclear = [0.5, 0.02, 0.46, 0.02, 0, 0]
    let walk = part(0, [0.99, 0.01, 0, 0, 0, 0])
    let soon = sequence.probabilities(of: [walk, part(12, unclear)])[1]
    let later = sequence.probabilities(of: [walk, part(60, unclear)])[1]
    #expect(soon[.walk] < later[.walk])
  }

  @Test(
    "invalid weights give equal probabilities", arguments: [[], [0, 0, 0, 0, 0, 0], [.infinity, 0, 0, 0, 0, 0]])
  func invalid(weights: [Double]) {
    #expect(TransportKind.allCases.allSatisfy { abs(KindProbabilities(weights: weights)[$0] - 1 / 6) < 1e-12 })
  }
}
