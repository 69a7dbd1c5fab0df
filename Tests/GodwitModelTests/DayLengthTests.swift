import Testing

@testable import GodwitModel

@Suite("Days of UTC")
struct DayLengthTests {
  @Test(
    "a day begins at midnight, also before 1970",
    arguments: [
      (0, 0), (1, 0), (86_399_999, 0), (86_400_000, 1), (-1, -1), (-86_400_000, -1), (-86_400_001, -2),
      (Int64.max, 106_751_991_167), (Int64.min, -106_751_991_168),
    ] as [(Int64, Int64)])
  func number(_ milliseconds: Int64, _ day: Int64) { #expect(DayLength.number(of: milliseconds) == day) }
}
