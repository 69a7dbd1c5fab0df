import Foundation
import GodwitDigests
import GodwitModel
import GodwitSQLite
import TestClient
import TestTexts
import Testing

@testable import GodwitAccounts
@testable import GodwitGeofencing
@testable import GodwitRegions
@testable import GodwitServer
@testable import GodwitStore

@Suite("Region sync", .serialized, .timeLimit(.minutes(20)))
struct RegionSyncTests {
  @Test("the digest matches the SHA-256 vectors of FIPS 180-4")
  func hash() {
    let vectors = [
      "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq":
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ]
    for (text, expected) in vectors {
      let digest = SHA256Digest.of(Array(text.utf8))
      #expect(digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == expected)
      #expect(SHA256Digest.of(Array(text.utf8), prefix: 16) == Array(digest.prefix(16)))
    }
  }

  @Test("pages are ordered by change, and the digest is that of their regions", arguments: RegionServer.Depth.allCases)
  func pages(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      for id in 1...7 { try await server.save(circle("r\(id)", radius: Double(id))) }
      var copy = RegionCopy()
      var sizes: [Int] = []
      var response = try await server.sync(first: 3)
      while true {
        try copy.apply(response)
        sizes.append(response.nodes.count)
        guard response.hasNextPage else { break }
        response = try await server.sync(after: copy.cursor, first: 3)
      }
      #expect(sizes == [3, 3, 1])
      #expect(copy.regions.count == 7 && response.object["count"] as? Int == 7)
      #expect(response.object["digest"] as? String == copy.digest)
      #expect(response.object["reset"] == nil)
      let again = try await server.sync(after: copy.cursor)
      #expect(again.nodes.isEmpty && !again.hasNextPage && again.endCursor == copy.cursor)
    }
  }

  @Test(
    "a region that changes between pages is repeated at the end, and a deleted one gets a tombstone if it was sent",
    arguments: RegionServer.Depth.stores)
  func changesBetweenPages(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.save(circle("a"), circle("b"), circle("c"), circle("d"))
      var copy = RegionCopy()
      try copy.apply(try await server.sync(first: 2))
      #expect(copy.regions.keys.sorted() == ["a", "b"])
      try await server.save(circle("a", radius: 7))
      for id in ["b", "c"] { #expect(try await server.send("DELETE", "/api/v1/regions/\(id)").status == 200) }
      let second = try await server.sync(after: copy.cursor, first: 500)
      // c was not sent before, so it needs no tombstone.
      #expect(second.ids == ["d", "a", "b"])
      try copy.apply(second)
      #expect(copy.regions.keys.sorted() == ["a", "d"])
      #expect(copy.digest == second.object["digest"] as? String)
    }
  }

  @Test("without a change the response is 304, for a page and for all regions", arguments: RegionServer.Depth.allCases)
  func notModified(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.save(circle("a"))
      let first = try await server.sync()
      let tag = try #require(first.headers["etag"])
      #expect(tag == "\"\(first.object["digest"] as? String ?? "")-\(first.endCursor)\"")
      let again = try await server.send(
        "GET", "/api/regions", ["after": first.endCursor], device: "phone", headers: ["If-None-Match": tag])
      #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
      try await server.save(circle("a"))
      let same = try await server.send("GET", "/api/regions", device: "phone", headers: ["If-None-Match": "W/\(tag)"])
      #expect(same.status == 304, "saving an unchanged region has no effect")
      try await server.save(circle("a", radius: 1))
      let changed = try await server.send(
        "GET", "/api/regions", ["after": first.endCursor], device: "phone", headers: ["If-None-Match": tag])
      #expect(changed.status == 200 && changed.ids == ["a"])
    }
  }

  static let strangeCursors = [
    "", "17", "nonsense", "....", "a.b.1.0.0", String(repeating: "9", count: 4000), "\u{0}", "ffffffffffffffff.x.-1.0.0",
  ]

  @Test("a cursor of another store starts from the beginning, and the page is marked as a reset", arguments: strangeCursors)
  func strange(_ cursor: String) async throws {
    try await RegionServer.with { server in
      try await server.save(circle("a"))
      let response = try await server.sync(after: cursor)
      #expect(response.ids == ["a"])
      #expect(response.object["reset"] as? Bool == (cursor.isEmpty ? nil : true))
    }
  }

  @Test("after a restore, a newer cursor starts from the beginning, even when the history has reached it")
  func restore() async throws {
    let files = FileManager.default
    let base = files.temporaryDirectory.appendingPathComponent("godwit-restore-\(UUID().uuidString)")
    defer { try? files.removeItem(at: base) }
    let folder = base.appendingPathComponent("data").path
    let tracks = try SQLiteTrackStore(folder: folder)
    defer { tracks.close() }
    let store = DatabaseRegionStore(tracks)
    let regions = try (1...3).map { try region("r\($0)") }
    _ = try store.save([regions[0]], if: .none, at: Date())
    let early = try store.regionPage(RegionPageQuery(first: 10)).endCursor
    let backup = base.appendingPathComponent("backup").path
    try files.createDirectory(atPath: backup, withIntermediateDirectories: true)
    try Database(path: folder + "/godwit.sqlite").run("VACUUM INTO ?", backup + "/godwit.sqlite")
    _ = try store.save([regions[1]], if: .none, at: Date())
    let late = try store.regionPage(RegionPageQuery(first: 10)).endCursor

    let copy = try SQLiteTrackStore(folder: backup)
    defer { copy.close() }
    let restored = DatabaseRegionStore(copy)
    func page(_ after: String) throws -> StoredRegionPage {
      try restored.regionPage(RegionPageQuery(after: after, first: 10))
    }
    #expect(try page(late).isReset, "a revision that this history has not reached")
    #expect(try !page(early).isReset, "a cursor from the common history is valid")
    _ = try restored.save([regions[2]], if: .none, at: Date())
    #expect(try page(late).isReset, "the same revision of another change")
    #expect(try !page(early).isReset)
    #expect(try restored.regionStatus().epoch == store.regionStatus().epoch)
    let new = try SQLiteTrackStore(folder: base.appendingPathComponent("new").path)
    defer { new.close() }
    #expect(try DatabaseRegionStore(new).regionStatus().epoch != store.regionStatus().epoch)
  }

  @Test(
    "tombstones are deleted after 90 days; an older cursor starts again, a newer one does not", arguments: StoreKind.tested)
  func age(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = DatabaseRegionStore(place.store)
    let start = Date(timeIntervalSince1970: 1_795_000_000)
    func day(_ days: Double) -> Date { start.addingTimeInterval(days * 86_400) }
    _ = try store.save(try (0..<2).map { try region("r\($0)") }, if: .none, at: day(0))
    let old = try store.regionPage(RegionPageQuery(first: 10)).endCursor
    _ = try store.deleteRegions(.ids(["r0"]), if: .none, at: day(1))
    // More changes than are stored regardless of their age.
    for count in 0..<300 { _ = try store.save([try region("x", radius: Double(count + 1))], if: .none, at: day(2)) }
    let young = try store.regionPage(RegionPageQuery(first: 10)).endCursor
    #expect(try store.regionPage(RegionPageQuery(after: old, first: 10)).nodes.first == .gone(id: "r0", revision: 3))
    _ = try store.save([try region("y")], if: .none, at: day(89))
    #expect(try !store.regionPage(RegionPageQuery(after: old, first: 10)).isReset)
    _ = try store.save([try region("z")], if: .none, at: day(94))
    let page = try store.regionPage(RegionPageQuery(after: old, first: 10))
    #expect(page.isReset && page.nodes.allSatisfy { if case .region = $0 { true } else { false } })
    #expect(try !store.regionPage(RegionPageQuery(after: young, first: 10)).isReset)
    // A region with a deleted id can be created again.
    _ = try store.save([try region("r0")], if: .none, at: day(95))
    #expect(try store.regionStatus().total.count == 5)
  }

  @Test("the list of devices says which belong to a member", arguments: RegionServer.Depth.stores)
  func members(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["boat", "phone", "van"]) { server in
      let tracks = try server.tracks()
      try await tracks.write { db in
        _ = try UserTable.add("anna", .admin, password: "", at: Date(timeIntervalSince1970: 0), db)
        _ = try UserTable.add("ben", .member, password: "", at: Date(timeIntervalSince1970: 0), db)
        for (name, device) in [("anna", "boat"), ("ben", "phone")] {
          try db.run("UPDATE devices SET owner = (SELECT id FROM users WHERE name = ?) WHERE name = ?", name, device)
        }
      }
      let store = try server.store()
      let devices = try store.regionDevices()
      #expect(devices.map(\.device.name) == ["boat", "phone", "van"])
      #expect(devices.map(\.isMembers) == [false, true, false])
      for device in devices { #expect(try store.isMembers(device: device.device.id) == device.isMembers) }
    }
  }

  @Test("each device gets its own regions and digest, and a changed rule causes a reset", arguments: RegionServer.Depth.stores)
  func rules(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "van", "boat"]) { server in
      try await server.save(
        circle("shop", tags: ["shops"]), circle("night", tags: ["shops", "night"]), circle("depot", tags: ["depots"]),
        circle("quay"))
      func rule(_ device: String, _ text: String) async throws {
        let response = try await server.send("PUT", "/api/v1/devices/\(device)/regions", body: text)
        #expect(response.status == 200, "\(response.text)")
      }
      func check(_ device: String, _ expected: [String], _ query: [String: String] = [:]) async throws {
        var copy = RegionCopy()
        let response = try await server.sync(device, query)
        try copy.apply(response)
        #expect(copy.regions.keys.sorted() == expected, "\(device)")
        #expect(response.object["digest"] as? String == copy.digest, "\(device)")
        #expect(response.object["count"] as? Int == expected.count, "\(device)")
      }
      try await check("phone", ["depot", "night", "quay", "shop"])
      try await check("phone", ["night", "shop"], ["tags": "shops"])
      try await check("phone", ["depot", "quay"], ["without": "shops,night"])
      let before = try await server.sync("phone")
      try await rule("phone", #"{"tags":["shops"],"without":["night"]}"#)
      let after = try await server.sync("phone", after: before.endCursor)
      #expect(after.object["reset"] as? Bool == true && after.ids == ["shop"])
      try await check("phone", ["shop"])
      try await rule("phone", #"{"tags":["shops"],"without":["night"],"regions":["night","quay","nowhere"]}"#)
      try await check("phone", ["night", "quay", "shop"])
      try await rule("phone", #"{"regions":["quay"]}"#)
      try await check("phone", ["quay"])
      try await rule("van", #"{"groups":["drivers"]}"#)
      try await check("van", [])
      let group = try await server.send("PUT", "/api/v1/groups/drivers/regions", body: #"{"tags":["depots"],"regions":["quay"]}"#)
      #expect(group.status == 200, "\(group.text)")
      try await check("van", ["depot", "quay"])
      try await rule("van", #"{"groups":["drivers"],"tags":["night"]}"#)
      try await check("van", ["depot", "night", "quay"])
      try await check("boat", ["depot", "night", "quay", "shop"])
      #expect(try await server.send("DELETE", "/api/v1/devices/phone/regions").status == 200)
      try await check("phone", ["depot", "night", "quay", "shop"])
    }
  }

  @Test(
    "a region that loses the tag for a device is deleted for that device, without an effect on others",
    arguments: RegionServer.Depth.stores)
  func retagged(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "van"]) { server in
      for (device, tag) in [("phone", "a"), ("van", "b")] {
        #expect(try await server.send("PUT", "/api/v1/devices/\(device)/regions", body: #"{"tags":["\#(tag)"]}"#).status == 200)
      }
      try await server.save(circle("x", tags: ["a"]), circle("y", tags: ["b"]))
      let phone = try await server.sync("phone")
      let van = try await server.sync("van")
      #expect(phone.ids == ["x"] && van.ids == ["y"])
      try await server.save(circle("x", tags: ["c"]))
      let gone = try await server.sync("phone", after: phone.endCursor)
      #expect(gone.nodes.first?["deleted"] as? Bool == true && gone.ids == ["x"])
      #expect(try await server.sync("van", after: van.endCursor).nodes.isEmpty)
      #expect(try await server.sync("van", after: van.endCursor).endCursor == van.endCursor)
      try await server.save(circle("x", tags: ["b"]))
      #expect(try await server.sync("van", after: van.endCursor).ids == ["x"])
    }
  }

  @Test(
    "a copy that continues from any earlier page ends with the server's state", arguments: RegionServer.Depth.stores,
    1...12 as ClosedRange<UInt64>)
  func random(_ depth: RegionServer.Depth, _ seed: UInt64) async throws {
    try await RegionServer.with(depth, devices: ["phone"]) { server in
      var generator = SeededNumbers(seed)
      let tags = ["a", "b", "c"]
      if seed.isMultiple(of: 3) {
        _ = try await server.send(
          "PUT", "/api/v1/devices/phone/regions", body: #"{"tags":["a"],"without":["c"],"regions":["r3"]}"#)
      }
      // The copy after each page.
      var past = [RegionCopy()]
      for _ in 0..<40 {
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
          let id = "r\(Int.random(in: 0..<20, using: &generator))"
          switch Int.random(in: 0..<10, using: &generator) {
          case 0..<6:
            let chosen = tags.filter { _ in Bool.random(using: &generator) }
            try await server.save(circle(id, radius: Double.random(in: 1...9, using: &generator).rounded(), tags: chosen))
          case 6..<9: _ = try await server.send("DELETE", "/api/v1/regions/\(id)")
          default:
            if seed.isMultiple(of: 4) {
              let tag = try #require(tags.randomElement(using: &generator))
              _ = try await server.send("PUT", "/api/v1/devices/phone/regions", body: #"{"tags":["\#(tag)"]}"#)
            }
          }
        }
        var copy = try #require(past.randomElement(using: &generator))
        try copy.apply(try await server.sync(after: copy.cursor, first: Int.random(in: 1...4, using: &generator)))
        past.append(copy)
      }
      let whole = try await server.sync()
      var expected = RegionCopy()
      try expected.apply(whole)
      #expect(expected.digest == whole.object["digest"] as? String)
      for var copy in past {
        while true {
          let response = try await server.sync(after: copy.cursor, first: 3)
          try copy.apply(response)
          if !response.hasNextPage { break }
        }
        #expect(copy.regions == expected.regions && copy.digest == expected.digest)
      }
    }
  }
}

/// A circular region.
func region(_ id: String, latitude: Double = 46, radius: Double = 100, tags: [String] = []) throws -> Region {
  let center = try #require(Coordinate(latitude: latitude, longitude: 14.5))
  return Region(id: id, shape: .circle(Circle(center: center, radius: radius)), tags: tags)
}
