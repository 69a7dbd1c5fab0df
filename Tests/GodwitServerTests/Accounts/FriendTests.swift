import Foundation
import GodwitAccess
import GodwitModel
import TestClient
import Testing

@testable import GodwitServer
@testable import GodwitStore

@Suite("Friends")
struct FriendTests {
  private static func ask(
    _ server: AccountServer, _ caller: AccountServer.Caller, _ body: String
  ) -> Response {
    server.send("POST", "/api/v1/friends", as: caller, body: body)
  }

  @Test(
    "sharing needs the consent of both users, shows only the agreed data, and ends when either user ends it",
    arguments: StoreKind.tested)
  func agreeing(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let (anna, ben) = (try await server.session(of: users.anna), try await server.session(of: users.ben))
      let start = Date(timeIntervalSinceNow: -3600)
      try server.upload(
        users.bensPhone.caller, [(47, 8), (47.1, 8), (47.2, 8)], from: start, extra: #","wifi":"bens-network""#)
      func seen() -> [[String: Any]] { server.send("GET", "/api/v1/points", as: anna).features }

      #expect(Self.ask(server, anna, #"{"user":"ben"}"#).object["state"] as? String == "requested")
      #expect(seen().isEmpty && server.send("GET", "/api/v1/points?device=bens-phone", as: anna).status == 404)
      let waiting = try #require(server.send("GET", "/api/v1/friends", as: ben).list("friends").first)
      #expect(waiting["state"] as? String == "pending" && waiting["direction"] as? String == "show")
      // The requesting user cannot accept for the other one.
      #expect(Self.ask(server, anna, #"{"user":"ben"}"#).object["state"] as? String == "requested")
      #expect(seen().isEmpty)

      #expect(Self.ask(server, ben, #"{"user":"anna","direction":"show"}"#).object["state"] as? String == "accepted")
      #expect(seen().count == 1)
      let text = server.send("GET", "/api/v1/tracks?device=bens-phone", as: anna).text
      #expect(text.contains("47.2") && !text.contains("47.1,") && !text.contains("bens-network"))
      let device = server.send("GET", "/api/v1/devices", as: anna).list("devices").first { $0["name"] as? String == "bens-phone" }
      #expect(device?["access"] as? String == "latest" && device?["points"] is NSNull && device?["owner"] as? String == "ben")
      // Sharing has one direction.
      #expect(server.send("GET", "/api/v1/points", as: ben).features.count == 3)

      let id = try #require(waiting["id"] as? String)
      #expect(server.send("DELETE", "/api/v1/friends/\(id)", as: anna).status == 200)
      #expect(seen().isEmpty)
    }
  }

