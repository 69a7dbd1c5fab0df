import Foundation
import GodwitModel
import Testing

@testable import GodwitModes

@Suite("Kinds of transport and evidence of rails")
struct KindProbabilitiesTests {
  /// Weights in the order of the kinds: walk, bicycle, bus, car, train, subway.
  private static let likeCar = KindProbabilities(weights: [0, 0.1, 0.2, 0.6, 0.06, 0.04])

  /// Likelihood ratios of a train and a subway, and the expected result.
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
  func weighted(_ example: Case) {
    let kinds = Self.likeCar.weighted(train: log(example.train), subway: log(example.subway))
    #expect(kinds.best == example.best)
    #expect(abs(kinds.rails - example.rails) < 0.001, "\(kinds.rails)")
    #expect(kinds[.walk] == 0, "an impossible kind remains impossible")
  }

  @Test("the most improbable kind needs a likelihood ratio of at most 10,000")
  func floor() {
    let kinds = KindProbabilities(weights: [0, 0, 0, 1, 1e-9, 0])
    #expect(kinds.weighted(train: log(20_000), subway: 0).best == .train)
    #expect(kinds.weighted(train: log(5_000), subway: log(1e6)).best == .car)
  }

  @Test("a walk has no probability of rails")
  func walk() {
    #expect(KindProbabilities(weights: [1, 0, 0, 0, 0, 0]).rails == 0)
  }
}
