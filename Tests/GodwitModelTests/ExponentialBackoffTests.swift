import GodwitModel
import Testing

@Suite("Exponential back-off")
struct ExponentialBackoffTests {
  @Test(
    "each pause is twice the previous one, up to the maximum",
    arguments: [(-1, 5), (0, 5), (1, 5), (2, 10), (3, 20), (4, 40), (5, 60), (40, 60), (Int.max, 60)] as [(Int, Double)])
  func pauses(_ failures: Int, _ seconds: Double) {
    #expect(ExponentialBackoff(first: 5, maximum: 60).pause(after: failures) == seconds)
  }
}
