import Foundation
import GodwitModel
import Testing

@testable import GodwitSimulator

@Suite("Random numbers")
struct RandomSourceTests {
  @Test("SplitMix64 gives the numbers of its authors' code")
  func splitMix() {
    var state: UInt64 = 1_234_567
    let numbers = (0..<5).map { _ in RandomSource.splitMix(&state) }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }

  @Test("xoshiro256** gives the numbers of its authors' code")
  func xoshiro() {
    var random = RandomSource(state: (1, 2, 3, 4))
    #expect((0..<4).map { _ in random.next() } == [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240])
  }

  @Test("the same seed and stream give the same numbers; another seed or stream gives others")
  func streams() {
    func numbers(_ seed: UInt64, _ stream: String) -> [UInt64] {
      var random = RandomSource(seed: seed, stream: stream)
      return (0..<100).map { _ in random.next() }
    }
    #expect(numbers(1, "gnss") == numbers(1, "gnss"))
    #expect(Set(numbers(1, "gnss")).isDisjoint(with: numbers(2, "gnss")))
    #expect(Set(numbers(1, "gnss")).isDisjoint(with: numbers(1, "wifi")))
  }

  @Test("distributions have their mean, deviation and quantiles", arguments: seeds)
  func distributions(seed: UInt64) {
    var random = RandomSource(seed: seed)
    let count = 100_000
    func mean(_ numbers: [Double]) -> Double { numbers.reduce(0, +) / Double(numbers.count) }
    let uniform = (0..<count).map { _ in random.uniform() }
    #expect(uniform.allSatisfy { $0 >= 0 && $0 < 1 })
    #expect(abs(mean(uniform) - 0.5) < 0.005)
    let normal = (0..<count).map { _ in random.normal() }
    #expect(abs(mean(normal)) < 0.015)
    #expect(abs(mean(normal.map { $0 * $0 }) - 1) < 0.025)
    #expect(abs(mean(normal.map { $0 * $0 * $0 * $0 }) - 3) < 0.2)
    let within = Double(normal.count { abs($0) < 1.96 }) / Double(count)
    #expect(abs(within - 0.95) < 0.004)
    let exponential = (0..<count).map { _ in random.exponential(mean: 45) }
    #expect(abs(mean(exponential) - 45) < 1)
    let lognormal = (0..<count).map { _ in random.lognormal(median: 800, spread: 0.7) }.sorted()
    #expect(abs(lognormal[count / 2] / 800 - 1) < 0.03)
    #expect(abs(lognormal[count * 95 / 100] / lognormal[count / 2] / exp(1.645 * 0.7) - 1) < 0.05)
    for _ in 0..<100 {
      let (north, east) = random.direction()
      #expect(abs(north * north + east * east - 1) < 1e-12)
    }
  }

  @Test("the deterministic functions agree with the system's to fourteen digits", arguments: seeds)
  func functions(seed: UInt64) {
    var random = RandomSource(seed: seed)
    for _ in 0..<2_000 {
      let x = random.uniform(-40...40)
      #expect(abs(DeterministicMath.exp(x) / exp(x) - 1) < 2e-14)
      let y = exp(random.uniform(-30...30))
      #expect(abs(DeterministicMath.log(y) - log(y)) < 1e-14 * max(1, abs(log(y))))
      let angle = random.uniform(-720...720)
      let (sine, cosine) = DeterministicMath.sineCosine(degrees: angle)
      #expect(abs(sine - sin(angle * .pi / 180)) < 4e-15 && abs(cosine - cos(angle * .pi / 180)) < 4e-15)
      let (north, east) = (random.normal(), random.normal())
      #expect(abs(DeterministicMath.angle(y: north, x: east) - atan2(north, east) * 180 / .pi) < 1e-13)
    }
    #expect(DeterministicMath.angle(y: 0, x: -1) == 180 && DeterministicMath.angle(y: 0, x: 0) == 0)
    #expect(DeterministicMath.exp(0) == 1 && DeterministicMath.log(1) == 0)
    #expect(DeterministicMath.exp(-10_000) < 1e-300 && DeterministicMath.exp(10_000).isFinite)
  }
}

@Suite("Correlated noise")
struct GaussMarkovTests {
  /// Returns the autocovariance of a long run at a lag.
  private func covariance(of values: [Double], lag: Int) -> Double {
    var sum = 0.0
    for i in 0..<(values.count - lag) { sum += values[i] * values[i + lag] }
    return sum / Double(values.count - lag)
  }

  @Test(
    "the variance is 1 and the correlation decreases by a factor of e in the correlation time, with any step",
    arguments: [(60.0, 1.0), (60, 10), (20, 1), (1_800, 30), (120, 7)])
  func correlation(time: Double, step: Double) {
    var random = RandomSource(seed: 11)
    var process = GaussMarkov(correlationTime: time, random: &random)
    let values = (0..<400_000).map { _ in
      process.advance(step, random: &random)
      return process.value
    }
    // The number of independent values is the duration of the run divided by twice the correlation time.
    let tolerance = 4 * (2 * time / (step * 400_000)).squareRoot() + 0.02
    #expect(abs(covariance(of: values, lag: 0) - 1) < tolerance)
    for part in [0.5, 1, 2] {
      let lag = Int((time * part / step).rounded())
      #expect(abs(covariance(of: values, lag: lag) - exp(-Double(lag) * step / time)) < tolerance)
    }
  }

  @Test("two steps have the distribution of one step of the same length")
  func split() {
    for seed in seeds {
      var one = RandomSource(seed: seed)
      var two = RandomSource(seed: seed &+ 1)
      var long = [Double]()
      var short = [Double]()
      for _ in 0..<20_000 {
        var a = GaussMarkov(correlationTime: 60, random: &one)
        let from = a.value
        a.advance(30, random: &one)
        long.append(a.value * from)
        var b = GaussMarkov(correlationTime: 60, random: &two)
        let start = b.value
        b.advance(13, random: &two)
        b.advance(17, random: &two)
        short.append(b.value * start)
      }
      let expected = exp(-0.5)
      #expect(abs(long.reduce(0, +) / 20_000 - expected) < 0.04, "seed \(seed)")
      #expect(abs(short.reduce(0, +) / 20_000 - expected) < 0.04, "seed \(seed)")
    }
  }
}
