import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAccounts
@testable import GodwitServer

extension RegionServer {
  /// The properties of a device's points.
  fileprivate func points(_ device: String = "phone") async throws -> [[String: Any]] {
    let features =
      try await send("GET", "/api/v1/points", ["device": device, "marked": "true"]).object["features"] as? [[String: Any]] ?? []
    return features.compactMap { $0["properties"] as? [String: Any] }
  }

  fileprivate func rejected() async throws -> [[String: Any]] {
    try await send("GET", "/api/v1/rejected").object["rejected"] as? [[String: Any]] ?? []
  }

  fileprivate func form(_ path: String, _ body: String, headers: [String: String] = [:]) async throws -> Response {
    var headers = headers
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return try await send("POST", path, body: body, headers: headers)
  }
}

@Suite("Other clients over HTTP", .timeLimit(.minutes(20)))
struct ProtocolTests {
  private static let place = ["lat": "46.0569", "lon": "14.5058", "timestamp": "1795163400"]

  // MARK: Traccar Client and OsmAnd

  @Test("an address is sufficient: the token at its end, or as the device's identifier", arguments: RegionServer.Depth.allCases)
  func oneAddress(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let token = try #require(server.tokens["phone"])
      // Traccar Client 8 on Android sends all fields in the address of a POST without a body.
      var fields = Self.place.merging(["id": token, "speed": "10", "batt": "85", "mock": "false"]) { $1 }
      let first = try await server.send("POST", "/api/osmand", fields, body: "")
      #expect(first.status == 200 && first.body.isEmpty, "\(first.text)")
      // Traccar Client 9.
      let json =
        #"{"location":{"timestamp":"2026-11-20T08:31:00Z","coords":{"latitude":46.1,"longitude":14.5,"speed":1.5},"event":"motionchange"},"device_id":"\#(token)"}"#
      let headers = ["Content-Type": "application/json"]
      #expect(try await server.send("POST", "/api/osmand", body: json, headers: headers).status == 200)
      // A name as identifier, and the token at the end of the address.
      fields["id"] = "my phone"
      fields["timestamp"] = "1795163520"
      #expect(try await server.send("GET", "/api/osmand/\(token)", fields).status == 200)
      #expect(
        try await server.form("/api/osmand", "deviceid=\(token)&location=46.2,14.5&timestamp=1795163580").status == 200)
      let points = try await server.points()
      #expect(points.count == 4)
      #expect(points.map { $0["device_id"] as? String } == [nil, nil, "my phone", nil], "\(points)")
      #expect(points[0]["speed"] as? Double == 5.14 && points[0]["mock"] as? String == "false", "\(points[0])")
      #expect(points[1]["event"] as? String == "motionchange")
      #expect(points.allSatisfy { point in !point.values.contains { "\($0)".contains(token) } }, "the points contain no secret")
      // A repeated request stores no further point.
      #expect(try await server.send("GET", "/api/osmand/\(token)", fields).status == 200)
      #expect(try await server.points().count == 4)
    }
  }

  @Test("the token may be sent in any supported way, and is never stored")
  func tokens() async throws {
    try await RegionServer.with { server in
      let token = try #require(server.tokens["phone"])
      let basic = "Basic " + Data("anna:\(token)".utf8).base64EncodedString()
      let paths: [([String: String], [String: String])] = [
        (["Authorization": "Bearer \(token)"], [:]), ([:], ["token": token]), ([:], ["api_key": token]),
        (["Authorization": basic], ["id": token]),
      ]
      for (index, (headers, query)) in paths.enumerated() {
        var fields = Self.place.merging(query) { $1 }
        fields["timestamp"] = "\(1_795_163_400 + index)"
        #expect(try await server.send("GET", "/api/gpslogger", fields, headers: headers).status == 200, "\(index)")
        fields["lat"] = "91"
        #expect(try await server.send("GET", "/api/gpslogger", fields, headers: headers).status == 200, "\(index)")
      }
      #expect(try await server.points().count == 4)
      let points = try await server.send("GET", "/api/v1/points", ["marked": "true"]).text
      let all = try await points + server.send("GET", "/api/v1/rejected").text
      #expect(!all.contains(token))
      #expect(try await server.rejected().count == 4)
    }
  }

  @Test(
    "an unknown device is rejected, even with the name of an existing one, so that its app keeps the records",
    arguments: [
      ("/api/osmand", ["id": "phone"]), ("/api/osmand", [:]), ("/api/osmand/gw_wrong", ["id": "phone"]),
      ("/api/osmand", ["token": "gw_wrong", "id": "phone"]), ("/log/osmand/gw_wrong/phone", [:]), ("/log/osmand", [:]),
    ])
  func anonymous(_ path: String, _ more: [String: String]) async throws {
    try await RegionServer.with { server in
      let response = try await server.send("GET", path, Self.place.merging(more) { $1 })
      #expect(response.status == 401 && response.object["detail"] != nil, "\(response.text)")
      #expect(try await server.points().isEmpty)
      #expect(try await server.rejected().isEmpty)
      let big = String(repeating: "x=1&", count: 30_000)
      let posted = try await server.form("/api/osmand", big)
      #expect(posted.status == 413, "the device is unknown")
    }
  }

  @Test("an invalid position is stored with the reason, and acknowledged so that later records are sent")
  func poison() async throws {
    try await RegionServer.with { server in
      let token = try #require(server.tokens["phone"])
      for body in [
        #"{"device_id":"\#(token)","location":{"coords":{"latitude":91,"longitude":2},"timestamp":1795163400}}"#,
        "id=\(token)&lat=46&lon=200&timestamp=1",
      ] {
        let response = try await server.send("POST", "/api/osmand", body: body)
        #expect(response.status == 200 && response.body.isEmpty, "\(response.text)")
      }
      let broken = try await server.send("POST", "/api/osmand/\(token)", body: "{")
      #expect(broken.status == 200)
      let rejected = try await server.rejected()
      try #require(rejected.count == 3)
      #expect("\(rejected[2]["reason"] ?? "")".contains("latitude 91 is outside"), "\(rejected)")
      #expect(rejected.allSatisfy { !"\($0)".contains(token) })
    }
  }

  // MARK: GPSLogger and PhoneTrack

  @Test("GPSLogger's templates are accepted: an address, a form, custom JSON", arguments: RegionServer.Depth.allCases)
  func gpsLogger(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let token = try #require(server.tokens["phone"])
      let query = [
        "lat": "46.0569", "lon": "14.5058", "time": "2026-11-20T08:30:00.000Z", "s": "1.50", "acc": "4.0", "alt": "298.0",
        "bat": "56.0", "dir": "33.2", "sat": "9",
      ]
      #expect(try await server.send("GET", "/api/gpslogger/\(token)", query).status == 200)
      #expect(
        try await server.form(
          "/api/gpslogger/\(token)",
          "lat=46.0569&lon=14.5058&sat=9&alt=298.0&acc=4.0&dir=33.2&prov=gps&spd=1.5&timestamp=1795163460&timeoffset=%2B01%3A00&time=2026-11-20T08%3A31%3A00.000Z&batt=56.0&ischarging=true&aid=83&ser=ab"
        ).status == 200)
      #expect(
        try await server.send(
          "POST", "/api/gpslogger/\(token)",
          body: #"{"lat":46.0569,"lon":14.5058,"time":"2026-11-20T08:32:00Z","s":1.5,"acc":4,"note":"hi"}"#
        ).status == 200)
      let points = try await server.points()
      #expect(points.count == 3)
      #expect(points.allSatisfy { $0["speed"] as? Double == 1.5 && $0["horizontal_accuracy"] as? Double == 4 }, "\(points)")
      #expect(points[0]["battery_level"] as? Double == 0.56 && points[0]["course"] as? Double == 33.2)
      #expect(points[1]["battery_state"] as? String == "charging" && points[2]["note"] as? String == "hi")
    }
  }

  @Test(
    "PhoneTrack's addresses return the response that each app expects",
    arguments: [
      ("GET", "gpslogger", "", "lat=46&lon=14&timestamp=1795163400&speed=10", "", 10.0),
      ("GET", "osmand", "", "lat=46&lon=14&timestamp=1795163400000&speed=10", "", 10),
      ("POST", "traccar", "", "id=7&lat=46&lon=14&timestamp=1795163400&speed=10", "", 5.14),
      (
        "POST", "ulogger", "/client/index.php", "action=addpos&lat=46&lon=14&time=1795163400&speed=10&trackid=1",
        #"{"error":false,"trackid":1}"#, 10
      ),
      ("GET", "get", "", "lat=46&lon=14&timestamp=1795163400&speed=10&useragent=x", #"{"done":1,"friends":[]}"#, 10),
      ("POST", "post", "", "lat=46&lon=14&timestamp=1795163400&speed=10", #"{"done":1,"friends":[]}"#, 10),
      ("GET", "locusmap", "", "lat=46&lon=14&time=1795163400000&speed=10", "", 10),
    ])
  func phoneTrack(
    _ method: String, _ format: String, _ end: String, _ fields: String, _ response: String, _ speed: Double
  ) async throws {
    try await RegionServer.with { server in
      let path = "/log/\(format)/\(try #require(server.tokens["phone"]))/Anna's phone\(end)"
      var query: [String: String] = [:]
      if method == "GET" {
        for part in fields.split(separator: "&") {
          let parts = part.split(separator: "=").map(String.init)
          query[parts[0]] = parts[1]
        }
      }
      let received = try await server.send(method, path, query, body: method == "GET" ? nil : fields)
      #expect(received.status == 200 && received.text == response, "\(received.text)")
      let points = try await server.points()
      #expect(points.count == 1 && points[0]["speed"] as? Double == speed, "\(points)")
      #expect(points.first?["device_id"] as? String == "Anna's phone")
    }
  }

  @Test("µlogger's sign-in and new track are accepted; PhoneTrack's OwnTracks and Overland use the same formats")
  func greetings() async throws {
    try await RegionServer.with { server in
      let token = try #require(server.tokens["phone"])
      for action in ["action=auth&user=anna&pass=x", "action=addtrack&track=walk"] {
        let response = try await server.form("/log/ulogger/\(token)/anna/client/index.php", action)
        #expect(response.status == 200 && response.text == #"{"error":false,"trackid":1}"#)
      }
      let owntracks = try await server.send(
        "POST", "/log/owntracks/\(token)/anna", body: #"{"_type":"location","lat":1,"lon":2,"tst":1795163400}"#)
      #expect(owntracks.status == 200 && owntracks.text == "[]")
      let batch =
        #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[3,1]},"properties":{"timestamp":"2026-11-20T08:31:00Z"}}]}"#
      let overland = try await server.send("POST", "/log/overland/\(token)/anna", body: batch)
      #expect(overland.status == 200 && overland.text.contains(#""result":"ok""#))
      #expect(try await server.send("GET", "/log/dance/\(token)/anna").status == 404)
      #expect(try await server.points().map { $0["device_id"] as? String } == ["anna", "anna"])
      #expect(try await server.rejected().isEmpty)
    }
  }

  // MARK: OpenLocate

  @Test(
    "OpenLocate's batches are accepted: fields of the device are stored, its advertising identifier is not",
    arguments: RegionServer.Depth.allCases)
  func openLocate(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let body =
        #"{"locations":[{"ad_id":"6D92078A","ad_opt_out":true,"id_type":"idfa","latitude":37.773972,"longitude":-122.431297,"utc_timestamp":1795163400,"utc_timestamp_received":1795163402,"horizontal_accuracy":12.3,"is_charging":true,"device_model":"iPhone 7","os_version":"iOS 11.0.3","carrier_name":"T-Mobile","wifi_ssid":"Jungle","wifi_bssid":"1a:2b","location_context":"regular","location_permission":"when_in_use","app":"mine"},{"latitude":91,"longitude":0},{"utc_timestamp":5}]}"#
      let headers = ["User-Agent": "App/1 (com.example; build:1; iOS 11.0.3) OpenLocate/1.6.0"]
      let response = try await server.send("POST", "/api/openlocate", body: body, device: "phone", headers: headers)
      #expect(response.status == 200)
      #expect(
        response.text.hasPrefix(
          #"{"result":"ok","saved":1,"duplicates":0,"rejected":[{"index":1,"reason":"latitude 91 is outside −90…90 (locations[1].latitude"#
        )
          && response.text.hasSuffix(#""placeless":1}"#), "\(response.text)")
      let point = try #require(try await server.points().first)
      for (name, value) in [
        "device_model": "iPhone 7", "os_version": "iOS 11.0.3", "carrier_name": "T-Mobile", "wifi": "Jungle",
        "wifi_bssid": "1a:2b",
        "location_context": "regular", "location_permission": "when_in_use", "app": "mine", "battery_state": "charging",
      ] {
        #expect(point[name] as? String == value, "\(name): \(point)")
      }
      #expect(point["ad_opt_out"] as? Bool == true && point["utc_timestamp_received"] as? Int == 1_795_163_402)
      #expect(point["ad_id"] == nil && point["id_type"] == nil)
      let again = try await server.send(
        "POST", "/v1/provider/0a1b/devicelocation", body: body, device: "phone", headers: headers)
      #expect(again.object["duplicates"] as? Int == 1)
      #expect(try await server.send("POST", "/api/openlocate", body: #"{"locations":[]}"#, device: "phone").status == 200)
      #expect(try await server.send("POST", "/api/openlocate", body: "{", device: "phone").status == 400)
      #expect(try await server.send("POST", "/api/openlocate", body: body).status == 401)
    }
  }

  @Test("a backlog of ten days arrives in one request")
  func backlog() async throws {
    try await RegionServer.with { server in
      let many = (0..<40_000).map {
        #"{"latitude":46.05,"longitude":14.5,"utc_timestamp":\#(1_795_000_000 + $0),"utc_timestamp_received":1795163402,"horizontal_accuracy":12.3,"device_model":"iPhone 7","os_version":"iOS 11.0.3","location_context":"regular","carrier_name":"T-Mobile"}"#
      }
      let body = #"{"locations":[\#(many.joined(separator: ","))]}"#
      #expect(body.utf8.count > 8 << 20)
      let response = try await server.send("POST", "/api/openlocate", body: body, device: "phone")
      #expect(response.object["saved"] as? Int == 40_000)
    }
  }
}
