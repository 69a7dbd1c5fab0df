import Foundation
import GodwitModel
import GodwitStore
import TestClient
import Testing

@testable import GodwitAccounts
@testable import GodwitIntake
@testable import GodwitServer

private let second = 1_795_163_400

private func location(_ time: Int = second, latitude: Double = 46, more: String = "") -> String {
  #"{"_type":"location","lat":\#(latitude),"lon":14.5,"tst":\#(time),"acc":5,"tid":"ph"\#(more)}"#
}

extension RegionServer {
  fileprivate func app(
    _ body: String, device: String = "phone", _ query: [String: String] = [:], headers: [String: String] = [:]
  ) async throws -> Response {
    var headers = headers
    if headers["Authorization"] == nil {
      headers["Authorization"] = "Basic " + Data("jane:\(try #require(tokens[device]))".utf8).base64EncodedString()
    }
    return try await send("POST", "/pub", query, body: body, headers: headers)
  }

  /// Sends messages and returns the commands in the response.
  fileprivate func reported(_ body: String, device: String = "phone") async throws -> [[String: Any]] {
    let response = try await app(body, device: device)
    #expect(response.status == 200, "\(response.text)")
    return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [[String: Any]], "\(response.text)")
  }

  fileprivate func points() async throws -> [[String: Any]] {
    let features =
      try await send("GET", "/api/v1/points", ["device": "phone", "marked": "true"]).object["features"] as? [[String: Any]] ?? []
    return features.compactMap { $0["properties"] as? [String: Any] }
  }

  fileprivate func rejected() async throws -> [[String: Any]] {
    try await send("GET", "/api/v1/rejected").object["rejected"] as? [[String: Any]] ?? []
  }
}

@Suite("OwnTracks apps: commands, friends, keys and peculiarities", .timeLimit(.minutes(20)))
struct OwnTracksAppTests {
  // MARK: Authentication

  @Test("the name of the app is stored from the headers, or otherwise from the address")
  func labels() async throws {
    try await RegionServer.with { server in
      _ = try await server.app(location(), ["u": "a", "d": "b"], headers: ["X-Limit-U": "jane", "X-Limit-D": "pixel"])
      _ = try await server.app(location(second + 1), ["u": "a", "d": "b"])
      _ = try await server.app(location(second + 2), headers: ["X-Limit-D": "pixel"])
      _ = try await server.app(location(second + 3), ["u": "a"])
      #expect(try await server.points().map { $0["device_id"] as? String } == ["jane/pixel", "a/b", "pixel", nil])
    }
  }

  @Test("an empty body, with which apps delete, is not an error")
  func empty() async throws {
    try await RegionServer.with { server in
      for body in ["", "\n"] {
        let response = try await server.app(body)
        #expect(response.status == 200 && response.text == "[]")
      }
      #expect(try await server.rejected().isEmpty)
    }
  }

  // MARK: Overland's OwnTracks mode

