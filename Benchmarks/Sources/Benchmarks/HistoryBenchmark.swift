import Foundation
import GodwitModel
import GodwitServer
import GodwitStore

/// Ten million points of one device, one every five seconds for a year and a half: their size on disk, and the response times of the
/// map and of the track of a day. The server runs in this process without a network.
enum HistoryBenchmark {
  private static let points = 10_000_000
  /// The number of points whose insertion is timed, once while all others are rows and once while all others are in blocks.
  private static let ingested = 1_000_000
  private static let interval = 5.0
  private static let start = Date(timeIntervalSince1970: 1_735_689_600)

  static func measure(in folder: URL) async throws -> [Measurement] {
    let data = folder.appendingPathComponent("history").path
    defer { try? FileManager.default.removeItem(atPath: data) }
    let store = try SQLiteTrackStore(folder: data)
    let device = try store.makeDevice(named: "phone", at: start)
    var writer = HistoryWriter(device: device, start: start, interval: interval)
    let before = try await writer.write(points - ingested, to: store)
    let last = try await writer.write(ingested, to: store)
    store.close()
    guard let address = ListenAddress("127.0.0.1:0") else { return [] }
    let server = try GodwitServer.Server(configuration: .init(listen: address, dataFolder: data))
    let recomputingBegan = ContinuousClock.now
    try await server.processBacklog()
    let recomputed = Double((ContinuousClock.now - recomputingBegan) / .milliseconds(1)) / 1000
    let secret = try String(contentsOfFile: data + "/admin-token", encoding: .utf8).trimmingCharacters(in: .newlines)
    let local = OwnedServer(server: LocalServer(server), token: secret)
    let tracks = days(local)
    let views = self.views(local)
    let rows = try Sealing.read(data, points)
    let years = self.years(local)
    let records = fastest(of: 3) { consume(ask(local, "/api/v1/statistics/records", ["device": "phone"])) }
    let visits = fastest(of: 3) { consume(ask(local, "/api/v1/visits", ["device": "phone", "limit": "200"])) }
    local.server.close()
    // The server is closed, so that the log has been moved into the file.
    let size = try FileManager.default.attributesOfItem(atPath: data + "/godwit.sqlite")[.size] as? Int ?? 0
    let sealing = try Sealing.measure(data, points, rows: rows, bytes: size)
    let sealed = try SQLiteTrackStore(folder: data)
    let after = try await writer.write(ingested, to: sealed)
    sealed.close()
    return sealing + [
      Measurement(
        name: "points stored beside \(points) in blocks", value: last / after, unit: "× beside rows", goal: 1,
        comparedTo: "\(Int(Double(ingested) / after)) and \(Int(Double(ingested) / last)) points/s"),
      Measurement(name: "points of one device, stored and made", value: Double(points) / (before + last), unit: "points/s"),
      Measurement(name: "their timeline and overviews, made", value: recomputed, unit: "s"),
      Measurement(
        name: "disk, with overviews, all points as rows", value: Double(size) / Double(points), unit: "bytes a point", goal: 60,
        lowerIsBetter: true),
      Measurement(name: "slowest day's track, 2 m", value: tracks.simplified * 1000, unit: "ms", goal: 20, lowerIsBetter: true),
      Measurement(name: "slowest day's track, every point", value: tracks.whole * 1000, unit: "ms"),
      Measurement(
        name: "slowest view of the map, of \(views.count) (zoom \(views.zoom), \(views.bytes / 1000) kB)",
        value: views.seconds * 1000,
        unit: "ms", goal: 50, lowerIsBetter: true),
      Measurement(name: "a year's statistics", value: years * 1000, unit: "ms", goal: 20, lowerIsBetter: true),
      Measurement(name: "records of all years", value: records * 1000, unit: "ms", goal: 100, lowerIsBetter: true),
      Measurement(name: "a page of 200 visits", value: visits * 1000, unit: "ms"),
    ]
  }

