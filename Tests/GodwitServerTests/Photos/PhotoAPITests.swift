import Foundation
import GodwitAccess
import GodwitModel
import TestClient
import TestServer
import Testing

@testable import GodwitPhotos
@testable import GodwitServer
@testable import GodwitStore

@Suite("Photos of an Immich server over HTTP", .timeLimit(.minutes(20)))
struct PhotoAPITests {
  private static let period = "from=2026-11-20&to=2026-11-21"

  private static func assets() -> [ImmichServer.Asset] {
    var assets = [
      ImmichServer.Asset(1, "2026-11-20T12:00:00.000Z", 46.05, 14.5),
      ImmichServer.Asset(2, "2026-11-20T08:30:00.000Z", 46.06, 14.51),
      ImmichServer.Asset(3, "2026-11-20T09:00:00.000Z"), ImmichServer.Asset(4, "2026-11-19T23:59:59.999Z", 46, 14),
      ImmichServer.Asset(5, "2026-11-21T00:00:00.000Z", 46, 14), ImmichServer.Asset(6, "2026-11-20T10:00:00.000Z", 0, 0),
      ImmichServer.Asset(7, "2026-11-20T11:00:00.000Z", 91, 400),
    ]
    let unseen: [(WritableKeyPath<ImmichServer.Asset, String>, String)] = [
      (\.type, "VIDEO"), (\.visibility, "locked"), (\.visibility, "hidden"),
    ]
    for (index, change) in unseen.enumerated() {
      var asset = ImmichServer.Asset(20 + index, "2026-11-20T13:00:00.000Z", 46, 14)
      asset[keyPath: change.0] = change.1
      assets.append(asset)
    }
    return assets
  }

  private static func body(_ immich: ImmichServer, key: String = "immich-key") -> String {
    #"{"address":"\#(immich.address)/","key":"\#(key)"}"#
  }

  /// The numbers of the photos, in the order of the response.
  private static func numbers(_ response: Response) -> [Int] {
    response.list("photos").compactMap { ($0["id"] as? String)?.suffix(3) }.compactMap { Int($0) }
  }

  @Test(
    "a user stores an address and a key; the photos of a day have times and positions, and no response contains the key",
    arguments: StoreKind.tested)
  func day(_ kind: StoreKind) async throws {
    let immich = try ImmichServer(.init(Self.assets()))
    try await AccountServer.with(on: kind) { server in
      let root = try await server.session(of: try await server.user("root", .admin))
      #expect(server.send("GET", "/api/v1/photos/server", as: root).object["address"] is NSNull)
      #expect(server.send("GET", "/api/v1/photos?\(Self.period)", as: root).status == 404)
      let stored = server.send("PUT", "/api/v1/photos/server", as: root, body: Self.body(immich))
      #expect(stored.status == 200 && stored.object["address"] as? String == immich.address, "\(stored.text)")
      let photos = server.send("GET", "/api/v1/photos?\(Self.period)", as: root)
      #expect(Self.numbers(photos) == [2, 3, 6, 7, 1] && photos.object["complete"] as? Bool == true, "\(photos.text)")
      #expect(photos.headers["cache-control"] == "no-store")
      let first = try #require(photos.list("photos").first)
      #expect(first["time"] as? String == "2026-11-20T08:30:00Z" && first["latitude"] as? Double == 46.06)
      #expect(first["link"] as? String == "\(immich.address)/photos/\(ImmichServer.Asset(2, "").id)")
      // Photos without a position, with 0, 0, and with an invalid position.
      #expect(photos.list("photos")[1...3].allSatisfy { $0["latitude"] is NSNull && $0["longitude"] is NSNull })
      let box = server.send("GET", "/api/v1/photos?\(Self.period)&bbox=14.505,46,15,47", as: root)
      #expect(Self.numbers(box) == [2])
      #expect(Self.numbers(server.send("GET", "/api/v1/photos?\(Self.period)&bbox=14.505,46,14.4,47", as: root)) == [2])

      try server.restart()
      #expect(Self.numbers(server.send("GET", "/api/v1/photos?\(Self.period)", as: root)).count == 5)
      for response in [
        stored, photos, server.send("GET", "/api/v1/photos/server", as: root), server.send("GET", "/api/v1/audit", as: root),
      ] {
        #expect(!response.text.contains("immich-key"))
      }
      #expect(try server.log().contains { $0.action == "PUT /api/v1/photos/server" && $0.subject.contains("127.0.0.1") })
      #expect(immich.requests.allSatisfy { $0.target == "/api/server/ping" || $0.headers["x-api-key"] == "immich-key" })
      #expect(immich.requests.allSatisfy { $0.target != "/api/server/ping" || $0.headers["x-api-key"] == nil })

      #expect(server.send("DELETE", "/api/v1/photos/server", as: root).status == 200)
      #expect(server.send("DELETE", "/api/v1/photos/server", as: root).status == 404)
      #expect(server.send("GET", "/api/v1/photos?\(Self.period)", as: root).status == 404)
    }
  }

