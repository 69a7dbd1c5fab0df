import Foundation
import GodwitModel
import GodwitTiles
import TestClient
import TestTiles
import Testing

@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

@Suite("Routes of history tiles")
struct HistoryTileRouteTests {
  private static let start = Date(timeIntervalSince1970: 1_795_000_200)

  /// The path of the tile at a place.
  private static func address(_ zoom: Int, _ latitude: Double, _ longitude: Double, _ query: String = "") throws -> String {
    let tile = try #require(TileCoordinate(zoom: zoom, latitude: latitude, longitude: longitude))
    return "/api/v1/history/tiles/\(tile.zoom)/\(tile.column)/\(tile.row).mvt\(query)"
  }

  /// Places on a path to the north at 10 m/s, one for each minute.
  private static func drive(_ latitude: Double, _ longitude: Double, _ count: Int) -> [(latitude: Double, longitude: Double)] {
    (0..<count).map { (latitude + Double($0) * 600 / 111_195, longitude) }
  }

  @Test("an unchanged tile is not sent again; new points and their computation change its tag", arguments: StoreKind.tested)
  func tags(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      let phone = try await server.device("phone", of: nil)
      try server.upload(phone.caller, Self.drive(46, 14.5, 30), from: Self.start)
      let path = try Self.address(10, 46.01, 14.5, "?device=phone&layers=lines,points")
      func ask(_ tag: String?) -> Response { server.send("GET", path, headers: tag.map { ["If-None-Match": $0] } ?? [:]) }
      var tag: String?
      func expectChange(_ what: String) throws {
        let response = ask(tag)
        #expect(response.status == 200, "\(what): \(response.text.prefix(200))")
        #expect(response.headers["content-type"] == "application/vnd.mapbox-vector-tile")
        #expect(response.headers["cache-control"] == "private, no-cache")
        #expect(try !DecodedTile(Array(response.body))["lines"].isEmpty)
        tag = response.headers["etag"]
        #expect(tag != nil)
        let again = ask(tag)
        #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag, "\(what)")
      }
      try expectChange("first")
      try await server.server.processBacklog()
      try expectChange("computed")
      try server.upload(phone.caller, [(46.2, 14.6)], from: Self.start + 7200)
      try expectChange("a new point")
      try await server.server.processBacklog()
      try expectChange("computed again")
      // A point of another device does not change the tag.
      let watch = try await server.device("watch", of: nil)
      try server.upload(watch.caller, [(46, 14.5)], from: Self.start)
      #expect(ask(tag).status == 304)
    }
  }

  @Test("a tile contains several devices, or only the selected one", arguments: StoreKind.tested)
  func devices(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      for (index, name) in ["a", "b, c", "d&e"].enumerated() {
        let device = try await server.device(name, of: nil)
        try server.upload(device.caller, Self.drive(46, 14.5 + Double(index) / 100, 30), from: Self.start)
      }
      try await server.server.processBacklog()
      func names(_ query: String) throws -> Set<String> {
        let response = server.send("GET", try Self.address(8, 46, 14.5, query))
        #expect(response.status == 200)
        return Set(try DecodedTile(Array(response.body))["lines"].compactMap { $0.properties["device"] })
      }
      #expect(try names("") == ["a", "b, c", "d&e"])
      #expect(try names("?device=d%26e") == ["d&e"])
      #expect(try names("?from=2026-01-01&to=2026-02-01").isEmpty)
    }
  }

  @Test("a friend's tile starts at the shared time, without private zones and visits; without shared history it is empty")
  func friends() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let (anna, ben) = (try await server.session(of: users.anna), try await server.session(of: users.ben))
      try server.upload(users.bensPhone.caller, Self.drive(46, 14.5, 60), from: Self.start)
      try await server.server.processBacklog()
      let path = try Self.address(9, 46.1, 14.5, "?device=bens-phone&layers=lines,points,heat,hexagons,stays")
      #expect(server.send("GET", path, as: anna).status == 404)
      _ = server.send("POST", "/api/v1/friends", as: anna, body: #"{"user":"ben"}"#)
      func show(_ more: String) {
        _ = server.send("POST", "/api/v1/friends", as: ben, body: #"{"user":"anna","direction":"show"\#(more)}"#)
      }
      /// The latitudes of all lines and points in the tile.
      func latitudes() throws -> [Double] {
        let response = server.send("GET", path, as: anna)
        #expect(response.status == 200)
        let tile = try DecodedTile(Array(response.body))
        #expect(tile["stays"].isEmpty)
        let coordinate = try #require(TileCoordinate(zoom: 9, latitude: 46.1, longitude: 14.5))
        return (tile["lines"] + tile["points"]).flatMap { $0.parts.joined() }.map {
          MercatorPoint(x: 0, y: coordinate.north + Double($0.y) / 4096 * coordinate.width).latitude
        }
      }
      show("")
      #expect(try latitudes().isEmpty, "the latest position is not in the history")
      let since = RFC3339.string(Self.start.addingTimeInterval(20 * 60))
      show(#","access":"history","since":"\#(since)""#)
      let first = 46 + 20 * 600 / 111_195.0
      let all = try latitudes()
      #expect(try #require(all.min()) > first - 0.002 && #require(all.max()) > 46.31)
      let tag = server.send("GET", path, as: anna).headers["etag"]
      // The middle of the remaining path.
      let middle = 46 + 40 * 600 / 111_195.0
      for action in ["drop", "coarsen"] {
        let zone = server.send(
          "POST", "/api/v1/zones", as: ben,
          body: #"{"name":"Home","center":{"latitude":\#(middle),"longitude":14.5},"radius":2000,"inside":"\#(action)"}"#)
        #expect(zone.status == 201, "\(zone.text)")
        #expect(server.send("GET", path, as: anna, headers: ["If-None-Match": tag ?? ""]).status == 200)
        let shown = try latitudes()
        let nearest = shown.map { abs($0 - middle) * 111_195 }.min() ?? 0
        #expect(nearest > 2000 && nearest < 3500, "\(action): \(nearest) m")
        #expect(try #require(shown.min()) > first - 0.002 && #require(shown.max()) > 46.31, "the rest is there")
        let id = try #require(zone.object["id"] as? String)
        #expect(server.send("DELETE", "/api/v1/zones/\(id)", as: ben).status < 300)
      }
      // The user of the device sees all data.
      let own = try DecodedTile(Array(server.send("GET", path, as: ben).body))
      #expect(!own["heat"].isEmpty && !own["lines"].isEmpty)
      #expect(server.send("GET", path, as: try await server.session(of: users.admin)).status == 200)
    }
  }

  @Test("lines have the mode of their trip and a speed class; a stay has its duration in minutes", arguments: StoreKind.tested)
  func properties(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      let phone = try await server.device("phone", of: nil)
      var (latitude, longitude) = (46.0, 14.5)
      var minute = 0.0
      func send(_ minutes: Int, north: Double = 0, east: Double = 0) throws {
        let (up, right) = (north / 111_195, east / 77_200)
        let places = (0..<minutes * 6).map { step in
          (latitude + Double(step) * up * 10, longitude + Double(step) * right * 10)
        }
        let features = places.enumerated().map { index, place in
          let time = RFC3339.string(Self.start + minute * 60 + Double(index) * 10)
          return
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(place.1),\#(place.0)]},"properties":{"timestamp":"\#(time)","horizontal_accuracy":5}}"#
        }
        let response = server.send(
          "POST", "/api/overland", as: phone.caller, body: #"{"locations":[\#(features.joined(separator: ","))]}"#)
        #expect(response.status == 200)
        latitude += Double(minutes) * 60 * up
        longitude += Double(minutes) * 60 * right
        minute += Double(minutes)
      }
      try send(60)
      try send(30, east: 1.4)
      try send(60)
      try send(30, north: 28)
      try send(60)
      try await server.server.processBacklog()
      let tile = try DecodedTile(
        Array(server.send("GET", try Self.address(6, 46, 14.5, "?device=phone&layers=lines,stays")).body))
      func speeds(_ mode: String) -> Set<String> {
        Set(tile["lines"].filter { $0.properties["mode"] == mode }.compactMap { $0.properties["speed"] })
      }
      #expect(speeds("walk").contains("0") && speeds("car").contains("4"), "\(tile["lines"].map(\.properties))")
      let stays = tile["stays"]
      #expect(stays.reduce(0) { $0 + (Int($1.properties["visits"] ?? "") ?? 0) } == 3, "\(stays.map(\.properties))")
      let minutes = stays.reduce(0) { $0 + (Int($1.properties["minutes"] ?? "") ?? 0) }
      #expect((165...190).contains(minutes) && stays.allSatisfy { $0.properties["device"] == "phone" }, "\(minutes)")
    }
  }

  @Test(
    "an invalid tile, layer or time is an error with a message",
    arguments: [
      ("3/8/0.mvt", "", 404, "zoom/column/row"), ("23/0/0.mvt", "", 404, "22"), ("3/1/1", "", 404, "zoom/column/row"),
      ("3/+1/1.mvt", "", 404, "zoom/column/row"), ("3/1/01.mvt", "", 404, "zoom/column/row"),
      ("99999999999999999999/1/1.mvt", "", 404, "zoom/column/row"), ("-1/0/0.mvt", "", 404, "zoom/column/row"),
      ("3/1/1.mvt", "?layers=lines,roads", 400, "roads"), ("3/1/1.mvt", "?from=2026-02-01&to=2026-01-01", 400, "to"),
      ("3/1/1.mvt", "?device=nobody", 404, "nobody"), ("3/1/1.mvt", "?from=soon", 400, "soon"),
    ])
  func errors(_ tile: String, _ query: String, _ status: Int, _ word: String) async throws {
    try await AccountServer.with(asAdministrator: true) { server in
      let response = server.send("GET", "/api/v1/history/tiles/\(tile)\(query)")
      #expect(response.status == status && response.text.contains(word), "\(response.status) \(response.text)")
    }
  }

  @Test("a tile without devices or without positions is empty")
  func empty() async throws {
    try await AccountServer.with(asAdministrator: true) { server in
      let response = server.send("GET", "/api/v1/history/tiles/0/0/0.mvt")
      #expect(response.status == 200 && response.body.isEmpty)
      let phone = try await server.device("phone", of: nil)
      try server.upload(phone.caller, [(46, 14.5)], from: Self.start)
      #expect(server.send("GET", "/api/v1/history/tiles/3/0/0.mvt?layers=lines,points,heat,hexagons,stays").body.isEmpty)
      #expect(!server.send("GET", "/api/v1/history/tiles/0/0/0.mvt").body.isEmpty)
    }
  }
}