  @Test(
    "Overland's OwnTracks mode: seconds since 2001, an unencoded token, an object as response",
    arguments: RegionServer.Depth.allCases)
  func overland(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let token = try #require(server.tokens["phone"])
      let since2001 = Int(Date().timeIntervalSince1970) - 978_307_200
      let body =
        #"{"_type":"location","lat":46.0569123,"lon":14.5058123,"tst":\#(since2001),"acc":12,"batt":-100,"topic":"owntracks/jane/phone"}"#
      let headers = ["Authorization": "Basic \(token):"]
      let response = try await server.app(body, headers: headers)
      #expect(response.status == 200 && response.text == #"{"result":"ok"}"#, "\(response.text)")
      let point = try #require(try await server.points().first)
      let time = try #require((point["timestamp"] as? String).flatMap { RFC3339.date($0) })
      #expect(abs(time.timeIntervalSinceNow) < 120 && point["time_repaired"] as? String == "2001", "\(point)")
      #expect(point["battery_level"] == nil)
      // Visits and trips are sent in Overland's own format.
      let visit =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{"action":"visit","timestamp":"2026-11-20T08:30:00Z","arrival_date":"2026-11-20T08:00:00Z","departure_date":null,"horizontal_accuracy":20}}"#
      let other = try await server.app(
        visit, headers: headers.merging(["User-Agent": "Overland/1.3 (iPhone; iOS 18.0; Scale/3.00)"]) { $1 })
      #expect(other.text == #"{"result":"ok"}"#)
      #expect(try await server.rejected().isEmpty)
      // A correct time is not from Overland's OwnTracks mode.
      #expect(try await server.app(location()).text == "[]")
    }
  }

  // MARK: Messages without a position

  @Test("messages about the app are stored: actions with their time, the newest report of each kind")
  func reports() async throws {
    try await RegionServer.with { server in
      let messages = [
        #"{"_type":"lwt","tst":\#(second)}"#,
        #"{"_type":"steps","tst":\#(second),"steps":1200,"from":1,"to":2,"distance":800.5}"#,
        #"{"_type":"beacon","desc":"Door","uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":1,"minor":2,"tst":\#(second),"prox":1}"#,
        #"{"_type":"card","name":"Jane","face":"iVBOR","tid":"jn"}"#, #"{"_type":"status","iOS":{"version":"18.1"}}"#,
        #"{"_type":"dump","configuration":{"_type":"configuration","password":"SECRET","deviceId":"x","encryptionKey":"SECRET","inner":{"password":"SECRET","a":1}}}"#,
      ]
      #expect(try await server.reported("[\(messages.joined(separator: ","))]").isEmpty)
      let actions = try server.tracks().events(device: 1, from: nil, to: nil)
      #expect(
        Set(actions.map { if case .action(let action) = $0.kind { action.name } else { "" } }) == ["lwt", "steps", "beacon"])
      #expect(actions.contains { $0.extras == #"{"steps":1200,"from":1,"to":2,"distance":800.5}"# })
      let response = try await server.send("GET", "/api/v1/devices/phone/commands")
      let reports = try #require(response.object["reports"] as? [String: [String: Any]])
      #expect((reports["profile"]?["message"] as? [String: Any])?["name"] as? String == "Jane")
      #expect(reports["status"]?["received"] is String)
      #expect(!response.text.contains("SECRET") && response.text.contains(#""deviceId":"x""#), "\(response.text)")
      #expect(try await server.rejected().isEmpty)
    }
  }

  @Test("an image is stored with its position up to a size, and its omission is recorded beyond it")
  func pictures() async throws {
    try await RegionServer.with { server in
      for (index, size) in [1000, 300_000].enumerated() {
        let image = String(repeating: "A", count: size)
        _ = try await server.reported(location(second + index, more: #","poi":"Bench","imagename":"b.jpg","image":"\#(image)""#))
      }
      let points = try await server.points()
      #expect((points.first?["image"] as? String)?.count == 1000 && points.first?["poi"] as? String == "Bench")
      #expect(points.last?["image"] == nil && points.last?["image_left_out"] as? String == "300000 characters")
      let face = String(repeating: "A", count: 300_000)
      _ = try await server.reported(#"{"_type":"card","name":"x","face":"\#(face)"}"#)
      #expect("\(try await server.rejected().first?["reason"] ?? "")".contains("at most 262144"))
    }
  }

  // MARK: Commands

  @Test("a command is sent once, in order, to its device", arguments: RegionServer.Depth.allCases)
  func commands(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "watch"]) { server in
      for command in [
        #"{"action":"reportLocation"}"#, #"{"_type":"cmd","action":"reportSteps","from":1,"to":2}"#,
        #"{"action":"setWaypoints","waypoints":[{"_type":"waypoint","desc":"Home","lat":46,"lon":14,"rad":100,"tst":1}]}"#,
        #"{"action":"setConfiguration","configuration":{"monitoring":2}}"#,
      ] {
        let made = try await server.send("POST", "/api/v1/devices/phone/commands", body: command)
        #expect(made.status == 201 && made.object["sent"] is NSNull, "\(made.text)")
      }
      #expect(try await server.reported(location(), device: "watch").isEmpty)
      let reported = try await server.reported(location())
      #expect(reported.map { $0["action"] as? String } == ["reportLocation", "reportSteps", "setWaypoints", "setConfiguration"])
      #expect(reported.allSatisfy { $0["_type"] as? String == "cmd" } && reported.count == 4 && reported[1]["to"] as? Int == 2)
      #expect((reported[2]["waypoints"] as? [String: Any])?["_type"] as? String == "waypoints")
      #expect((reported[3]["configuration"] as? [String: Any])?["_type"] as? String == "configuration")
      #expect(try await server.reported(location()).isEmpty)
      let list = try await server.send("GET", "/api/v1/devices/phone/commands").object["commands"] as? [[String: Any]] ?? []
      #expect(list.count == 4 && list.allSatisfy { $0["sent"] is String })
      _ = try await server.send("POST", "/api/v1/devices/phone/commands", body: #"{"action":"dump"}"#)
      #expect(try await server.send("DELETE", "/api/v1/devices/phone/commands").object["cancelled"] as? Int == 1)
      #expect(try await server.reported(location()).isEmpty)
    }
  }

  @Test(
    "an invalid command is rejected with the position of the error",
    arguments: [
      (#"{"action":"dance"}"#, "action", "reportLocation"), (#"{}"#, "action", "needs an action"),
      (#"{"action":"setWaypoints"}"#, "waypoints", "setWaypoints needs waypoints"),
      (#"{"action":"dump","configuration":{}}"#, "configuration", "only setConfiguration"),
      (#"{"action":"setConfiguration","configuration":7}"#, "configuration", "expected an object"),
      (#"{"_type":"location","action":"dump"}"#, "_type", "not a command"), ("[]", "byte 0", "expected an object"),
      ("", "byte 0", "the text ends"),
    ])
  func badCommands(_ body: String, _ place: String, _ words: String) async throws {
    try await RegionServer.with { server in
      let response = try await server.send("POST", "/api/v1/devices/phone/commands", body: body)
      #expect(response.status == 422 && response.text.contains(words), "\(response.text)")
      #expect((response.object["at"] as? String)?.hasPrefix(place) == true, "\(response.text)")
    }
  }

  // MARK: Friends

  @Test("devices with sharing enabled get each other's positions and cards; other devices get none")
  func friends() async throws {
    try await RegionServer.with(devices: ["phone", "watch", "van"]) { server in
      _ = try await server.reported(
        #"[{"_type":"card","name":"Anna","face":"iVBOR","tid":"an"},\#(location(second, latitude: 47))]"#, device: "watch")
      _ = try await server.reported(location(second, latitude: 48), device: "van")
      for device in ["phone", "watch"] {
        let set = try await server.send("PUT", "/api/v1/devices/\(device)/friends", body: #"{"shares":true}"#)
        #expect(set.status == 200, "\(set.text)")
      }
      let friends = try await server.send("GET", "/api/v1/devices/phone/friends").object
      #expect(friends["shares"] as? Bool == true && friends["friends"] as? [String] == ["watch"])
      let reported = try await server.reported(location())
      #expect(reported.map { $0["_type"] as? String } == ["card", "location"], "\(reported)")
      #expect(reported.map { $0["tid"] as? String } == ["an", "an"] && reported.first?["name"] as? String == "Anna")
      #expect(reported.last?["lat"] as? Double == 47 && reported.last?["tst"] as? Int == second)
      // A new position is sent immediately; a device without a card has its own name.
      _ = try await server.reported(location(second + 60, latitude: 47.05), device: "watch")
      #expect(try await server.reported(location(second + 61)).last?["lat"] as? Double == 47.05)
      let back = try await server.reported(location(second + 62, latitude: 47.05), device: "watch")
      #expect(back.first?["name"] as? String == "phone" && back.last?["lat"] as? Double == 46)
      #expect(try await server.reported(location(), device: "van").isEmpty)
      #expect(try await server.reported(#"{"_type":"lwt","tst":\#(second)}"#).isEmpty, "only locations get friends")
      _ = try await server.send("DELETE", "/api/v1/devices/watch/friends")
      #expect(try await server.reported(location(second + 63)).isEmpty)
      #expect(try await server.send("PUT", "/api/v1/devices/phone/friends", body: #"{"share":true}"#).status == 422)
    }
  }

  // MARK: Keys

  @Test("encrypted messages are decrypted, and the response is one encrypted object", arguments: RegionServer.Depth.allCases)
  func sealed(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let key = OwnTracksKey(passPhrase: "mysecret")
      func message(_ text: String, _ key: OwnTracksKey) -> String {
        #"{"_type":"encrypted","data":"\#(Data(key.seal(Array(text.utf8))).base64EncodedString())"}"#
      }
      #expect(try await server.send("PUT", "/api/v1/devices/phone/owntracks-key", body: #"{"key":"mysecret"}"#).status == 200)
      let shown = try await server.send("GET", "/api/v1/devices/phone/owntracks-key")
      #expect(shown.object["set"] as? Bool == true && !shown.text.contains("mysecret"))
      _ = try await server.send("POST", "/api/v1/devices/phone/commands", body: #"{"action":"dump"}"#)
      let response = try await server.app(message(location(), key))
      #expect(response.object["_type"] as? String == "encrypted", "\(response.text)")
      let data = try #require((response.object["data"] as? String).flatMap { Data(base64Encoded: $0) })
      let inside = try #require(key.open(Array(data)))
      #expect(String(decoding: inside, as: UTF8.self) == #"[{"_type":"cmd","action":"dump"}]"#)
      #expect(try await server.points().count == 1)
      // A message with another key is rejected, and stored unchanged.
      let wrong = message(location(second + 1), OwnTracksKey(passPhrase: "other"))
      let rejection = try await server.app(wrong)
      #expect(rejection.status == 422 && rejection.text.contains("a key other than"), "\(rejection.text)")
      #expect(try await server.rejected().first?["raw"] as? String == wrong)
      #expect(try await server.points().count == 1)
      // Sent commands are not sent again after a message that could not be decrypted.
      #expect(try await server.send("DELETE", "/api/v1/devices/phone/owntracks-key").object["set"] as? Bool == false)
      #expect(try await server.app(message(location(second + 2), key)).status == 422)
      #expect(try await server.app(location(second + 2)).text == "[]")
    }
  }

  @Test(
    "a device that accepts only encrypted messages rejects plain ones, and stores them as rejected",
    arguments: RegionServer.Depth.allCases)
  func sealedOnly(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let path = "/api/v1/devices/phone/owntracks-key"
      let none = try await server.send("PUT", path, body: #"{"sealed_only":true}"#)
      #expect(none.status == 422 && none.text.contains("has no key"), "\(none.text)")
      #expect(try await server.send("PUT", path, body: "{}").status == 422)
      #expect(try await server.send("PUT", path, body: #"{"sealed_only":false}"#).status == 200)
      let set = try await server.send("PUT", path, body: #"{"key":"mysecret","sealed_only":true}"#)
      #expect(set.object["set"] as? Bool == true && set.object["sealed_only"] as? Bool == true, "\(set.text)")
      // A change of the key alone does not change this option.
      #expect(try await server.send("PUT", path, body: #"{"key":"mysecret"}"#).object["sealed_only"] as? Bool == true)
      let plain = location()
      let rejection = try await server.app(plain)
      #expect(rejection.status == 422 && rejection.text.contains("accepts only encrypted ones"), "\(rejection.text)")
      #expect(try await server.points().isEmpty)
      let kept = try #require(try await server.rejected().first)
      #expect(kept["raw"] as? String == plain && (kept["reason"] as? String)?.contains("not encrypted") == true)
      // The last will is sent by a broker, unencrypted.
      #expect(try await server.app(#"{"_type":"lwt","tst":1795000000}"#).status == 200)
      let key = OwnTracksKey(passPhrase: "mysecret")
      let sealed = Data(key.seal(Array(location(second + 1).utf8))).base64EncodedString()
      #expect(try await server.app(#"{"_type":"encrypted","data":"\#(sealed)"}"#).status == 200)
      #expect(try await server.points().count == 1)
      // After the key is removed, plain messages are accepted again.
      #expect(try await server.send("DELETE", path).object["sealed_only"] as? Bool == false)
      #expect(try await server.app(location(second + 2)).status == 200)
    }
  }

  @Test("a key consists of the bytes of the passphrase, and a box that was created with libsodium is opened")
  func vector() throws {
    // Created by libsodium's crypto_secretbox_easy, called from Python: the key padded with zeros, the nonce 0…23.
    let box = try #require(Data(base64Encoded: Self.vector))
    let key = OwnTracksKey(passPhrase: "mysecret")
    #expect(key.open(Array(box)).map { String(decoding: $0, as: UTF8.self) } == #"{"_type":"lwt","tst":1}"#)
    #expect(OwnTracksKey(passPhrase: "mysecreT").open(Array(box)) == nil)
    let long = String(repeating: "x", count: 32)
    #expect(OwnTracksKey(passPhrase: long + "y") == OwnTracksKey(passPhrase: long + "z"))
    for index in box.indices {
      var damaged = Array(box)
      damaged[index] ^= 1
      #expect(key.open(damaged) == nil)
    }
    #expect(key.open([]) == nil && key.open([UInt8](repeating: 0, count: 39)) == nil)
  }

  private static let vector = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXyfLqm7E+GDXn2s/Tw4ZBqb6+TzjcIlnOUkC9lqI/W440C2LsK8Ba"
}
