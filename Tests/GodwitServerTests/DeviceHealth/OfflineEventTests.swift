import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitGeofencing
@testable import GodwitIntake
@testable import GodwitServer
@testable import GodwitStore

@Suite("Events of offline devices", .timeLimit(.minutes(20)))
struct OfflineEventTests {
  private static let device = Device(id: 1, name: "phone")
  private static let offline = ServerEvent.offline(
    device, since: ManualClock.start, GodwitIntake.HeartbeatExpectation(origin: .unknown, threshold: 86400), newest: nil,
    at: ManualClock.start.addingTimeInterval(90_000))

  private static func options(_ change: (inout WebhookOptions) -> Void) -> WebhookOptions {
    var options = WebhookOptions(url: "https://example.org/hook")
    change(&options)
    return options
  }

  @Test(
    "an offline event is sent to webhooks that select it, and not to webhooks with regions, tags or other formats",
    arguments: [
      (options { _ in }, true), (options { $0.types = ["device.silent"] }, true),
      (options { $0.types = ["device.heard"] }, false),
      (options { $0.types = ["geofence.entered"] }, false), (options { $0.devices = ["phone"] }, true),
      (options { $0.devices = ["watch"] }, false), (options { $0.regions = ["home"] }, false),
      (options { $0.tags = ["a"] }, false),
      (options { $0.format = .homeAssistant }, false),
    ] as [(WebhookOptions, Bool)])
  func wanted(_ options: WebhookOptions, _ isWanted: Bool) throws {
    try options.check()
    #expect(options.wants(Self.offline) == isWanted)
  }

  @Test("the events of an outage of a device have the same id on every server")
  func names() {
    let later = ServerEvent.offline(
      Self.device, since: ManualClock.start, GodwitIntake.HeartbeatExpectation(origin: .rhythm, threshold: 900, usual: 600),
      newest: nil,
      at: ManualClock.start.addingTimeInterval(99_999))
    let received = ServerEvent.online(Self.device, silentSince: ManualClock.start, at: ManualClock.start, newest: nil)
    let next = ServerEvent.offline(
      Self.device, since: ManualClock.start.addingTimeInterval(1), GodwitIntake.HeartbeatExpectation(origin: .off), newest: nil,
      at: ManualClock.start)
    #expect(later.name == Self.offline.name)
    #expect(Set([Self.offline.name, received.name, next.name]).count == 3)
    for event in [Self.offline, later, received, next] {
      let object = (try? JSONSerialization.jsonObject(with: Data(event.body.utf8))) as? [String: Any]
      #expect(object?["id"] as? String == event.name && object?["type"] as? String == event.type && event.region.isEmpty)
    }
  }

  @Test("offline events are not in the list of region events", arguments: RegionServer.Depth.stores)
  func apart(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let store = try server.tracks()
      let device = try #require(try store.device(named: "phone"))
      let event = ServerEvent.online(device, silentSince: ManualClock.start, at: ManualClock.start, newest: nil)
      try await store.write { db in
        var outbox = Outbox()
        _ = try outbox.add(event, at: ManualClock.start, db)
      }
      #expect(try await server.send("GET", "/api/v1/region-events").list("events").isEmpty)
      let detail = try await server.send("GET", "/api/v1/devices/phone/health").object
      #expect((detail["notices"] as? [[String: Any]])?.first?["type"] as? String == "device.heard")
      let rule = try await server.send("PUT", "/api/v1/devices/phone/heartbeat", body: #"{"after_seconds":7200,"notices":false}"#)
      #expect(rule.object["after_seconds"] as? Int == 7200 && rule.object["notices"] as? Bool == false, "\(rule.text)")
      for body in [#"{"after_seconds":59}"#, #"{"after_seconds":"2h"}"#, #"{"notices":1}"#, #"{"after":5}"#] {
        #expect(try await server.send("PUT", "/api/v1/devices/phone/heartbeat", body: body).status == 422, "\(body)")
      }
      #expect(try await server.send("DELETE", "/api/v1/devices/phone/heartbeat").object["after_seconds"] is NSNull)
      #expect(try await server.send("PUT", "/api/v1/devices/nobody/heartbeat", body: "{}").status == 404)
    }
  }

  @Test("a QR code is created, and a text that is too long is rejected", arguments: [RegionServer.Depth.inProcess])
  func codes(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let response = try await server.send(
        "POST", "/api/v1/qr", body: #"{"text":"overland://setup?url=https%3A%2F%2Fexample.org"}"#)
      let rows = try #require(response.object["rows"] as? [String], "\(response.text)")
      // The three finder patterns of every code (ISO/IEC 18004, 6.3.3).
      #expect(rows.count >= 21 && rows.allSatisfy { $0.count == rows.count })
      let size = rows.count
      #expect(rows[0].hasPrefix("1111111") && rows[0].hasSuffix("1111111") && rows[size - 1].hasPrefix("1111111"))
      #expect(rows[1].hasPrefix("1000001") && !rows[size - 1].hasSuffix("1111111"))
      let long = String(repeating: "a", count: 3000)
      #expect(try await server.send("POST", "/api/v1/qr", body: #"{"text":"\#(long)"}"#).status == 422)
    }
  }
}
