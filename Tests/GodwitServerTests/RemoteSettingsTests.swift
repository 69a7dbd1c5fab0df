import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAccounts
@testable import GodwitIntake
@testable import GodwitServer
@testable import GodwitStore

private func place(_ second: Int, extra: String = "") -> String {
  let time = RFC3339.string(Date(timeIntervalSince1970: 1_795_163_400 + Double(second)))
  return
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{"timestamp":"\#(time)"\#(extra)}}"#
}

extension RegionServer {
  /// Uploads records; returns `set` of the response, or `nil`.
  fileprivate func set(_ places: String..., more: String = "") async throws -> [String: Any]? {
    let response = try await send(
      "POST", "/api/overland", body: #"{"locations":[\#(places.joined(separator: ","))]\#(more)}"#, device: "phone")
    #expect(response.status == 200 && response.object["result"] as? String == "ok", "\(response.text)")
    return response.object["set"] as? [String: Any]
  }

  fileprivate func desire(_ settings: String) async throws -> Response {
    try await send("PUT", "/api/v1/devices/phone/settings", body: settings)
  }

  fileprivate func states() async throws -> [String] {
    let history = try await send("GET", "/api/v1/devices/phone/settings").object["history"] as? [[String: Any]] ?? []
    return history.map { "\($0["state"] ?? "") \($0["sends"] ?? "")" }
  }
}

@Suite("Desired settings of a device", .timeLimit(.minutes(20)))
struct RemoteSettingsTests {
  @Test(
    "settings that stop Overland's uploads permanently need force; a Godwit tracker still checks in",
    arguments: [
      #"{"send_interval":"off"}"#, #"{"main":{"tracking_mode":"off"}}"#, #"{"main.tracking_mode":"off","send_interval":"10s"}"#,
    ])
  func stopsUploads(_ settings: String) async throws {
    try await RegionServer.with { server in
      _ = try await server.set(place(0))
      let rejected = try await server.desire(settings)
      #expect(rejected.status == 409 && rejected.text.contains("force=true") && rejected.text.contains("off"), "\(rejected.text)")
      #expect(["send_interval", "main.tracking_mode"].contains(rejected.object["at"] as? String))
      #expect(try await server.states().isEmpty)
      let wrong = try await server.send("PUT", "/api/v1/devices/phone/settings", ["force": "perhaps"], body: settings)
      #expect(wrong.status == 400)
      let forced = try await server.send("PUT", "/api/v1/devices/phone/settings", ["force": "true"], body: settings)
      #expect(forced.status == 200, "\(forced.text)")
      _ = try await server.send(
        "POST", "/api/overland", body: #"{"locations":[]}"#, device: "phone", headers: ["User-Agent": "Godwit/0.1"])
      #expect(try await server.desire(settings).status == 200)
    }
  }

  @Test("desired settings are sent with each response until an upload confirms them", arguments: RegionServer.Depth.allCases)
  func taken(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      #expect(try await server.set(place(0)) == nil)
      let ordered = try await server.desire(#"{"send_interval":"10s","main":{"min_distance":"50m","batch_size":"500"}}"#)
      #expect(ordered.status == 200, "\(ordered.text)")
      #expect((ordered.object["desired"] as? [String: Any])?["main.batch_size"] as? Int == 500)
      #expect(try await server.states() == ["pending 0"])
      let set = try #require(try await server.set(place(1)))
      #expect(set["send_interval"] as? String == "10s")
      #expect((set["main"] as? [String: Any])?["min_distance"] as? String == "50m" && (set["main"] as? [String: Any])?.count == 2)
      // The response was lost: the device sends the record again, alone and with a new one.
      #expect(try await server.set(place(1)) != nil)
      #expect(try await server.set(place(1), place(2)) != nil)
      #expect(try await server.states() == ["sent 3"])
      // Only new records: the device has received the response.
      #expect(try await server.set(place(3)) == nil)
      #expect(try await server.states() == ["applied 3"])
      #expect(try await server.set(place(4)) == nil)
      let status = try await server.send("GET", "/api/v1/devices/phone/settings").object
      #expect(status["desired"] is NSNull && status["device"] as? String == "phone")
      let entry = try #require((status["history"] as? [[String: Any]])?.first)
      #expect(entry["first_sent"] is String && entry["closed"] is String && entry["created"] is String)
      let health = try await server.send("GET", "/api/v1/devices/phone/health").object["device"] as? [String: Any]
      let shown = try #require(health?["settings"] as? [String: Any])
      #expect(shown["desired"] is [String: Any] && shown["created"] is String && shown["closed"] is String)
    }
  }

  @Test("settings that a device reports confirm desired settings, and a delivered response does not")
  func reported() async throws {
    try await RegionServer.with { server in
      let later = 400_000_000
      _ = try await server.desire(#"{"main":{"desired_accuracy":"best","tracking_mode":"both","activity_type":"car"}}"#)
      #expect(try await server.set(place(0)) != nil)
      // Settings in points that are older than the desired settings are ignored.
      #expect(try await server.set(place(0), place(1, extra: #","desired_accuracy":100"#)) != nil)
      #expect(try await server.set(place(later, extra: #","desired_accuracy":100,"tracking_mode":1"#)) != nil)
      #expect(try await server.states() == ["sent 3"])
      let all = #","desired_accuracy":-1,"tracking_mode":3,"activity":"automotive_navigation""#
      #expect(try await server.set(place(1), place(later + 1, extra: all)) == nil)
      #expect(try await server.states() == ["applied 3"])
    }
  }

  @Test("new desired settings replace pending ones, which can also be withdrawn")
  func replaced() async throws {
    try await RegionServer.with { server in
      _ = try await server.desire(#"{"main.min_distance":"10m"}"#)
      _ = try await server.desire(#"{"main.min_distance":"100m"}"#)
      #expect(try await server.states() == ["pending 0", "replaced 0"])
      #expect(try await server.send("DELETE", "/api/v1/devices/phone/settings").status == 200)
      #expect(try await server.set(place(0)) == nil)
      #expect(try await server.states() == ["cancelled 0", "replaced 0"])
      #expect(try await server.send("DELETE", "/api/v1/devices/phone/settings").status == 404)
      // An upload without records does not confirm the settings.
      _ = try await server.desire(#"{"main.min_distance":"10m"}"#)
      #expect(try await server.set() != nil)
      #expect(try await server.set() != nil)
    }
  }

  @Test("desired settings are stored, and other devices do not get them")
  func kept() async throws {
    try await RegionServer.with(devices: ["phone", "watch"]) { server in
      _ = try await server.desire(#"{"main.min_distance":"10m"}"#)
      let watch = try await server.send("POST", "/api/overland", body: #"{"locations":[\#(place(0))]}"#, device: "watch")
      #expect(watch.object["set"] == nil)
      let order = try server.tracks().read { try DesiredSettingsChange.open(of: 1, $0) }
      #expect(order?.settings.set == #"{"main":{"min_distance":"10m"}}"# && order?.state == .pending)
    }
  }

  @Test(
    "an invalid setting is rejected with its name",
    arguments: [
      (#"{"main":{"min_distanc":"1m"}}"#, 422, "main.min_distanc", "There is no setting"),
      (#"{"main":{"min_distance":"3m"}}"#, 422, "main.min_distance", "off | 1m"),
      (#"{"device_id":"x"}"#, 422, "device_id", "by the user only"),
      (#"{"main":{"batch_size":null}}"#, 422, "main.batch_size", "cannot be null"),
      (#"{"main":{"min_time":"1s"},"main.min_time":"5s"}"#, 422, "main.min_time", "twice"), ("{}", 422, "byte 0", "no setting"),
      ("[]", 400, "byte 0", "JSON object"), ("{", 400, "byte 0", "JSON object"), (#"{"main":[1]}"#, 422, "main", "no setting"),
    ])
  func rejected(_ body: String, _ status: Int, _ place: String, _ words: String) async throws {
    try await RegionServer.with { server in
      let response = try await server.desire(body)
      #expect(response.status == status && response.object["at"] as? String == place, "\(response.text)")
      #expect(response.text.contains(words), "\(response.text)")
      #expect(try await server.states().isEmpty)
      #expect(try await server.send("PUT", "/api/v1/devices/nobody/settings", body: #"{"trip_mode":"car"}"#).status == 404)
    }
  }

  @Test("the current position and trip of an upload are not points, and the trip ends when uploads omit it")
  func timestamp() async throws {
    try await RegionServer.with { server in
      let trip =
        #"{"mode":"bicycle","start":"2026-11-20T08:30:00Z","distance":1200.5,"start_location":\#(place(0)),"current_location":null}"#
      #expect(try await server.set(place(0), more: #","current":\#(place(900)),"trip":\#(trip)"#) == nil)
      var now = try await server.send("GET", "/api/v1/devices/phone/current").object
      #expect((now["trip"] as? [String: Any])?["distance"] as? Double == 1200.5 && now["trip_received"] is String)
      let properties = (now["current"] as? [String: Any])?["properties"] as? [String: Any]
      #expect(properties?["timestamp"] as? String == "2026-11-20T08:45:00Z", "\(now)")
      let points =
        try await server.send("GET", "/api/v1/points", ["device": "phone", "marked": "true"]).object["features"] as? [Any]
      #expect(points?.count == 1)
      // The trip as a string, as Android sends it, and an invalid one.
      _ = try await server.set(place(1), more: #","trip":"{\"mode\":\"car\"}""#)
      now = try await server.send("GET", "/api/v1/devices/phone/current").object
      #expect((now["trip"] as? [String: Any])?["mode"] as? String == "car")
      _ = try await server.set(place(2), more: #","trip":"{\"mode\":""#)
      now = try await server.send("GET", "/api/v1/devices/phone/current").object
      #expect(now["trip"] is NSNull && now["current"] is [String: Any], "\(now)")
    }
  }
}
