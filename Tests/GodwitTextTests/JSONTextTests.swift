import Testing

@testable import GodwitText

@Suite("Writing JSON")
struct JSONTextTests {
  @Test(
    "numbers are rounded, and are valid JSON for any value",
    arguments: [
      (1.25, 1, "1.3"), (2.5, 0, "3"), (-0.4, 0, "0"), (9e18, 0, "9000000000000000000"), (1e19, 0, "1e+19"),
      (-1e19, 0, "-1e+19"), (9_223_372_036_854_775_808, 0, "9.223372036854776e+18"), (.infinity, 0, "null"), (.nan, 2, "null"),
    ])
  func number(_ value: Double, _ decimals: Int, _ text: String) {
    #expect(JSONText.number(value, decimals) == text)
  }
}
