import Foundation
import GodwitModel
import GodwitServer
import GodwitStore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Twenty million points of one device, a point every five seconds for three years with rides through the town every evening: how long
/// the tiles of their map are waited for, and how large they are. Each tile is asked for once, so none is in a cache of ours.
enum TileBenchmark {
  private static let points = 20_000_000
  private static let interval = 5.0
  private static let start = Date(timeIntervalSince1970: 1_672_531_200)
  private static let maximumSize = 60_000.0

  static func measure(in parent: URL) async throws -> [Measurement] {
    // Kept on request: it takes minutes to make.
    let kept = ProcessInfo.processInfo.environment["GODWIT_TILE_DATA"].map { URL(fileURLWithPath: $0) }
    let folder = kept ?? parent.appendingPathComponent("tiles")
    defer { if kept == nil { try? FileManager.default.removeItem(at: folder) } }
    if !FileManager.default.fileExists(atPath: folder.path) { try await make(in: folder) }
    let first = try await firstTile(folder)
    guard let address = ListenAddress("127.0.0.1:0") else { return [] }
    let server = try GodwitServer.Server(configuration: .init(listen: address, dataFolder: folder.path))
    let secret = try String(contentsOfFile: folder.path + "/admin-token", encoding: .utf8).trimmingCharacters(in: .newlines)
    let local = OwnedServer(server: LocalServer(server), token: secret)
    defer { local.server.close() }
    var measurements = [
      Measurement(
        name: "first tile of 20 million points, over loopback", value: first * 1000, unit: "ms", goal: 500, lowerIsBetter: true)
    ]
    for (name, query) in [
      ("lines", ["layers": "lines"]), ("all layers", ["layers": "lines,points,heat,hexagons,stays"]),
      ("lines of a year", ["layers": "lines", "from": "2024-01-01", "to": "2025-01-01"]),
      ("lines of a day", ["layers": "lines", "from": "2024-06-01", "to": "2024-06-02"]),
    ] {
      measurements += measurementsOfTiles(local, name, query, hasGoal: name == "lines" || name == "all layers")
    }
    return measurements
  }

  /// Stores the points and computes their overviews.
  private static func make(in folder: URL) async throws {
    let store = try SQLiteTrackStore(folder: folder.path)
    let device = try store.makeDevice(named: "phone", at: start)
    var life = Life(hasErrands: true)
    for batch in stride(from: 0, to: points, by: 10_000) {
      let records = (batch..<batch + 10_000).map { index in
        Record(
          id: RecordID(journal: 0x7115, sequence: RecordNumber(clamping: Int64(index + 1))),
          kind: .fix(life.next(at: start + Double(index) * interval)),
          context: DeviceContext(motion: life.motion, deviceID: "phone"))
      }
      _ = try await store.store(records, of: device, at: start + Double(batch + 10_000) * interval)
    }
    store.close()
    guard let address = ListenAddress("127.0.0.1:0") else { return }
    let server = try GodwitServer.Server(configuration: .init(listen: address, dataFolder: folder.path))
    try await server.processBacklog()
    LocalServer(server).close()
  }

  /// Seconds from the request for a tile of the whole world to its last byte, at a server that was just started.
  private static func firstTile(_ folder: URL) async throws -> Double {
    guard let address = ListenAddress("127.0.0.1:0") else { return .infinity }
    let server = try GodwitServer.Server(configuration: .init(listen: address, dataFolder: folder.path))
    let token = try String(contentsOfFile: folder.path + "/admin-token", encoding: .utf8).trimmingCharacters(in: .newlines)
    let (ports, port) = AsyncStream.makeStream(of: UInt16.self, bufferingPolicy: .bufferingOldest(1))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run { port.yield($0) } }
      var first = Double.infinity
      for await port in ports {
        first = try await request(port: port, token)
        break
      }
      group.cancelAll()
      return first
    }
  }

  private static func request(port: UInt16, _ token: String) async throws -> Double {
    let path = "/api/v1/history/tiles/0/0/0.mvt?layers=lines,points,heat,hexagons,stays"
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { return .infinity }
    var request = URLRequest(url: url)
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    let began = ContinuousClock.now
    let (data, response) = try await URLSession.shared.data(for: request)
    let seconds = seconds(since: began)
    precondition((response as? HTTPURLResponse)?.statusCode == 200 && !data.isEmpty)
    return seconds
  }

  private static func seconds(since began: ContinuousClock.Instant) -> Double {
    Double((ContinuousClock.now - began) / .nanoseconds(1)) / 1e9
  }

  /// The tiles of a map of 1400 by 900 pixels at every zoom, over home, on the way to work, at work, and far away.
  private static func measurementsOfTiles(
    _ server: OwnedServer, _ name: String, _ query: [String: String], hasGoal: Bool
  ) -> [Measurement] {
    var (times, sizes): ([Double], [Int]) = ([], [])
    var slowest = (seconds: 0.0, tile: "")
    for place in [Life.home, Life.work, Life.middle, Life.far] {
      for zoom in 0...16 {
        for tile in tiles(around: place, zoom) {
          let began = ContinuousClock.now
          let response = server.server.respond(
            LocalRequest(
              method: "GET", path: "/api/v1/history/tiles/\(tile).mvt", query: query.merging(["device": "phone"]) { $1 },
              headers: ["Authorization": "Bearer \(server.token)"]))
          times.append(seconds(since: began))
          precondition(response.status == 200, String(decoding: response.body, as: UTF8.self))
          sizes.append(response.body.count)
          if times[times.count - 1] > slowest.seconds { slowest = (times[times.count - 1], tile) }
        }
      }
    }
    times.sort()
    let title = "tiles, \(name)"
    return [
      Measurement(
        name: "\(title): median of \(times.count)", value: times[times.count / 2] * 1000, unit: "ms", goal: hasGoal ? 50 : nil,
        lowerIsBetter: true),
      Measurement(
        name: "\(title): 99 % (slowest \(slowest.tile))", value: times[times.count * 99 / 100] * 1000, unit: "ms",
        lowerIsBetter: true),
      Measurement(
        name: "\(title): largest", value: Double(sizes.max() ?? 0) / 1000, unit: "kB", goal: maximumSize / 1000,
        lowerIsBetter: true),
    ]
  }

  private static func tiles(around place: (latitude: Double, longitude: Double), _ zoom: Int) -> [String] {
    let count = 1 << zoom
    let x = (place.longitude + 180) / 360 * Double(count)
    let latitude = place.latitude * .pi / 180
    let y = (1 - asinh(tan(latitude)) / .pi) / 2 * Double(count)
    var tiles: [String] = []
    for column in Int(x - 1.37)...Int(x + 1.37) where (0..<count).contains(column) {
      for row in Int(y - 0.88)...Int(y + 0.88) where (0..<count).contains(row) { tiles.append("\(zoom)/\(column)/\(row)") }
    }
    return tiles
  }
}
