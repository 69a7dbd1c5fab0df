import Foundation
import GodwitModel
import Testing

@testable import AccuracyData

@Suite("True lines of MobilityNet's trips")
struct MobilityNetRouteTests {
  /// A line along the equator at longitudes in degrees.
  private func route(_ longitudes: [Double], from start: Double? = nil, to end: Double? = nil) -> [String: Any] {
    var properties: [String: Any] = [:]
    properties["valid_start_ts"] = start
    properties["valid_end_ts"] = end
    return ["properties": properties, "geometry": ["type": "LineString", "coordinates": longitudes.map { [$0, 0] }]]
  }

  /// Creates the synthetic set with lines: one for the walk, and two for the drive, of which one is valid.
  private func syntheticSet() throws -> SyntheticMobilityNet {
    let set = try SyntheticMobilityNet()
    let legs: [[String: Any]] = [
      ["id": "walk_start", "mode": "WALKING", "route_coords": route([0, 0.001, 0.003])],
      [
        "id": "drive", "mode": "CAR", "route_coords": [route([1, 2], to: 1_000), route([0.003, 0.02], from: 2_000, to: 5_000)],
      ],
    ]
    try set.write(
      "shankari@eecs.berkeley.edu/here/config~evaluation_spec/0.json",
      ["data": ["label": ["evaluation_trips": [["id": "trip", "legs": legs]]]]])
    return set
  }

  @Test("a leg has the line of its day, and a trip has positions along its legs at a constant speed")
  func track() throws {
    let set = try syntheticSet()
    let data = try withExtendedLifetime(set) { try MobilityNet(folder: set.folder) }
    #expect(data.legs.map { $0.line.map(\.longitude) } == [[0, 0.001, 0.003], [0.003, 0.02]])
    let track = data.track(of: try #require(data.trips.first))
    let times = track.map(\.time.timeIntervalSince1970)
    #expect(times.first == 2_000.5 && times.last == 4_000 && times == times.sorted())
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= 10 })
    #expect(track.first?.coordinate.longitude == 0 && track.last?.coordinate.longitude == 0.02)
    // At half of the drive's time, the position is at half of its distance.
    let middle = try #require(track.first { $0.time.timeIntervalSince1970 == 3_150 })
    #expect(abs(middle.coordinate.longitude - 0.0115) < 1e-9)
  }

  @Test("places and distances of a line are computed between its corners, and a line without places has none")
  func line() throws {
    let places = try [0, 0.01, 0.01].map { try #require(Coordinate(latitude: 0, longitude: $0)) }
    let line = TrackLine(places)
    #expect(abs(line.length - 1_112) < 2)
    #expect(line.place(at: -1)?.longitude == 0 && line.place(at: 5_000)?.longitude == 0.01)
    let beside = try #require(Coordinate(latitude: 0.001, longitude: 0.005))
    let before = try #require(Coordinate(latitude: 0, longitude: -0.001))
    #expect(abs(try #require(line.distance(to: beside)) - 111.2) < 0.2)
    #expect(abs(try #require(line.distance(to: before)) - 111.2) < 0.2)
    #expect(TrackLine([]).length == 0 && TrackLine([]).place(at: 1) == nil && TrackLine([]).distance(to: beside) == nil)
  }
}
