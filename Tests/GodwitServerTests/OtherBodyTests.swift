import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitServer

extension RegionServer {
  fileprivate func points() async throws -> [[String: Any]] {
    let features = try await send("GET", "/api/v1/points", ["marked": "true"]).object["features"] as? [[String: Any]] ?? []
    return features.compactMap { $0["properties"] as? [String: Any] }
  }

  fileprivate func rejected() async throws -> [[String: Any]] {
    try await send("GET", "/api/v1/rejected").object["rejected"] as? [[String: Any]] ?? []
  }
}

/// A body of a successful request is never dropped.
@Suite("Bodies of other clients", .timeLimit(.minutes(20)))
struct OtherBodyTests {
  private static func multipart(_ fields: [(String, String)], photo: [UInt8] = []) -> [UInt8] {
    var body: [UInt8] = []
    for (name, value) in fields {
      body += Array("--bound\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    if !photo.isEmpty {
      body += Array(
        "--bound\r\nContent-Disposition: form-data; name=\"image\"; filename=\"image\"\r\nContent-Type: image/jpeg\r\nContent-Transfer-Encoding: binary\r\n\r\n"
          .utf8)
      body += photo + Array("\r\n".utf8)
    }
    return body + Array("--bound--\r\n".utf8)
  }

  private static let place = [("action", "addpos"), ("trackid", "1"), ("lat", "46.05"), ("lon", "14.5"), ("time", "1795163400")]
  private static let type = ["Content-Type": "multipart/form-data; boundary=bound"]

  @Test(
    "a µlogger position with a photo is a point, and every address for forms accepts multipart forms",
    arguments: [
      "/log/ulogger/TOKEN/phone/client/index.php", "/api/gpslogger/TOKEN", "/api/osmand/TOKEN", "/log/post/TOKEN/phone",
    ])
  func photo(_ path: String) async throws {
    try await RegionServer.with(.overASocket) { server in
      let path = path.replacing("TOKEN", with: try #require(server.tokens["phone"]))
      // A photo with all byte values, and with the boundary in the middle of a line.
      let photo = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) } + Array("x--bound\r\n--boun".utf8)
      let response = try await server.send(
        "POST", path, bytes: Self.multipart(Self.place, photo: photo), headers: Self.type)
      #expect(response.status == 200, "\(response.text)")
      let points = try await server.points()
      #expect(points.count == 1 && points[0]["image"] as? String == "image/jpeg, \(photo.count) bytes", "\(points)")
      // Fields that every point of µlogger has are not stored.
      #expect(points[0]["action"] == nil && points[0]["sent_action"] == nil)
      #expect(try await server.rejected().isEmpty)
    }
  }

