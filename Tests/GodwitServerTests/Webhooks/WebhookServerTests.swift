import Foundation
import GodwitAccess
import GodwitModel
import TestClient
import Testing

@testable import GodwitGeofencing
@testable import GodwitHTTP
@testable import GodwitRegions
@testable import GodwitServer
@testable import GodwitStore

/// An Overland feature of a position at a distance to the east of 46° N 14.5° E.
private func fix(_ second: Int, east meters: Double, accuracy: Double = 5) throws -> String {
  let middle = try #require(Coordinate(latitude: 46, longitude: 14.5))
  let place = GreatCircle.destination(from: middle, course: 90, distance: meters)
  let time = RFC3339.string(Date(timeIntervalSince1970: 1_700_000_000 + Double(second)))
  return
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(place.longitude),\#(place.latitude)]},"properties":{"timestamp":"\#(time)","horizontal_accuracy":\#(accuracy)}}"#
}

/// An Overland feature of a region event that the device reports.
private func own(_ action: String, _ second: Int, region: String = "home") -> String {
  let time = RFC3339.string(Date(timeIntervalSince1970: 1_700_000_000 + Double(second)))
  return
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,46]},"properties":{"timestamp":"\#(time)","action":"\#(action)","region":{"id":"\#(region)","name":"Home","latitude":46,"longitude":14.5,"radius":100}}}"#
}

extension RegionServer {
  @discardableResult
  fileprivate func upload(_ records: String..., device: String = "phone") async throws -> Response {
    let response = try await send(
      "POST", "/api/overland", body: #"{"locations":[\#(records.joined(separator: ","))]}"#, device: device)
    #expect(response.status == 200, "\(response.text)")
    return response
  }

  /// The type, the region and the source of the events, oldest first.
  fileprivate func events(_ query: [String: String] = [:]) async throws -> [String] {
    try await send("GET", "/api/v1/region-events", query).list("events").reversed().map { node in
      "\(node["type"] ?? "") \((node["region"] as? [String: Any])?["id"] ?? "") \(node["source"] ?? "")"
    }
  }

  fileprivate func webhooks() async throws -> [[String: Any]] {
    try await send("GET", "/api/v1/webhooks").object["webhooks"] as? [[String: Any]] ?? []
  }
}

@Suite("Webhooks and events of the server", .serialized, .timeLimit(.minutes(20)))
struct WebhookServerTests {
  @Test(
    "a device that crosses a geofence causes one signed delivery per event, in order",
    arguments: RegionServer.Depth.testedSockets)
  func endToEnd(_ depth: RegionServer.Depth) async throws {
    let receiver = try Receiver()
    // The times of signatures are whole seconds.
    let begin = Date(timeIntervalSinceNow: -1)
    try await RegionServer.with(depth) { server in
      try await server.save(circle("home", tags: ["a"]), circle("far", latitude: 47))
      let made = try await server.send("POST", "/api/v1/webhooks", body: #"{"url":"\#(receiver.url())","tags":["a"]}"#)
      #expect(made.status == 201, "\(made.text)")
      let secret = try #require(made.object["secret"] as? String)
      #expect(secret.hasPrefix("whsec_") && secret.count == 38)
      let track = try [400, 0, 0, 400, 0, 400].enumerated().map { try fix($0.offset * 60, east: Double($0.element)) }
      for record in track { try await server.upload(record) }
      // Sends the points again, as after a lost response.
      for record in track { try await server.upload(record) }
      await receiver.until(4)
      let deliveries = receiver.deliveries
      #expect(
        deliveries.map { $0.object["type"] as? String }
          == ["geofence.entered", "geofence.exited", "geofence.entered", "geofence.exited"])
      #expect(deliveries.map { $0.object["time"] as? String }.last == "2023-11-14T22:18:20Z")
      #expect(Set(deliveries.map(\.event)).count == 4)
      for delivery in deliveries {
        #expect(delivery.event == delivery.object["id"] as? String && delivery.object["source"] as? String == "server")
        let parts = try #require(delivery.signature).split(separator: ",").map { $0.split(separator: "=")[1] }
        let time = Date(timeIntervalSince1970: try #require(Double(parts[0])))
        #expect(WebhookSignature.value(of: delivery.body, secret: secret, at: time) == delivery.signature)
        #expect(time > begin && time.timeIntervalSinceNow < 1)
      }
    }
    // The server has stopped, and no further delivery was received.
    #expect(receiver.deliveries.count == 4)
    await receiver.stop()
  }

  @Test(
    "events of devices and of the server are listed once, newest first, in pages",
    arguments: RegionServer.Depth.stores)
  func listing(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "tablet"]) { server in
      try await server.save(circle("home"))
      for _ in 0..<2 {
        try await server.upload(own("geofence_entered", 0, region: "cellar"), own("geofence_exited", 5, region: "door"))
        try await server.upload(fix(10, east: 0), fix(20, east: 400), device: "tablet")
      }
      let all = [
        "geofence.entered cellar device", "geofence.exited door device", "geofence.entered home server",
        "geofence.exited home server",
      ]
      #expect(try await server.events() == all)
      #expect(try await server.events(["device": "tablet"]) == Array(all.suffix(2)))
      #expect(try await server.events(["region": "cellar"]) == Array(all.prefix(1)))
      #expect(try await server.events(["region": "home", "device": "phone"]).isEmpty)
      let page = try await server.send("GET", "/api/v1/region-events", ["limit": "3"])
      #expect(page.list("events").count == 3)
      let cursor = try #require(page.object["next_cursor"] as? String)
      let rest = try await server.send("GET", "/api/v1/region-events", ["limit": "3", "cursor": cursor])
      #expect(rest.object["next_cursor"] is NSNull && rest.list("events").count == 1)
      #expect(try await server.send("GET", "/api/v1/region-events", ["device": "nobody"]).status == 404)
      #expect(try await server.send("GET", "/api/v1/region-events", ["cursor": "x"]).status == 400)
      #expect(try await server.send("GET", "/api/v1/region-events", ["limit": "0"]).status == 400)
    }
  }

