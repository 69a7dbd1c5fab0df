import Foundation
import GodwitModel
import GodwitServices
import Synchronization
import TestClient
import Testing

@testable import GodwitAccess
@testable import GodwitGeofencing
@testable import GodwitRegions
@testable import GodwitServer
@testable import GodwitStore

private let second = 1_700_000_000

/// A waypoint message of the apps.
private func waypoint(
  _ rid: String, _ name: String = "Home", latitude: Double = 46, longitude: Double = 14.5, radius: Int = 100
) -> String {
  #"{"_type":"waypoint","desc":"\#(name)","rid":"\#(rid)","lat":\#(latitude),"lon":\#(longitude),"rad":\#(radius),"tst":\#(second)}"#
}

private func location(_ time: Int = second) -> String {
  #"{"_type":"location","lat":46,"lon":14.5,"tst":\#(time),"acc":5,"tid":"ph"}"#
}

extension RegionServer {
  /// Sends messages as the app of a device.
  fileprivate func app(_ messages: String..., device: String = "phone", at path: String = "/pub") async throws -> Response {
    let body = messages.count == 1 ? messages[0] : "[\(messages.joined(separator: ","))]"
    return try await send("POST", path, body: body, headers: ["Authorization": try basic(device)])
  }

  fileprivate func basic(_ device: String, user: String = "jane") throws -> String {
    "Basic " + Data("\(user):\(try #require(tokens[device]))".utf8).base64EncodedString()
  }

  /// The commands in the response to an app: the action and the ids of waypoints.
  fileprivate func reported(_ messages: String..., device: String = "phone") async throws -> [String] {
    let body = messages.isEmpty ? #"{"_type":"lwt","tst":1}"# : "[\(messages.joined(separator: ","))]"
    let response = try await app(body, device: device)
    #expect(response.status == 200, "\(response.text)")
    let commands = try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [[String: Any]])
    return commands.map { command in
      let inner = (command["waypoints"] as? [String: Any])?["waypoints"] as? [[String: Any]] ?? []
      let names = inner.map { "\($0["rid"] ?? "")" }
      return ([command["action"] as? String ?? ""] + names).joined(separator: " ")
    }
  }

  fileprivate func rejections() async throws -> [String] {
    (try await send("GET", "/api/v1/rejected").object["rejected"] as? [[String: Any]] ?? []).map { "\($0["reason"] ?? "")" }
  }

  fileprivate func region(_ id: String) async throws -> [String: Any] { try await send("GET", "/api/v1/regions/\(id)").object }
}

@Suite("OwnTracks over HTTP", .timeLimit(.minutes(20)))
struct OwnTracksTests {
  // MARK: Authentication

