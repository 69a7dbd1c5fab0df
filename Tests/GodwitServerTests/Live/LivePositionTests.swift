import Foundation
import GodwitHistory
import GodwitModel
import TestClient
import Testing

@testable import GodwitServer
@testable import GodwitStore

/// The start of the times in these tests: two hours ago, in whole seconds.
private let zero = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 7200).rounded())

/// An Overland feature at a distance to the east of 46° N 14.5° E.
private func fix(_ second: Double, east meters: Double = 0, latitude: Double? = nil, longitude: Double? = nil) throws -> String {
  let middle = try #require(Coordinate(latitude: 46, longitude: 14.5))
  let place = GreatCircle.destination(from: middle, course: 90, distance: meters)
  let time = RFC3339.string(zero.addingTimeInterval(second))
  return
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(longitude ?? place.longitude),\#(latitude ?? place.latitude)]},"properties":{"timestamp":"\#(time)","horizontal_accuracy":5}}"#
}

private let day = 86_400.0

extension RegionServer {
  fileprivate func upload(_ records: String...) async throws {
    let response = try await send(
      "POST", "/api/overland", body: #"{"locations":[\#(records.joined(separator: ","))]}"#, device: "phone")
    #expect(response.status == 200 && response.object["saved"] as? Int == records.count, "\(response.text)")
  }

  /// The time of the device's newest point in seconds since ``zero``; `nil` if there is none.
  fileprivate func last() async throws -> Double? {
    let devices = try await send("GET", "/api/v1/devices").object["devices"] as? [[String: Any]]
    let properties = (devices?.first?["last"] as? [String: Any])?["properties"] as? [String: Any]
    return (properties?["timestamp"] as? String).flatMap { RFC3339.date($0) }?.timeIntervalSince(zero)
  }

  /// The types of the region events, oldest first.
  fileprivate func crossings() async throws -> [String] {
    try await send("GET", "/api/v1/region-events").list("events").reversed().map { $0["type"] as? String ?? "" }
  }

  /// The flagged points: the seconds since ``zero`` and the reason.
  fileprivate func flags() async throws -> [String] {
    let outliers = try await send("GET", "/api/v1/outliers", ["device": "phone"]).object["outliers"] as? [[String: Any]] ?? []
    return outliers.map { flag in
      let time = (flag["time"] as? String).flatMap { RFC3339.date($0) } ?? .distantPast
      return "\(Int(time.timeIntervalSince(zero))) \(flag["reason"] ?? "")"
    }
  }

  fileprivate func points(_ query: [String: String] = [:]) async throws -> Int {
    (try await send("GET", "/api/v1/points", query).object["features"] as? [Any])?.count ?? -1
  }
}

@Suite("Outliers are never live", .timeLimit(.minutes(20)))
struct LivePositionTests {
  @Test(
    "points at null island or in the far future are flagged when they are stored, and cause no region events",
    arguments: RegionServer.Depth.stores)
  func byThemselves(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.save(circle("home"))
      try await server.upload(fix(0))
      #expect(try await server.crossings() == ["geofence.entered"])
      try await server.upload(fix(10, latitude: 0, longitude: 0))
      try await server.upload(fix(5 * day), fix(2_300_000_000, east: 9))
      #expect(try await server.last() == 0)
      #expect(try await server.flags() == ["10 null_island", "432000 future", "2300000000 future"])
      #expect(try await server.points() == 1, "without flagged points")
      #expect(try await server.points(["marked": "true"]) == 4, "no point is deleted")
      // Later valid points are live.
      try await server.upload(fix(20, east: 5))
      #expect(try await server.last() == 20)
      #expect(try await server.crossings() == ["geofence.entered"])
    }
  }

