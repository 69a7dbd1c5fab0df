import Foundation
import Testing

@testable import AccuracyData

@Suite("Scores of stays against a diary")
struct StayScoreTests {
  /// One position per minute: stops and movements of the diary, each with a number of minutes.
  private func samples(_ parts: [(minutes: Int, isStop: Bool)], from start: Int64 = 0) -> [StayDiaries.Sample] {
    var time = start
    return parts.flatMap { part in
      (0..<part.minutes).map { _ in
        defer { time += 60 }
        return StayDiaries.Sample(time: time, latitude: 52, longitude: 5, isStop: part.isStop)
      }
    }
  }

  @Test("positions are correct if diary and stays agree; stays of less than five minutes are not counted")
  func positions() {
    var score = StayScore()
    let samples = samples([(10, true), (10, false), (10, true), (5, false), (4, true)])
    // The first stay ends three minutes late, and the second one is exact.
    score.add(samples, found: [StayScore.Stay(start: 0, end: 720), StayScore.Stay(start: 1200, end: 1740)])
    #expect(score.foundStops == 20 && score.lostStops == 4 && score.foundMoves == 12 && score.lostMoves == 3)
    #expect(abs(score.accuracy - 32.0 / 39) < 1e-12)
    #expect(abs(score.balancedAccuracy - (20.0 / 24 + 12.0 / 15) / 2) < 1e-12)
    #expect(abs(score.f1 - 40.0 / 47) < 1e-12)
    #expect(score.stays == 2 && score.missed == 0 && score.inPieces == 0)
    // The first stay has no position in motion before its arrival, so that only its departure is scored.
    #expect(score.arrivals == [0] && score.departures == [180, 0])
  }

  @Test("a stay is missed if no found stay overlaps it by a minute, and in pieces if two do")
  func stays() {
    var score = StayScore()
    score.add(
      samples([(20, true), (10, false), (20, true)]),
      found: [
        StayScore.Stay(start: 0, end: 300), StayScore.Stay(start: 400, end: 1100), StayScore.Stay(start: 1110, end: 1150),
        StayScore.Stay(start: 1750, end: 1830),
      ])
    #expect(score.stays == 2 && score.inPieces == 1 && score.missed == 1)
  }

  @Test("a gap of more than a quarter of an hour divides a stay, without an arrival and a departure")
  func gaps() {
    let day = samples([(10, true)]) + samples([(10, true), (5, false)], from: 3_600)
    let stays = StayScore.stays(of: day)
    #expect(stays.map(\.start) == [0, 3_600] && stays.map(\.end) == [540, 4_140])
    #expect(stays.map(\.hasArrival) == [false, false] && stays.map(\.hasDeparture) == [false, true])
  }

  @Test("scores without positions or without found stays are defined")
  func empty() {
    var score = StayScore()
    #expect(score.accuracy == 0 && score.balancedAccuracy == 0 && score.f1 == 0)
    score.add(samples([(10, true)]), found: [])
    #expect(score.accuracy == 0 && score.missed == 1)
    #expect(StayScore.quantile([], 0.5) == nil && StayScore.quantile([3, 1, 2], 0.5) == 2 && StayScore.quantile([1], 0.95) == 1)
  }
}

@Suite("The loader of diaries")
struct StayDiariesTests {
  private let head = "user_id,timestamp,latitude,longitude,stop,mode\n"

  @Test("days of a user are read in order of time, each second once, without rows that have no entry of the diary")
  func read() throws {
    let folder = try TemporaryFolder([
      "ssi_open_geodata-Utrecht7-2024-06-02.csv": head + "Utrecht7,2024-06-02T10:00:00Z,52.5,4.5,FALSE,\"Walk\"\n",
      "ssi_open_geodata-Utrecht7-2024-06-01.csv": head + """
        Utrecht7,2024-06-01T10:00:01Z,52.1,4.1,TRUE,""
        Utrecht7,2024-06-01T10:00:00Z,52.0,4.0,TRUE,""
        Utrecht7,2024-06-01T10:00:00Z,52.9,4.9,TRUE,""
        Utrecht7,2024-06-01T10:00:02Z,52.2,4.2,NA,""
        """,
      "other.csv": "nothing",
    ])
    defer { withExtendedLifetime(folder) {} }
    let data = try StayDiaries(folder: folder.url)
    #expect(data.users == ["Utrecht7"])
    let samples = try data.samples(of: "Utrecht7")
    #expect(samples.map(\.latitude) == [52.0, 52.1, 52.5] && samples.map(\.isStop) == [true, true, false])
  }

  @Test("a folder without files of the set and an invalid line are reported")
  func wrong() throws {
    let empty = try TemporaryFolder([:])
    defer { withExtendedLifetime(empty) {} }
    #expect(throws: DatasetError.self) { try StayDiaries(folder: empty.url) }
    for row in ["U,yesterday,52,4,TRUE,", "U,2024-06-01T10:00:00Z,1e300,4,TRUE,", "U,2024-06-01T10:00:00Z,52,nan,TRUE,"] {
      let folder = try TemporaryFolder(["ssi_open_geodata-U-2024-06-02.csv": head + row + "\n"])
      defer { withExtendedLifetime(folder) {} }
      let error = try #require(throws: DatasetError.self) { try StayDiaries(folder: folder.url).samples(of: "U") }
      #expect(error.description.contains("line 2"))
    }
  }
}
