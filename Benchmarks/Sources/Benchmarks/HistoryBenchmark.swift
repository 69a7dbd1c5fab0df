import Foundation
import GodwitModel
import GodwitServer
import GodwitStore

/// Ten million points of one device, a point every five seconds for a year and a half: how much of the disk they take, and how
/// long the map and the track of a day are waited for. The server answers without a network, everything else is real.
enum HistoryBenchmark {
  private static let points = 10_000_000
  private static let interval = 5.0
  private static let start = Date(timeIntervalSince1970: 1_735_689_600)

  static func measure(in folder: URL) async throws -> [Measurement] {
    let data = folder.appendingPathComponent("history").path
    defer { try? FileManager.default.removeItem(atPath: data) }
    let store = try SQLiteTrackStore(folder: data)
    let device = try store.makeDevice(named: "phone", at: start)
    var life = Life()
    let began = ContinuousClock.now
    for batch in stride(from: 0, to: points, by: 2_000) {
      let records = (batch..<batch + 2_000).map { index in
        Record(
          id: RecordID(journal: 0x5EED, sequence: RecordNumber(clamping: Int64(index + 1))),
          kind: .fix(life.next(at: start + Double(index) * interval)),
          context: DeviceContext(
            batteryLevel: 1 - Double(index % 10_000) / 12_500, batteryState: .unplugged, motion: life.motion, deviceID: "phone"))
      }
      _ = try await store.store(records, of: device, at: start + Double(batch + 2_000) * interval)
    }
    let stored = Double((ContinuousClock.now - began) / .milliseconds(1)) / 1000
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
    let years = self.years(local)
    let records = fastest(of: 3) { consume(ask(local, "/api/v1/statistics/records", ["device": "phone"])) }
    let visits = fastest(of: 3) { consume(ask(local, "/api/v1/visits", ["device": "phone", "limit": "200"])) }
    local.server.close()
    // Closed, the log has been moved into the file.
    let size = try FileManager.default.attributesOfItem(atPath: data + "/godwit.sqlite")[.size] as? Int ?? 0
    return [
      Measurement(name: "points of one device, stored and made", value: Double(points) / stored, unit: "points/s"),
      Measurement(name: "their timeline and overviews, made", value: recomputed, unit: "s"),
      Measurement(
        name: "disk, with overviews", value: Double(size) / Double(points), unit: "bytes a point", goal: 60, lowerIsBetter: true),
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

  /// Seconds of the slower of the two years; of each the fastest of three.
  private static func years(_ server: OwnedServer) -> Double {
    [2025, 2026].map { year in
      fastest(of: 3) { consume(ask(server, "/api/v1/statistics", ["device": "phone", "year": "\(year)"])) }
    }.max() ?? 0
  }

  /// Seconds of the slowest of some days; of each the fastest of three.
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

  /// The slowest of maps of 1400 by 900 pixels at every zoom, over home, on the way to work, and far away.
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

/// A server with its owner's token.
private struct OwnedServer {
  let server: LocalServer
  let token: String
}

/// Somebody who is at home, goes to work on weekdays and out at weekends, as their phone reports it: each fix some metres off.
private struct Life {
  static let home = (latitude: 46.05, longitude: 14.5)
  static let work = (latitude: 46.15, longitude: 14.75)
  static let middle = (latitude: 46.1, longitude: 14.62)
  static let far = (latitude: 47.0, longitude: 13.0)

  private var state: UInt64 = 17
  private var trip: [(latitude: Double, longitude: Double)] = []
  private let commute: [(latitude: Double, longitude: Double)]
  private var day = -1
  private(set) var motion: Motion = .stationary

  init() {
    commute = Self.route(Self.home, Self.work, bends: 60, seed: 3)
  }

  /// A way with bends, the same for the same seed.
  private static func route(
    _ from: (latitude: Double, longitude: Double), _ to: (latitude: Double, longitude: Double), bends: Int, seed: UInt64
  ) -> [(latitude: Double, longitude: Double)] {
    var state = seed
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53) - 0.5
    }
    let bend = max(abs(to.latitude - from.latitude), abs(to.longitude - from.longitude)) / Double(bends) * 1.5
    return (0...bends).map { step in
      let part = Double(step) / Double(bends)
      let isEnd = step == 0 || step == bends
      return (
        from.latitude + (to.latitude - from.latitude) * part + (isEnd ? 0 : random() * bend),
        from.longitude + (to.longitude - from.longitude) * part + (isEnd ? 0 : random() * bend)
      )
    }
  }

  private mutating func random() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / Double(1 << 53)
  }

  mutating func next(at time: Date) -> Fix {
    let seconds = time.timeIntervalSince1970
    let today = Int(seconds / 86_400)
    let hour = (seconds - Double(today) * 86_400) / 3600
    if today != day {
      day = today
      trip = Self.route(
        Self.home, (Self.home.latitude + (random() - 0.5) * 3, Self.home.longitude + (random() - 0.5) * 4), bends: 300,
        seed: UInt64(today))
    }
    let isWeekend = [2, 3].contains(today % 7)
    let place: (latitude: Double, longitude: Double)
    motion = .stationary
    switch (isWeekend, hour) {
    case (false, 8..<8.6): (place, motion) = (Self.along(commute, (hour - 8) / 0.6), .driving)
    case (false, 8.6..<17): place = Self.work
    case (false, 17..<17.6): (place, motion) = (Self.along(commute, 1 - (hour - 17) / 0.6), .driving)
    case (true, 9..<12): (place, motion) = (Self.along(trip, (hour - 9) / 3), .driving)
    case (true, 12..<15): place = trip[trip.count - 1]
    case (true, 15..<18): (place, motion) = (Self.along(trip, 1 - (hour - 15) / 3), .driving)
    default: place = Self.home
    }
    let error = (random() + random() - 1, random() + random() - 1)
    // Valid: between 43 and 49 degrees north.
    let coordinate = Coordinate(latitude: place.latitude + error.0 * 0.00006, longitude: place.longitude + error.1 * 0.00009)!
    let isMoving = motion != .stationary
    return Fix(
      time: time, coordinate: coordinate, horizontalAccuracy: 4 + (random() * 12).rounded(),
      altitude: 300 + (random() * 20).rounded(),
      verticalAccuracy: 3 + (random() * 6).rounded(), speed: isMoving ? 10 + random() * 20 : 0,
      course: isMoving ? (random() * 359).rounded() : nil)
  }

  private static func along(_ route: [(latitude: Double, longitude: Double)], _ part: Double) -> (
    latitude: Double, longitude: Double
  ) {
    let position = max(0, min(0.999_999, part)) * Double(route.count - 1)
    let (a, b) = (route[Int(position)], route[Int(position) + 1])
    let rest = position - position.rounded(.down)
    return (a.latitude + (b.latitude - a.latitude) * rest, a.longitude + (b.longitude - a.longitude) * rest)
  }
}
