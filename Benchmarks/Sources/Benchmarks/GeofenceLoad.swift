import Foundation
import GodwitModel
import Synchronization

/// The whole path of geofence events: durable uploads over HTTP, evaluated against 100,000 geofences with an event at one fix in ten.
/// Each event is durable and delivered to a webhook. The same load without geofences is measured in turns with it.
enum GeofenceLoad {
  private static let fenceCount = 100_000
  private static let devices = 128
  private static let turns = 2
  private static let batch = 200
  /// Events in a request of the webhook.
  private static let webhookBatch = 500
  /// The rate, in events per second, at which the delay is measured.
  private static let steadyEvents = 5_000
  /// The first hour of the load, counted from 1970; each load has its own 2,000 hours.
  private static let firstHour = 300_000

  static func all(in folder: URL) throws -> [Measurement] {
    guard let wrk = Programs.find("wrk") else {
      FileHandle.standardError.write(Data("wrk is not installed (Debian: apt install wrk): no load of geofences\n".utf8))
      return []
    }
    let regions = try regions()
    var rates: [Int: (plain: [Double], fences: [Double])] = [:]
    var last: Site?
    for _ in 0..<turns {
      for size in [batch, 1] {
        let plain = try Site(in: folder, devices: devices)
        rates[size, default: ([], [])].plain.append(try plain.load(wrk, batch: size, hour: firstHour).fixes)
      }
      for size in [1, batch] {
        let site = try Site(in: folder, devices: devices)
        try site.add(regions, webhookBatch: webhookBatch)
        let result = try site.load(wrk, batch: size, hour: firstHour)
        rates[size, default: ([], [])].fences.append(result.fixes)
        site.check(events: result.requests * size / 10)
        last = site
      }
    }
    guard let site = last else { return [] }
    var measurements = [batch, 1].compactMap { size -> Measurement? in
      guard let rate = rates[size], let plain = rate.plain.max(), let fences = rate.fences.max() else { return nil }
      let name = size == 1 ? "single-point requests" : "batches of \(size)"
      return Measurement(
        name: "server, \(name) against \(fenceCount) geofences, HTTP in, durable, an event at one fix in ten, webhooks sent: "
          + "part of the rate without geofences",
        value: fences / plain, unit: "", goal: 0.7, comparedTo: "with: \(Int(fences)) fixes/s, without: \(Int(plain)) fixes/s")
    }
    measurements.append(try backlog(site, wrk))
    measurements += try delays(site)
    return measurements
  }

  /// Measures the delivery of a backlog: the receiver sends no responses during the load, and responds to all requests after it.
  private static func backlog(_ site: Site, _ wrk: URL) throws -> Measurement {
    let before = site.receiver.count
    site.receiver.hold(true)
    _ = try site.load(wrk, batch: batch, hour: firstHour + 2_000, seconds: 6)
    site.receiver.hold(false)
    let start = ContinuousClock.now
    let end = site.receiver.drained(from: start)
    let now = site.receiver.count
    let count = now.events - before.events
    let seconds = Double((end - start) / .nanoseconds(1)) / 1e9
    let inRequest = count / max(1, now.requests - before.requests)
    return Measurement(
      name: "webhooks to one receiver, \(count) waiting, \(inRequest) in a request, durable", value: Double(count) / seconds,
      unit: "webhooks/s", goal: 10_000)
  }

  /// Measures the delays from the first byte of an upload to the last byte of the webhook's request.
  private static func delays(_ site: Site) throws -> [Measurement] {
    _ = site.receiver.drained(from: ContinuousClock.now)
    site.receiver.store()
    let sent = try site.steadyLoad(events: steadyEvents, seconds: 15, batch: batch, hour: firstHour + 4_000)
    _ = site.receiver.drained(from: ContinuousClock.now)
    var delays: [Double] = []
    struct Event: Decodable {
      var time: Date
      var device: String
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    for request in site.receiver.stored {
      for event in try decoder.decode([Event].self, from: Data(request.body)) {
        let second = Int(event.time.timeIntervalSince1970) - (firstHour + 4_000) * 3600
        guard let uploads = sent[event.device], second >= 0, uploads.indices.contains(second / batch) else { continue }
        delays.append(Double((request.arrived - uploads[second / batch]) / .nanoseconds(1)) / 1e6)
      }
    }
    delays.sort()
    guard !delays.isEmpty else { return [] }
    let uploads = sent.values.reduce(0) { $0 + $1.count }
    return [
      Measurement(
        name:
          "99 % of \(delays.count) events, \(uploads * batch / 10 / 15) a second, at the receiver of webhooks after the upload",
        value: delays[min(delays.count - 1, delays.count * 99 / 100)], unit: "ms", goal: 250, lowerIsBetter: true)
    ]
  }

  // MARK: Geofences

  private static let middle = (latitude: 45.4, longitude: 14.0)
  private static let degree = 111_195.08

  /// Returns a place on the devices' circle, or beside it.
  /// - Parameters:
  ///   - second: the second of the hour, in which a device drives along the circle once.
  ///   - beside: the distance outwards in metres.
  private static func place(at second: Double, beside: Double = 0) -> (latitude: Double, longitude: Double) {
    let angle = 2 * Double.pi * second / 3600
    let radius = (8365 + beside) / degree
    return (
      middle.latitude + radius * cos(angle), middle.longitude + radius * sin(angle) / cos(middle.latitude * .pi / 180)
    )
  }

  /// Returns the geofences as the body of a request: 180 on the circle, which a device enters and leaves, every tenth of the others
  /// beside it, and the rest in Europe.
  private static func regions() throws -> [UInt8] {
    var random = Linear(state: 17)
    var text = "["
    for number in 0..<fenceCount {
      var (center, radius) = (place(at: Double(number) * 20 + 10), 60.0)
      if number >= 180 {
        radius = 50 * pow(10, random.next())
        if number.isMultiple(of: 10) {
          // None overlaps the circle.
          let side = random.next() < 0.5 ? -1.0 : 1.0
          center = place(at: random.next() * 3600, beside: side * (600 + random.next() * 6000))
        } else {
          center = (46.5 + random.next() * 8, random.next() * 25)
        }
      }
      text += number == 0 ? "" : ","
      text +=
        #"{"id":"fence-\#(number)","center":{"latitude":\#(center.latitude),"longitude":\#(center.longitude)},"radius":\#(radius)}"#
    }
    return Array((text + "]").utf8)
  }

  /// Returns the body of an upload of a device, as Load/geofences.lua sends it.
  fileprivate static func upload(_ number: Int, batch: Int, hour: Int) -> [UInt8] {
    let first = number * batch
    let stamp = Date(timeIntervalSince1970: Double((hour + first / 3600) * 3600)).ISO8601Format().prefix(14)
    var text = #"{"locations":["#
    for offset in 0..<batch {
      let second = first % 3600 + offset
      let place = place(at: Double(second))
      let time = String(format: "%02d:%02dZ", second / 60, second % 60)
      text += offset == 0 ? "" : ","
      text += #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(place.longitude),\#(place.latitude)]}"#
      text += #","properties":{"timestamp":"\#(stamp)\#(time)","altitude":\#(700 + second % 50),"speed":\#(14 + second % 3)"#
      text += #","horizontal_accuracy":\#(4 + second % 8)}}"#
    }
    return Array((text + "]}").utf8)
  }
}

/// A server with devices, and a receiver of its webhooks.
private final class Site {
  let receiver: WebhookReceiver
  private let server: Server
  private let tokens: [(name: String, token: String)]