  /// Seconds of the slower of the two years; for each year, the fastest of three requests.
  private static func years(_ server: OwnedServer) -> Double {
    [2025, 2026].map { year in
      fastest(of: 3) { consume(ask(server, "/api/v1/statistics", ["device": "phone", "year": "\(year)"])) }
    }.max() ?? 0
  }

  /// Seconds of the slowest of some days; for each day, the fastest of three requests.
  private static func days(_ server: OwnedServer) -> (simplified: Double, whole: Double) {
    var slowest = (simplified: 0.0, whole: 0.0)
    for day in stride(from: 3, to: 570, by: 27) {
      let from = start + Double(day) * 86_400
      var query = ["device": "phone", "from": from.ISO8601Format(), "to": (from + 86_400).ISO8601Format()]
      slowest.whole = max(slowest.whole, fastest(of: 3) { consume(ask(server, "/api/v1/tracks", query)) })
      query["detail"] = "2"
      slowest.simplified = max(slowest.simplified, fastest(of: 3) { consume(ask(server, "/api/v1/tracks", query)) })
    }
    return slowest
  }

  /// The slowest view of a map of 1400 by 900 pixels at every zoom, over home, over work, between them, and far away.
  private static func views(_ server: OwnedServer) -> (seconds: Double, zoom: Int, bytes: Int, count: Int) {
    var slowest = (seconds: 0.0, zoom: 0, bytes: 0, count: 0)
    for place in [Life.home, Life.work, Life.middle, Life.far] {
      for zoom in 1...18 {
        let degrees = 360 / 256 / pow(2, Double(zoom))
        let (wide, high) = (min(180, 700 * degrees), 450 * degrees * cos(place.latitude * .pi / 180))
        let box = [
          max(-180, place.longitude - wide), max(-85, place.latitude - high), min(180, place.longitude + wide),
          min(85, place.latitude + high),
        ].map { String(format: "%.6f", $0) }
        let query = ["device": "phone", "bbox": box.joined(separator: ","), "zoom": "\(zoom)"]
        var bytes = 0
        let seconds = fastest(of: 3) { bytes = ask(server, "/api/v1/overview", query) }
        slowest.count += 1
        if seconds > slowest.seconds { (slowest.seconds, slowest.zoom, slowest.bytes) = (seconds, zoom, bytes) }
      }
    }
    return slowest
  }

  private static func ask(_ server: OwnedServer, _ path: String, _ query: [String: String]) -> Int {
    let response = server.server.respond(
      LocalRequest(method: "GET", path: path, query: query, headers: ["Authorization": "Bearer \(server.token)"]))
    precondition(response.status == 200, String(decoding: response.body, as: UTF8.self))
    return response.body.count
  }
}

/// Writes the points of a device in order of time.
private struct HistoryWriter {
  let device: Device
  let start: Date
  /// Seconds between two points.
  let interval: Double
  private var life = Life()
  private var count = 0

  init(device: Device, start: Date, interval: Double) { (self.device, self.start, self.interval) = (device, start, interval) }

  /// - Parameter points: the number of points to add, a multiple of 2,000.
  /// - Returns: the seconds that it took.
  mutating func write(_ points: Int, to store: SQLiteTrackStore) async throws -> Double {
    let began = ContinuousClock.now
    for batch in stride(from: count, to: count + points, by: 2_000) {
      let records = (batch..<batch + 2_000).map { index in
        Record(
          id: RecordID(journal: 0x5EED, sequence: RecordNumber(clamping: Int64(index + 1))),
          kind: .fix(life.next(at: start + Double(index) * interval)),
          context: DeviceContext(
            batteryLevel: 1 - Double(index % 10_000) / 12_500, batteryState: .unplugged, motion: life.motion, deviceID: "phone"))
      }
      _ = try await store.store(records, of: device, at: start + Double(batch + 2_000) * interval)
    }
    count += points
    return Double((ContinuousClock.now - began) / .milliseconds(1)) / 1000
  }
}
