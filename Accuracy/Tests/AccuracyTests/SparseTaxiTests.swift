import Foundation
import GodwitModel
import GodwitRoads
import Testing

@testable import AccuracyData

@Suite("The loader of sparse tracks of taxis")
struct SparseTaxiTests {
  private static let collections = ["set60", "set120", "set300", "setOther", "sparse"]

  /// A street in three pieces from west to east, with a branch to the north from its second node.
  private static let files: [String: String] = {
    var files = [
      "map/vertexMap.txt": "0 900 40.0 110.0\n1 901 40.2 110.0\n2 902 40.4 110.0\n3 903 40.6 110.0\n4 904 40.2 110.4\n",
      "map/adjacentList.txt": "5\n0 1 0.2\n1 0 0.2\n1 2 0.2\n2 1 0.2\n2 3 -0.1\n3 2 0.2\n1 4 0.4\n4 4 0\n",
      "manual_matched/beijing_set60.txt": "3\n0 1 2 3 \n", "manual_matched/beijing_sparse.txt": "3 2 1 0 \n",
    ]
    for collection in collections {
      files["sparse_trajectories/heavyTraj_\(collection).coor.txt"] =
        "1\n7\t1\t3\n1243275718\t40.010000\t110.001000\n1243275778\t40.300000\t109.999000\n1243275838\t40.590000\t110.001000\n"
      files["manual_matched/beijing_\(collection).coor.txt"] = "1\n0\t0\t3\n0\t40.0\t110.0\n1\t40.2\t110.0\n2\t40.6\t110.0\n"
    }
    return files
  }()

  private static func folder(_ changes: [String: String?] = [:]) throws -> TemporaryFolder {
    try TemporaryFolder(files.merging(changes.compactMapValues(\.self)) { $1 }.filter { changes[$0.key] != .some(nil) })
  }

  @Test("recorded positions, true lines and true arcs of a track are read, and the matcher finds the arcs")
  func read() throws {
    let folder = try Self.folder()
    defer { withExtendedLifetime(folder) {} }
    let data = try SparseTaxi(folder: folder.url)
    #expect(data.collections.map(\.name) == ["60", "120", "300", "other", "sparse"])
    #expect(data.collections.map(\.hasPlaceholders) == [false, false, false, false, true])
    #expect(data.files.count == 14)
    let track = data.collections[0].tracks[0]
    #expect(track.fixes.map(\.time) == [1_243_275_718, 1_243_275_778, 1_243_275_838])
    #expect(abs(track.positions[0].longitude - 116.46918) < 1e-5 && abs(track.positions[0].latitude - 39.92128) < 1e-5)
    #expect(track.line.count == 3 && track.route == [0, 2, 4])
    // The arc from a node to itself is skipped.
    #expect(data.roads.lengths.count == 7 && abs(data.roads.lengths[0] - 200) < 1)
    var matcher = RoadMatcher(data.roads.graph, travel: .motor)
    #expect(data.roads.arcs(of: matcher.match(track.fixes)) == [0, 2, 4])
    #expect(data.roads.lines(of: [0, 2, 6]).map(\.count) == [3, 2])
    let opposite = data.collections[4].tracks[0]
    #expect(opposite.fixes.map(\.time) == [0, 300, 600] && opposite.route == [5, 3, 1])
    #expect(data.collections[1].tracks[0].route == nil)
  }

  @Test(
    "an invalid line is reported with its file and number",
    arguments: [
      ("map/vertexMap.txt", "0 900 40.0\n", 1), ("map/vertexMap.txt", "0 900 40.0 1e9\n", 1),
      ("map/vertexMap.txt", "1 900 40 110\n", 1),
      ("map/adjacentList.txt", "5\n0 1 0.2\n0 5 0.2\n", 3), ("map/adjacentList.txt", "5\n0 -1 0.2\n", 2),
      ("map/adjacentList.txt", "5\n0 1e300 0.2\n", 2),
      ("manual_matched/beijing_set60.txt", "0 1 99\n", 1), ("manual_matched/beijing_sparse.txt", "\n0 1 x\n", 2),
      ("manual_matched/beijing_set120.coor.txt", "1\n0\t40.0\t110.0\n", 2),
      ("sparse_trajectories/heavyTraj_sparse.coor.txt", "1\n0 0 1\n0 40.0 nan\n", 3),
      ("sparse_trajectories/heavyTraj_sparse.coor.txt", "1\n0 0 1\n1e99 40.0 110.0\n", 3),
    ])
  func wrong(file: String, text: String, line: Int) throws {
    let folder = try Self.folder([file: text])
    defer { withExtendedLifetime(folder) {} }
    let error = try #require(throws: DatasetError.self) { try SparseTaxi(folder: folder.url) }
    #expect(error.description.contains("\(file): line \(line) "))
  }

  @Test("files with different numbers of tracks and a missing file are rejected")
  func missing() throws {
    let twice = try Self.folder([
      "manual_matched/beijing_set300.coor.txt": "2\n0\t0\t1\n0\t40.0\t110.0\n1\t0\t1\n0\t40.0\t110.0\n"
    ])
    defer { withExtendedLifetime(twice) {} }
    #expect(throws: DatasetError.self) { try SparseTaxi(folder: twice.url) }
    let none = try Self.folder(["manual_matched/beijing_set60.txt": ""])
    defer { withExtendedLifetime(none) {} }
    #expect(throws: DatasetError.self) { try SparseTaxi(folder: none.url) }
    let gone = try Self.folder(["map/vertexMap.txt": nil])
    defer { withExtendedLifetime(gone) {} }
    #expect(throws: DatasetError.self) { try SparseTaxi(folder: gone.url) }
  }
}

@Suite("Scores of lines")
struct LineScoreTests {
  /// Positions at metres to the east and to the north of a place on the equator.
  private func line(_ points: [(Double, Double)]) throws -> [Coordinate] {
    let metres = GreatCircle.earthRadius * .pi / 180
    return try points.map { try #require(Coordinate(latitude: $0.1 / metres, longitude: $0.0 / metres)) }
  }

  @Test("parts beside the other line in its direction are found, and the rest is missing or surplus")
  func found() throws {
    var score = LineScore()
    score.add(truth: try line([(0, 0), (1000, 0)]), given: [try line([(0, 5), (500, 5)]), try line([(600, 300), (700, 300)])])
    #expect(abs(score.truth - 1000) < 0.1 && abs(score.found - 500) < 11 && abs(score.given - 600) < 0.1)
    #expect(abs(score.wrong - 100) < 0.1 && abs(score.share - 0.5) < 0.011 && abs(score.mismatch - 0.6) < 0.011)
    var sum = score
    sum.add(score)
    #expect(abs(sum.truth - 2000) < 0.2 && sum.share == score.share)
  }

  @Test("a line in the opposite direction is not found")
  func opposite() throws {
    var score = LineScore()
    score.add(truth: try line([(0, 0), (1000, 0)]), given: [try line([(1000, 0), (0, 0)])])
    #expect(score.found == 0 && abs(score.wrong - 1000) < 0.1)
  }

  @Test("without a line nothing is missing, and the distance of a place is infinite")
  func empty() throws {
    var score = LineScore()
    score.add(truth: [], given: [])
    #expect(score.share == 1 && score.mismatch == 0)
    let place = try #require(line([(0, 30)]).first)
    #expect(LineScore.distance(of: place, from: []) == .infinity)
    #expect(abs(LineScore.distance(of: place, from: try line([(-10, 0), (10, 0)])) - 30) < 0.01)
  }
}
