import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

/// The guarantees of every store, for each kind of database.
@Suite("Track store", .timeLimit(.minutes(20)))
struct TrackStoreContractTests {
  @Test("records with all fields are read as they were stored", arguments: StoreKind.tested)
  func records(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let device = try store.makeDevice()
    let full = Fix(
      time: walkStart, coordinate: try coordinate(-89.9999999, 179.9999999), horizontalAccuracy: 0.25, altitude: -430.25,
      verticalAccuracy: 12.5, speed: 0, speedAccuracy: 0.5, course: 359.99, courseAccuracy: 22.5)
    let bare = Fix(time: Date(millisecondsSince1970: walkStart.millisecondsSince1970 + 1), coordinate: try coordinate(0, -180))
    let context = DeviceContext(
      batteryLevel: 0.8125, batteryState: .charging, motion: [.walking, .stationary], wifi: "Zum \"Löwen\"\0", tripID: "t",
      deviceID: String(repeating: "long", count: 3000), uniqueID: "")
    let records = [
      Record(id: RecordID(journal: .max, sequence: .max), kind: .fix(full), context: context, extras: #"{"a":"\u0000'?"}"#),
      Record(kind: .fix(bare)),
      try step(1, journal: 1, context: DeviceContext(wifi: "Zum \"Löwen\"")),
      try step(2, journal: 1, context: DeviceContext(tripID: "Zum \"Löwen\"")),
    ]
    #expect(try await store.store(records, of: device).saved == 4)
    let points = try store.points(PointQuery(device: device.id, limit: 10))
    #expect(points.map(\.record) == records)
    #expect(points.allSatisfy { $0.device == device })
  }

  @Test("each point is stored once, and duplicates are reported", arguments: StoreKind.tested)
  func duplicates(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (ann, bob) = (try store.makeDevice("ann"), try store.makeDevice("bob"))
    let steps = try (0..<10).map { try step($0) }
    let first = try await store.store(Array(steps[2..<5]), of: ann)
    #expect((first.saved, first.duplicates, first.savedPoints, first.known) == (3, 0, 3, []))
    let second = try await store.store(steps + [steps[0], steps[3]], of: ann)
    #expect((second.saved, second.duplicates, second.savedPoints) == (7, 5, 7))
    #expect(second.known == [2, 3, 4, 10, 11])
    // A point with the same time at another place or of another device is a different point.
    var elsewhere = Fix(time: walkStart, coordinate: try coordinate(1, 1))
    elsewhere.speed = 3
    #expect(try await store.store([Record(kind: .fix(elsewhere))], of: ann).saved == 1)
    #expect(try await store.store(steps, of: bob).saved == 10)
    // The point that was stored first remains.
    elsewhere.speed = 4
    #expect(try await store.store([Record(kind: .fix(elsewhere))], of: ann).known == [0])
    let kept = try store.points(PointQuery(device: ann.id, limit: 1)).first
    #expect(kept?.fix.speed == 3)
    let devices = try store.devices()
    #expect(devices.map(\.device) == [ann, bob])
    #expect(devices.map(\.points) == [11, 10])
    #expect(devices.map { $0.last?.fix.time } == [steps[9].time, steps[9].time])
    #expect(devices.map(\.first) == [walkStart, walkStart])
    #expect(devices.map(\.lastContact) == [walkStart, walkStart])
  }

  @Test("points of any time are stored and returned in order", arguments: StoreKind.tested)
  func times(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let device = try store.makeDevice()
    let dates = try [
      "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z", "1999-12-31T23:59:59.999Z",
      "2000-01-01T00:00:00Z", "2024-02-29T23:59:59.999Z", "2024-03-01T00:00:00Z", "2026-11-20T12:00:00Z",
      "2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00Z", "2300-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z",
    ].map { try #require(RFC3339.date($0)) }
    let records = try dates.map { Record(kind: .fix(Fix(time: $0, coordinate: try coordinate(47, 10)))) }
    for record in records.reversed() { #expect(try await store.store([record], of: device).saved == 1) }
    #expect(try await store.store(records, of: device).duplicates == records.count)
    #expect(try store.allPoints(PointQuery(device: device.id, limit: 5)).map(\.fix.time) == dates)
    let year = PointQuery(device: device.id, from: dates[7], to: dates[9], limit: 100)
    #expect(try store.points(year).map(\.fix.time) == Array(dates[7..<9]))
    let summary = try #require(try store.devices().first)
    // A point with a time more than a day after its receipt is stored, and is not the newest.
    #expect([summary.first, summary.last?.fix.time] == [dates.first, walkStart])
  }

  @Test("points are read in pages, for one device or all, by time and by area", arguments: StoreKind.tested)
  func pages(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    var expected: [PointCursor] = []
    var generator = SeededNumbers(1)
    for name in ["ann", "bob"] {
      let device = try store.makeDevice(name)
      // Several points have the same time, so that pages end between them.
      let records = try (0..<60).map { index in
        let fix = Fix(
          time: walkStart.addingTimeInterval(Double(index / 4)),
          coordinate: try coordinate(Double(index % 4), 176.5 + Double(index % 4)))
        return Record(kind: .fix(fix))
      }
      let east = try (0..<3).map { Record(kind: .fix(Fix(time: walkStart, coordinate: try coordinate(5, -179 + Double($0))))) }
      _ = try await store.store((records + east).shuffled(using: &generator), of: device)
      expected += try store.points(PointQuery(device: device.id, limit: 1000)).map(\.cursor)
    }
    #expect(expected.count == 126)
    #expect(
      expected.indices.dropFirst().allSatisfy { index in
        let (a, b) = (expected[index - 1], expected[index])
        return (a.device, a.time, a.latitude, a.longitude) < (b.device, b.time, b.latitude, b.longitude)
      })
    for limit in [1, 7, 126, 200] { #expect(try store.allPoints(PointQuery(limit: limit)).map(\.cursor) == expected) }
    let across = BoundingBox(west: 179, south: 2.5, east: -178.5, north: 10)
    let found = try store.allPoints(PointQuery(box: across, limit: 3))
    // Each device has 15 points at latitude 3 and longitude 179.5, and one of the three eastern points, in the box.
    #expect(found.count == 2 * (15 + 1))
    #expect(found.allSatisfy { $0.fix.coordinate.latitude >= 2.5 && abs($0.fix.coordinate.longitude) >= 178.5 })
  }

  @Test("an arrival and its departure are one visit, in any order", arguments: StoreKind.tested)
  func visits(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let device = try store.makeDevice()
    let home = try coordinate(47, 10)
    let arrival = Visit(time: walkStart, coordinate: home, arrival: walkStart)
    var whole = arrival
    whole.departure = walkStart.addingTimeInterval(3600)
    let departure = Visit(time: walkStart, coordinate: home, departure: walkStart)
    let long = Action(time: walkStart, name: String(repeating: "long ", count: 2000))
    var longer = long
    longer.name += "!"
    #expect(try await store.store([Record(kind: .visit(arrival))], of: device).saved == 1)
    #expect(try await store.store([Record(kind: .visit(arrival))], of: device).duplicates == 1)
    #expect(try await store.store([Record(kind: .visit(whole))], of: device).saved == 1)
    #expect(try await store.store([Record(kind: .visit(arrival)), Record(kind: .visit(whole))], of: device).known == [0, 1])
    #expect(try await store.store([Record(kind: .visit(departure))], of: device).saved == 1)
    let actions = [long, longer].map { Record(kind: .action($0)) }
    #expect(try await store.store(actions + actions, of: device).known == [2, 3])
    let events = try store.events(device: device.id, from: nil, to: nil)
    #expect(events.count == 4)
    #expect(Set(events.map(\.kind)) == [.visit(whole), .visit(departure), .action(long), .action(longer)])
    #expect(try store.events(device: device.id, from: walkStart.addingTimeInterval(1), to: nil).isEmpty)
    #expect(try store.events(device: device.id + 1, from: nil, to: nil).isEmpty)
    #expect(try store.devices().first?.points == 0)
  }

  @Test("rejected records are returned unchanged, newest first", arguments: StoreKind.tested)
  func rejections(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (ann, bob) = (try store.makeDevice("ann"), try store.makeDevice("bob"))
    let raw: [UInt8] = [0, 255, 39, 92] + Array("ä".utf8)
    _ = try await store.store([], of: ann, rejections: [RejectedRecord(place: "locations[0]", reason: "no \"type\"", raw: raw)])
    _ = try await store.store(
      [try step(0)], of: bob,
      rejections: (1...3).map { RejectedRecord(place: "\($0)", reason: "\0", raw: Array(repeating: 7, count: 100_000)) })
    #expect(try store.rejections(device: nil, limit: 9).map(\.rejected.place) == ["3", "2", "1", "locations[0]"])
    #expect(try store.rejections(device: nil, limit: 2).map(\.device) == [bob, bob])
    let one = try #require(try store.rejections(device: ann.id, limit: 9).first)
    #expect(one.rejected == RejectedRecord(place: "locations[0]", reason: "no \"type\"", raw: raw))
    #expect(one.received == walkStart)
    #expect(try store.rejections(device: bob.id, limit: 1).first?.rejected.raw.count == 64 << 10)
    #expect(try store.devices().map(\.rejected) == [1, 3])
  }

  @Test("a token identifies its device until it is revoked", arguments: StoreKind.tested)
  func tokens(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (one, two, three) = (AccessToken().hash, AccessToken().hash, AccessToken().hash)
    let ann = try store.addDevice(named: "Ann's \"phone\"", tokenHash: one, at: walkStart)
    #expect(try store.addDevice(named: ann.name, tokenHash: two, at: walkStart) == ann)
    let bob = try store.addDevice(named: "bob", tokenHash: three, at: walkStart)
    #expect(bob.id != ann.id)
    #expect(try [one, two, three].map { try store.device(tokenHash: $0) } == [ann, ann, bob])
    #expect(try store.device(tokenHash: AccessToken().hash) == nil)
    #expect(try store.device(named: ann.name) == ann)
    #expect(try store.device(named: "nobody") == nil)
    #expect(try store.devices().map(\.tokens) == [2, 1])
    #expect(try store.revokeTokens(ofDeviceNamed: ann.name, at: walkStart) == 2)
    #expect(try store.revokeTokens(ofDeviceNamed: ann.name, at: walkStart) == 0)
    #expect(try store.revokeTokens(ofDeviceNamed: "nobody", at: walkStart) == nil)
    #expect(try [one, two, three].map { try store.device(tokenHash: $0) } == [nil, nil, bob])
    #expect(throws: (any Error).self) { try store.addDevice(named: "eve", tokenHash: three, at: walkStart) }
    #expect(try store.device(named: "eve") == nil)
  }

  @Test(
    "adjacent and overlapping ranges are merged in any order", arguments: StoreKind.tested,
    1...3 as ClosedRange<UInt64>)
  func ranges(_ kind: StoreKind, _ seed: UInt64) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let device = try store.makeDevice()
    var generator = SeededNumbers(seed)
    var covered: [UInt64: Set<Int64>] = [:]
    for _ in 0..<200 {
      let journal = UInt64.random(in: 1...2, using: &generator)
      let first = Int64.random(in: 1...400, using: &generator)
      let last = first + Int64.random(in: 0...12, using: &generator)
      covered[journal, default: []].formUnion(first...last)
      _ = try await store.store(
        [], of: device,
        range: SequenceRange(
          journal: journal, numbers: RecordNumber(clamping: first)...RecordNumber(clamping: last), since: 1))
    }
    let journals = try store.journals(device: device.id)
    #expect(Set(journals.map(\.journal)) == Set(covered.keys))
    for journal in journals {
      let expected = try #require(covered[journal.journal])
      #expect(Set(journal.covered.flatMap { Array($0.lowerBound.value...$0.upperBound.value) }) == expected)
      #expect(
        journal.covered.indices.dropFirst().allSatisfy {
          journal.covered[$0].lowerBound.value > journal.covered[$0 - 1].upperBound.value + 1
        })
      let through = try #require(expected.max())
      #expect(
        Set(journal.missing.flatMap { Array($0.lowerBound.value...$0.upperBound.value) })
          == Set(1...through).subtracting(expected))
      #expect(journal.missingCount == Int(through) - expected.count)
    }
  }

