import Foundation
import GodwitModel
import GodwitModes
import GodwitRoads
import Testing

@testable import AccuracyData

@Suite("The loader of Helsinki's rails, and the scores of rides")
struct HelsinkiRailsTests {
  /// A subway of two connected lines, one of them listed twice, and a railway a kilometre to the north.
  private static let files = [
    "lines.js": """
    /** Data copyright (c) OpenStreetMap contributors */

    export const lines = [[[60.17,24.90],[60.17,24.92]],[[60.17,24.92],[60.17,24.94]],[[60.17,24.90],[60.17,24.92]],
    [[60.18,24.90],[60.18,24.94]]]
    """,
    "stations.js": """
    export const stations = [{"locations":[[60.1701,24.91]],"names":["A = B"],"icon":"metro"},
    {"locations":[[60.18,24.92]],"names":["C"],"icon":"train"}]
    """,
    "tram-lines.js": "export const lines = [[[60.16,24.90],[60.16,24.94]]]",
  ]

  private static func fixes(at latitude: Double) -> [RoadFix] {
    stride(from: 24.91, through: 24.93, by: 0.004).compactMap { longitude in
      Coordinate(latitude: latitude, longitude: longitude).map { RoadFix($0, time: longitude) }
    }
  }

  @Test("a network with stations of the subway is a subway, any other is a railway, and a repeated line counts once")
  func read() throws {
    let folder = try TemporaryFolder(Self.files)
    defer { withExtendedLifetime(folder) {} }
    let rails = try HelsinkiRails(folder: folder.url)
    let evidence = [60.16, 60.17, 60.18].map { rails.graph.railEvidence(of: Self.fixes(at: $0)) }
    #expect(evidence.map { $0.tram > 2 } == [true, false, false])
    #expect(evidence.map { $0.subway > 2 } == [false, true, false])
    #expect(evidence.map { $0.train > 2 } == [false, false, true])
    for kind in [RoadKind.rail, .subway, .tram] { #expect(abs(try #require(rails.lengths[kind]) - 2.21) < 0.02) }
  }

  @Test(
    "an invalid file is reported",
    arguments: [
      ("lines.js", "export const lines = [[[60.17,190]]]"), ("lines.js", "export const lines = [[[60.17]]]"),
      ("stations.js", "const stations = []"), ("stations.js", "export const stations = [1]"),
      ("tram-lines.js", "export const lines"),
    ])
  func wrong(name: String, text: String) throws {
    let folder = try TemporaryFolder(Self.files.merging([name: text]) { $1 })
    defer { withExtendedLifetime(folder) {} }
    let error = try #require(throws: DatasetError.self) { try HelsinkiRails(folder: folder.url) }
    #expect(error.description.contains(name))
  }

  @Test("rides are counted by rails or road, and by their kind")
  func scores() throws {
    var score = RailScore()
    let alone = ModeModel.standard.probabilities(of: try #require(Self.features))
    let train = alone.weighted(train: 20, subway: -20)
    let road = alone.weighted(train: -20, subway: -20)
    for ride in RailScore.Ride.allCases {
      score.add(ride, train)
      score.add(ride, road)
    }
    #expect(score.counts[.train] == RailScore.Count(rides: 2, rightSide: 1, rightKind: 1))
    #expect(score.counts[.subway] == RailScore.Count(rides: 2, rightSide: 1, rightKind: 0))
    #expect(score.counts[.tram] == RailScore.Count(rides: 2, rightSide: 1, rightKind: 0))
    #expect(score.all.rides == 8 && score.all.rightSide == 4)
  }

  /// The features of ten minutes at 15 m/s.
  private static var features: MovementFeatures? {
    var meter = MovementMeter()
    for second in stride(from: 0.0, through: 600, by: 10) {
      guard let place = Coordinate(latitude: 60 + second * 15 / 111_195, longitude: 25) else { continue }
      meter.add(place, at: Date(timeIntervalSince1970: second))
    }
    return meter.features
  }
}
