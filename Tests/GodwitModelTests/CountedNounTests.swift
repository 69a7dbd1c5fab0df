import Testing

@testable import GodwitModel

@Suite("Numbers with a noun")
struct CountedNounTests {
  @Test(
    "the noun follows the number, which has separators of thousands",
    arguments: [
      (0, "0 points"), (1, "1 point"), (2, "2 points"), (-1, "-1 points"), (999, "999 points"), (1_000, "1,000 points"),
      (-12_345, "-12,345 points"), (1_234_567, "1,234,567 points"),
    ] as [(Int, String)])
  func noun(number: Int, text: String) {
    #expect(number.counted("point") == text)
    #expect(Int64(number).counted("point") == text)
  }

  @Test("other forms are given in full")
  func forms() {
    let (one, two) = (1, 2)
    #expect(one.counted("record was", "records were") == "1 record was")
    #expect(two.counted("record was", "records were") == "2 records were")
    #expect(UInt64.max.grouped == "18,446,744,073,709,551,615")
  }
}
