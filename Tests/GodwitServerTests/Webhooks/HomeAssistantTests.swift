import Foundation
import GodwitModel
import Synchronization
import TestClient
import Testing

@testable import GodwitGeofencing
@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

@Suite("Webhooks: Home Assistant", .timeLimit(.minutes(20)))
struct HomeAssistantTests {
  private let now = ManualClock.start
  private let phone = Device(id: 1, name: "phone")

  private func fix(_ second: Double, latitude: Double = 46) throws -> Record {
    Record(
      kind: .fix(
        Fix(time: now.addingTimeInterval(second), coordinate: try #require(Coordinate(latitude: latitude, longitude: 14.5)))))
  }

  private func target(_ webhook: Int64 = 1, every seconds: Double = 60, devices: [String] = []) -> PositionPlan.Target {
    PositionPlan.Target(webhook: webhook, url: "http://127.0.0.1/", secret: "s", interval: seconds, devices: devices)
  }

  @Test("the newest position is sent immediately, the next one after the interval, and never an older one")
  func plan() throws {
    var plan = PositionPlan()
    #expect(plan.isEmpty)
    plan.add([try fix(0)], of: phone)
    #expect(plan.take(at: .zero).isEmpty, "no webhook is configured")
    plan.set([target()])
    plan.add([try fix(1), try fix(3), try fix(2)], of: phone)
    let first = plan.take(at: .zero)
    #expect(first.map(\.record.time) == [now.addingTimeInterval(3)] && plan.take(at: .zero).isEmpty)
    plan.add([try fix(2)], of: phone)
    plan.add([try fix(4)], of: phone)
    #expect(plan.take(at: .zero).isEmpty && plan.nextDue() == nil, "a delivery is in progress")
    plan.finished(first[0], arrived: true, at: .zero)
    #expect(plan.nextDue() == .seconds(60) && plan.take(at: .seconds(59)).isEmpty)
    plan.add([try fix(5)], of: phone)
    let second = plan.take(at: .seconds(60))
    #expect(second.map(\.record.time) == [now.addingTimeInterval(5)])
    // A failed delivery is repeated, unless there is a newer position.
    plan.finished(second[0], arrived: false, at: .seconds(61))
    let third = plan.take(at: .seconds(121))
    #expect(third.map(\.record.time) == [now.addingTimeInterval(5)])
    plan.finished(third[0], arrived: true, at: .seconds(121))
    #expect(plan.nextDue() == nil)
  }

  @Test("each webhook has its own interval and devices, and a deleted one gets no positions")
  func targets() throws {
    var plan = PositionPlan()
    plan.set([target(1, every: 10), target(2, every: 100, devices: ["watch"])])
    let watch = Device(id: 2, name: "watch")
    plan.add([try fix(0)], of: phone)
    plan.add([try fix(0)], of: watch)
    let turns = plan.take(at: .zero)
    #expect(Set(turns.map { "\($0.target.webhook) \($0.device.name)" }) == ["1 phone", "1 watch", "2 watch"])
    plan.set([target(1, every: 10)])
    for turn in turns { plan.finished(turn, arrived: true, at: .zero) }
    plan.add([try fix(1)], of: watch)
    #expect(plan.take(at: .seconds(10)).map(\.target.webhook) == [1])
  }

  @Test("events precede the position of their upload; after an older event the position is sent again")
  func order() throws {
    var plan = PositionPlan()
    plan.set([target()])
    let key = OrderingKey(webhook: 1, device: phone.id)
    plan.hold(key, at: .zero)
    plan.add([try fix(3)], of: phone)
    #expect(plan.take(at: .zero).isEmpty && plan.nextDue() == PositionPlan.timeout)
    plan.release(key, after: now.addingTimeInterval(2), at: .zero)
    let first = plan.take(at: .zero)
    #expect(first.map(\.record.time) == [now.addingTimeInterval(3)])
    plan.finished(first[0], arrived: true, at: .zero)
    // After a late event of a backlog the position is sent again, so that Home Assistant shows the newest place.
    plan.hold(key, at: .zero)
    plan.release(key, after: now.addingTimeInterval(-2000), at: .seconds(1))
    let second = plan.take(at: .seconds(1))
    #expect(second.map(\.record.time) == [now.addingTimeInterval(3)])
    plan.finished(second[0], arrived: true, at: .seconds(1))
    // After an event that is newer than the position, the position is not sent again.
    plan.release(key, after: now.addingTimeInterval(5), at: .seconds(6))
    #expect(plan.take(at: .seconds(70)).isEmpty)
    // If events cannot be delivered, positions wait no longer than the timeout.
    plan.hold(key, at: .seconds(100))
    plan.add([try fix(101)], of: phone)
    #expect(plan.take(at: .seconds(101)).isEmpty)
    #expect(plan.take(at: .seconds(100) + PositionPlan.timeout).count == 1)
  }

  // One position with a wrong date must not stop the following positions for days.
  @Test("a position with a future time is followed by the correct ones")
  func ahead() throws {
    var plan = PositionPlan()
    plan.set([target(every: 1)])
    plan.add([try fix(40_000)], of: phone, received: now)
    let first = plan.take(at: .zero)
    plan.finished(try #require(first.first), arrived: true, at: .zero)
    plan.add([try fix(5)], of: phone, received: now.addingTimeInterval(6))
    #expect(plan.take(at: .seconds(6)).map(\.record.time) == [now.addingTimeInterval(5)])
  }

  @Test(
    "events of a backlog are sent ordered by time, and the newest position last",
    .timeLimit(.minutes(20)))
  func backlog() async throws {
    let receiver = try Receiver()
    try await RegionServer.with(.overASocket) { server in
      try await server.save(circle("home", latitude: 46))
      let made = try await server.send(
        "POST", "/api/v1/webhooks", body: #"{"url":"\#(receiver.url())","format":"home-assistant","positions":1}"#)
      #expect(made.status == 201)
      func feature(_ latitude: Double, _ second: Int, _ more: String = "") -> String {
        let time = RFC3339.string(Date(timeIntervalSince1970: Double(1_795_163_400 + second)))
        return
          #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,\#(latitude)]},"properties":{"timestamp":"\#(time)","horizontal_accuracy":5\#(more)}}"#
      }
      let own = #","action":"geofence_entered","region":{"id":"door","name":"Door"}"#
      let batch = [feature(46.1, 900), feature(46, 100), feature(46.05, 400), feature(46.02, 300, own)]
      let sent = try await server.send(
        "POST", "/api/overland", body: #"{"locations":[\#(batch.joined(separator: ","))]}"#, device: "phone")
      #expect(sent.status == 200, "\(sent.text)")
      await receiver.until(4)
      let deliveries = receiver.deliveries.map { delivery in
        "\(delivery.object["event"] ?? "location") \((delivery.object["tst"] as? Int ?? 0) - 1_795_163_400)"
      }
      #expect(deliveries == ["enter 100", "enter 300", "leave 400", "location 900"])
    }
    await receiver.stop()
  }

  @Test("an event is sent as a transition that Home Assistant accepts; other events are not sent")
  func transition() throws {
    let place = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    var mention = RegionMention(id: "home", name: "Home", tags: ["a"], center: place, radius: 100)
    func message(_ kind: RegionEvent.Kind, _ at: Coordinate?) throws -> [String: Any] {
      let event = RegionEvent(time: now, kind: kind, region: mention, coordinate: at, horizontalAccuracy: at == nil ? nil : 12)
      let serverEvent = ServerEvent(event, of: phone, source: .server)
      let body = WebhookFormat.homeAssistant.body(of: serverEvent.body)
      return try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    }
    let entered = try message(.entered, place)
    #expect(entered["_type"] as? String == "transition" && entered["event"] as? String == "enter")
    #expect(entered["desc"] as? String == "Home" && entered["rid"] as? String == "home" && entered["t"] as? String == "c")
    #expect(entered["lat"] as? Double == 46.05 && entered["acc"] as? Int == 12 && entered["tst"] as? Int == 1_700_000_000)
    #expect(entered["topic"] as? String == "owntracks/godwit/phone/event")
    let left = try message(.exited, nil)
    mention.center = nil
    let unreachable = try message(.exited, nil)
    #expect(unreachable["lat"] is NSNull && unreachable["lon"] is NSNull && unreachable["acc"] == nil, "both are required")
    #expect(left["event"] as? String == "leave" && left["lat"] as? Double == 46.05 && left["acc"] as? Int == 100)
    mention = RegionMention(id: "door", name: "Door", beacon: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2)))
    #expect(try message(.entered, place)["t"] as? String == "b")
    let options = WebhookOptions(url: "http://x/", format: .homeAssistant)
    for kind in RegionEvent.Kind.allCases {
      let serverEvent = ServerEvent(RegionEvent(time: now, kind: kind, region: mention), of: phone, source: .device)
      let isKnown = kind == .entered || kind == .exited
      #expect(options.wants(serverEvent) == isKnown && WebhookOptions(url: "http://x/").wants(serverEvent))
    }
  }

  @Test("positions and transitions are sent to a webhook with this format", .timeLimit(.minutes(20)))
  func arrives() async throws {
    let receiver = try Receiver()
    try await RegionServer.with(.overASocket) { server in
      try await server.save(circle("home", latitude: 46))
      let made = try await server.send(
        "POST", "/api/v1/webhooks", body: #"{"url":"\#(receiver.url())","format":"home-assistant","positions":1}"#)
      #expect(made.status == 201 && made.object["format"] as? String == "home-assistant", "\(made.text)")
      #expect(made.object["positions"] as? Int == 1)
      func upload(_ latitude: Double, _ second: Int) async throws {
        let time = RFC3339.string(Date(timeIntervalSince1970: Double(1_795_163_400 + second)))
        let body =
          #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,\#(latitude)]},"properties":{"timestamp":"\#(time)","horizontal_accuracy":5,"battery_level":0.5}}]}"#
        #expect(try await server.send("POST", "/api/overland", body: body, device: "phone").status == 200)
      }
      try await upload(46, 0)
      await receiver.until(2)
      let kinds = receiver.deliveries.map { $0.object["_type"] as? String }
      #expect(Set(kinds) == ["location", "transition"], "\(kinds)")
      let location = try #require(receiver.deliveries.first { $0.object["_type"] as? String == "location" })
      #expect(
        location.object["lat"] as? Double == 46 && location.object["acc"] as? Int == 5 && location.object["batt"] as? Int == 50)
      #expect(location.object["topic"] as? String == "owntracks/godwit/phone" && location.object["tid"] as? String == "ne")
      // Newer positions are sent after the interval.
      for index in 1...5 { try await upload(46 + Double(index) / 1000, index * 10) }
      while receiver.deliveries.last?.object["lat"] as? Double != 46.005 { await receiver.until(receiver.deliveries.count + 1) }
    }
    await receiver.stop()
  }

  @Test(
    "of several positions within the interval of a webhook, the newest is sent, also if the clock is set back",
    .timeLimit(.minutes(20)), arguments: [0, -20 * 86_400.0])
  func pace(_ shift: Double) async throws {
    let clock = ManualClock()
    let transport = ManualTransport()
    let webhook = Webhook(
      id: 1, options: WebhookOptions(url: "http://home/", format: .homeAssistant, positions: 60), secret: "s", isEnabled: true,
      created: now)
    let sender = PositionSender(transport: transport, clock: clock.clock, isShown: { _, _ in true }, read: { [webhook] })
    sender.start()
    // The sender's thread reads the first list of webhooks. Positions before that are not sent.
    var reported = 0.0
    while !sender.hasSubscribers { await Task.yield() }
    func drive(_ latitude: Double) throws {
      reported += 1
      sender.noted(
        Submission(device: phone, records: [try fix(reported, latitude: latitude)], received: now, completion: { _ in }))
    }
    func latitude(_ delivery: ManualTransport.Sent) throws -> Double? {
      try (JSONSerialization.jsonObject(with: Data(delivery.body.utf8)) as? [String: Any])?["lat"] as? Double
    }
    try drive(46)
    let first = try await transport.next()
    for step in 1...5 { try drive(46 + Double(step) / 1000) }
    clock.changeDate(by: shift)
    first.respond(200)
    await clock.nextAlarm()
    let second = try await transport.next()
    let latitudes = [try latitude(first), try latitude(second)]
    #expect(latitudes == [46, 46.005] && clock.now == now.addingTimeInterval(shift + 60))
  }

  @Test("a withdrawn position is not sent, and no older one replaces it")
  func withdrawn() throws {
    var plan = PositionPlan()
    plan.set([target(every: 10)])
    plan.add([try fix(1)], of: phone)
    plan.finished(plan.take(at: .zero)[0], arrived: true, at: .zero)
    plan.add([try fix(5)], of: phone)
    plan.withdraw(plan.take(at: .seconds(10))[0])
    #expect(plan.nextDue() == nil)
    plan.add([try fix(1)], of: phone)
    #expect(plan.nextDue() == nil, "the position was sent before")
    plan.add([try fix(4)], of: phone)
    #expect(plan.take(at: .seconds(10)).map(\.record.time) == [now.addingTimeInterval(4)])
  }

  @Test("a flagged or deleted point is not sent, and a point whose state cannot be read is sent later", .timeLimit(.minutes(20)))
  func flagged() async throws {
    let clock = ManualClock()
    let transport = ManualTransport()
    let webhook = Webhook(
      id: 1, options: WebhookOptions(url: "http://home/", format: .homeAssistant, positions: 60), secret: "s", isEnabled: true,
      created: now)
    // Whether a point is shown, by its second; `nil`: the first read fails.
    let responses = Mutex<[Int: Bool?]>([1: true, 2: false, 3: nil])
    let phone = phone
    let sender = PositionSender(
      transport: transport, clock: clock.clock,
      isShown: { [now] record, device in
        try responses.withLock { responses in
          let second = Int(record.time.timeIntervalSince(now))
          guard device == phone, let response = responses[second] else { throw StoreError.closed }
          guard let isShown = response else {
            responses[second] = true
            throw StoreError.busy
          }
          return isShown
        }
      }, read: { [webhook] })
    sender.start()
    while !sender.hasSubscribers { await Task.yield() }
    func drive(_ second: Double) throws {
      sender.noted(Submission(device: phone, records: [try fix(second)], received: now, completion: { _ in }))
    }
    func time(_ delivery: ManualTransport.Sent) throws -> Int? {
      try (JSONSerialization.jsonObject(with: Data(delivery.body.utf8)) as? [String: Any])?["tst"] as? Int
    }
    try drive(1)
    let first = try await transport.next()
    first.respond(200)
    try drive(2)
    // The flagged point is skipped. The state of the next point cannot be read at first, and the point is sent later.
    await clock.nextAlarm()
    try drive(3)
    await clock.nextAlarm()
    let second = try await transport.next()
    let times = [try time(first), try time(second)]
    let start = now.wholeSecondsSince1970
    #expect(times == [Int(start) + 1, Int(start) + 3])
  }

  @Test("the store reports whether a stored point is shown", arguments: StoreKind.tested)
  func shown(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    _ = try await place.store.store([try step(1), try step(2)], of: device)
    let flag = try #require(PointKey(try step(2)))
    _ = try await place.store.write { try OutlierTable.set(true, flag, ofDevice: device.id, at: walkStart, $0) }
    let shown = try place.store.read { db in
      try (1...3).map { try LivePositionTable.isShown(try step($0), device: device.id, db) }
    }
    #expect(shown == [true, false, false])
  }

  @Test(
    "invalid webhooks are rejected with the invalid member",
    arguments: [
      (#""positions":60"#, "home-assistant"), (#""format":"mqtt""#, "format: expected one of"),
      (#""format":"home-assistant","positions":0.5"#, "1 to 86400"),
      (#""format":"home-assistant","positions":"x""#, "positions: expected"),
      (#""format":"home-assistant","positions":true"#, "positions: expected"),
    ])
  func rejected(_ members: String, _ words: String) async throws {
    try await RegionServer.with { server in
      let response = try await server.send("POST", "/api/v1/webhooks", body: #"{"url":"http://127.0.0.1:9/",\#(members)}"#)
      #expect(response.status == 422 && (response.object["detail"] as? String)?.contains(words) == true, "\(response.text)")
    }
  }
}
