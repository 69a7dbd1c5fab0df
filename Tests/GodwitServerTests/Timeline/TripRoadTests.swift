import Foundation
import GodwitModel
import GodwitRoads
import Synchronization
import TestClient
import TestTowns
import Testing

@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

/// A day with a drive of 4,000 m through a generated town, with few positions: straight lines between them cut corners.
struct TownDrive {
  let town: TestTown
  let records: [Record]
  static let length = 4_000.0
  static let day = "from=2026-05-04&to=2026-05-05"

  init() throws {
    // The coordinates are valid.
    let town = try TestTown(side: 42, at: Coordinate(latitude: 46.5, longitude: 15.6)!)
    let start = RFC3339.date("2026-05-04T08:00:00Z") ?? .distantPast
    func record(_ east: Double, _ north: Double, at seconds: Double) -> Record {
      Record(
        kind: .fix(Fix(time: start.addingTimeInterval(seconds), coordinate: town.place(east, north), horizontalAccuracy: 5)))
    }
    let minutes = (0..<60).map { Double($0) }
    let home = minutes.map { record(3, $0.truncatingRemainder(dividingBy: 5), at: $0 * 60) }
    // 1 km each to the east, north, east and north, at 10 m/s.
    let drive = stride(from: 70.0, to: Self.length, by: 450).map { metres in
      let (leg, rest) = (Int(metres / 1_000), metres.truncatingRemainder(dividingBy: 1_000))
      let (east, north) = (Double((leg + 1) / 2) * 1_000, Double(leg / 2) * 1_000)
      let isEast = leg.isMultiple(of: 2)
      return record(east + (isEast ? rest : 0), north + (isEast ? 0 : rest), at: 3_600 + metres / 10)
    }
    let work = minutes.map { record(2_003, 2_000 + $0.truncatingRemainder(dividingBy: 5), at: 4_000 + $0 * 60) }
    self.town = town
    records = home + drive + work
  }
}

@Suite("Trips along roads", .timeLimit(.minutes(20)))
struct TripRoadTests {
  private static func with(
    on kind: StoreKind = .sqlite, configure: @escaping (inout Server.Configuration) -> Void = { _ in },
    _ body: (AccountServer, TownDrive, Device, AccountServer.Caller) async throws -> Void
  ) async throws {
    let drive = try TownDrive()
    try await AccountServer.with(on: kind, configure: configure) { server in
      let anna = try await server.user("anna")
      let (device, _) = try await server.device("phone", of: anna)
      _ = try await server.server.store.store(drive.records, of: device, at: Date())
      try await server.server.processBacklog()
      try await body(server, drive, device, try await server.session(of: anna))
    }
  }