  @Test(
    "the server evaluates only devices that do not monitor regions themselves, unless configured, and only their regions",
    arguments: RegionServer.Depth.stores)
  func options(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "tablet"]) { server in
      try await server.save(circle("home", tags: ["a"]), circle("also", tags: ["b"]))
      _ = try await server.sync("tablet")
      try await server.upload(fix(0, east: 0), device: "tablet")
      #expect(try await server.events().isEmpty)
      let rule = try await server.send("PUT", "/api/v1/devices/tablet/regions", body: #"{"tags":["a"],"evaluate":true}"#)
      #expect(rule.status < 300, "\(rule.text)")
      try await server.upload(fix(10, east: 0), device: "tablet")
      #expect(try await server.events() == ["geofence.entered home server"])
      _ = try await server.send("PUT", "/api/v1/devices/tablet/regions", body: #"{"evaluate":false}"#)
      try await server.upload(fix(20, east: 400), device: "tablet")
      #expect(try await server.events().count == 1)
      // The state before the pause of the evaluation is not used.
      _ = try await server.send("PUT", "/api/v1/devices/tablet/regions", body: #"{"evaluate":true}"#)
      try await server.upload(fix(30, east: 400), fix(40, east: 0), device: "tablet")
      #expect(Set(try await server.events().dropFirst()) == ["geofence.entered home server", "geofence.entered also server"])
      try await server.upload(fix(0, east: 0))
      #expect(try await server.events(["device": "phone"]).count == 2)
      _ = try await server.sync("phone")
      try await server.upload(fix(60, east: 400))
      #expect(try await server.events(["device": "phone"]).count == 2)
    }
  }

  @Test(
    "late and future positions have no effect, and a batch is evaluated ordered by time",
    arguments: RegionServer.Depth.stores)
  func late(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.save(circle("home"))
      let ahead = Int(Date().timeIntervalSince1970) - 1_700_000_000 + 3600
      try await server.upload(fix(ahead, east: 0))
      #expect(try await server.events().isEmpty)
      try await server.upload(fix(120, east: 400), fix(0, east: 400), fix(60, east: 0))
      #expect(try await server.events() == ["geofence.entered home server", "geofence.exited home server"])
      try await server.upload(fix(90, east: 0))
      #expect(try await server.events().count == 2)
    }
  }

  @Test("a change or deletion of a region applies from the next position", arguments: RegionServer.Depth.stores)
  func edited(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.save(circle("home"))
      try await server.upload(fix(0, east: 150))
      try await server.save(circle("home", radius: 200))
      try await server.upload(fix(10, east: 151))
      #expect(try await server.events() == ["geofence.entered home server"])
      #expect(try await server.send("DELETE", "/api/v1/regions/home").status < 300)
      try await server.upload(fix(20, east: 1000))
      try await server.save(circle("home", radius: 200))
      try await server.upload(fix(30, east: 150))
      #expect(try await server.events().count == 2)
    }
  }

  @Test("a restart at any point gives the same events", arguments: StoreKind.tested, [4, 60])
  func restarts(_ kind: StoreKind, _ every: Int) async throws {
    var world = try #require(WalkingWorld("Ljubljana", seed: 77))
    let regions = try world.regions(80)
    let walk = world.walk(150)
    let expected = walk.reduce(into: (PlainEvaluator(regions), [RegionEvent]())) { $0.1 += $0.0.check(at: $1) }.1
    #expect(expected.count > 10)
    let place = try ContractStore(kind)
    defer { place.end() }
    _ = try DatabaseRegionStore(place.store).save(regions, if: .none, at: Date())
    var rest = walk[...]
    while !rest.isEmpty {
      let store = try place.openAgain()
      defer { store.close() }
      store.addParticipant(GeofenceEvaluator(source: StoredRegions(DatabaseRegionStore(store)), zone: .gmt))
      let device = try store.device(named: "phone") ?? store.makeDevice(named: "phone", at: Date())
      // Each fix is stored separately and twice.
      for fix in rest.prefix(every) {
        for _ in 0..<2 { _ = try await store.store([Record(kind: .fix(fix))], of: device, at: Date()) }
      }
      rest = rest.dropFirst(every)
      guard rest.isEmpty else { continue }
      let bodies = try store.read { try $0.all("SELECT body FROM region_events ORDER BY id") { $0.text(0) } }
      #expect(bodies == expected.map { ServerEvent($0, of: device, source: .server).body })
      let kept = try store.events(device: device.id, from: nil, to: nil)
      #expect(kept.count == expected.count && kept.allSatisfy { $0.extras == #"{"source":"server"}"# })
    }
  }

  @Test("a submission that cannot be stored leaves no event, no point and no state", arguments: StoreKind.tested)
  func rollback(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let catalogue = DatabaseRegionStore(store)
    let middle = try #require(Coordinate(latitude: 46, longitude: 14.5))
    _ = try catalogue.save([Region(id: "home", shape: .circle(Circle(center: middle, radius: 100)))], if: .none, at: Date())
    store.addParticipant(GeofenceEvaluator(source: StoredRegions(catalogue)))
    let device = try store.makeDevice(named: "phone", at: Date())
    let inside = Record(kind: .fix(Fix(time: Date(timeIntervalSince1970: 1_700_000_000), coordinate: middle)))
    try await place.execute(
      !kind.isPostgres
        ? "CREATE TRIGGER broken BEFORE INSERT ON device_states BEGIN SELECT RAISE(ABORT, 'broken'); END"
        : "ALTER TABLE device_states ADD CONSTRAINT broken CHECK (time < 0)")
    await #expect {
      try await store.store([inside], of: device, at: Date())
    } throws: {
      "\($0)".contains("broken")
    }
    let left = try store.read {
      try $0.integer("SELECT (SELECT count(*) FROM region_events) + (SELECT count(*) FROM points)")
    }
    #expect(left == 0)
    try await place.execute(kind.isPostgres ? "ALTER TABLE device_states DROP CONSTRAINT broken" : "DROP TRIGGER broken")
    #expect(try await store.store([inside], of: device, at: Date()).regionEvents.map(\.type) == ["geofence.entered"])
  }

  @Test("region events are sent to subscribers")
  func live() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-live-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let address = try #require(ListenAddress("127.0.0.1:0"))
    let server = try Server(configuration: Server.Configuration(listen: address, dataFolder: folder.path))
    defer { server.closeStore() }
    let device = try server.store.makeDevice(named: "phone", at: Date())
    let subscription = server.feed.subscribe(device: nil)
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    subscription.onArrival { arrived.yield() }
    _ = try await server.store.store([Record(kind: .region(regionEvent(.entered)))], of: device, at: Date())
    var text = ""
    for await _ in arrivals {
      if case .bytes(let bytes) = subscription.next() { text += String(decoding: bytes, as: UTF8.self) }
      if text.contains("event: region\n") { break }
    }
    #expect(text.contains(#"data: {"id":"evt_"#) && text.contains(#""source":"device"}"#))
  }

  @Test("a webhook is created, listed without its secret, changed and deleted", arguments: RegionServer.Depth.stores)
  func editing(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let made = try await server.send(
        "POST", "/api/v1/webhooks",
        body: #"{"url":"https://example.org/hook","types":["geofence.entered"],"secret":"0123456789abcdef","enabled":false}"#)
      #expect(made.status == 201 && made.object["secret"] as? String == "0123456789abcdef")
      #expect(made.object["id"] as? String == "whk_1")
      var listed = try #require(try await server.webhooks().first)
      #expect(listed["secret"] == nil && listed["enabled"] as? Bool == false && listed["pending"] as? Int == 0)
      let changed = try await server.send("PUT", "/api/v1/webhooks/whk_1", body: #"{"enabled":true,"devices":["phone"]}"#)
      #expect(changed.status == 200 && changed.object["secret"] == nil, "\(changed.text)")
      listed = try #require(try await server.webhooks().first)
      #expect(listed["enabled"] as? Bool == true && listed["devices"] as? [String] == ["phone"])
      #expect(listed["types"] as? [String] == ["geofence.entered"] && listed["url"] as? String == "https://example.org/hook")
      #expect(try await server.send("DELETE", "/api/v1/webhooks/whk_1").status == 200)
      #expect(try await server.webhooks().isEmpty)
      #expect(try await server.send("DELETE", "/api/v1/webhooks/whk_1").status == 404)
      #expect(try await server.send("DELETE", "/api/v1/webhooks/1").status == 404)
      #expect(try await server.send("PUT", "/api/v1/webhooks/whk_1", body: #"{"enabled":true}"#).status == 404)
    }
  }

  @Test(
    "an invalid webhook is rejected with the reason",
    arguments: [
      ("", "Expected a JSON object"), ("[]", "Expected a JSON object"), ("{}", "url: missing"),
      (#"{"url":7}"#, "url: expected a string"),
      (#"{"url":"file:///etc/passwd"}"#, "url: expected"), (#"{"url":"ftp://example.org/"}"#, "expected https:// or http://"),
      (#"{"url":"example.org"}"#, "expected an address such as"),
      (#"{"url":"http://x/\r\nFoo:a"}"#, "control character U+D"), (#"{"url":"http://x:99999/"}"#, "a port from 1 to 65535"),
      (#"{"url":"https://me:pw@example.org/"}"#, "the user name and the password"),
      (#"{"url":"https://example.org/","types":["geofence.passed"]}"#, "types[0]: expected one of geofence.entered"),
      (#"{"url":"https://example.org/","tags":"a"}"#, "tags: expected an array of strings"),
      (#"{"url":"https://example.org/","secret":"short"}"#, "secret: expected a string of 16 to 256"),
      (#"{"url":"https://example.org/","enabled":"yes"}"#, "enabled: expected true or false"),
      (#"{"url":"https://example.org/","enabled":1}"#, "enabled: expected true or false"),
      (#"{"url":"https://example.org/","batch":true}"#, "batch: expected"),
      (#"{"url":"https://example.org/","colour":"red"}"#, "colour: unknown field"),
      (#"{"id":"whk_1","url":"https://example.org/"}"#, "id: unknown field"),
    ])
  func bad(_ body: String, _ words: String) async throws {
    try await RegionServer.with { server in
      let response = try await server.send("POST", "/api/v1/webhooks", body: body)
      #expect(response.status == (body.hasPrefix("{") ? 422 : 400) && response.text.contains(words), "\(response.text)")
      let place = try #require(response.object["at"] as? String, "\(response.text)")
      let detail = try #require(response.object["detail"] as? String)
      #expect(place == "byte 0" || detail.hasPrefix("\(place): "), "\(response.text)")
      #expect(try await server.webhooks().isEmpty)
    }
  }

  @Test(
    "a permanently rejected delivery is listed as failed, counted in the metrics, and can be retried",
    arguments: RegionServer.Depth.testedSockets)
  func failedDeliveries(_ depth: RegionServer.Depth) async throws {
    let receiver = try Receiver { _, number in .json(Array("moved away".utf8), status: number == 1 ? 410 : 200) }
    try await RegionServer.with(depth) { server in
      _ = try await server.send("POST", "/api/v1/webhooks", body: #"{"url":"\#(receiver.url())"}"#)
      try await server.upload(own("geofence_entered", 0))
      await receiver.until(1)
      var deliveries: [[String: Any]] = []
      while deliveries.isEmpty {
        await Task.yield()
        deliveries =
          try await server.send("GET", "/api/v1/webhook-deliveries", ["state": "failed"]).object["deliveries"] as? [[String: Any]]
          ?? []
      }
      let delivery = try #require(deliveries.first)
      #expect(delivery["problem"] as? String == "The address answered 410: moved away" && delivery["attempts"] as? Int == 1)
      #expect((delivery["event"] as? [String: Any])?["type"] as? String == "geofence.entered")
      let hook = try #require(try await server.webhooks().first)
      #expect(
        hook["enabled"] as? Bool == false && (hook["note"] as? String)?.contains("410") == true && hook["failed"] as? Int == 1)
      let metrics = try await server.send("GET", "/metrics").text
      for line in [
        #"godwit_webhook_attempts_total{result="failed"} 1"#, #"godwit_webhook_deliveries_total{result="failed"} 1"#,
        #"godwit_webhook_deliveries{state="failed"} 1"#, #"godwit_webhook_deliveries{state="pending"} 0"#,
      ] {
        #expect(metrics.contains(line), "\(line)")
      }
      _ = try await server.send("PUT", "/api/v1/webhooks/whk_1", body: #"{"enabled":true}"#)
      let id = try #require(delivery["id"] as? Int)
      #expect(try await server.send("POST", "/api/v1/webhook-deliveries/\(id)/retry").status == 200)
      await receiver.until(2)
      #expect(receiver.deliveries[0].event == receiver.deliveries[1].event)
      #expect(try await server.send("POST", "/api/v1/webhook-deliveries/x/retry").status == 404)
      #expect(try await server.send("POST", "/api/v1/webhook-deliveries/77/retry").status == 404)
      #expect(try await server.send("GET", "/api/v1/webhook-deliveries", ["state": "lost"]).status == 400)
    }
    await receiver.stop()
  }

  @Test("a failed delivery is deleted by its id; a pending one cannot be deleted")
  func discardedDeliveries() async throws {
    let receiver = try Receiver { _, _ in .json(Array("moved away".utf8), status: 410) }
    try await RegionServer.with(.overASocket) { server in
      _ = try await server.send("POST", "/api/v1/webhooks", body: #"{"url":"\#(receiver.url())"}"#)
      // The first delivery disables its webhook, and the second one remains pending.
      try await server.upload(own("geofence_entered", 0), own("geofence_exited", 60))
      func deliveries(_ state: String) async throws -> [Int] {
        let response = try await server.send("GET", "/api/v1/webhook-deliveries", ["state": state])
        return (response.object["deliveries"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
      }
      var dead: [Int] = []
      while dead.isEmpty {
        await Task.yield()
        dead = try await deliveries("failed")
      }
      let waiting = try await deliveries("pending")
      #expect(dead.count == 1 && waiting.count == 1)
      let (lost, last) = (try #require(dead.first), try #require(waiting.first))
      let rejection = try await server.send("DELETE", "/api/v1/webhook-deliveries/\(last)")
      #expect(rejection.status == 409 && rejection.text.contains("is pending"))
      let deletion = try await server.send("DELETE", "/api/v1/webhook-deliveries/\(lost)")
      #expect(deletion.status == 200 && deletion.object["deleted"] as? Int == lost)
      for id in ["\(lost)", "77", "0", "x"] {
        #expect(try await server.send("DELETE", "/api/v1/webhook-deliveries/\(id)").status == 404, "\(id)")
      }
      #expect(try await deliveries("failed").isEmpty)
      #expect(try await deliveries("pending") == [last])
      #expect(try await server.webhooks().first?["failed"] as? Int == 0)
    }
    await receiver.stop()
  }
}
