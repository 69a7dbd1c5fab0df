import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitServer

@Suite("Webhooks: Home Assistant")
struct HomeAssistantTests {
  private let now = StoppedTime.start
  private let phone = Device(id: 1, name: "phone")

  private func fix(_ second: Double, latitude: Double = 46) throws -> Record {
    Record(
      kind: .fix(
        Fix(time: now.addingTimeInterval(second), coordinate: try #require(Coordinate(latitude: latitude, longitude: 14.5)))))
  }

  private func target(_ webhook: Int64 = 1, every seconds: Double = 60, devices: [String] = []) -> PositionPlan.Target {
    PositionPlan.Target(webhook: webhook, url: "http://127.0.0.1/", secret: "s", interval: seconds, devices: devices)
  }

  @Test("the newest position goes at once, the next one not before its time, and never an older one")
  func plan() throws {
    var plan = PositionPlan()
    #expect(plan.isEmpty)
    plan.note([try fix(0)], of: phone)
    #expect(plan.take(at: now).isEmpty, "nobody wants it")
    plan.set([target()])
    plan.note([try fix(1), try fix(3), try fix(2)], of: phone)
    let first = plan.take(at: now)
    #expect(first.map(\.record.time) == [now.addingTimeInterval(3)] && plan.take(at: now).isEmpty)
    plan.note([try fix(2)], of: phone)
    plan.note([try fix(4)], of: phone)
    #expect(plan.take(at: now).isEmpty && plan.nextDue() == nil, "one is on its way")
    plan.finished(first[0], arrived: true, at: now)
    #expect(plan.nextDue() == now.addingTimeInterval(60) && plan.take(at: now.addingTimeInterval(59)).isEmpty)
    plan.note([try fix(5)], of: phone)
    let second = plan.take(at: now.addingTimeInterval(60))
    #expect(second.map(\.record.time) == [now.addingTimeInterval(5)])
    // It does not arrive: it is told again, unless there is a newer one.
    plan.finished(second[0], arrived: false, at: now.addingTimeInterval(61))
    let third = plan.take(at: now.addingTimeInterval(121))
    #expect(third.map(\.record.time) == [now.addingTimeInterval(5)])
    plan.finished(third[0], arrived: true, at: now.addingTimeInterval(121))
    #expect(plan.nextDue() == nil)
  }

  @Test("each webhook has its own pace and its own devices; one that is gone is told nothing")
  func targets() throws {
    var plan = PositionPlan()
    plan.set([target(1, every: 10), target(2, every: 100, devices: ["watch"])])
    let watch = Device(id: 2, name: "watch")
    plan.note([try fix(0)], of: phone)
    plan.note([try fix(0)], of: watch)
    let turns = plan.take(at: now)
    #expect(Set(turns.map { "\($0.target.webhook) \($0.device.name)" }) == ["1 phone", "1 watch", "2 watch"])
    plan.set([target(1, every: 10)])
    for turn in turns { plan.finished(turn, arrived: true, at: now) }
    plan.note([try fix(1)], of: watch)
    #expect(plan.take(at: now.addingTimeInterval(10)).map(\.target.webhook) == [1])
  }

  @Test("an event is a transition that Home Assistant takes; of what it has no word for it is told nothing")
  func transition() throws {
    let place = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    var mention = RegionMention(id: "home", name: "Home", tags: ["a"], center: place, radius: 100)
    func message(_ kind: RegionEvent.Kind, _ at: Coordinate?) throws -> [String: Any] {
      let event = RegionEvent(time: now, kind: kind, region: mention, coordinate: at, horizontalAccuracy: at == nil ? nil : 12)
      let news = RegionEventNews(event, of: phone, source: .server)
      let body = WebhookFormat.homeAssistant.body(of: news.body)
      return try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    }
    let entered = try message(.entered, place)
    #expect(entered["_type"] as? String == "transition" && entered["event"] as? String == "enter")
    #expect(entered["desc"] as? String == "Home" && entered["rid"] as? String == "home" && entered["t"] as? String == "c")
    #expect(entered["lat"] as? Double == 46.05 && entered["acc"] as? Int == 12 && entered["tst"] as? Int == 1_700_000_000)
    #expect(entered["topic"] as? String == "owntracks/godwit/phone/event")
    let left = try message(.exited, nil)
    #expect(left["event"] as? String == "leave" && left["lat"] as? Double == 46.05 && left["acc"] as? Int == 100)
    mention = RegionMention(id: "door", name: "Door", beacon: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2)))
    #expect(try message(.entered, place)["t"] as? String == "b")
    let terms = WebhookTerms(url: "http://x/", format: .homeAssistant)
    for kind in RegionEvent.Kind.allCases {
      let news = RegionEventNews(RegionEvent(time: now, kind: kind, region: mention), of: phone, source: .device)
      #expect(terms.wants(news) == (kind != .dwelled) && WebhookTerms(url: "http://x/").wants(news))
    }
  }

  @Test("positions and zones arrive at a webhook of this format, signed", .timeLimit(.minutes(5)))
  func arrives() async throws {
    let receiver = try Receiver()
    try await RegionServer.with(.overASocket) { server in
      try await server.save(circle("home", latitude: 46))
      let made = try await server.send(
        "POST", "/api/webhooks", body: #"{"url":"\#(receiver.url())","format":"home-assistant","positions":1}"#)
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
      let kinds = receiver.letters.map { $0.object["_type"] as? String }
      #expect(Set(kinds) == ["location", "transition"], "\(kinds)")
      let location = try #require(receiver.letters.first { $0.object["_type"] as? String == "location" })
      #expect(
        location.object["lat"] as? Double == 46 && location.object["acc"] as? Int == 5 && location.object["batt"] as? Int == 50)
      #expect(location.object["topic"] as? String == "owntracks/godwit/phone" && location.object["tid"] as? String == "ne")
      // A newer one comes when its time has come.
      for index in 1...5 { try await upload(46 + Double(index) / 1000, index * 10) }
      while receiver.letters.last?.object["lat"] as? Double != 46.005 { await receiver.until(receiver.letters.count + 1) }
    }
    await receiver.stop()
  }

  @Test("of several positions within a webhook's pause the newest is told, when the pause is over", .timeLimit(.minutes(5)))
  func pace() async throws {
    let clock = StoppedTime()
    let transport = HandTransport()
    let webhook = Webhook(
      id: 1, terms: WebhookTerms(url: "http://home/", format: .homeAssistant, positions: 60), secret: "s", isEnabled: true,
      created: now)
    let sender = PositionSender(transport: transport, time: clock.time) { [webhook] }
    sender.start()
    // The first list of webhooks is read on the sender's own thread: a position before that is nobody's.
    var told = 0.0
    while !sender.isWantedByAnybody { await Task.yield() }
    func drive(_ latitude: Double) throws {
      told += 1
      sender.noted(
        Submission(device: phone, records: [try fix(told, latitude: latitude)], received: now, completion: { _ in }))
    }
    func latitude(_ letter: HandTransport.Sent) throws -> Double? {
      try (JSONSerialization.jsonObject(with: Data(letter.body.utf8)) as? [String: Any])?["lat"] as? Double
    }
    try drive(46)
    let first = try await transport.next()
    for step in 1...5 { try drive(46 + Double(step) / 1000) }
    first.answer(200)
    await clock.nextAlarm()
    let second = try await transport.next()
    let latitudes = [try latitude(first), try latitude(second)]
    #expect(latitudes == [46, 46.005] && clock.now == now.addingTimeInterval(60))
  }

  @Test(
    "what cannot be is refused with its place",
    arguments: [
      (#""positions":60"#, "home-assistant"), (#""format":"mqtt""#, "format: expected one of"),
      (#""format":"home-assistant","positions":0.5"#, "1 to 86400"),
      (#""format":"home-assistant","positions":"x""#, "positions: expected"),
    ])
  func refused(_ members: String, _ words: String) async throws {
    try await RegionServer.with { server in
      let answer = try await server.send("POST", "/api/webhooks", body: #"{"url":"http://127.0.0.1:9/",\#(members)}"#)
      #expect(answer.status == 400 && (answer.object["detail"] as? String)?.contains(words) == true, "\(answer.text)")
    }
  }
}