  @Test("history is shared from its start time, and nothing before it", arguments: StoreKind.tested)
  func history(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let (anna, ben) = (try await server.session(of: users.anna), try await server.session(of: users.ben))
      let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 3600).rounded())
      try server.upload(users.bensPhone.caller, (0..<6).map { (47 + Double($0) / 10, 8) }, from: start)
      let since = RFC3339.string(start.addingTimeInterval(180))
      _ = Self.ask(server, ben, #"{"user":"anna","direction":"show","access":"history","since":"\#(since)"}"#)
      #expect(server.send("GET", "/api/v1/points", as: anna).features.isEmpty)
      _ = Self.ask(server, anna, #"{"user":"ben"}"#)
      func latitudes(_ query: String = "") -> [Double] {
        server.send("GET", "/api/v1/points\(query)", as: anna).features.compactMap {
          (($0["geometry"] as? [String: Any])?["coordinates"] as? [Double])?[1]
        }
      }
      #expect(latitudes() == [47.3, 47.4, 47.5])
      #expect(latitudes("?from=2020-01-01&device=bens-phone") == [47.3, 47.4, 47.5])
      #expect(latitudes("?bbox=7,47,9,47.35") == [47.3])
      // The wifi, the rejected records and the journals are visible to ben only.
      for path in ["/api/v1/rejected", "/api/v1/journals", "/api/v1/region-events"] {
        #expect(server.send("GET", "\(path)?device=bens-phone", as: anna).status == 404)
      }
      // The access is reduced to the latest position.
      _ = Self.ask(server, ben, #"{"user":"anna","direction":"show"}"#)
      #expect(latitudes() == [47.5])
    }
  }

  @Test("a friend cannot share devices that are shared with them, nor create a token or a link for them")
  func noPassingOn() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let (anna, ben) = (try await server.session(of: users.anna), try await server.session(of: users.ben))
      try server.upload(users.bensPhone.caller, [(47, 8)], from: Date())
      _ = Self.ask(server, anna, #"{"user":"ben"}"#)
      _ = Self.ask(server, ben, #"{"user":"anna","direction":"show"}"#)
      let link = server.send("POST", "/api/v1/links", as: anna, body: #"{"name":"x","devices":["bens-phone"]}"#)
      #expect(link.status == 404)
      let token = server.send(
        "POST", "/api/v1/tokens", as: anna, body: #"{"name":"x","scope":"write","device":"bens-phone"}"#)
      #expect(token.status == 404)
      #expect(server.send("POST", "/api/v1/devices", as: anna, body: #"{"name":"bens-phone"}"#).status == 409)
      #expect(server.send("DELETE", "/api/v1/devices/bens-phone/tokens", as: anna).status == 404)
      #expect(server.send("PUT", "/api/v1/devices/bens-phone/retention", as: anna, body: #"{"keep_days":1}"#).status == 404)
    }
  }

  @Test(
    "a user's device gets the newest positions, names, ids and avatars of friends", arguments: StoreKind.tested)
  func positions(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let (anna, ben) = (try await server.session(of: users.anna), try await server.session(of: users.ben))
      let start = Date(timeIntervalSince1970: 1_795_000_000)
      try server.upload(
        users.bensPhone.caller, [(47, 8), (47.1, 8)], from: start, extra: #","battery_level":0.5,"altitude":300,"speed":7"#)
      _ = Self.ask(server, anna, #"{"user":"ben"}"#)
      _ = Self.ask(server, ben, #"{"user":"anna","direction":"show"}"#)
      let plain = try #require(try server.server.store.friends(ofDevice: users.annasPhone.device.id).first)
      #expect(plain.name == "ben" && plain.tid == "be" && plain.avatar == nil)
      #expect(plain.point.fix.coordinate.latitude == 47.1 && plain.point.record.context.batteryLevel == nil)
      #expect(plain.point.fix.altitude == nil && plain.point.fix.speed == nil)
      let avatar = Data([0x89, 0x50, 0x4E, 0x47, 1, 2, 3])
      let profile = server.send(
        "PUT", "/api/v1/profile", as: ben, body: #"{"name":"Benjamin","tid":"BJ","avatar":"\#(avatar.base64EncodedString())"}"#)
      #expect(profile.status == 200, "\(profile.text)")
      let friend = try #require(try server.server.store.friends(ofDevice: users.annasPhone.device.id).first)
      #expect(friend.name == "Benjamin" && friend.tid == "BJ" && friend.avatar == Array(avatar))
      #expect(try server.server.store.friends(ofDevice: users.bensPhone.device.id).isEmpty)
      #expect(try server.server.store.friends(ofDevice: users.adminsPhone.device.id).isEmpty)
      let listed = try #require(server.send("GET", "/api/v1/friends", as: anna).list("positions").first)
      #expect(listed["name"] as? String == "Benjamin")
    }
  }

  @Test("an avatar that is not an image and an unknown friend are rejected")
  func bad() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let anna = try await server.session(of: users.anna)
      let script = Data("<svg onload=alert(1)>".utf8).base64EncodedString()
      #expect(server.send("PUT", "/api/v1/profile", as: anna, body: #"{"avatar":"\#(script)"}"#).status == 422)
      let long = server.send("PUT", "/api/v1/profile", as: anna, body: #"{"tid":"ABC"}"#)
      #expect(long.status == 422 && long.object["title"] as? String == "Not a profile", "\(long.text)")
      #expect(Self.ask(server, anna, #"{"user":"zoe"}"#).status == 404)
      #expect(Self.ask(server, anna, #"{"user":"anna"}"#).status == 404)
      #expect(Self.ask(server, anna, #"{"user":"ben","access":"history"}"#).status == 422)
    }
  }
}
