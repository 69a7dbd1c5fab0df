import Foundation
import GodwitModel
import GodwitSecrets
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitAccess
@testable import GodwitAccounts
@testable import GodwitServer
@testable import GodwitStore

/// All kinds of callers, in the order of the columns of ``AccessTable``.
enum CallerKind: String, CaseIterable {
  case anonymous = "nobody"
  case unknown, device, administrator, admin, adminRead, adminFull, member, memberRead, memberOne, memberFull, write, expired,
    revoked
  case crossSite = "foreign"

  /// A caller of this kind. Each has a new session, so that signing out does not affect another caller.
  func caller(_ users: TestUsers) async throws -> AccountServer.Caller {
    let server = users.server
    switch self {
    case .anonymous: return .anonymous
    case .unknown: return .bearing("gw_nobody-has-this-one")
    case .device: return users.annasPhone.caller
    case .administrator: return .bearing(try server.administratorToken)
    case .admin: return try await server.session(of: users.admin)
    case .adminRead: return try await server.token(.read, of: users.admin)
    case .adminFull: return try await server.token(.admin, of: users.admin)
    case .member: return try await server.session(of: users.anna)
    case .memberRead: return try await server.token(.read, of: users.anna)
    case .memberOne: return try await server.token(.read, of: users.anna, device: users.annasPhone.device)
    case .memberFull: return try await server.token(.admin, of: users.anna)
    case .write: return try await server.token(.write, of: users.anna, device: users.annasPhone.device)
    case .expired: return try await server.token(.admin, of: users.admin, expires: Date(timeIntervalSinceNow: -1))
    case .revoked: return try await server.token(.admin, of: users.admin, isRevoked: true)
    case .crossSite:
      var caller = try await server.session(of: users.admin)
      caller.headers["Sec-Fetch-Site"] = "cross-site"
      return caller
    }
  }
}

/// Callers that get the same statuses as a ``CallerKind``.
enum CallerTwin: String, CaseIterable {
  /// A page of another site whose name resolves to this machine.
  case rebound
  /// An anonymous client, through a proxy that adds no header.
  case proxied
  /// A session of the administrator.
  case administratorSession

  var kind: CallerKind { self == .administratorSession ? .administrator : .anonymous }

  func caller(_ server: AccountServer) throws -> AccountServer.Caller {
    switch self {
    case .rebound:
      AccountServer.Caller(headers: ["Host": "127.evil.example:8080", "Origin": "http://127.evil.example:8080"])
    case .proxied: AccountServer.Caller(headers: ["Host": "127.0.0.1:8080"])
    case .administratorSession:
      .administratorBrowser(
        try server.server.administrator.login.sessions.begin(address: "127.0.0.1", agent: "test", at: Date()).secret)
    }
  }
}

/// A server with an administrator and two members. Each has one or two devices.
struct TestUsers {
  let server: AccountServer
  let admin, anna, ben: User
  let annasPhone, annasWatch, bensPhone, adminsPhone: (device: Device, caller: AccountServer.Caller)

  init(_ server: AccountServer) async throws {
    self.server = server
    admin = try await server.user("root", .admin)
    anna = try await server.user("anna")
    ben = try await server.user("ben")
    annasPhone = try await server.device("annas-phone", of: anna)
    annasWatch = try await server.device("annas-watch", of: anna)
    bensPhone = try await server.device("bens-phone", of: ben)
    adminsPhone = try await server.device("admins-phone", of: nil)
  }
}