  @Test(
    "a body without a position is stored as rejected, with its bytes and the reason",
    arguments: [
      ("application/json", #"{"points":[[46.05]]}"#, "[46.05]"), ("text/plain", "hello", "hello"), ("", "hello", "hello"),
      ("application/json", #"{"type":"update_location","data":{"gps":[]}}"#, #"{"type":"update_location","data":{"gps":[]}}"#),
      ("multipart/form-data; boundary=bound", "--bound\r\nbroken", "--bound\r\nbroken"),
      ("multipart/form-data", "--bound\r\n", "--bound\r\n"), ("application/json", #"{"a":1}"#, #"{"a":1}"#),
      ("application/x-www-form-urlencoded", "action=addpos&trackid=3", "action=addpos&trackid=3"),
    ])
  func kept(_ type: String, _ body: String, _ raw: String) async throws {
    try await RegionServer.with { server in
      for path in ["/api/gpslogger", "/api/osmand"] {
        let response = try await server.send(
          "POST", path, body: body, device: "phone", headers: type.isEmpty ? [:] : ["Content-Type": type])
        #expect(response.status == 200, "\(response.text)")
      }
      let rejected = try await server.rejected()
      #expect(rejected.count == 2, "\(rejected)")
      for part in rejected { #expect(part["raw"] as? String == raw && part["reason"] as? String != "", "\(part)") }
    }
  }

  @Test(
    "a body of an unknown type is rejected with the accepted types",
    arguments: ["image/jpeg", "application/octet-stream", "multipart/mixed; boundary=x", "text/html", "application/xml"])
  func unknownType(_ type: String) async throws {
    try await RegionServer.with { server in
      let token = try #require(server.tokens["phone"])
      for path in ["/api/gpslogger/\(token)", "/api/osmand/\(token)", "/log/post/\(token)/x", "/api/v1/traccar/points"] {
        let response = try await server.send("POST", path, body: "x", device: "phone", headers: ["Content-Type": type])
        #expect(response.status == 415 && response.text.contains("multipart/form-data"), "\(response.text)")
        // The type of a request without a body is ignored.
        let empty = try await server.send(
          "POST", path, ["lat": "46", "lon": "14", "timestamp": "1795163400"], device: "phone", headers: ["Content-Type": type])
        #expect(empty.status == 200, "\(empty.text)")
      }
      #expect(try await server.points().count == 1)
    }
  }

  @Test("PhoneTrack's addresses in Nextcloud and its batches of rows are accepted")
  func phoneTrack() async throws {
    try await RegionServer.with(.overASocket) { server in
      let token = try #require(server.tokens["phone"])
      for (index, start) in ["/apps/phonetrack", "/index.php/apps/phonetrack"].enumerated() {
        let time = 1_795_163_400 + index * 100
        let fields = ["lat": "46", "lon": "14", "timestamp": "\(time)"]
        #expect(try await server.send("GET", "\(start)/logGet/\(token)/anna", fields).text == #"{"done":1,"friends":[]}"#)
        let osmand = try await server.send(
          "GET", "\(start)/log/osmand/\(token)/anna", fields.merging(["timestamp": "\(time + 1)"]) { $1 })
        #expect(osmand.status == 200)
        let form = try await server.send(
          "POST", "\(start)/logPost/\(token)/anna", body: "lat=46&lon=14&timestamp=\(time + 2)",
          headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(form.status == 200)
        let rows = try await server.send(
          "POST", "\(start)/logPostMultiple/\(token)/anna",
          body:
            #"{"points":[[46,14,\#(time + 3),300,5,80,9,"app",1.5,90],[46,14,\#(time + 4),null,null,null,null,null,null,null]]}"#,
          headers: ["Content-Type": "application/json"])
        #expect(rows.text == #"{"done":1,"friends":[]}"#)
        #expect(try await server.send("GET", "\(start)/logGet/wrong/anna", fields).status == 401)
        #expect(try await server.send("GET", "\(start)/dance/\(token)/anna", fields).status == 404)
      }
      let points = try await server.points()
      #expect(points.count == 10 && points.allSatisfy { $0["device_id"] as? String == "anna" }, "\(points)")
      #expect(try await server.rejected().isEmpty)
    }
  }

  @Test("Dawarich's addresses are accepted: its apps need only another host and token")
  func dawarich() async throws {
    try await RegionServer.with { server in
      let key = ["api_key": try #require(server.tokens["phone"])]
      let batch =
        #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{"timestamp":"2026-11-20T08:31:00Z"}}]}"#
      #expect(try await server.send("POST", "/api/v1/overland/batches", key, body: batch).text.contains(#""result":"ok""#))
      let message = #"{"_type":"location","lat":46,"lon":14,"tst":1795163500}"#
      #expect(try await server.send("POST", "/api/v1/owntracks/points", key, body: message).text == "[]")
      let traccar =
        #"{"device_id":"iphone","location":{"timestamp":"2026-11-20T08:33:00Z","latitude":46,"longitude":14},"battery":{"level":0.5,"is_charging":true}}"#
      #expect(
        try await server.send(
          "POST", "/api/v1/traccar/points", key, body: traccar, headers: ["Content-Type": "application/json"]
        ).status == 200)
      for path in ["/api/v1/overland/batches", "/api/v1/owntracks/points", "/api/v1/traccar/points"] {
        #expect(try await server.send("POST", path, ["api_key": "gw_wrong"], body: "{}").status == 401)
      }
      let points = try await server.points()
      #expect(points.count == 3 && points.last?["battery_level"] as? Double == 0.5, "\(points)")
    }
  }
}