  init(in folder: URL, devices: Int) throws {
    receiver = try WebhookReceiver()
    let data = folder.appendingPathComponent("geofences-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    tokens = try (0..<devices).map { number in
      let name = "device-\(number)"
      return (name, try Programs.addDevice(name, data: data))
    }
    server = try Server(data: data)
  }

  /// Adds geofences and a webhook.
  func add(_ regions: [UInt8], webhookBatch: Int) throws {
    let connection = try LocalConnection(port: server.port)
    let webhook =
      #"{"url":"\#(receiver.url)","types":["geofence.entered","geofence.exited","geofence.crossed"],"batch":\#(webhookBatch)}"#
    for (path, body) in [("/api/v1/regions", regions), ("/api/v1/webhooks", Array(webhook.utf8))] {
      let response = try connection.send("POST", path, token: server.token, body)
      guard (200..<300).contains(response.status) else {
        FileHandle.standardError.write(Data("\(path): \(String(decoding: response.body, as: UTF8.self))\n".utf8))
        throw CocoaError(.featureUnsupported)
      }
    }
  }

  /// - Returns: the fixes per second, and the number of requests.
  func load(_ wrk: URL, batch: Int, hour: Int, seconds: Int = 8) throws -> (fixes: Double, requests: Int) {
    let values = try Programs.load(
      wrk, "geofences", port: server.port, seconds: seconds,
      ["TOKENS": tokens.map(\.token).joined(separator: ","), "BATCH": "\(batch)", "HOUR": "\(hour)"])
    return (values["records_per_second"] ?? 0, Int(values["requests"] ?? 0))
  }

  /// Waits for the webhooks, and prints their number and that of the expected events. Requests that were in flight at the end of the
  /// load, and requests that overtook others, cause fewer events.
  func check(events: Int) {
    _ = receiver.drained(from: ContinuousClock.now)
    let arrived = receiver.count.events
    FileHandle.standardError.write(Data("    \(arrived) webhooks for \(events) events\n".utf8))
  }

  /// Uploads at a constant rate over 16 connections.
  /// - Returns: the times at which the uploads of each device were sent.
  func steadyLoad(events: Int, seconds: Int, batch: Int, hour: Int) throws -> [String: [ContinuousClock.Instant]] {
    let threads = 16
    let rate = Double(events) * 10 / Double(batch)
    let rounds = Int(rate * Double(seconds)) / tokens.count
    let bodies = (0..<rounds).map { GeofenceLoad.upload($0, batch: batch, hour: hour) }
    let sent = Mutex<[String: [ContinuousClock.Instant]]>([:])
    let group = DispatchGroup()
    let start = ContinuousClock.now + .milliseconds(100)
    let (port, tokens) = (server.port, tokens)
    for thread in 0..<threads {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        guard let connection = try? LocalConnection(port: port) else { return }
        for round in 0..<rounds {
          for device in stride(from: thread, to: tokens.count, by: threads) {
            let due = start + .seconds(Double(round * tokens.count + device) / rate)
            while ContinuousClock.now < due { usleep(500) }
            let time = ContinuousClock.now
            sent.withLock { $0[tokens[device].name, default: []].append(time) }
            _ = try? connection.send("POST", "/api/overland", token: tokens[device].token, bodies[round])
          }
        }
      }
    }
    group.wait()
    return sent.withLock { $0 }
  }
}