@Suite("Access")
struct AccessTests {
  /// Harmless requests to a route, one for each method: the path parameter names no object, and the body is empty.
  private static func requests(_ route: Routes.Route) -> [(method: String, path: String)] {
    let path = route.path.split(separator: "/", omittingEmptySubsequences: false).map {
      !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isUppercase } ? "nothing" : String($0)
    }.joined(separator: "/")
    return route.methods.map { ($0, path) }
  }

  @Test("every route returns the status in the table to every kind of caller, and the table lists every route")
  func table() async throws {
    try await AccountServer.with(listen: "127.0.0.1:0") { server in
      let users = try await TestUsers(server)
      var observed: [String: [Int]] = [:]
      for route in Routes.table {
        for request in Self.requests(route) {
          var statuses: [Int] = []
          for kind in CallerKind.allCases {
            statuses.append(server.send(request.method, request.path, as: try await kind.caller(users)).status)
          }
          observed["\(request.method) \(route.path)"] = statuses
          for twin in CallerTwin.allCases {
            let status = server.send(request.method, request.path, as: try twin.caller(server)).status
            let expected = CallerKind.allCases.firstIndex(of: twin.kind).map { statuses[$0] }
            #expect(status == expected, "\(twin) \(request.method) \(route.path)")
          }
        }
      }
      let (rows, routes) = (Set(AccessTable.rows.keys), Set(observed.keys))
      #expect(
        rows == routes,
        "AccessTable lacks \(routes.subtracting(rows).sorted()) and has \(rows.subtracting(routes).sorted()) in excess")
      for (route, statuses) in observed.sorted(by: { $0.key < $1.key }) {
        let expected = AccessTable.rows[route] ?? []
        let line = statuses.map(String.init).joined(separator: " ")
        #expect(expected == statuses, "the row of AccessTable for the observed statuses: \(route) \(line)")
      }
    }
  }

  @Test("no response to a member contains data of another user", arguments: StoreKind.tested)
  func isolation(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let now = Date(timeIntervalSinceNow: -3600)
      let bens = [(latitude: 47.123_456_7, longitude: 8.765_432_1), (47.123_456_8, 8.765_432_2)]
      try server.upload(users.bensPhone.caller, bens, from: now, extra: #","wifi":"bens-network","battery_level":0.5"#)
      try server.upload(users.adminsPhone.caller, bens, from: now, extra: #","wifi":"bens-network""#)
      try server.upload(users.annasPhone.caller, [(46, 14)], from: now)
      _ = server.send("POST", "/api/overland", as: users.bensPhone.caller, body: #"{"locations":[{"bens":"broken-feature"}]}"#)
      try await server.run(
        "INSERT INTO region_events (device, region, name, body) VALUES (?, 'bens-home', 'evt_1', ?)",
        [users.bensPhone.device.id.argument, #"{"device":"bens-phone","region":"bens-home"}"#.argument])
      let secrets = [
        "bens-phone", "admins-phone", "bens-network", "47.123456", "8.765432", "471234", "broken-feature", "bens-home", "\"ben\"",
      ]
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      var wasSeen = 0
      for route in Routes.table where route.methods.contains("GET") {
        let (_, path) = Self.requests(route)[0]
        for query in ["", "?device=annas-phone", "?device=bens-phone", "?user=ben", "?limit=1", "?all=true", "?bbox=8,47,9,48"] {
          for kind in [CallerKind.member, .memberRead, .memberOne, .memberFull, .write, .device, .unknown, .anonymous] {
            let response = server.send("GET", path + query, as: try await kind.caller(users))
            // A rejection may repeat the user's own arguments.
            guard response.status < 400 || !query.contains("ben") else { continue }
            for secret in secrets {
              #expect(!response.text.contains(secret), "\(kind) GET \(path)\(query): \(secret)")
            }
          }
          let all = server.send("GET", path + query, as: administrator).text
          wasSeen += secrets.filter { all.contains($0) }.count
        }
      }
      // The administrator's responses contain these texts, so the expectations above test real data.
      #expect(wasSeen > 20)
    }
  }

  @Test(
    "pagination continues within the member's own devices only",
    arguments: StoreKind.tested)
  func pages(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let start = Date(timeIntervalSinceNow: -86400)
      let phones = [users.annasPhone, users.bensPhone, users.annasWatch, users.adminsPhone]
      for (phone, latitude) in zip(phones, [46.0, 47, 48, 49]) {
        try server.upload(phone.caller, (0..<5).map { (latitude + Double($0) / 100, 14) }, from: start)
      }
      let browser = try await server.session(of: users.anna)
      var latitudes: [Double] = []
      var after = ""
      repeat {
        let response = server.send("GET", "/api/v1/points?limit=3&cursor=\(after)", as: browser)
        #expect(response.status == 200)
        latitudes += response.features.compactMap {
          (($0["geometry"] as? [String: Any])?["coordinates"] as? [Double])?[1]
        }
        after = response.object["next_cursor"] as? String ?? ""
      } while !after.isEmpty
      #expect(latitudes == [46, 46.01, 46.02, 46.03, 46.04, 48, 48.01, 48.02, 48.03, 48.04])
    }
  }

  @Test("users and the administrator token see and revoke their own tokens, and an administrator sees all")
  func tokens() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let (admin, anna) = (try await server.session(of: users.admin), try await server.session(of: users.anna))
      var ids: [String] = []
      for caller in [administrator, admin, anna] {
        let made = server.send("POST", "/api/v1/tokens", as: caller, body: #"{"name":"grafana"}"#)
        ids.append(try #require(made.object["id"] as? String))
      }
      func seen(_ query: String, _ caller: AccountServer.Caller) -> [String] {
        server.send("GET", "/api/v1/tokens\(query)", as: caller).list("tokens").compactMap { $0["id"] as? String }
      }
      #expect([administrator, admin, anna].map { seen("", $0) } == ids.map { [$0] })
      #expect(seen("?all=true", admin) == ids.reversed() && seen("?user=anna", administrator) == [ids[2]])
      #expect(server.send("GET", "/api/v1/tokens?all=true", as: anna).status == 403)
      #expect(server.send("DELETE", "/api/v1/tokens/\(ids[0])", as: anna).status == 404)
      #expect(server.send("DELETE", "/api/v1/tokens/\(ids[2])", as: anna).status == 200)
      #expect(server.send("DELETE", "/api/v1/tokens/\(ids[2])", as: anna).status == 404)
      #expect(server.send("DELETE", "/api/v1/tokens/\(ids[0])", as: admin).status == 200)
    }
  }

  @Test("a token that sends for a device is invalid after the device was given to another user")
  func givenAway() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      func status(_ caller: AccountServer.Caller) -> Int { server.send("GET", "/api/overland", as: caller).status }
      #expect(status(try await server.token(.write, of: users.anna, device: users.annasPhone.device)) == 200)
      let token = try await server.token(.write, of: users.anna, device: users.annasPhone.device)
      try await server.give(users.annasPhone.device, to: users.ben)
      #expect(status(token) == 401)
      // The device's own token stays valid.
      #expect(status(users.annasPhone.caller) == 200)
    }
  }

  @Test("a device without access and a missing device give the same response")
  func noOracle() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let browser = try await server.session(of: users.anna)
      for path in [
        "/api/v1/points", "/api/v1/tracks", "/api/v1/rejected", "/api/v1/journals", "/api/v1/events", "/api/v1/region-events",
      ] {
        let there = server.send("GET", "\(path)?device=bens-phone", as: browser, headers: ["X-Request-Id": "same"])
        let unreachable = server.send("GET", "\(path)?device=nobodys", as: browser, headers: ["X-Request-Id": "same"])
        #expect(there.status == 404 && unreachable.status == 404)
        #expect(there.text.replacing("bens-phone", with: "nobodys") == unreachable.text)
      }
    }
  }

  @Test("a subscriber gets events of their own devices only, and none after the end of the session", .timeLimit(.minutes(20)))
  func live() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let feed = server.server.feed
      func reader() throws -> Principal {
        let accessLevels = try server.server.store.read { try AccessLevelTable.accessLevels(of: users.anna.id, $0) }
        let session = try #require(
          try server.server.store.read { try SessionTable.all(of: users.anna.id, at: Date(), $0) }.first)
        return Principal(identity: .user(users.anna, session: session), accessLevels: accessLevels)
      }
      _ = try await server.session(of: users.anna)
      let found = try reader()
      let subscription = feed.subscribe(device: nil, audience: found.audience) {
        [access = server.server.pipeline.admission.access] in
        access.current(found)?.audience
      }
      func received() -> String {
        if case .bytes(let bytes) = subscription.next() { String(decoding: bytes, as: UTF8.self) } else { "" }
      }
      _ = received()
      feed.publish(Array("anna's".utf8), device: users.annasPhone.device.id)
      feed.publish(Array("ben's".utf8), device: users.bensPhone.device.id)
      feed.publish(Array("regions".utf8))
      feed.keepAlive()
      #expect(received() == "anna's: \n\n")
      // A device that was assigned to the subscriber.
      try await server.give(users.bensPhone.device, to: users.anna)
      feed.review()
      feed.publish(Array("ben's".utf8), device: users.bensPhone.device.id)
      #expect(received() == "ben's")
      try await server.run("DELETE FROM sessions WHERE account = ?", [users.anna.id.argument])
      feed.review()
      feed.publish(Array("anna's".utf8), device: users.annasPhone.device.id)
      var hasEnded = false
      if case .ended = subscription.next() { hasEnded = true }
      #expect(hasEnded)
    }
  }
}

@Suite("Pages with hidden elements")
struct FilledPageTests {
  @Test(
    "a page is filled with few reads, even if thousands of elements are hidden",
    arguments: [(1, 3), (10, 3), (10_000, 1), (1, 5_000), (7, 0), (1_200, 2_000)])
  func reads(_ wanted: Int, _ shown: Int) {
    let all = Array(0..<5_000)
    var reads = 0
    let found = VisiblePoints.filled(wanted) { (last: Int?, limit: Int) -> [Int] in
      reads += 1
      return Array(all[((last ?? -1) + 1)...].prefix(limit))
    } show: {
      $0 >= 5_000 - shown ? $0 : nil
    }
    #expect(found == Array(all.suffix(shown).prefix(wanted)) && (1...7).contains(reads), "\(reads)")
  }
}
