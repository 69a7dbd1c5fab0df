import GodwitModel
import Testing

@testable import GodwitModes

@Suite("Confirmed modes as examples")
struct ModeHabitsTests {
  /// A part to the east of 0° N 10° E.
  /// - Parameters:
  ///   - north: the distance of the part to the north, in metres.
  ///   - east: the length of the part, in metres.
  private static func part(
    north: Double = 0, east: Double = 5_000, speed: Double = 5, reversed: Bool = false,
    probabilities: [Double] = [0.1, 0.3, 0.6]
  ) throws -> ModeHabits.Part {
    let (start, end) = (
      try #require(Coordinate(latitude: north / 111_195, longitude: 10)),
      try #require(Coordinate(latitude: north / 111_195, longitude: 10 + east / 111_195))
    )
    return ModeHabits.Part(
      start: reversed ? end : start, end: reversed ? start : end, speed: speed, probabilities: probabilities)
  }

  private static func changed(_ part: ModeHabits.Part, _ habits: ModeHabits) -> [Double]? {
    habits.probabilities(of: part, likelihoods: part.probabilities, usual: [true, true, true])
  }

  @Test("each mode has a weight of a quarter, and each example of the same part adds one to its mode")
  func counts() throws {
    var habits = ModeHabits(modes: 3)
    let part = try Self.part()
    #expect(Self.changed(part, habits) == nil, "without examples, nothing changes")
    _ = habits.add(part, mode: 1)
    _ = habits.add(part, mode: 1)
    let probabilities = try #require(Self.changed(part, habits))
    // 0.1 × 0.25, 0.3 × 2.25, 0.6 × 0.25
    let expected = [0.025, 0.675, 0.15].map { $0 / 0.85 }
    #expect(zip(probabilities, expected).allSatisfy { abs($0 - $1) < 1e-9 }, "\(probabilities)")
  }

  @Test("an example is similar up to 500 m and 1.35 times the speed, in both directions")
  func similarity() throws {
    var habits = ModeHabits(modes: 3)
    _ = habits.add(try Self.part(), mode: 1)
    for part in try [
      Self.part(north: 490), Self.part(east: 4_510), Self.part(speed: 6.7), Self.part(speed: 3.8), Self.part(reversed: true),
    ] { #expect(Self.changed(part, habits) != nil) }
    for part in try [
      Self.part(north: 510), Self.part(north: -510), Self.part(east: 4_400), Self.part(speed: 6.8), Self.part(speed: 3.6),
      Self.part(speed: .nan),
    ] { #expect(Self.changed(part, habits) == nil) }
  }

  @Test("an example has less weight for a part that the model classifies differently")
  func agreement() throws {
    var habits = ModeHabits(modes: 3)
    _ = habits.add(try Self.part(probabilities: [0, 0, 1]), mode: 1)
    let (same, other) = (try Self.part(probabilities: [0.2, 0.2, 0.6]), try Self.part(probabilities: [0.6, 0.2, 0.2]))
    #expect(try #require(Self.changed(same, habits))[1] > #require(Self.changed(other, habits))[1])
    #expect(Self.changed(try Self.part(probabilities: [0.5, 0.5, 0]), habits) == nil, "their probabilities do not overlap")
  }

  @Test("an impossible mode remains impossible, and an unusual mode needs an example")
  func limits() throws {
    var habits = ModeHabits(modes: 3)
    let part = try Self.part()
    for _ in 0..<100 { _ = habits.add(part, mode: 1) }
    _ = habits.add(part, mode: 2)
    let impossible = habits.probabilities(of: part, likelihoods: [0.4, 0, 0.6], usual: [true, true, true])
    #expect(impossible?[1] == 0 && impossible.map { abs($0.reduce(0, +) - 1) < 1e-12 } == true)
    let unusual = habits.probabilities(of: part, likelihoods: [0.4, 0.3, 0.3], usual: [false, true, false])
    #expect(unusual?[0] == 0 && unusual?[2] ?? 0 > 0)
    #expect(habits.probabilities(of: part, likelihoods: [0, 0, 0], usual: [true, true, true]) == nil)
    #expect(habits.probabilities(of: part, likelihoods: [1], usual: [true]) == nil, "the number of modes differs")
  }

  @Test("a changed example has its new mode only")
  func change() throws {
    var habits = ModeHabits(modes: 3)
    let part = try Self.part()
    let number = habits.add(part, mode: 1)
    habits.set(number, to: 0)
    #expect(try #require(Self.changed(part, habits))[0] > 0.1)
    habits.set(number, to: nil)
    #expect(Self.changed(part, habits) == nil)
  }
}
