import Foundation
import GodwitModel
import Testing

@testable import GodwitModes

@Suite("Probabilities of kinds of transport with evidence of rails")
struct KindProbabilitiesTests {
  /// In the order of the kinds: walk, bicycle, bus, car, train, subway.
  private static let likeCar = KindProbabilities(weights: [0, 0.1, 0.2, 0.6, 0.06, 0.04])

  /// Ratios of likelihood, and what they make of it.
  struct Case: Sendable {
    var train: Double
    var subway: Double
    var best: TransportKind
    var rails: Double
  }

  private static let cases = [
    Case(train: 1, subway: 1, best: .car, rails: 0.111), Case(train: 100, subway: 1, best: .train, rails: 0.883),
    Case(train: 1, subway: 100, best: .subway, rails: 0.835), Case(train: 0.001, subway: 0.001, best: .car, rails: 0),
    Case(train: 100, subway: 0.001, best: .train, rails: 0.882),
  ]

  @Test("evidence multiplies the probability of its kind", arguments: cases)
  func weighted(_ one: Case) {
    let kinds = Self.likeCar.weighted(train: log(one.train), subway: log(one.subway))
    #expect(kinds.best == one.best)
    #expect(abs(kinds.rails - one.rails) < 0.001, "\(kinds.rails)")
    #expect(kinds[.walk] == 0, "what is impossible stays impossible")
  }

  @Test("a kind that the trees consider improbable needs evidence of 10,000 at most")
  func floor() {
    let kinds = KindProbabilities(weights: [0, 0, 0, 1, 1e-9, 0])
    #expect(kinds.weighted(train: log(20_000), subway: 0).best == .train)
    #expect(kinds.weighted(train: log(5_000), subway: log(1e6)).best == .car)
  }

  @Test("a kind without an engine gets no evidence of rails")
  func walk() {
    #expect(KindProbabilities(weights: [1, 0, 0, 0, 0, 0]).rails == 0)
  }
}