  private static func distances(_ server: AccountServer, _ caller: AccountServer.Caller) throws -> (trip: Double, day: Double) {
    let trips = server.send("GET", "/api/v1/trips?device=phone", as: caller).list("trips")
    let sums = server.send("GET", "/api/v1/statistics?device=phone&year=2026", as: caller)
    let total = try #require(sums.object["total"] as? [String: Any])
    return (try #require(trips.first?["distance"] as? Double), try #require(total["distance"] as? Double))
  }

  private static func lines(_ server: AccountServer, _ caller: AccountServer.Caller) -> [[String: Any]] {
    server.send("GET", "/api/v1/trips/roads?device=phone&\(TownDrive.day)", as: caller).features
  }

  @Test(
    "a road file in the data folder is used and changes distances; removing it restores them",
    arguments: StoreKind.tested)
  func file(_ kind: StoreKind) async throws {
    try await Self.with(on: kind) { server, drive, _, caller in
      let straight = try Self.distances(server, caller)
      #expect(straight.trip < TownDrive.length * 0.93 && abs(straight.day - straight.trip) < 1)
      #expect(Self.lines(server, caller).isEmpty)
      let path = server.folder.appendingPathComponent("town.roads").path
      try drive.town.graph.write(to: path)
      let notices = Mutex<[String]>([])
      server.server.maps.roadFolder.refresh { notice in notices.withLock { $0.append(notice) } }
      #expect(notices.withLock { $0 } == ["Roads: \(path)"])
      try await server.server.processBacklog()
      let along = try Self.distances(server, caller)
      #expect(abs(along.trip - TownDrive.length) < 60, "\(along.trip)")
      #expect(abs(along.day - along.trip) < 1)
      // The lines cover the whole drive, and one of them is on roads.
      let lines = Self.lines(server, caller)
      let lengths = lines.compactMap { ($0["properties"] as? [String: Any])?["distance"] as? Double }
      #expect(abs(lengths.reduce(0, +) - TownDrive.length) < 150)
      let onRoads = lines.filter { ($0["properties"] as? [String: Any])?["on_roads"] as? Bool == true }
      #expect(onRoads.count == 1)
      // The points are not changed.
      #expect(server.send("GET", "/api/v1/points?device=phone&limit=1000", as: caller).features.count == drive.records.count)

      try FileManager.default.removeItem(atPath: path)
      server.server.maps.roadFolder.refresh { _ in }
      try await server.server.processBacklog()
      #expect(try Self.distances(server, caller) == straight)
    }
  }

  @Test("a road file is found at a restart; the same roads at another path cause no recomputation")
  func restart() async throws {
    try await Self.with { server, drive, _, caller in
      let straight = try Self.distances(server, caller)
      let path = server.folder.appendingPathComponent("town.roads").path
      try drive.town.graph.write(to: path)
      try server.restart()
      try await server.server.processBacklog()
      #expect(try Self.distances(server, caller).trip > straight.trip + 100)
      // The same roads at another path.
      let moved = server.folder.appendingPathComponent("other.roads").path
      try FileManager.default.moveItem(atPath: path, toPath: moved)
      try server.restart()
      #expect(try server.server.store.read { try RoadLibrary.choice($0) } != nil)
      #expect(try server.server.store.read { try $0.integer("SELECT count(*) FROM dirty_days") } == 0)
      // The server maps a copy, so overwriting the file has no effect.
      try Data("no roads".utf8).write(to: URL(fileURLWithPath: moved), options: [])
      #expect(!Self.lines(server, caller).isEmpty)
      #expect(try Self.copies(server).count == 1)
      // Another process with the store finds the road file in the store.
      let other = try SQLiteTrackStore(folder: server.folder.path)
      #expect(try other.read { try RoadLibrary().roads($0) } != nil)
      other.close()
      try FileManager.default.removeItem(atPath: moved)
      try server.restart()
      try await server.server.processBacklog()
      #expect(try Self.distances(server, caller) == straight)
      #expect(try Self.copies(server).isEmpty)
    }
  }

  private static func copies(_ server: AccountServer) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: server.folder.path).filter { $0.hasPrefix(".roads-") }
  }

  @Test("a damaged road file in the data folder is reported, a configured one prevents the start, and `none` disables roads")
  func damage() async throws {
    let roads = Mutex<String?>(nil)
    func configure(_ configuration: inout Server.Configuration) { configuration.roads = roads.withLock { $0 } }
    try await Self.with(configure: configure) { server, drive, _, caller in
      let path = server.folder.appendingPathComponent("town.roads").path
      try drive.town.graph.write(to: path)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: URL(fileURLWithPath: path))
      let notices = Mutex<[String]>([])
      server.server.maps.roadFolder.refresh { notice in notices.withLock { $0.append(notice) } }
      #expect(notices.withLock { $0.first?.contains("checksum") } == true)
      #expect(Self.lines(server, caller).isEmpty)
      roads.withLock { $0 = path }
      #expect(throws: RoadFileError.self) { try server.restart() }
      try drive.town.graph.write(to: path)
      try server.restart()
      #expect(try server.server.store.read { try RoadLibrary.choice($0) } != nil)
      roads.withLock { $0 = "none" }
      try server.restart()
      #expect(try server.server.store.read { try RoadLibrary.choice($0) } == nil)
    }
  }

  @Test("lines are available for the user's own devices only, and a time without trips has none")
  func access() async throws {
    try await Self.with { server, drive, _, caller in
      try drive.town.graph.write(to: server.folder.appendingPathComponent("town.roads").path)
      server.server.maps.roadFolder.refresh { _ in }
      try await server.server.processBacklog()
      #expect(!Self.lines(server, caller).isEmpty)
      let ben = try await server.user("ben")
      let other = try await server.session(of: ben)
      #expect(server.send("GET", "/api/v1/trips/roads?device=phone&\(TownDrive.day)", as: other).status == 404)
      let before = server.send("GET", "/api/v1/trips/roads?device=phone&from=2026-05-01&to=2026-05-02", as: caller)
      #expect(before.status == 200 && before.features.isEmpty && before.object["next_cursor"] is NSNull)
      #expect(server.send("GET", "/api/v1/trips/roads?\(TownDrive.day)", as: caller).status == 400)
    }
  }

  @Test("the distances of flights, boats and distant positions are measured in straight lines")
  func straight() throws {
    let drive = try TownDrive()
    let roads = TripRoads(drive.town.graph)
    var journey = Journey(latitude: 46.5, longitude: 15.6)
    journey.go(3_000, at: 10, every: 30)
    let track = try #require(journey.results.tracks.first)
    #expect(roads.length(of: track.steps, by: .plane) == nil && roads.length(of: track.steps, by: .boat) == nil)
    var far = Journey(latitude: 46.5, longitude: 15.6)
    far.measure()
    far.go(30_000, at: 20, every: 500)
    let steps = far.points.enumerated().map { TimelineBuilder.Step($0.element, metres: Double($0.offset) * 10_000) }
    #expect(roads.length(of: steps, by: .car) == steps[steps.count - 1].metres)
  }
}
