import Foundation
import Testing

@testable import AccuracyData

@Suite("The loader of deliveries")
struct DeliveriesTests {
  private let head = "timestamp,x,y,groundtruth\n"

  @Test("pieces are read in the order of their numbers, with times since their first position")
  func read() throws {
    let folder = try TemporaryFolder([
      "trajectory_0001.csv": head + """
        1964-01-12 00:00:00.000000000,-182.5,89.75,Driving
        1964-01-12 00:00:05.007000208,-153,55,OnFoot
        """,
      "trajectory_0000.csv": head, "notes.csv": "",
    ])
    defer { withExtendedLifetime(folder) {} }
    let data = try Deliveries(folder: folder.url)
    #expect(data.files == ["trajectory_0000.csv", "trajectory_0001.csv"])
    #expect(try data.positions(of: data.files[0]).isEmpty)
    let positions = try data.positions(of: data.files[1])
    #expect(positions.map(\.time) == [0, 5007] && positions.map(\.isDriving) == [true, false] && positions[0].x == -182.5)
  }

  @Test(
    "an invalid row is reported with its file and line",
    arguments: [
      "yesterday,1,2,OnFoot", "1964-01-12 00:00:01,nan,2,OnFoot", "1964-01-12 00:00:01,1,1e300,OnFoot",
      "1964-01-12 00:00:01,1,2,Running", "1964-01-11 23:59:59,1,2,OnFoot",
    ])
  func wrong(row: String) throws {
    let folder = try TemporaryFolder(["trajectory_0000.csv": head + "1964-01-12 00:00:00,0,0,OnFoot\n\(row)\n"])
    defer { withExtendedLifetime(folder) {} }
    let error = try #require(throws: DatasetError.self) {
      try Deliveries(folder: folder.url).positions(of: "trajectory_0000.csv")
    }
    #expect(error.description.contains("trajectory_0000.csv: line 3 "))
  }

  @Test("a folder without a piece is rejected")
  func empty() throws {
    let folder = try TemporaryFolder([:])
    defer { withExtendedLifetime(folder) {} }
    #expect(throws: DatasetError.self) { try Deliveries(folder: folder.url) }
  }
}

@Suite("Scores of changes")
struct ChangeScoreTests {
  private func change(_ time: Int64, _ isBegin: Bool) -> ChangeScore.Change { ChangeScore.Change(time: time, isBegin: isBegin) }

  @Test("a change is found by one of the same direction within the tolerance, once")
  func found() {
    var score = ChangeScore(tolerance: 15)
    score.add(
      truth: [change(100, true), change(200, false), change(300, true)],
      given: [change(85, true), change(110, true), change(205, true), change(216, false), change(315, true)])
    #expect(score.truth == 3 && score.given == 5 && score.found == 2)
    #expect(score.recall == 2.0 / 3 && score.precision == 0.4)
  }

  @Test("changes of states have the time of the first new state; without changes nothing is divided by zero")
  func changes() {
    #expect(ChangeScore.changes([(0, false), (5, false), (10, true), (15, false)]) == [change(10, true), change(15, false)])
    #expect(ChangeScore.changes([]).isEmpty)
    #expect(ChangeScore(tolerance: 1).recall == 0 && ChangeScore(tolerance: 1).precision == 0)
  }
}