  @Test("further pages are read, by number or cursor, and an incomplete response is marked", arguments: [false, true])
  func pages(_ hasCursors: Bool) async throws {
    var options = ImmichServer.Options(
      (0..<60).map { ImmichServer.Asset($0, "2026-11-20T12:00:\($0 < 10 ? "0" : "")\($0).000Z") })
    options.hasCursors = hasCursors
    options.pageSize = 20
    let immich = try ImmichServer(options)
    try await AccountServer.with(asAdministrator: true) { server in
      #expect(server.send("PUT", "/api/v1/photos/server", body: Self.body(immich)).status == 200)
      let all = server.send("GET", "/api/v1/photos?\(Self.period)")
      #expect(Self.numbers(all) == Array(0..<60) && all.object["complete"] as? Bool == true)
      immich.change { $0.pageSize = 5 }
      let some = server.send("GET", "/api/v1/photos?\(Self.period)")
      #expect(Self.numbers(some) == Array(0..<25) && some.object["complete"] as? Bool == false)
    }
  }

  @Test("an image is fetched from the Immich server once, then served from the cache, with an entity tag")
  func pictures() async throws {
    let immich = try ImmichServer(.init(Self.assets()))
    try await AccountServer.with(asAdministrator: true) { server in
      #expect(server.send("PUT", "/api/v1/photos/server", body: Self.body(immich)).status == 200)
      let path = "/api/v1/photos/\(ImmichServer.Asset(1, "").id)/thumbnail"
      let before = immich.requests.count
      let first = server.send("GET", path)
      #expect(first.status == 200 && first.headers["content-type"] == "image/png" && first.body == ImmichServer.png)
      #expect(first.headers["content-security-policy"] == "default-src 'none'; sandbox")
      #expect(first.headers["x-content-type-options"] == "nosniff" && first.headers["cache-control"] == "private, no-cache")
      let tag = try #require(first.headers["etag"])
      #expect(server.send("GET", path, headers: ["If-None-Match": tag]).status == 304)
      #expect(immich.requests.count == before + 1)
      #expect(server.send("GET", path + "?size=preview").status == 200)
      #expect(immich.requests.last?.target.hasSuffix("thumbnail?size=preview") == true)
      #expect(server.send("GET", path + "?size=original").status == 400)
      // After a change of the key the cache is not used.
      immich.change { $0.key = "new" }
      #expect(server.send("PUT", "/api/v1/photos/server", body: Self.body(immich, key: "new")).status == 200)
      let after = immich.requests.count
      #expect(server.send("GET", path).status == 200 && immich.requests.count == after + 1)
    }
  }

  @Test("only images up to the maximum size are returned; the type is detected from the bytes")
  func onlyPictures() async throws {
    let svg = Array("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8)
    let html = Array("<!doctype html><script>alert(1)</script>".utf8)
    let large = ImmichServer.png + [UInt8](repeating: 0, count: 600 << 10)
    let kinds: [(String, [UInt8], Int)] = [
      ("image/svg+xml", svg, 503), ("image/png", svg, 503), ("image/jpeg", html, 503), ("text/html", ImmichServer.png, 200),
      ("image/png", large, 503), ("image/png", [], 503),
    ]
    var options = ImmichServer.Options((0..<kinds.count).map { ImmichServer.Asset($0, "2026-11-20T12:00:00Z") })
    for (number, (type, bytes, _)) in kinds.enumerated() { options.pictures[options.assets[number].id] = (type, bytes) }
    let immich = try ImmichServer(options)
    try await AccountServer.with(asAdministrator: true) { server in
      #expect(server.send("PUT", "/api/v1/photos/server", body: Self.body(immich)).status == 200)
      for (number, (_, _, status)) in kinds.enumerated() {
        let response = server.send("GET", "/api/v1/photos/\(ImmichServer.Asset(number, "").id)/thumbnail")
        #expect(response.status == status, "\(number): \(response.text)")
        #expect(["image/png", "application/problem+json"].contains(response.headers["content-type"] ?? ""))
      }
      #expect(server.send("GET", "/api/v1/photos/\(ImmichServer.Asset(77, "").id)/thumbnail").status == 404)
      let before = immich.requests.count
      for id in ["x", "..%2F..%2Fserver", "00000000-0000-4000-8000-00000000000g"] {
        #expect(server.send("GET", "/api/v1/photos/\(id)/thumbnail").status == 404)
      }
      #expect(immich.requests.count == before, "no other address is requested")
    }
  }

  struct Rejection: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The member in the problem.
    let place: String
    let words: String
    let change: @Sendable (inout ImmichServer.Options) -> Void
  }