  @Test(
    "a single jump causes no event and is not a live position; after the return it is flagged",
    arguments: RegionServer.Depth.stores)
  func refuted(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.save(circle("home"))
      try await server.upload(fix(0))
      try await server.upload(fix(10, east: 78_000))
      #expect(try await server.last() == 0)
      #expect(try await server.flags() == ["10 unconfirmed"])
      #expect(try await server.points() == 1)
      try await server.upload(fix(20, east: 5))
      #expect(try await server.last() == 20)
      #expect(try await server.flags() == ["10 teleport"])
      #expect(try await server.crossings() == ["geofence.entered"])
    }
  }

  @Test("a second point near a jump confirms both, in order, even on another server", arguments: RegionServer.Depth.stores)
  func confirmed(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.save(circle("home"))
      try await server.upload(fix(0))
      try await server.upload(fix(10, east: 78_000))
      // A timeline that is computed in the meantime does not decide about the jump.
      try await server.tracks().processBacklog()
      #expect(try await server.flags() == ["10 unconfirmed"])
      // The second point is stored by another server with the same database.
      let other = try server.tracks()
      let device = try #require(try other.device(named: "phone"))
      let place = GreatCircle.destination(from: try coordinate(46, 14.5), course: 90, distance: 78_010)
      let record = Record(kind: .fix(Fix(time: zero.addingTimeInterval(20), coordinate: place, horizontalAccuracy: 5)))
      let stored = try await other.store([record], of: device, at: zero.addingTimeInterval(21))
      #expect(stored.confirmed.map(\.time) == [zero.addingTimeInterval(10)] && stored.withheld.isEmpty)
      #expect(try await server.last() == 20)
      #expect(try await server.flags().isEmpty)
      try await server.upload(fix(30, east: 78_020))
      #expect(try await server.crossings() == ["geofence.entered", "geofence.exited"])
      #expect(try await server.points() == 4)
    }
  }

  @Test(
    "jumps within one upload are flagged, and the points after them are live",
    arguments: RegionServer.Depth.stores)
  func backlog(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.save(circle("home"))
      try await server.upload(
        fix(0), fix(30, east: 5), fix(20, east: 78_000), fix(40, latitude: 0, longitude: 0), fix(50, east: 400), fix(9 * day))
      #expect(try await server.last() == 50)
      #expect(try await server.flags() == ["20 teleport", "40 null_island", "\(Int(9 * day)) future"])
      #expect(try await server.crossings() == ["geofence.entered", "geofence.exited"])
      // Confirmed within one upload.
      try await server.upload(fix(60, east: 90_000), fix(70, east: 90_010))
      #expect(try await server.last() == 70)
      #expect(try await server.flags().count == 3)
    }
  }

  @Test("a device whose clock was ahead gets a new live position after the correction", arguments: StoreKind.tested)
  func clock(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice("phone")
    func store(_ seconds: Double..., received: Double) async throws -> Double? {
      let records = try seconds.map { second in
        let fix = Fix(time: zero.addingTimeInterval(second), coordinate: try coordinate(46, 14.5))
        return Record(kind: .fix(fix))
      }
      _ = try await place.store.store(records, of: device, at: zero.addingTimeInterval(received))
      return try place.store.newest(device: device.id)?.fix.time.timeIntervalSince(zero)
    }
    // Points half a day ahead are not flagged, because the time zone may be wrong.
    #expect(try await store(day / 2, day / 2 + 60, received: 0) == day / 2 + 60)
    #expect(try await store(-10, received: 30) == day / 2 + 60, "late")
    #expect(try await store(50, received: 60) == 50, "the clock was corrected")
    #expect(try await store(3 * day, received: 70) == 50, "flagged")
    #expect(try await store(80, received: 90) == 80)
    #expect(try place.store.devices().first?.last?.fix.time == zero.addingTimeInterval(80))
  }

  @Test("flags of the administrator and the timeline change the newest point", arguments: RegionServer.Depth.stores)
  func manual(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.upload(fix(0), fix(10, east: 5))
      try await server.upload(fix(20, latitude: 0, longitude: 0))
      func report(_ marked: Bool, _ second: Double, _ latitude: Double, _ longitude: Double) async throws {
        let time = RFC3339.string(zero.addingTimeInterval(second))
        let response = try await server.send(
          "PUT", "/api/v1/outliers",
          body: #"{"device":"phone","time":"\#(time)","latitude":\#(latitude),"longitude":\#(longitude),"marked":\#(marked)}"#)
        #expect(response.status == 200, "\(response.text)")
      }
      #expect(try await server.last() == 10)
      try await report(false, 20, 0, 0)
      #expect(try await server.last() == 20)
      try await report(true, 20, 0, 0)
      #expect(try await server.last() == 10)
    }
  }

  @Test("the event stream contains no unconfirmed point, and reports points that are flagged later")
  func streams() async throws {
    try await RegionServer.with(.overASocket) { server in
      let map = try server.events()
      await map.first(with: "retry: 2000")
      try await server.upload(fix(0))
      try await server.upload(fix(10, east: 78_000))
      try await server.upload(fix(20, east: 5))
      let points = await map.first(with: "14.50006")
      #expect(!points.contains("15.50"), "the jump was on the stream")
      let time = RFC3339.string(zero.addingTimeInterval(20))
      let place = GreatCircle.destination(from: try coordinate(46, 14.5), course: 90, distance: 5)
      let response = try await server.send(
        "PUT", "/api/v1/outliers",
        body:
          #"{"device":"phone","time":"\#(time)","latitude":\#((place.latitude * 1e7).rounded() / 1e7),"longitude":\#((place.longitude * 1e7).rounded() / 1e7)}"#
      )
      #expect(response.status == 200, "\(response.text)")
      let reported = await map.first(with: "event: outliers")
      #expect(reported.contains("\"flagged\":[{\"time\":\"\(time)\""))
    }
  }
}
