import Foundation
import Godwit
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import TestClient
import Testing

@Suite("Regions from the real server to a device", .serialized)
struct RegionSyncTests {
  private let client = HTTPClient.live()

  /// Sends a request with the administrator token, and returns the status.
  private func send(_ method: String, _ path: String, _ regions: [Region] = [], to server: RunningServer) async throws -> Int {
    var body: [UInt8] = []
    if !regions.isEmpty { RegionJSON.write(regions, into: &body) }
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
    let headers = ["Content-Type": "application/json", "Authorization": "Bearer \(try server.administratorToken)"]
    return try await client.send(HTTPClient.Request(method: method, url: url, headers: headers, body: body)).status
  }

  private func circle(_ number: Int, radius: Double = 150) throws -> Region {
    let place = try #require(Coordinate(latitude: 45 + Double(number) * 0.001, longitude: 14))
    return Region(
      id: "r \(number)", name: "Škofja \(number)", shape: .circle(Circle(center: place, radius: radius)), tags: ["shop"])
  }

  private func synced(_ server: RunningServer) throws -> (manager: RegionManager, sync: SyncCoordinator) {
    let manager = try RegionManager(path: server.folder.path("regions"))
    let base = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
    let sync = SyncCoordinator(
      configuration: SyncCoordinator.Configuration(server: base, token: .fixed(server.token)),
      participants: [RegionSync(manager: manager)])
    return (manager, sync)
  }

  @Test(
    "changes of regions reach the device, both sides compute the same digest, and an upload's response hints at changes",
    .timeLimit(.minutes(20)))
  func sync() async throws {
    let server = try await RunningServer()
    var regions = try (0..<1100).map { try circle($0) }
    let corners = try [(45.0, 14.1), (45.0, 14.2), (45.1, 14.15)].map { pair in
      try #require(Coordinate(latitude: pair.0, longitude: pair.1))
    }
    regions.append(
      Region(id: "park", shape: .polygons(try #require(MultiPolygon([try Polygon(outer: corners)]))), dwell: 300))
    let identity = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 3, minor: 4)
    regions.append(
      Region(
        id: "door", shape: .beacon(Beacon(identity: identity)),
        schedule: RegionSchedule(windows: [RegionSchedule.Window(from: 540, to: 1020)], timeZone: "Europe/Ljubljana"),
        extras: #"{"floor":2}"#))
    #expect(try await send("POST", "/api/v1/regions", regions, to: server) < 300)
    let (manager, sync) = try synced(server)
    #expect(await sync.sync().result == .newData)
    #expect(Set(manager.regions) == Set(regions))
    #expect(await sync.sync().result == .noData)

    #expect(try await send("DELETE", "/api/v1/regions/door", to: server) < 300)
    #expect(try await send("POST", "/api/v1/regions", [try circle(7, radius: 999)], to: server) < 300)
    // The response to the next upload has the new digest.
    var batch: [UInt8] = []
    let fix = Fix(time: Date(timeIntervalSince1970: 1_800_000_000), coordinate: corners[0])
    Overland.write([Record(kind: .fix(fix))], profile: .precise, into: &batch)
    let upload = HTTPClient.Request(
      url: try #require(URL(string: server.endpoint)),
      headers: ["Content-Type": "application/json", "Authorization": "Bearer \(server.token)"], body: batch)
    let response = try await client.send(upload)
    guard
      case .accepted(let accepted) = Overland.Response.read(status: response.status, body: response.body, acceptsAny2xx: false)
    else {
      Issue.record("the upload was rejected: \(String(decoding: response.body, as: UTF8.self))")
      return
    }
    #expect(accepted.regions != nil && accepted.regions != manager.digest)
    #expect(await sync.sync().result == .newData)
    let changed = try circle(7, radius: 999)
    #expect(manager["door"] == nil && manager["r 7"] == changed)
    #expect(manager.regions.count == regions.count - 1 && manager.digest == accepted.regions)

    // After a kill and a restart the server has the same digest.
    try await server.killAndRestart()
    #expect(await sync.sync().result == .noData)
    #expect(try await server.stop() == 0)
  }
}