  @Test("the token is a Bearer token, in the address, or a password with any user name", arguments: RegionServer.Depth.allCases)
  func tokens(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let token = try #require(server.tokens["phone"])
      for (headers, query) in [
        (["Authorization": "Bearer \(token)"], [:]), ([:], ["token": token]), (["Authorization": try server.basic("phone")], [:]),
        (["Authorization": try server.basic("phone", user: "")], [:]),
        (["Authorization": try server.basic("phone", user: "žane"), "X-Limit-U": "u", "X-Limit-D": "d"], ["u": "a", "d": "b"]),
      ] as [([String: String], [String: String])] {
        for path in ["/pub", "/api/owntracks"] {
          let response = try await server.send("POST", path, query, body: location(), headers: headers)
          #expect(response.status == 200 && response.text == "[]", "\(headers) \(response.text)")
        }
      }
      let features =
        try await server.send("GET", "/api/v1/points", ["device": "phone", "marked": "true"]).object["features"] as? [Any]
      #expect(features?.count == 1)
    }
  }

  @Test(
    "a request without a device's token gets a Basic challenge",
    arguments: [nil, "Basic", "Basic !!!", "Basic cGhvbmU=", "Basic cGhvbmU6eA==", "Basic OndW", "Bearer x", "Digest a"])
  func anonymous(_ authorization: String?) async throws {
    try await RegionServer.with { server in
      let headers = authorization.map { ["Authorization": $0] } ?? [:]
      let response = try await server.send("POST", "/pub", body: location(), headers: headers)
      #expect(response.status == 401)
      #expect(response.headers["www-authenticate"]?.hasPrefix("Basic realm=") == true)
      // Other routes have a Bearer challenge and do not accept passwords.
      let elsewhere = try await server.send(
        "POST", "/api/overland", body: "{}", headers: ["Authorization": try server.basic("phone")])
      #expect(elsewhere.status == 401 && elsewhere.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
    }
  }

  // MARK: Messages

  @Test("locations are points, one or several, and a repeated one is stored once", arguments: RegionServer.Depth.allCases)
  func locations(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      #expect(try await server.app(location()).text == "[]")
      #expect(try await server.app(location(), location(second + 60)).text == "[]")
      let features =
        try await server.send("GET", "/api/v1/points", ["device": "phone", "marked": "true"]).object["features"]
        as? [[String: Any]]
        ?? []
      #expect(features.count == 2)
      let properties = features.first?["properties"] as? [String: Any]
      #expect(properties?["tid"] as? String == "ph", "\(features)")
      #expect(try await server.rejections().isEmpty)
    }
  }

  @Test(
    "messages without a position are accepted with an empty response",
    arguments: [
      #"{"_type":"lwt","tst":1700000000}"#, #"{"_type":"card","name":"Jane","face":"iVBOR","tid":"ne"}"#,
      #"{"_type":"status","iOS":{"version":"26.3.1"}}"#, #"{"_type":"steps","tst":1,"steps":200}"#, #"{"_type":"dump"}"#, "[]",
      #"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"Mark","lat":1,"lon":2,"rad":0,"tst":1}]}"#,
    ])
  func others(_ message: String) async throws {
    try await RegionServer.with { server in
      let response = try await server.app(message)
      #expect(response.status == 200 && response.text == "[]", "\(response.text)")
      #expect(try await server.rejections().isEmpty)
    }
  }

  @Test(
    "invalid messages are stored with the reason, and the others as points",
    arguments: [
      (#"{"_type":"location","lat":91,"lon":2,"tst":1}"#, 200, "latitude 91 is outside −90…90"),
      (#"{"_type":"transition","event":"dance","tst":1,"desc":"a"}"#, 200, "\"dance\" is not an event; expected enter or leave"),
      (#"{"_type":"waypoint","desc":"a","lat":1,"lon":2,"rad":-5,"tst":1}"#, 200, "-5 is not a valid radius"),
      (#"{"_type":"beam"}"#, 200, "\"beam\" is a _type that this server does not know"),
      ("{}", 200, "expected an object with a _type"), ("7", 200, "expected an object with a _type"),
      (#"{"_type":"encrypted","data":"AAAA"}"#, 422, "the message is encrypted, and this server has no key"),
      ("{", 400, "expected a string"),
    ])
  func rejected(_ message: String, _ status: Int, _ reason: String) async throws {
    try await RegionServer.with { server in
      let response = try await server.app(location(), message)
      #expect(response.status == status, "\(response.text)")
      let kept = try await server.rejections()
      #expect(kept.count == 1 && kept[0].contains(reason), "\(kept)")
      let points =
        try await server.send("GET", "/api/v1/points", ["device": "phone", "marked": "true"]).object["features"] as? [Any]
      #expect(points?.count == (status == 400 ? 0 : 1))
    }
  }

  @Test("an invalid body is rejected and stored", arguments: ["nonsense", "\"x\"", "[{]"])
  func broken(_ body: String) async throws {
    try await RegionServer.with { server in
      let response = try await server.app(body)
      #expect(response.status == 400 && response.headers["content-type"] == "application/problem+json", "\(response.text)")
      #expect(try await server.rejections().count == 1)
    }
  }

  // MARK: Regions

  @Test(
    "a waypoint of an app belongs to its device only until the administrator assigns it to others",
    arguments: RegionServer.Depth.allCases)
  func roundTrip(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "watch", "tablet"]) { server in
      try await server.save(circle("shop", tags: ["shops"]))
      // The response contains all regions except the reported one.
      #expect(try await server.reported(waypoint("6da9cf")) == ["setWaypoints shop"])
      let made = try await server.region("6da9cf")
      #expect(made["name"] as? String == "Home" && made["tags"] as? [String] == ["owntracks:phone"])
      #expect(try await server.reported() == [])
      #expect(try await server.sync("phone").ids == ["shop", "6da9cf"])
      let devices = try await server.send("GET", "/api/v1/region-devices").object["devices"] as? [[String: Any]] ?? []
      #expect(devices.map { ($0["gets"] as? [String: Any])?["count"] as? Int } == [2, 1, 1], "\(devices)")
      #expect(try await server.reported(device: "watch") == ["setWaypoints shop"])
      #expect(try await server.sync("watch").ids == ["shop"])
      // The region is assigned by its tag and by its id.
      let rule = try await server.send("PUT", "/api/v1/devices/watch/regions", body: #"{"tags":["shops","owntracks:phone"]}"#)
      #expect(rule.status == 200)
      #expect(try await server.reported(device: "watch") == ["clearWaypoints", "setWaypoints shop 6da9cf"])
      #expect(try await server.send("PUT", "/api/v1/devices/tablet/regions", body: #"{"regions":["6da9cf"]}"#).status == 200)
      #expect(try await server.reported(device: "tablet") == ["setWaypoints 6da9cf"])
      // The app moves the region: other devices with it get the change.
      #expect(try await server.reported(waypoint("6da9cf", latitude: 47)) == [])
      #expect(try await server.reported(device: "watch") == ["setWaypoints 6da9cf"])
      #expect(try await server.reported(device: "watch") == [])
      #expect(try await server.reported(device: "tablet") == ["setWaypoints 6da9cf"])
    }
  }

  @Test("the digests and the pages of devices include regions of apps", arguments: RegionServer.Depth.stores)
  func digests(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "watch"]) { server in
      try await server.save(circle("a"), circle("b", tags: ["x"]))
      for (index, device) in ["phone", "watch", "phone"].enumerated() {
        _ = try await server.reported(waypoint("w\(index)"), device: device)
      }
      for rule in [nil, #"{"without":["x"]}"#, #"{"tags":["x"]}"#, #"{"tags":["owntracks:watch"]}"#, #"{"regions":["w1","a"]}"#] {
        if let rule { _ = try await server.send("PUT", "/api/v1/devices/phone/regions", body: rule) }
        for device in ["phone", "watch"] {
          var copy = RegionCopy()
          let page = try await server.sync(device)
          try copy.apply(page)
          #expect(copy.digest == page.object["digest"] as? String, "\(device) \(rule ?? "")")
          #expect(copy.regions.count == page.object["count"] as? Int)
        }
      }
      // After its deletion the region is deleted on all devices that had it.
      let cursor = try await server.sync("watch").endCursor
      let other = try await server.sync("phone").endCursor
      _ = try await server.send("DELETE", "/api/v1/regions/w1")
      #expect(try await server.sync("watch", after: cursor).nodes.map { $0["deleted"] as? Bool } == [true])
      #expect(try await server.sync("phone", after: other).ids == ["w1"])
    }
  }

  @Test(
    "an unchanged waypoint leaves its region unchanged; changes of the administrator remain", arguments: RegionServer.Depth.stores
  )
  func unchanged(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      _ = try await server.reported(waypoint("a"))
      let revision = try await server.region("a")["revision"] as? Int
      _ = try await server.reported(#"{"_type":"waypoints","waypoints":[\#(waypoint("a", longitude: 14.500001, radius: 101))]}"#)
      #expect(try await server.region("a")["revision"] as? Int == revision)
      try await server.save(
        #"{"id":"a","name":"House","tags":["owntracks:phone","x"],"dwell":60,"center":{"latitude":46,"longitude":14.5},"radius":100}"#
      )
      #expect(try await server.reported() == ["setWaypoints a"])
      _ = try await server.reported(waypoint("a", "House", radius: 200))
      let moved = try await server.region("a")
      #expect(moved["radius"] as? Double == 200 && moved["dwell"] as? Double == 60, "\(moved)")
      #expect(moved["tags"] as? [String] == ["owntracks:phone", "x"])
      #expect(try await server.rejections().isEmpty)
    }
  }

  @Test("an app cannot change polygons or regions of others, and gets one correction", arguments: RegionServer.Depth.stores)
  func accounts(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "watch"]) { server in
      let park = #"{"id":"park","name":"Park","polygons":[[[[14.49,46.04],[14.51,46.04],[14.5,46.06]]]]}"#
      try await server.save(park, circle("shop"))
      let response = try await server.app(location())
      #expect(try await server.reported() == [])
      let before = try await server.region("park")
      // Waypoints that are sent back unchanged cause no change.
      let commands = try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [[String: Any]])
      let inner = String(
        decoding: try JSONSerialization.data(withJSONObject: try #require(commands.first?["waypoints"])), as: UTF8.self)
      #expect(try await server.reported(inner) == [])
      #expect(try await server.rejections().isEmpty)
      // A moved waypoint is corrected in the app.
      #expect(try await server.reported(waypoint("park", "Park", radius: 50)) == ["setWaypoints park"])
      #expect(try await server.reported(waypoint("shop", "Mine", latitude: 1)) == ["setWaypoints shop"])
      #expect(try await server.reported() == [])
      #expect(try await server.rejections().count == 2)
      #expect(try await server.region("park")["revision"] as? Int == before["revision"] as? Int)
      // The administrator changes an app's region to a polygon: the app cannot change it back to a circle.
      _ = try await server.reported(waypoint("mine"))
      try await server.save(
        #"{"id":"mine","tags":["owntracks:phone"],"polygons":[[[[14.49,46.04],[14.51,46.04],[14.5,46.06]]]]}"#)
      #expect(try await server.reported() == ["setWaypoints mine"])
      #expect(try await server.reported(waypoint("mine")) == ["setWaypoints mine"])
      #expect(try await server.region("mine")["polygons"] != nil)
      // The app gets no data of another device's region.
      _ = try await server.reported(waypoint("secret"), device: "watch")
      #expect(try await server.reported(waypoint("secret", "x", latitude: 1)) == [])
      #expect(try await server.region("secret")["name"] as? String == "Home")
    }
  }

  @Test("changes are sent once; a deletion clears and resends the waypoints", arguments: RegionServer.Depth.allCases)
  func changes(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      #expect(try await server.reported() == [])
      try await server.save(circle("a"), circle("b"))
      #expect(try await server.reported(location()) == ["setWaypoints a b"])
      #expect(try await server.reported(location(second + 1)) == [])
      try await server.save(circle("a", radius: 200))
      #expect(try await server.reported() == ["setWaypoints a"])
      _ = try await server.send("DELETE", "/api/v1/regions/a")
      #expect(try await server.reported() == ["clearWaypoints", "setWaypoints b"])
      _ = try await server.send("DELETE", "/api/v1/regions/b")
      #expect(try await server.reported() == ["clearWaypoints"])
      #expect(try await server.reported() == [])
      let kept = try server.store().regionSyncs(since: nil)
      #expect(kept.count == 1 && kept.first?.total == .empty)
      try await server.save(circle("c"))
      #expect(try await server.reported() == ["setWaypoints c"])
    }
  }

  @Test(
    "one of several concurrent requests gets the regions, and a restarted server does not send them again",
    arguments: RegionServer.Depth.stores)
  func once(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let store = try server.store()
      let device = try #require(try store.regionDevices().first).device.id
      #expect(try await server.reported() == [])
      try await server.save(circle("a"))
      let notifier = try RegionChangeNotifier(store: store, feed: EventBroadcaster(), clock: .system)
      let reported = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 16) { _ in
        guard notifier.isBehind(device), let update = notifier.takeUpdate(device: device, knowing: [], maximum: 100) else {
          return
        }
        reported.withLock { $0 += update.regions.map(\.id) }
      }
      #expect(reported.withLock { $0 } == ["a"])
      let reopened = try RegionChangeNotifier(store: store, feed: EventBroadcaster(), clock: .system)
      #expect(!reopened.isBehind(device) && reopened.takeUpdate(device: device, knowing: [], maximum: 100) == nil)
      try await server.save(circle("b"))
      #expect(
        try RegionChangeNotifier(store: store, feed: EventBroadcaster(), clock: .system).takeUpdate(
          device: device, knowing: [], maximum: 100)?
          .regions.map(\.id) == [
            "b"
          ])
    }
  }

  @Test("the valid waypoints of a message are stored, and the message is stored as rejected once")
  func partly() async throws {
    try await RegionServer.with { server in
      let bad = (0..<3).map { #"{"_type":"waypoint","desc":"Bad","lat":1,"lon":181,"rad":5,"tst":\#($0)}"# }
      let all = [waypoint("a")] + bad + [waypoint("b")]
      #expect(try await server.reported(#"{"_type":"waypoints","waypoints":[\#(all.joined(separator: ","))]}"#) == [])
      #expect(try await server.sync().ids == ["a", "b"])
      let kept = try await server.rejections()
      #expect(kept.count == 1 && kept[0].components(separatedBy: "longitude 181").count == 4, "\(kept)")
    }
  }

  @Test("a device whose name is too long for a tag still has its own regions")
  func longName() async throws {
    let name = String(repeating: "x", count: 64)
    try await RegionServer.with(devices: [name, "phone"]) { server in
      #expect(try await server.reported(waypoint("a"), device: name) == [])
      let tag = try #require((try await server.region("a")["tags"] as? [String])?.first)
      #expect(tag.hasPrefix("owntracks:#") && tag.count < 20)
      #expect(try await server.sync(name).ids == ["a"])
      #expect(try await server.sync("phone").ids == [])
    }
  }

  @Test(
    "with more regions than an app can monitor the app gets none, and the server evaluates them",
    arguments: RegionServer.Depth.stores)
  func tooMany(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let many = (0...100).map { circle("r\($0)", latitude: Double($0) / 2) }
      #expect(try await server.send("POST", "/api/v1/regions", body: "[\(many.joined(separator: ","))]").status == 201)
      #expect(try await server.reported(#"{"_type":"location","lat":40,"lon":14.5,"tst":\#(second),"acc":5}"#) == [])
      let events = try await server.send("GET", "/api/v1/region-events").list("events")
      #expect(events.map { $0["source"] as? String } == ["server"] && events.first?["type"] as? String == "geofence.entered")
      _ = try await server.send("DELETE", "/api/v1/regions/r100")
      #expect(try await server.reported().first?.hasPrefix("setWaypoints r0 r1 ") == true)
    }
  }

  // MARK: Transitions

  @Test(
    "a transition belongs to the region with its id, or with its name and second",
    arguments: RegionServer.Depth.stores)
  func transitions(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.save(
        #"{"id":"home","name":"House","tags":["a"],"center":{"latitude":46,"longitude":14.5},"radius":100}"#)
      // The device is in the region, and the app reports it.
      let response = try await server.app(location())
      let commands = try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [[String: Any]])
      let reported = ((commands.first?["waypoints"] as? [String: Any])?["waypoints"] as? [[String: Any]])?.first
      let wtst = try #require(reported?["tst"] as? Int)
      func transition(_ event: String, _ time: Int, _ members: String) -> String {
        #"{"_type":"transition","event":"\#(event)","tst":\#(time),"lat":46.0001,"lon":14.5,"acc":10,"tid":"ph","t":"c",\#(members)}"#
      }
      let messages = [
        transition("enter", second, #""desc":"House","rid":"home","wtst":\#(wtst)"#),
        transition("leave", second + 60, #""desc":"House","wtst":\#(wtst)"#),
        transition("enter", second + 120, #""desc":"Elsewhere","rid":"6da9cf","wtst":5"#),
      ]
      for message in messages + messages { #expect(try await server.reported(message) == []) }
      let events = try await server.send("GET", "/api/v1/region-events").list("events").reversed()
      #expect(
        events.map { "\($0["type"] ?? "") \($0["source"] ?? "")" } == [
          "geofence.entered device", "geofence.exited device", "geofence.entered device",
        ])
      let regions = events.compactMap { $0["region"] as? [String: Any] }
      #expect(regions.map { $0["id"] as? String } == ["home", "home", "6da9cf"])
      #expect(regions.map { $0["name"] as? String } == ["House", "House", "Elsewhere"])
      #expect(regions.map { $0["radius"] as? Double } == [100, 100, nil] && regions[1]["tags"] as? [String] == ["a"])
      #expect((regions[0]["center"] as? [String: Any])?["latitude"] as? Double == 46)
      #expect((events.first?["location"] as? [String: Any])?["accuracy"] as? Double == 10)
    }
  }

  // iOS repeats "enter" when it launches an app again.
  @Test(
    "a repeated event of an app is recorded once; an older event is recorded",
    arguments: RegionServer.Depth.stores)
  func repeated(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "watch"]) { server in
      let events = [
        ("enter", "home", 100), ("enter", "home", 300), ("enter", "shop", 310), ("enter", "home", 320), ("leave", "home", 400),
        ("leave", "home", 500), ("enter", "home", 600), ("leave", "home", 50),
      ]
      for (event, region, time) in events {
        _ = try await server.reported(
          #"{"_type":"transition","event":"\#(event)","tst":\#(second + time),"lat":46,"lon":14.5,"acc":10,"desc":"x","rid":"\#(region)","wtst":1}"#
        )
      }
      // Each device has a separate state.
      _ = try await server.reported(
        #"{"_type":"transition","event":"enter","tst":\#(second + 700),"desc":"x","rid":"home","wtst":1}"#, device: "watch")
      let listed = try await server.send("GET", "/api/v1/region-events").list("events").reversed().map { node in
        let time = RFC3339.date(node["time"] as? String ?? "")?.timeIntervalSince1970 ?? 0
        let region = (node["region"] as? [String: Any])?["id"] as? String ?? ""
        return "\(node["type"] as? String ?? "") \(region) \(Int(time) - second)"
      }
      #expect(
        listed == [
          "geofence.entered home 100", "geofence.entered shop 310", "geofence.exited home 400", "geofence.entered home 600",
          "geofence.exited home 50", "geofence.entered home 700",
        ])
    }
  }

  @Test("a transition is delivered to webhooks that select its region's tags", arguments: RegionServer.Depth.testedSockets)
  func webhook(_ depth: RegionServer.Depth) async throws {
    let receiver = try Receiver()
    try await RegionServer.with(depth) { server in
      try await server.save(circle("home", tags: ["a"]), circle("far", latitude: 47))
      let made = try await server.send("POST", "/api/v1/webhooks", body: #"{"url":"\#(receiver.url())","tags":["a"]}"#)
      #expect(made.status == 201, "\(made.text)")
      for (region, event) in [("far", "enter"), ("home", "enter"), ("home", "leave")] {
        _ = try await server.reported(
          #"{"_type":"transition","event":"\#(event)","tst":\#(second),"desc":"x","rid":"\#(region)","wtst":1}"#)
      }
      await receiver.until(2)
      #expect(receiver.deliveries.map { $0.object["type"] as? String } == ["geofence.entered", "geofence.exited"])
      #expect(receiver.deliveries.map { $0.object["device"] as? String } == ["phone", "phone"])
    }
    #expect(receiver.deliveries.count == 2)
    await receiver.stop()
  }
}
