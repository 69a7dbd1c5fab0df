import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitAccess
@testable import GodwitServer
@testable import GodwitStore

/// Sends numbers at the limits of `Int64` and `Double`, and times at the limits of the calendar, in every place that a client controls.
@Suite("Extreme numbers", .timeLimit(.minutes(20)))
struct ExtremeNumberTests {
  private static let extremes = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "9223372036854775000",
    "9007199254740993", "18446744073709551615", "1e308", "-1e308", "1e999", "5e-324", "NaN", "inf", "-1", "0", "-0.0",
    "9999-12-31T23:59:59Z", "0001-01-01", "9223372036854775807_9223372036854775807_9223372036854775807_9223372036854775807",
    "1_-9223372036854775808_9223372036854775807_-9223372036854775808", "9223372036854775807,-1e308,NaN,1e308",
  ]

  /// An operation that a test requests.
  private struct Operation {
    var method: String
    var path: String
    var names: [String]
  }

  /// The GET operations of the OpenAPI document, with the names of their query parameters.
  private static func operations() -> [Operation] {
    let document = OpenAPIDocument().object
    let components = document["components"] as? [String: [String: Any]] ?? [:]
    let paths = document["paths"] as? [String: [String: [String: Any]]] ?? [:]
    return paths.sorted { $0.key < $1.key }.compactMap { path, operations in
      guard let members = operations["get"] else { return nil }
      let parameters = (members["parameters"] as? [[String: Any]] ?? []).compactMap { parameter in
        (parameter["$ref"] as? String).map {
          components["parameters"]?[String($0.split(separator: "/")[2])] as? [String: Any] ?? [:]
        }
          ?? parameter
      }
      let names = parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
      return Operation(method: "GET", path: path, names: names)
    }
  }

  /// Valid values for the arguments that an operation requires.
  private static let usual = [
    "bbox": "14,46,15,47", "zoom": "10", "year": "2026", "from": "2026-11-01", "to": "2026-11-08", "device": "annas-phone",
  ]

  private static func address(_ path: String, _ arguments: [String: String]) -> String {
    let query = arguments.sorted { $0.key < $1.key }.map { name, value in
      "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }
    return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
  }

  @Test(
    "an argument that the document does not list is rejected with its name by every GET operation of the API that has arguments")
  func unknownArguments() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let start = Date(timeIntervalSince1970: 1_795_000_000)
      try server.upload(users.annasPhone.caller, [(46, 14.5)], from: start)
      // Receivers of positions ignore the arguments that they do not know.
      let operations = Self.operations().filter { operation in
        operation.path.hasPrefix("/api/v1/") && operation.path != "/api/v1/traccar/points" && !operation.names.isEmpty
          && !operation.path.contains("{")
      }
      #expect(operations.count > 20)
      for operation in operations {
        let usual = Self.usual.filter { operation.names.contains($0.key) }
        let address = Self.address(operation.path, usual.merging(["devcie": "annas-phone"]) { $1 })
        let response = server.send("GET", address, as: administrator)
        #expect(
          response.status == 400 && response.object["at"] as? String == "devcie", "\(address): \(response.text.prefix(200))")
      }
    }
  }

  @Test("extreme numbers in any argument of any GET route never cause a server error")
  func arguments() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let start = Date(timeIntervalSince1970: 1_795_000_000)
      try server.upload(users.annasPhone.caller, (0..<20).map { (46 + Double($0) / 1000, 14.5) }, from: start)
      let link = server.send(
        "POST", "/api/v1/links", as: administrator,
        body: #"{"devices":["annas-phone"],"name":"Walk","from":"2020-01-01","expires":"2100-01-01"}"#)
      let secret = try #require(link.object["token"] as? String, "\(link.text)")
      var asked = 0
      func ask(_ path: String, _ arguments: [String: String]) {
        let address = Self.address(path, arguments)
        let response = server.send("GET", address, as: administrator)
        asked += 1
        #expect((200..<500).contains(response.status), "GET \(address): \(response.status) \(response.text.prefix(200))")
      }
      for operation in Self.operations() {
        let path = operation.path.split(separator: "/", omittingEmptySubsequences: false).map { part in
          switch part {
          case "{token}": secret
          case "{name}": "annas-phone"
          default: part.hasPrefix("{") ? "1" : String(part)
          }
        }.joined(separator: "/")
        let usual = Self.usual.filter { operation.names.contains($0.key) }
        for extreme in Self.extremes {
          for name in operation.names { ask(path, usual.merging([name: extreme]) { $1 }) }
          ask(path, Dictionary(operation.names.map { ($0, extreme) }) { $1 })
          // Path parameters are tested as well.
          guard operation.path.contains("{") else { continue }
          for prefix in ["", "lnk_", "whk_", "zon_", "place_", "imp_"] {
            ask(
              operation.path.split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.hasPrefix("{") ? prefix + extreme : String($0) }.joined(separator: "/"), usual)
          }
        }
      }
      #expect(asked > 5000, "\(asked)")
    }
  }

  @Test("extreme numbers in addresses, headers and bodies of device routes never cause a server error")
  func uploads() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let token = try #require(users.annasPhone.caller.headers["Authorization"]?.dropFirst("Bearer ".count))
      let fields = ["lat", "lon", "timestamp", "speed", "bearing", "altitude", "accuracy", "batt", "location", "limit"]
      var asked = 0
      for route in Routes.table where ["device", "app", "named", "logged", "deviceOrAdministrator"].contains("\(route.access)") {
        let path = route.path.replacing("TOKEN", with: token).replacing("PATH", with: "osmand/\(token)/phone")
        for method in route.methods {
          for extreme in Self.extremes {
            let number = Double(extreme)?.isFinite == true ? extreme : "\"\(extreme)\""
            let feature =
              #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(number),\#(number),\#(number)]},"properties":{"timestamp":\#(number),"speed":\#(number),"battery_level":\#(number),"type":"trip","start":\#(number),"end":\#(number),"steps":\#(number),"duration":\#(number)}}"#
            for body in [
              "", #"{"locations":[\#(feature)],"current":\#(feature),"trip":\#(feature)}"#,
              #"{"_type":"location","lat":\#(number),"lon":\#(number),"tst":\#(number),"vel":\#(number),"batt":\#(number),"acc":\#(number)}"#,
              #"{"_type":"transition","event":"enter","lat":1,"lon":2,"tst":\#(number),"wtst":\#(number),"acc":\#(number),"desc":"x"}"#,
              #"{"_type":"waypoint","desc":"x","lat":\#(number),"lon":\#(number),"rad":\#(number),"tst":\#(number)}"#,
              #"{"lat":\#(number),"lon":\#(number),"timestamp":\#(number),"speed":\#(number)}"#,
              #"{"points":[[46,14,\#(number),\#(number),\#(number),\#(number),\#(number)]]}"#,
              #"{"locations":[{"latitude":\#(number),"longitude":\#(number),"utc_timestamp":\#(number),"utc_timestamp_received":\#(number)}]}"#,
              "lat=\(extreme)&lon=\(extreme)&timestamp=\(extreme)",
            ] {
              let query = body.isEmpty ? Dictionary(fields.map { ($0, extreme) }) { $1 } : [:]
              let response = server.send(
                method, Self.address(path, query), as: users.annasPhone.caller, body: body,
                headers: ["Godwit-Range": "aaaaaaaaaaaaaaaa \(extreme)-\(extreme); since=\(extreme)", "If-None-Match": extreme])
              asked += 1
              #expect((200..<500).contains(response.status), "\(method) \(path) \(extreme) \(body): \(response.text.prefix(200))")
            }
          }
        }
      }
      #expect(asked > 2000, "\(asked)")
      for path in [
        "/api/v1/devices", "/api/v1/device-health", "/api/v1/points?device=annas-phone", "/api/v1/visits?device=annas-phone",
        "/api/v1/trips?device=annas-phone",
      ] {
        let response = server.send("GET", path, as: administrator)
        #expect(response.status == 200, "\(path): \(response.text.prefix(200))")
      }
    }
  }

  @Test(
    "a link's \"after\" is limited to the calendar: other times are rejected with the argument's name, and the last time is valid",
    arguments: [
      ("9223372036854775807", 400), ("-9223372036854775808", 400), ("253402300800000", 400), ("1e308", 400), ("NaN", 400),
      ("253402300799999", 200), ("-62135596800000", 200), ("0", 200), ("", 200),
    ])
  func sharedAfter(_ after: String, _ status: Int) async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      try server.upload(users.annasPhone.caller, [(46, 14)], from: Date(timeIntervalSince1970: 1_795_000_000))
      let link = server.send(
        "POST", "/api/v1/links", as: administrator,
        body: #"{"devices":["annas-phone"],"name":"Walk","from":"2020-01-01","expires":"2100-01-01"}"#)
      let response = server.send("GET", "/api/v1/shared/\(try #require(link.object["token"] as? String))?after=\(after)")
      #expect(response.status == status, "\(response.text)")
      #expect(status == 200 || response.text.contains("after="), "\(response.text)")
    }
  }

  @Test(
    "a range beyond the largest record number is rejected with its header's name, and not stored", arguments: StoreKind.tested)
  func ranges(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      for journal in ["aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"] {
        let good = server.send(
          "POST", "/api/overland", as: users.annasPhone.caller, body: #"{"locations":[]}"#,
          headers: ["Godwit-Range": "\(journal) 1-1; since=1"])
        #expect(good.status == 200)
        for numbers in [
          "9223372036854775807-9223372036854775807", "9223372036854775000-9223372036854775001; since=1", "1-1099511627777",
          "1-18446744073709551616",
        ] {
          let response = server.send(
            "POST", "/api/overland", as: users.annasPhone.caller, body: #"{"locations":[]}"#,
            headers: ["Godwit-Range": "\(journal) \(numbers)"])
          #expect(
            response.status == 400 && response.text.contains("Godwit-Range") && response.text.contains("1099511627776"),
            "\(response.text)")
        }
        let last = server.send(
          "POST", "/api/overland", as: users.annasPhone.caller, body: #"{"locations":[]}"#,
          headers: ["Godwit-Range": "\(journal) 1099511627776-1099511627776"])
        #expect(last.status == 200, "\(last.text)")
      }
      let devices = server.send("GET", "/api/v1/devices", as: administrator).list("devices")
      let phone = try #require(devices.first { $0["name"] as? String == "annas-phone" })
      #expect(phone["missing"] as? Int == 2 * ((1 << 40) - 2))
      let missing = server.send("GET", "/api/v1/device-health", as: administrator).list("devices")
      #expect(missing.first { $0["name"] as? String == "annas-phone" }?["missing"] as? Int == 2 * ((1 << 40) - 2))
    }
  }

  @Test(
    "extreme values that an earlier build stored are clamped for the map, the devices page and the command line",
    arguments: StoreKind.tested)
  func storedRanges(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let device = users.annasPhone.device.id
      for (journal, ranges) in [
        (11, [(1, 1), (Int64.max, .max)]), (12, [(1, 1), (.max - 807, .max - 806), (.max, .max)]), (13, [(.min, 5), (9, 7)]),
      ] as [(Int64, [(Int64, Int64)])] {
        try await server.run(
          "INSERT INTO journals (device, journal, since) VALUES (?, ?, ?)",
          [device.argument, journal.argument, Int64.min.argument])
        let id = try #require(
          try server.server.store.read { try $0.integer("SELECT id FROM journals WHERE journal = ?", journal) })
        for (first, last) in ranges {
          try await server.run(
            "INSERT INTO received_ranges (journal, first, last, began, ended) VALUES (?, ?, ?, ?, ?)",
            [id.argument, first.argument, last.argument, Int64.max.argument, Int64.min.argument])
        }
      }
      let maximum = (1 << 53) - 2
      let devices = server.send("GET", "/api/v1/devices", as: administrator).list("devices")
      #expect(devices.first { $0["name"] as? String == "annas-phone" }?["missing"] as? Int == 2 * maximum)
      let rows = server.send("GET", "/api/v1/device-health", as: administrator).list("devices")
      #expect(rows.first { $0["name"] as? String == "annas-phone" }?["missing"] as? Int == 2 * maximum)
      for path in ["/api/v1/devices/annas-phone/health", "/api/v1/journals", "/api/v1/journals?device=annas-phone"] {
        #expect(server.send("GET", path, as: administrator).status == 200)
      }
      // `godwit device list` prints this value.
      #expect(try server.server.store.journals(device: nil).missingByDevice()[device] == 2 * maximum)
    }
  }

  @Test("a member's devices page reads the journals of the member's own devices only")
  func ownJournals() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      for (phone, last) in [(users.annasPhone, 10), (users.bensPhone, 20)] {
        for numbers in ["1-1", "\(last)-\(last)"] {
          _ = server.send(
            "POST", "/api/overland", as: phone.caller, body: #"{"locations":[]}"#,
            headers: ["Godwit-Range": "00000000000000\(last) \(numbers)"])
        }
      }
      let anna = Principal(identity: .anonymous, accessLevels: [users.annasPhone.device.id: .everything])
      let missing = try VisiblePoints(anna, server.server.store).missingRecords()
      #expect(missing == [users.annasPhone.device.id: 8])
      let devices = server.send("GET", "/api/v1/devices", as: try await server.session(of: users.anna)).list("devices")
      #expect(devices.first { $0["name"] as? String == "annas-phone" }?["missing"] as? Int == 8)
    }
  }

  @Test("sums that overflow are clamped")
  func sums() {
    #expect([Int.max, 1].saturatingSum() == .max)
    #expect([Int.min, -1, 5].saturatingSum() == .min + 5)
    #expect([1, 2, 3].saturatingSum() == 6)
    #expect([Int]().saturatingSum() == 0)
  }
}
