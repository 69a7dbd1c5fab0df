import GodwitModel
import Testing

@Suite("Steps of a track")
struct TrackStepsTests {
  @Test(
    "the steps that are partly in a range of times are consecutive",
    arguments: [
      (0...100, [10, 20, 30, 40]), (20...30, [20, 30]), (15...25, [10, 20, 30]), (22...28, [20, 30]), (35...100, [30, 40]),
      (0...10, [10]), (40...50, [40]), (41...50, []), (0...9, []), (20...20, [20]),
    ] as [(ClosedRange<Int64>, [Int64])])
  func steps(_ times: ClosedRange<Int64>, _ expected: [Int64]) {
    #expect(([10, 20, 30, 40] as [Int64]).steps(in: times) { $0 } == expected)
    #expect(([] as [Int64]).steps(in: times) { $0 }.isEmpty)
  }
}