  static let rejections = [
    Rejection(testDescription: "wrong key", place: "key", words: "rejects the API key") { $0.key = "another" },
    Rejection(testDescription: "no right to read", place: "key", words: "asset.read") { $0.permissions = [] },
    Rejection(testDescription: "not an Immich server", place: "address", words: "does not answer as an Immich server") {
      $0.always = ("200 OK", ["Content-Type": "text/html"], "<h1>It works!</h1>")
    },
    Rejection(testDescription: "404", place: "address", words: "does not answer as an Immich server") {
      $0.always = ("404 Not Found", [:], "")
    },
    Rejection(testDescription: "redirect", place: "address", words: "redirects to https://elsewhere.example") {
      $0.always = ("302 Found", ["Location": "https://elsewhere.example/x?secret=1"], "")
    },
    Rejection(testDescription: "a long answer", place: "address", words: "too large") {
      $0.always = ("200 OK", [:], String(repeating: " ", count: 5000) + #"{"res":"pong"}"#)
    },
  ]

  @Test("a server with invalid responses and a rejected key are not stored", arguments: rejections)
  func rejected(_ rejection: Rejection) async throws {
    let immich = try ImmichServer(.init())
    immich.change(rejection.change)
    try await AccountServer.with(asAdministrator: true) { server in
      let response = server.send("PUT", "/api/v1/photos/server", body: Self.body(immich))
      #expect(response.status == 422 && response.object["at"] as? String == rejection.place, "\(response.text)")
      #expect(response.text.contains(rejection.words) && !response.text.contains("secret"), "\(response.text)")
      #expect(server.send("GET", "/api/v1/photos/server").object["address"] is NSNull)
      #expect(immich.requests.count <= 2)
    }
  }

  @Test("a redirect is not followed, and the key is sent to no other address")
  func redirect() async throws {
    let other = try ImmichServer(.init(Self.assets()))
    let immich = try ImmichServer(.init(Self.assets()))
    try await AccountServer.with(asAdministrator: true) { server in
      #expect(server.send("PUT", "/api/v1/photos/server", body: Self.body(immich)).status == 200)
      let place = other.address
      immich.change { $0.always = ("307 Temporary Redirect", ["Location": "\(place)/api/search/metadata"], "") }
      #expect(server.send("GET", "/api/v1/photos?\(Self.period)").status == 503)
      #expect(server.send("GET", "/api/v1/photos/\(ImmichServer.Asset(1, "").id)/thumbnail").status == 503)
      #expect(other.requests.isEmpty)
    }
  }

  @Test("a member stores an address of a private network only if an administrator uses it", arguments: StoreKind.tested)
  func privateNetworks(_ kind: StoreKind) async throws {
    let immich = try ImmichServer(.init(Self.assets()))
    let body = Self.body(immich)
    try await AccountServer.with(on: kind) { server in
      let root = try await server.user("root", .admin)
      let anna = try await server.session(of: try await server.user("anna"))
      let rejected = server.send("PUT", "/api/v1/photos/server", as: anna, body: body)
      #expect(rejected.status == 422 && rejected.text.contains("private network"), "\(rejected.text)")
      let named = #"{"address":"http://localhost:1","key":"k"}"#
      #expect(server.send("PUT", "/api/v1/photos/server", as: anna, body: named).text.contains("private network"))
      #expect(immich.requests.isEmpty)
      let admin = try await server.session(of: root)
      #expect(server.send("PUT", "/api/v1/photos/server", as: admin, body: body).status == 200)
      #expect(server.send("PUT", "/api/v1/photos/server", as: anna, body: body).status == 200)
      #expect(Self.numbers(server.send("GET", "/api/v1/photos?\(Self.period)", as: anna)).count == 5)
      // After the administrator removes the address, the rule applies to stored addresses as well.
      #expect(server.send("DELETE", "/api/v1/photos/server", as: admin).status == 200)
      let requests = immich.requests.count
      #expect(server.send("GET", "/api/v1/photos?\(Self.period)", as: anna).status == 503)
      #expect(server.send("GET", "/api/v1/photos/\(ImmichServer.Asset(1, "").id)/thumbnail", as: anna).status == 503)
      #expect(immich.requests.count == requests)
    }
  }

  @Test("each user has their own server and photos; removing a user deletes the key", arguments: StoreKind.tested)
  func users(_ kind: StoreKind) async throws {
    let (one, other) = (try ImmichServer(.init(Self.assets())), try ImmichServer(.init([.init(9, "2026-11-20T12:00:00Z")])))
    try await AccountServer.with(on: kind) { server in
      let (root, bob) = (try await server.user("root", .admin), try await server.user("bob", .admin))
      let (first, second) = (try await server.session(of: root), try await server.session(of: bob))
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      #expect(server.send("PUT", "/api/v1/photos/server", as: first, body: Self.body(one)).status == 200)
      #expect(server.send("GET", "/api/v1/photos?\(Self.period)", as: second).status == 404)
      #expect(server.send("GET", "/api/v1/photos?\(Self.period)", as: administrator).status == 404)
      #expect(server.send("PUT", "/api/v1/photos/server", as: second, body: Self.body(other)).status == 200)
      #expect(server.send("PUT", "/api/v1/photos/server", as: administrator, body: Self.body(other)).status == 200)
      #expect(Self.numbers(server.send("GET", "/api/v1/photos?\(Self.period)", as: first)) == [2, 3, 6, 7, 1])
      #expect(Self.numbers(server.send("GET", "/api/v1/photos?\(Self.period)", as: second)) == [9])
      // A cached image of one user is not returned to another user.
      let path = "/api/v1/photos/\(ImmichServer.Asset(1, "").id)/thumbnail"
      #expect(server.send("GET", path, as: first).status == 200)
      #expect(server.send("GET", path, as: second).status == 404)
      #expect(server.send("DELETE", "/api/v1/users/bob?data=keep", as: first).status == 200)
      let left = try server.server.store.read { try $0.integer("SELECT count(*) FROM photo_servers") }
      #expect(left == 2)
    }
  }

  @Test(
    "an invalid request is rejected",
    arguments: [
      ("", 400), ("from=2026-11-20", 400), ("from=2026-11-20&to=2026-11-20", 400), ("from=2024-01-01&to=2026-01-01", 400),
      ("from=x&to=2026-01-01", 400), ("from=0001-01-01&to=0001-01-02", 400), ("\(period)&bbox=1,2", 400), (period, 404),
    ])
  func faults(_ query: String, _ status: Int) async throws {
    try await AccountServer.with(asAdministrator: true) { server in
      #expect(server.send("GET", "/api/v1/photos?\(query)").status == status)
      for body in [#"{}"#, #"{"address":"https://example.org"}"#, #"{"address":1,"key":"k"}"#] {
        #expect((400...422).contains(server.send("PUT", "/api/v1/photos/server", body: body).status))
      }
    }
  }

  @Test("damaged responses of the Immich server are an error, and damaged photos are omitted")
  func damaged() async throws {
    let immich = try ImmichServer(.init(Self.assets()))
    try await AccountServer.with(asAdministrator: true) { server in
      #expect(server.send("PUT", "/api/v1/photos/server", body: Self.body(immich)).status == 200)
      for text in ["", "[]", #"{"assets":{}}"#, #"{"assets":{"items":{}}}"#, "{", "null", String(repeating: "[", count: 100_000)]
      {
        immich.change { $0.always = ("200 OK", [:], text) }
        #expect(server.send("GET", "/api/v1/photos?\(Self.period)").status == 503, "\(text.prefix(40))")
      }
      let id = ImmichServer.Asset(1, "").id
      let items = [
        "1", "null", "{}", #"{"id":"x","type":"IMAGE","fileCreatedAt":"2026-11-20T12:00:00Z"}"#,
        #"{"id":"\#(id)","type":"IMAGE","fileCreatedAt":"noon"}"#,
        #"{"id":"\#(id)","type":"IMAGE","fileCreatedAt":"2026-11-20T12:00:00Z","exifInfo":{"latitude":"x","longitude":1e999}}"#,
      ]
      immich.change { $0.always = ("200 OK", [:], #"{"assets":{"items":[\#(items.joined(separator: ","))],"nextPage":7}}"#) }
      let response = server.send("GET", "/api/v1/photos?\(Self.period)")
      #expect(response.status == 200 && Self.numbers(response) == [1], "\(response.text)")
    }
  }
}
