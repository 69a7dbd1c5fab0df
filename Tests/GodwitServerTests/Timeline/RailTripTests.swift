import Foundation
import GodwitModel
import GodwitRoads
import TestClient
import TestTowns
import Testing

@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

@Suite("Train trips", .timeLimit(.minutes(20)))
struct RailTripTests {
  private static let latitude = 46.05

  /// A railway to the east from the start of journeys, `north` metres to the north of them.
  private static func rails(_ kind: RoadKind = .rail, north: Double = 0) -> RoadGraph {
    var builder = RoadGraphBuilder()
    let points = (0...60).compactMap { step in
      Coordinate(latitude: latitude + north / 111_195, longitude: 14.49 + Double(step) * 0.005).flatMap {
        builder.addPoint(RoadPoint($0))
      }
    }
    var line = RoadAttributes(kind: kind)
    line.open(to: .rail, forward: true, backward: true)
    builder.addRoad(through: points, line)
    return builder.build().graph
  }

  /// A ride of 12 km with four stops between two stays.
  private static func ride(_ motion: Motion = []) -> Journey {
    var journey = Journey(latitude: latitude)
    journey.stay(1_800)
    for _ in 0..<4 {
      journey.go(3_000, at: 17, motion: motion)
      journey.stay(30, every: 10, noise: 2)
    }
    journey.stay(1_800)
    return journey
  }

  private static func modes(_ journey: Journey, _ graph: RoadGraph?) -> [TravelMode] {
    journey.results.tracks.flatMap { TripMaker.trips(of: $0, along: graph.map { TripRoads($0) }) }.map(\.mode)
  }

  @Test("a ride on a railway, subway or light rail is a train; without a map of rails it is a car")
  func train() {
    #expect(Self.modes(Self.ride(), nil) == [.car])
    for kind in [RoadKind.rail, .subway, .lightRail] { #expect(Self.modes(Self.ride(), Self.rails(kind)) == [.train]) }
    #expect(Self.modes(Self.ride(.driving), Self.rails()) == [.train], "motion sensors report trains as driving")
  }

  @Test("a ride near rails, on tram tracks or far from rails is a car")
  func car() {
    for north in [-120.0, 80, 2_000] { #expect(Self.modes(Self.ride(), Self.rails(north: north)) == [.car]) }
    #expect(Self.modes(Self.ride(), Self.rails(.tram)) == [.car])
    #expect(Self.modes(Self.ride(), Self.rails(.street)) == [.car])
  }

  @Test("a walk, a bicycle ride and a reported mode along rails are not changed")
  func others() throws {
    var walk = Journey(latitude: Self.latitude)
    walk.stay(1_800)
    walk.go(2_000, at: 1.3)
    walk.stay(1_800)
    #expect(Self.modes(walk, Self.rails()) == [.walk])
    var bicycle = Journey(latitude: Self.latitude)
    bicycle.stay(1_800)
    bicycle.go(5_000, at: 4.5, motion: .cycling)
    bicycle.stay(1_800)
    #expect(Self.modes(bicycle, Self.rails()) == [.cycle])
    var track = try #require(Self.ride().results.tracks.first)
    track.reports = [TripReport(start: track.steps[0].time, end: track.steps[track.steps.count - 1].time, mode: "bus")]
    #expect(TripMaker.trips(of: track, along: TripRoads(Self.rails())).map(\.mode) == [.car])
  }

  @Test("the distance of a train follows the rails, and its probabilities are those of a motor vehicle")
  func distance() throws {
    let track = try #require(Self.ride().results.tracks.first)
    let (alone, train) = (
      try #require(TripMaker.trips(of: track).first),
      try #require(TripMaker.trips(of: track, along: TripRoads(Self.rails())).first)
    )
    #expect(train.segments.map(\.probabilities) == alone.segments.map(\.probabilities))
    #expect(abs(train.distance - alone.distance) < 0.02 * alone.distance)
    #expect(train.segments[0].confidence > 0.5)
  }

  @Test("an update recomputes the days that were computed with a map of rails", arguments: StoreKind.tested)
  func update(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (device, _) = try await server.device("phone", of: try await server.user("anna"))
      let records = Self.ride().points.map { Record(kind: .fix(Fix(time: $0.date, coordinate: $0.coordinate))) }
      _ = try await server.server.store.store(records, of: device, at: Date())
      try await server.server.processBacklog()
      func dirtyDays() throws -> Int64? {
        try server.server.store.writeAndWait { db in
          try db.run(RoadLibrary.recomputation)
          return try db.integer("SELECT count(*) FROM dirty_days")
        }
      }
      #expect(try dirtyDays() == 0)
      try Self.rails().write(to: server.folder.appendingPathComponent("rails.roads").path)
      server.server.maps.roadFolder.refresh { _ in }
      try await server.server.processBacklog()
      #expect(try dirtyDays() == 1)
    }
  }
}
