import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Twenty million points of one device, one every five seconds for three years with rides through the town every evening: the response
/// times of the tiles of their map over loopback, and the sizes of the tiles. Each tile is requested once, so that none is in a cache.
enum TileBenchmark {
  private static let points = 20_000_000
  private static let maximumSize = 60_000.0
  private static let allLayers = "lines,points,heat,hexagons,stays"

  /// A tile as a browser receives it.
  private struct Tile {
    var address: String
    var seconds: Double
    /// The size of the body as it is sent, compressed if that is shorter.
    var sent: Int
    /// The size of the tile itself.
    var size: Int
  }

  static func measure(in parent: URL) async throws -> [Measurement] {
    try await LifeStore.withData(points: points, in: parent) { try await measure(data: $0) }
  }

  private static func measure(data folder: URL) async throws -> [Measurement] {
    let server = try Server(data: folder)
    let first = try await tile("0/0/0", ["layers": allLayers], of: server)
    var measurements = [
      Measurement(
        name: "first tile of 20 million points, over loopback", value: first.seconds * 1000, unit: "ms", goal: 500,
        lowerIsBetter: true)
    ]
    for (name, query) in [
      ("lines", ["layers": "lines"]), ("all layers", ["layers": allLayers]),
      ("lines of a year", ["layers": "lines", "from": "2024-01-01", "to": "2025-01-01"]),
      ("lines of a day", ["layers": "lines", "from": "2024-06-01", "to": "2024-06-02"]),
    ] {
      measurements += try await measurementsOfTiles(server, name, query)
    }
    return measurements
  }

  /// Requests a tile of the history of the device.
  private static func tile(_ address: String, _ query: [String: String], of server: Server) async throws -> Tile {
    var components = URLComponents()
    (components.scheme, components.host, components.port) = ("http", "127.0.0.1", server.port)
    components.path = "/api/v1/history/tiles/\(address).mvt"
    components.queryItems = query.merging(["device": "phone"]) { $1 }.map { URLQueryItem(name: $0.key, value: $0.value) }
    guard let url = components.url else { throw CocoaError(.coderInvalidValue) }
    var request = URLRequest(url: url)
    request.setValue("Bearer \(server.token)", forHTTPHeaderField: "Authorization")
    let began = ContinuousClock.now
    let (data, response) = try await URLSession.shared.data(for: request)
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    guard let response = response as? HTTPURLResponse, response.statusCode == 200 else { throw CocoaError(.fileReadUnknown) }
    let sent = response.value(forHTTPHeaderField: "Content-Length").flatMap { Int($0) } ?? data.count
    return Tile(address: address, seconds: seconds, sent: sent, size: data.count)
  }

  /// Measures the tiles with content of a map of 1400 by 900 pixels at every zoom, over home, over work, between them, and far away.
  private static func measurementsOfTiles(
    _ server: Server, _ name: String, _ query: [String: String]
  ) async throws -> [Measurement] {
    var found: [Tile] = []
    for place in [Life.home, Life.work, Life.middle, Life.far] {
      for zoom in 0...16 {
        for address in tiles(around: place, zoom) {
          let tile = try await tile(address, query, of: server)
          if tile.size > 0 { found.append(tile) }
        }
      }
    }
    found.sort { $0.seconds < $1.seconds }
    guard let slowest = found.last, let largest = found.max(by: { $0.size < $1.size }) else { return [] }
    func line(_ what: String, _ value: Double, _ unit: String, goal: Double? = nil) -> Measurement {
      Measurement(name: "tiles, \(name): \(what)", value: value, unit: unit, goal: goal, lowerIsBetter: true)
    }
    return [
      line("median of \(found.count)", found[found.count / 2].seconds * 1000, "ms", goal: 50),
      line("99 % (slowest \(slowest.address))", found[found.count * 99 / 100].seconds * 1000, "ms"),
      line("largest (\(largest.address))", Double(largest.size) / 1000, "kB", goal: maximumSize / 1000),
      line("largest as it is sent", Double(found.map(\.sent).max() ?? 0) / 1000, "kB"),
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
