import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitAccountAPI
@testable import GodwitAccounts
@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

@Suite("Links")
struct LinkTests {
  private struct Scene {
    var server: AccountServer
    var users: TestUsers
    var anna: AccountServer.Caller
    var start: Date

    /// Anna's phone has moved north for ten minutes. No formatted time contains the digits of its latitude: `now` has fractional
    /// seconds.
    init(_ server: AccountServer) async throws {
      self.server = server
      users = try await TestUsers(server)
      anna = try await server.session(of: users.anna)
      start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 3600).rounded())
      try server.upload(
        users.annasPhone.caller, (0..<10).map { (66 + Double($0) / 1000, 14.123_456) }, from: start,
        extra: #","wifi":"annas-network","battery_level":0.5,"speed":1.5,"altitude":8848.86"#)
      try server.upload(users.bensPhone.caller, [(47, 8)], from: start)
    }

    func make(_ options: String) -> Response {
      server.send("POST", "/api/v1/links", as: anna, body: #"{"devices":["annas-phone"],\#(options)}"#)
    }

    func time(_ minutes: Double) -> String { RFC3339.string(start.addingTimeInterval(minutes * 60)) }
  }

  private static func secret(_ response: Response) throws -> String { try #require(response.object["token"] as? String) }

  private static func points(_ response: Response) -> [[Double]] {
    response.list("tracks").first?["points"] as? [[Double]] ?? []
  }

  @Test(
    "a link shows only the time window of its devices, and no names",
    arguments: StoreKind.tested)
  func window(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let made = scene.make(#""name":"Walk","from":"\#(scene.time(3))","to":"\#(scene.time(6))","expires":"2100-01-01""#)
      #expect(made.status == 201, "\(made.text)")
      let secret = try Self.secret(made)
      let seen = server.send("GET", "/api/v1/shared/\(secret)")
      #expect(Self.points(seen).map { $0[1] } == [66.003, 66.004, 66.005])
      for text in ["annas", "bens", "network", "battery", "8848.", "1.5,", "66.002", "66.006", "phone", "\"anna\"", "lnk_"] {
        #expect(!seen.text.contains(text), "\(text) in \(seen.text)")
      }
      #expect(server.send("GET", "/api/v1/shared/\(secret)?after=0").text.contains("66.003"))
      #expect(!server.send("GET", "/api/v1/shared/\(secret)?after=0").text.contains("66.002"))
      #expect(server.send("GET", "/s/\(secret)").text.contains("share.js"))
      #expect(server.send("GET", "/s/\(secret)").headers["x-robots-tag"] == "noindex")
    }
  }

  @Test("the secret of a link gives access to no other route, however it is sent")
  func nothingElse() async throws {
    try await AccountServer.with { server in
      let scene = try await Scene(server)
      let secret = try Self.secret(scene.make(#""name":"Walk""#))
      let callers: [AccountServer.Caller] = [
        .bearing(secret), .browser(secret), AccountServer.Caller(headers: ["Cookie": "godwit_token=\(secret)"]),
        AccountServer.Caller(headers: ["Godwit-Link-Proof": secret]),
      ]
      var asked = 0
      for route in Routes.table {
        switch route.access {
        case .open: continue
        case .device, .app, .named, .logged, .read, .account, .accountChange, .administrator, .administratorChange,
          .deviceOrAdministrator:
          break
        }
        let path = route.path.replacing(/[A-Z]{2,}/, with: "annas-phone")
        for method in route.methods {
          for caller in callers {
            #expect(server.send(method, path, as: caller).status == 401, "\(method) \(path)")
            #expect(server.send(method, "\(path)?token=\(secret)").status == 401, "\(method) \(path)")
            asked += 2
          }
        }
      }
      #expect(asked > 300)
    }
  }

  @Test("a live link shows new positions, and none before its creation")
  func live() async throws {
    try await AccountServer.with { server in
      let scene = try await Scene(server)
      let secret = try Self.secret(scene.make(#""name":"Live""#))
      #expect(Self.points(server.send("GET", "/api/v1/shared/\(secret)")).isEmpty)
      try server.upload(scene.users.annasPhone.caller, [(66.5, 14.5)], from: Date())
      let seen = Self.points(server.send("GET", "/api/v1/shared/\(secret)"))
      #expect(seen.map { $0[1] } == [66.5])
      let after = Int64(seen[0][0])
      #expect(Self.points(server.send("GET", "/api/v1/shared/\(secret)?after=\(after)")).isEmpty)
    }
  }

  @Test("an outlier is not shown", arguments: StoreKind.tested)
  func marked(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let wrong = PointKey(
        time: scene.start.addingTimeInterval(120).millisecondsSince1970, latitude: 660_020_000, longitude: 141_234_560)
      let device = scene.users.annasPhone.device
      let isThere = try await server.server.store.write {
        try OutlierTable.set(true, wrong, ofDevice: device.id, at: Date(), $0)
      }
      #expect(isThere)
      let secret = try Self.secret(
        scene.make(#""name":"Walk","from":"\#(scene.time(0))","to":"\#(scene.time(4))","expires":"2100-01-01""#))
      let seen = Self.points(server.send("GET", "/api/v1/shared/\(secret)"))
      #expect(seen.map { $0[1] } == [66, 66.001, 66.003])
    }
  }

  @Test("a point that was shown is withdrawn when it is flagged, shown again, or deleted", arguments: StoreKind.tested)
  func withdrawn(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let device = scene.users.annasPhone.device
      let secret = try Self.secret(
        scene.make(#""name":"Walk","from":"\#(scene.time(0))","to":"\#(scene.time(4))","expires":"2100-01-01""#))
      var last = server.send("GET", "/api/v1/shared/\(secret)")
      #expect(Self.points(last).count == 4 && last.object["complete"] as? Bool == true)
      let after = Int64(try #require(Self.points(last).last)[0])
      // The request of an open page.
      func next() throws -> [Double]? {
        let revision = try #require(last.object["revision"] as? String)
        last = server.send("GET", "/api/v1/shared/\(secret)?after=\(after)&revision=\(revision)")
        return last.object["complete"] as? Bool == true ? Self.points(last).map { $0[1] } : nil
      }
      #expect(try next() == nil && Self.points(last).isEmpty, "nothing has changed")
      let wrong = PointKey(
        time: scene.start.addingTimeInterval(120).millisecondsSince1970, latitude: 660_020_000, longitude: 141_234_560)
      for (isFlagged, shown) in [(true, [66, 66.001, 66.003]), (false, [66, 66.001, 66.002, 66.003])] {
        _ = try await server.server.store.write {
          try OutlierTable.set(isFlagged, wrong, ofDevice: device.id, at: Date(), $0)
        }
        #expect(try next() == shown)
        #expect(try next() == nil)
      }
      let range = "from=\(scene.time(0))&to=\(scene.time(0.5))"
      #expect(server.send("DELETE", "/api/v1/devices/annas-phone/points?\(range)", as: scene.anna).status == 200)
      #expect(try next() == [66.001, 66.002, 66.003])
      #expect(try next() == nil)
      // A page of an earlier version sends no revision.
      let old = server.send("GET", "/api/v1/shared/\(secret)?after=\(after)")
      #expect(old.object["complete"] as? Bool == false && Self.points(old).isEmpty)
    }
  }

  @Test("with coarse precision each cell is sent once, and the exact place, the speed and the altitude cannot be derived")
  func coarsened() async throws {
    try await AccountServer.with { server in
      let scene = try await Scene(server)
      let secret = try Self.secret(scene.make(#""name":"Coarse","from":"\#(scene.time(-1))","grid":2000"#))
      let seen = server.send("GET", "/api/v1/shared/\(secret)")
      let points = Self.points(seen)
      #expect((1...2).contains(points.count))
      for point in points {
        let place = try #require(Coordinate(latitude: point[1], longitude: point[2]))
        let there = try #require(Coordinate(latitude: 66.0045, longitude: 14.123_456))
        #expect(GreatCircle.distance(place, there) <= point[3] + 600 && point[3] >= 1400)
      }
      #expect(!seen.text.contains("14.1234") && !seen.text.contains("66.00"))
    }
  }

  @Test("a delay is subtracted from the end of the window")
  func delayed() {
    let options = SharingLink.Options(name: "", since: 1000, until: nil, grid: nil, delay: 60)
    let link = SharingLink(
      id: 1, account: nil, options: options, hasPassword: false, created: Date(), expires: nil, revoked: nil, viewed: nil,
      views: 0,
      devices: [])
    func at(_ seconds: Double) -> Range<Int64> { link.window(at: Date(timeIntervalSince1970: seconds)) }
    #expect(at(30).isEmpty)
    #expect(at(61.5) == 1000..<1501)
  }

  @Test(
    "a password is required, and wrong ones delay further attempts; the proof is valid for this link only",
    arguments: StoreKind.tested)
  func password(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let secret = try Self.secret(scene.make(#""name":"Locked","from":"\#(scene.time(-1))","password":"sesame""#))
      let other = try Self.secret(scene.make(#""name":"Other","from":"\#(scene.time(-1))","password":"sesame""#))
      #expect(server.send("GET", "/api/v1/shared/\(secret)").status == 401)
      #expect(!server.send("GET", "/api/v1/shared/\(secret)").text.contains("Locked"))
      func open(_ password: String) -> Response {
        server.send("POST", "/api/v1/shared/\(secret)", body: #"{"password":"\#(password)"}"#)
      }
      #expect(open("open").status == 422)
      let proof = try #require(open("sesame").object["proof"] as? String)
      let shown = AccountServer.Caller(headers: ["Godwit-Link-Proof": proof])
      #expect(Self.points(server.send("GET", "/api/v1/shared/\(secret)", as: shown)).count == 10)
      #expect(server.send("GET", "/api/v1/shared/\(other)", as: shown).status == 401)
      try await server.run("UPDATE sign_in_failures SET failures = 30", [])
      #expect(open("sesame").status == 429)
    }
  }

  @Test(
    "a link that ended, expired, or whose device was assigned to another user stops showing data immediately",
    arguments: StoreKind.tested)
  func ended(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let made = scene.make(#""name":"Walk","from":"\#(scene.time(-1))""#)
      let secret = try Self.secret(made)
      let id = try #require(made.object["id"] as? String)
      #expect(Self.points(server.send("GET", "/api/v1/shared/\(secret)")).count == 10)
      let ben = try await server.session(of: scene.users.ben)
      #expect(server.send("DELETE", "/api/v1/links/\(id)", as: ben).status == 404)
      try await server.give(scene.users.annasPhone.device, to: scene.users.ben)
      #expect(server.send("GET", "/api/v1/shared/\(secret)").list("tracks").isEmpty)
      try await server.give(scene.users.annasPhone.device, to: scene.users.anna)
      #expect(server.send("DELETE", "/api/v1/links/\(id)", as: scene.anna).status == 200)
      #expect(server.send("GET", "/api/v1/shared/\(secret)").status == 410)
      let short = try Self.secret(scene.make(#""name":"Short","from":"\#(scene.time(-1))""#))
      try await server.run("UPDATE links SET expires = 1", [])
      #expect(server.send("GET", "/api/v1/shared/\(short)").status == 410)
      #expect(server.send("GET", "/api/v1/shared/\(short)x").status == 404)
    }
  }

  @Test("views are counted once per open page, and the administrator sees the count", arguments: StoreKind.tested)
  func views(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let secret = try Self.secret(scene.make(#""name":"Walk""#))
      for path in ["", "?after=1", "?after=2", ""] { _ = server.send("GET", "/api/v1/shared/\(secret)\(path)") }
      // Views are written asynchronously and in order: this write is processed after them.
      try await server.run("DELETE FROM link_devices WHERE link = -1", [])
      let link = try #require(server.send("GET", "/api/v1/links", as: scene.anna).list("links").first)
      #expect(link["views"] as? Int == 2)
      #expect(link["token"] == nil)
      let bens = try await server.session(of: scene.users.ben)
      #expect(server.send("GET", "/api/v1/links", as: bens).list("links").isEmpty)
    }
  }

  struct Bad: CustomTestStringConvertible, Sendable {
    var testDescription: String { body }
    var body: String
    var status = 422
    var message: String
  }

  @Test(
    "an invalid link is rejected with the reason",
    arguments: [
      Bad(body: #"{"name":"x"}"#, message: "name 1 to 50 devices"),
      Bad(body: #"{"devices":["bens-phone"]}"#, status: 404, message: "No device"),
      Bad(body: #"{"devices":["annas-phone"],"grid":1}"#, message: "10 to 100000 metres"),
      Bad(body: #"{"devices":["annas-phone"],"delay":-1}"#, message: "0 to 604800 seconds"),
      Bad(body: #"{"devices":["annas-phone"],"expires":"2020-01-01"}"#, message: "this has passed"),
      Bad(body: #"{"devices":["annas-phone"],"from":"2026-01-02","to":"2026-01-01"}"#, message: "not after from"),
      Bad(body: #"{"devices":["annas-phone"],"password":"abc"}"#, message: "4 to 512 characters"),
      Bad(body: #"{"devices":["annas-phone"],"until":1}"#, message: "until: unknown field"),
    ])
  func bad(_ bad: Bad) async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let response = server.send("POST", "/api/v1/links", as: try await server.session(of: users.anna), body: bad.body)
      #expect(response.status == bad.status && response.text.contains(bad.message), "\(response.text)")
    }
  }

  @Test("if there are too many positions, every second one is dropped until they fit, but never the newest")
  func manyPlaces() throws {
    var places = SharedPlaces(.exact)
    let there = try #require(Coordinate(latitude: 46, longitude: 14))
    let count = 3 * LinkAPI.maximumPoints + 1
    for number in 0..<count {
      places.append(Fix(time: Date(timeIntervalSince1970: Double(number)), coordinate: there))
    }
    let texts = places.text.components(separatedBy: "],[")
    #expect((LinkAPI.maximumPoints / 2...LinkAPI.maximumPoints + 1).contains(texts.count))
    #expect(texts.last?.hasPrefix("\((count - 1) * 1000),") == true)
  }
}