  @Test("ranges at the limits of record numbers are stored, and the lowest start is used", arguments: StoreKind.tested)
  func rangeEnds(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let device = try store.makeDevice()
    let last = RecordNumber.max
    let nineBefore = RecordNumber(clamping: last.value - 9)
    for (numbers, since) in [
      (RecordNumber(clamping: last.value - 1)...last, 9), (1...1, nil), (nineBefore...last, 4), (2...5, 7),
    ] as [(ClosedRange<RecordNumber>, RecordNumber?)] {
      _ = try await store.store([], of: device, range: SequenceRange(journal: .max, numbers: numbers, since: since))
    }
    let journal = try #require(try store.journals(device: nil).first)
    #expect(journal.journal == .max && journal.since == 4 && journal.device == device)
    #expect(journal.covered == [1...5, nineBefore...last])
    #expect(try store.journals(device: device.id + 1).isEmpty)
  }

  @Test("submissions before closing are stored, and submissions after closing are rejected", arguments: StoreKind.tested)
  func closing(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = try place.openAgain()
    let device = try store.makeDevice()
    async let stored = withThrowingTaskGroup(of: Int.self) { group in
      for second in 0..<50 { group.addTask { try await store.store([step(second)], of: device).saved } }
      return try await group.reduce(0, +)
    }
    #expect(try await stored == 50)
    store.close()
    await #expect(throws: StoreError.self) { try await store.store([step(99)], of: device) }
    await #expect(throws: StoreError.self) { try await store.write { try $0.integer("SELECT 1") } }
    #expect(try place.store.points(PointQuery(limit: 99)).count == 50)
  }
}
