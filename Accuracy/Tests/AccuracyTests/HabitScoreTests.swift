import Foundation
import GodwitModel
import GodwitModes
import Testing

@testable import AccuracyData

@Suite("Scores of the effect of corrections on later parts")
struct HabitScoreTests {
  /// Ten commutes by bicycle that the model classifies as a car with 60 %, and one drive to another place.
  private static func samples() throws -> [HabitScore.Sample] {
    let (home, work, sea) = (
      try #require(Coordinate(latitude: 46, longitude: 14.5)), try #require(Coordinate(latitude: 46, longitude: 14.55)),
      try #require(Coordinate(latitude: 45.5, longitude: 13.6))
    )
    let commute = ModeHabits.Part(start: home, end: work, speed: 5, probabilities: [0, 0.4, 0.6])
    let drive = ModeHabits.Part(start: home, end: sea, speed: 20, probabilities: [0, 0.1, 0.9])
    return [HabitScore.Sample](repeating: HabitScore.Sample(commute, truth: 1), count: 9) + [
      HabitScore.Sample(drive, truth: 2), HabitScore.Sample(commute, truth: 1),
    ]
  }

  @Test(
    "parts are scored with the examples of the first half or with all earlier corrections",
    arguments: HabitScore.Examples.allCases)
  func halves(_ examples: HabitScore.Examples) throws {
    var score = HabitScore()
    score.add(try Self.samples(), examples)
    switch examples {
    case .firstHalf, .wrongOfFirstHalf:
      #expect(score.parts == 6 && score.rightAlone == 1 && score.right == 6 && score.similar == 5)
      #expect(score.changedToRight == 5 && score.changedToWrong == 0)
    case .corrected:
      // The first commute is shown incorrectly and corrected; after that, 0.4 × 1.25 is more than 0.6 × 0.25.
      #expect(score.parts == 11 && score.rightAlone == 1 && score.right == 10 && score.similar == 9)
    }
  }

  @Test("a mode that changes on one route is counted as wrong if the examples are misleading")
  func misled() throws {
    var samples = try Self.samples()
    samples[10].truth = 2
    var score = HabitScore()
    score.add(samples, .wrongOfFirstHalf)
    #expect(score.changedToWrong == 1 && score.right == 5)
    score.add([], .firstHalf)
    #expect(score.parts == 6)
  }
}
