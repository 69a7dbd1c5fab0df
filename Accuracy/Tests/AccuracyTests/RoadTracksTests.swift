import Foundation
import GodwitRoads
import Testing

@testable import AccuracyData

@Suite("Scores of routes")
struct RouteScoreTests {
  @Test("the correct length is that of the common arcs in the same order, divided by the length of the longer route")
  func common() {
    let lengths = [100.0, 50, 25, 10]
    var score = RouteScore()
    score.add(truth: [0, 1, 2], given: [0, 3, 2], lengths: lengths)
    #expect(score.correct == 125 && score.truth == 175 && score.given == 135)
    #expect(score.share == 125.0 / 175)
    #expect(score.mismatch == 60.0 / 175)
    // In another order, and with a repeated arc.
    var turned = RouteScore()
    turned.add(truth: [0, 1], given: [1, 0, 0], lengths: lengths)
    #expect(turned.correct == 100 && turned.share == 0.4)
    turned.add(score)
    #expect(turned.correct == 225 && turned.truth == 325 && turned.given == 385)
  }

  @Test("no route is correct if there is no true route, and wrong if there is one")
  func empty() {
    #expect(RouteScore().share == 1 && RouteScore().mismatch == 0)
    var score = RouteScore()
    score.add(truth: [], given: [0], lengths: [7])
    #expect(score.share == 0)
  }
}

@Suite("The loader of tracks with roads")
struct RoadTracksTests {
  /// A data set with one track.
  /// - Parameter files: the texts of its files by the suffix of their names.
  private func folder(_ files: [String: String]) throws -> TemporaryFolder {
    try TemporaryFolder(Dictionary(uniqueKeysWithValues: files.map { ("7/7.\($0.key)", $0.value) }))
  }

  /// A street in three pieces with a one-way branch from its second node.
  private let files = [
    "nodes": "14.000\t45\n14.002\t45\n14.004\t45\n14.006\t45\n14.002\t45.003\n",
    "arcs": "0\t1\n1\t0\n1\t2\n2\t1\n2\t3\n3\t2\n1\t4\n", "route": "0\n2\n4\n",
    "track": "14.0001 45.00002 1.0\n14.001 44.99999 11\n14.003\t45\t31\n14.0055\t45.00001\t56\n",
  ]

  @Test("the arcs of a track are found from its matched route, and one-way arcs have no opposite")
  func read() throws {
    let folder = try folder(files)
    defer { withExtendedLifetime(folder) {} }
    let data = try RoadTracks(folder: folder.url)
    #expect(data.names == ["7"])
    let track = try data.track("7")
    #expect(track.fixes.map(\.time) == [1, 11, 31, 56] && track.route == [0, 2, 4])
    #expect(abs(track.roads.lengths[0] - 157.3) < 0.2)
    // The two pieces after the branch are one edge.
    #expect(track.roads.graph.edgeCount == 3 && track.roads.graph.nodeCount == 4)
    var matcher = RoadMatcher(track.roads.graph, travel: .motor)
    let given = track.roads.arcs(of: matcher.match(track.fixes))
    #expect(given == [0, 2, 4])
    let all = (0..<3).flatMap { edge in
      [false, true].flatMap { track.roads.arcs(of: RoadGraph.DirectedEdge(edge: edge, isReversed: $0)) }
    }
    #expect(all.sorted() == [0, 1, 2, 3, 4, 5, 6])
  }

  @Test(
    "an invalid track is rejected",
    arguments: [
      ("nodes", "14\n"), ("nodes", "14 95\n"), ("arcs", "0 9\n"), ("arcs", "0 -1\n"), ("arcs", "0.5 1\n"), ("route", "12\n"),
      ("route", "x\n"), ("track", "14 45\n"), ("track", "214 45 1\n"),
    ])
  func rejected(ending: String, text: String) throws {
    let folder = try folder(files.merging([ending: text]) { $1 })
    defer { withExtendedLifetime(folder) {} }
    let data = try RoadTracks(folder: folder.url)
    #expect(throws: DatasetError.self) { try data.track("7") }
  }

  @Test("a folder without a track and a track without a file are rejected")
  func missing() throws {
    let empty = try TemporaryFolder(["7/notes.txt": ""])
    defer { withExtendedLifetime(empty) {} }
    #expect(throws: DatasetError.self) { try RoadTracks(folder: empty.url) }
    let folder = try folder(files.filter { $0.key != "arcs" })
    defer { withExtendedLifetime(folder) {} }
    let data = try RoadTracks(folder: folder.url)
    #expect(throws: DatasetError.self) { try data.track("7") }
  }
}
