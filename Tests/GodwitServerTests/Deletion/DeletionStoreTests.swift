import Foundation
import GodwitHistory
import GodwitModel
import GodwitSQLite
import Synchronization
import TestClient
import TestTexts
import Testing

@testable import GodwitAccounts
@testable import GodwitDeletion
@testable import GodwitServer
@testable import GodwitStore

@Suite("The store after a deletion", .timeLimit(.minutes(20)))
struct DeletionStoreTests {
  private static func times(_ range: Range<Int>) -> (from: Int64, to: Int64) {
    let start = walkStart.millisecondsSince1970
    return (start + Int64(range.lowerBound) * 1000, start + Int64(range.upperBound) * 1000)
  }

  @Test("the counts are a text with singular and plural nouns")
  func text() {
    var counts = DeletionCounts(users: 1)
    #expect(counts.text == "1 user")
    (counts.points, counts.rejectedRecords, counts.webhookDeliveries, counts.mqttMessages) = (2_000, 1, 1, 2)
    #expect(counts.text == "1 user, 2,000 points, 1 rejected record, 1 webhook delivery, 2 mqtt messages")
    counts.webhookDeliveries = 2
    #expect(counts.text.contains("2 webhook deliveries"))
    #expect(DeletionCounts().text == "nothing")
  }

  @Test("no deleted position is in the embedded database's files: points, events, rejected records and imports")
  func bytes() async throws {
    try await AccountServer.with { server in
      let scene = try await DeletionScene(server)
      let store = scene.store
      let (latitude, longitude) = (46.051_234_5, 14.501_234_5)
      let place = try coordinate(latitude, longitude)
      func fix(_ second: Int, _ there: Coordinate) -> Record {
        Record(
          id: RecordID(journal: 5, sequence: RecordNumber(clamping: Int64(second))),
          kind: .fix(Fix(time: walkStart.addingTimeInterval(Double(second)), coordinate: there)),
          context: DeviceContext(wifi: "secret-network"),
          extras: there == place ? #"{"note":"at 46.0512345"}"# : nil)
      }
      // First points that share pages with other points, in random order, so that pages split; then points in pages that contain no
      // others and become free. The deletion needs several steps.
      var generator = SeededNumbers(5)
      let shared = try stride(from: 0, to: 12_000, by: 3).map { second in
        [fix(second, place), fix(second + 1, try coordinate(47 + Double(second) / 1e5, 10))]
      }
      let own = (20_000..<24_000).map { [fix($0, place)] }
      var waiting = (shared.shuffled(using: &generator) + own.shuffled(using: &generator))[...]
      while !waiting.isEmpty {
        _ = try await store.store(waiting.prefix(50).flatMap(\.self), of: scene.phone)
        waiting = waiting.dropFirst(50)
      }
      let visit = Visit(
        time: walkStart, coordinate: place, arrival: walkStart.addingTimeInterval(5), departure: walkStart.addingTimeInterval(50))
      let rejected = RejectedRecord(place: "locations[0]", reason: "no time", raw: Array("46.0512345".utf8))
      _ = try await store.store([Record(kind: .visit(visit))], of: scene.phone, rejections: [rejected])
      try await store.processBacklog()
      var traces = ["46.051234", "14.501234", "secret-network"].map { Data($0.utf8) }
      let scaled = [PointRow.exact(latitude, by: 1e7), PointRow.exact(longitude, by: 1e7)].map { Int32(clamping: $0) }
      for number in scaled {
        withUnsafeBytes(of: number.bigEndian) { traces.append(Data($0)) }
        withUnsafeBytes(of: number.littleEndian) { traces.append(Data($0)) }
      }
      func found() throws -> [Int] {
        let files = try FileManager.default.contentsOfDirectory(at: server.folder, includingPropertiesForKeys: nil)
        let bytes = try files.filter { $0.lastPathComponent.hasPrefix("godwit.sqlite") }.map { try Data(contentsOf: $0) }
        return traces.indices.filter { index in bytes.contains { $0.range(of: traces[index]) != nil } }
      }
      #expect(try found().count >= 4, "the traces are in the files before the deletion")
      let pages = try store.read { try $0.integer("PRAGMA page_count") } ?? 0
      // The other points of the device keep their pages in use.
      let counts = try DeletionRun(database: store).run(
        .test(.points(PointSelection(device: scene.phone.id, area: .shape(.circle(Circle(center: place, radius: 50)))))),
        at: walkStart)
      #expect(counts.points == 8_000 && counts.events == 1 && counts.rejectedRecords == 1)
      #expect(try store.points(PointQuery(device: scene.phone.id, limit: 10_000)).count == 4_000)
      let (full, free) = (pages, try store.read { try $0.integer("PRAGMA freelist_count") })
      #expect(
        try free == 0 && store.read { try $0.integer("PRAGMA page_count") } ?? .max < full, "the free pages are removed")
      // The remaining points have the same network.
      traces.remove(at: 2)
      #expect(try found() == [])
      _ = try DeletionRun(database: store).run(.test(.device(scene.phone.id)), at: walkStart)
      traces.append(Data("secret-network".utf8))
      #expect(try found() == [])
    }
  }

  @Test("an interrupted deletion is completed, and counts each row once", arguments: StoreKind.tested)
  func resumed(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    _ = try await place.store.store(try (0..<5_000).map { try step($0, journal: 1) }, of: device)
    let (from, to) = Self.times(1_000..<4_500)
    let selection = PointSelection(device: device.id, from: from, to: to)
    // The commits of the killed process: the begin of the deletion, and one page.
    let id = try await place.store.write { try DeletionTables.add(.test(.points(selection)), at: walkStart, $0) }
    let points = DeletionPoints(selection)
    let page = try place.store.read { try points.page(after: nil, $0) }
    _ = try await place.store.write { db in
      var counts = DeletionCounts()
      counts.points = try points.delete(page.points, keepsNumbers: true, db)
      try DeletionTables.record(counts, of: id, db)
    }
    let other = try place.openAgain()
    defer { other.close() }
    #expect(try other.points(PointQuery(device: device.id, limit: 10_000)).count == 3_000)
    try DeletionRun(database: other).resume()
    let left = try other.points(PointQuery(device: device.id, limit: 10_000))
    #expect(left.count == 1_500 && left.allSatisfy { !selection.contains($0.fix.time.millisecondsSince1970) })
    #expect(try other.read { try DeletionTables.all($0) }.isEmpty)
    let line = try #require(try other.read { try AuditTable.lines(AuditTable.Query(limit: 10), $0) }.first)
    #expect(line.entry.subject == "walker: 3,500 points" && line.entry.actor == "a test")
    let ranges = try other.read { try $0.all("SELECT first, last FROM deleted_ranges") { [$0.integer(0), $0.integer(1)] } }
    // The record number of a step is its index plus one.
    #expect(ranges == [[1_001, 4_500]])
    try DeletionRun(database: other).resume()
  }

  @Test("an upload of another device is committed between two steps of a deletion", arguments: StoreKind.tested)
  func beside(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let (big, small) = (try place.store.makeDevice("big"), try place.store.makeDevice("small"))
    let total = 3 * DeletionPoints.step + 1
    _ = try await place.store.store(try (0..<total).map { try step($0) }, of: big)
    let store = place.store
    // The points of both devices after each step and the upload that follows it.
    let seen = Mutex<[[Int64]]>([])
    var run = DeletionRun(database: store)
    run.stepped = {
      let isStored = DispatchSemaphore(value: 0)
      let record = try step(seen.withLock { $0.count })
      store.submit(Submission(device: small, records: [record], received: walkStart) { _ in isStored.signal() })
      // If the deletion blocked the store, the upload would never be committed.
      guard isStored.wait(timeout: .now() + 60) == .success else { throw StoreError.busy }
      let counts = try store.read { db in
        try [big, small].map { Int64(try PointLookup.count(ofDevice: $0.id, .min..<Int64.max, db)) }
      }
      seen.withLock { $0.append(counts) }
    }
    let deleting = Task.detached { [run] in  // detached: it blocks its thread
      try run.run(.test(.device(big.id)), at: walkStart)
    }
    #expect(try await deleting.value.points == total)
    let page = Int64(DeletionPoints.step)
    #expect(seen.withLock { $0 } == [[2 * page + 1, 1], [page + 1, 2], [1, 3], [0, 4]])
    #expect(try store.points(PointQuery(limit: 1_000)).count == 4)
  }

  @Test("the events of a device are deleted in pages as well", arguments: StoreKind.tested)
  func pages(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let device = try store.makeDevice()
    let actions = (0..<2_500).map { second in
      Record(kind: .action(Action(time: walkStart.addingTimeInterval(Double(second)), name: "wake", coordinate: nil)))
    }
    _ = try await store.store(actions, of: device)
    let left = Mutex<[Int64]>([])
    var run = DeletionRun(database: store)
    run.stepped = {
      let count = try store.read { try $0.integer("SELECT count(*) FROM events") } ?? 0
      left.withLock { $0.append(count) }
    }
    let counts = try run.run(.test(.device(device.id)), at: walkStart)
    #expect(counts.events == 2_500)
    #expect(left.withLock { $0 } == [1_500, 500, 0])
  }

  @Test("a visit and a trip of three months are deleted with any of their days", arguments: StoreKind.tested)
  func longRecords(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    let (home, end) = (try coordinate(46, 14.5), walkStart.addingTimeInterval(90 * 86_400))
    let visit = Visit(time: end, coordinate: home, arrival: walkStart, departure: end)
    let trip = Trip(start: walkStart, end: end, mode: "boat", duration: 90 * 86_400, distance: 1000)
    _ = try await place.store.store([Record(kind: .visit(visit)), Record(kind: .trip(trip))], of: device, at: end)
    let (from, to) = Self.times(80 * 86_400..<81 * 86_400)
    let counts = try DeletionRun(database: place.store).run(
      .test(.points(PointSelection(device: device.id, from: from, to: to))), at: end)
    #expect(counts.events == 2)
    #expect(try place.store.read { try $0.integer("SELECT count(*) FROM events") } == 0)
  }

  @Test("shared contexts remain as long as one of the devices uses them", arguments: StoreKind.tested)
  func contexts(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let (first, second) = (try place.store.makeDevice("first"), try place.store.makeDevice("second"))
    let context = DeviceContext(wifi: "shared", tripID: "t")
    for device in [first, second] {
      _ = try await place.store.store([try step(1, context: context), try step(2, journal: 3, context: context)], of: device)
    }
    // Another process deletes: this store still caches ids of deleted contexts and journals.
    let other = try place.openAgain()
    defer { other.close() }
    func wifi(_ device: Device) throws -> [String?] {
      try place.store.points(PointQuery(device: device.id, limit: 10)).map(\.record.context.wifi)
    }
    _ = try DeletionRun(database: other).run(.test(.device(first.id)), at: walkStart)
    #expect(try wifi(second) == ["shared", "shared"])
    _ = try DeletionRun(database: other).run(
      .test(.points(PointSelection(device: second.id, from: walkStart.millisecondsSince1970))), at: walkStart)
    #expect(try place.store.read { try $0.integer("SELECT count(*) FROM contexts") } == 0)
    _ = try await place.store.store([try step(3, context: context), try step(4, journal: 3, context: context)], of: second)
    #expect(try wifi(second) == ["shared", "shared"])
    let ids = try place.store.points(PointQuery(device: second.id, limit: 10)).map(\.record.id)
    #expect(ids == [nil, RecordID(journal: 3, sequence: 5)])
  }

  @Test("a submission for a deleted device gets a result, and its records are not stored", arguments: StoreKind.tested)
  func inFlight(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    _ = try await place.store.store([try step(1, journal: 1)], of: device)
    let other = try place.openAgain()
    defer { other.close() }
    _ = try DeletionRun(database: other).run(.test(.device(device.id)), at: walkStart)
    let late = try await place.store.store(
      [try step(2, journal: 1)], of: device, rejections: [RejectedRecord(place: "a", reason: "b", raw: [1])],
      range: SequenceRange(journal: 1, numbers: 1...2, since: 1))
    #expect(late.saved == 0)
    for table in ["points", "rejected_records", "journals", "received_ranges", "dirty_days"] {
      #expect(try place.store.read { try $0.integer("SELECT count(*) FROM \(table)") } == 0, "\(table)")
    }
  }

  @Test(
    "a user cannot sign in during the deletion, a device added during it is deleted, and an undo restores both",
    arguments: StoreKind.tested)
  func userInProgress(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (phone, late) = (try store.makeDevice("phone"), try store.makeDevice("late"))
    _ = try await store.store([try step(1)], of: phone)
    let issuer = "https://id.example.org"
    let user = try #require(
      try await store.write { db -> User? in
        guard let user = try UserTable.add("Anna", .member, password: "kept", at: walkStart, db) else { return nil }
        try DeviceOwners.set(user.id, of: phone.id, db)
        _ = try OpenIDIdentityTable.link("subject", at: issuer, to: user.id, now: walkStart, db)
        _ = try db.run(
          """
          INSERT INTO passkeys (account, credential, public_key, host, name, signatures, synced, created)
          VALUES (?, ?, ?, 'example.org', 'key', 0, 0, 1)
          """, with: [user.id.argument, .blob([1]), .blob([2])])
        return user
      })
    // Whether a proxy's header, an OpenID provider and a passkey still identify the user.
    let identified: @Sendable () throws -> [Bool] = {
      try store.read { db in
        [
          try UserTable.user(named: "anna", db) != nil, try OpenIDIdentityTable.user("subject", at: issuer, db) != nil,
          try db.integer("SELECT count(*) FROM passkeys") == 1,
        ]
      }
    }
    #expect(try identified() == [true, true, true])
    let found = Mutex<[[Bool]]>([])
    var run = DeletionRun(database: store)
    run.stepped = {
      let during = try identified()
      let isFirst = found.withLock { found in
        found.append(during)
        return found.count == 1
      }
      if isFirst { try store.writeAndWait { try DeviceOwners.set(user.id, of: late.id, $0) } }
    }
    let entry = try run.runUndoably(.test(.user(user.id)), at: walkStart).entry
    #expect(found.withLock { $0 }.first == [false, false, false])
    #expect(try store.devices().isEmpty && store.read { try UserTable.isEmpty($0) })
    run.stepped = {}
    _ = try run.run(.test(.undo(try #require(entry).id)), at: walkStart)
    #expect(try identified() == [true, true, true])
    #expect(try store.read { try DeviceOwners.devices(of: user.id, $0) }.map(\.name) == ["late", "phone"])
  }

  @Test("the deletion includes every table with rows of devices", arguments: StoreKind.tested)
  func tables(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let names =
      !kind.isPostgres
      ? """
      SELECT tables.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
      WHERE tables.type = 'table' AND columns.name = 'device'
      """
      : """
      SELECT CAST(table_name AS text) FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'device' AND table_name NOT LIKE 'points_%'
      """
    let found = Set(try place.store.read { try $0.all(names) { $0.text(0) } })
    let others: Set<String> =
      !kind.isPostgres
      ? ["points", "journals", "overview_pieces"]
      : ["points", "journals", "overview_pieces", "feed_events", "feed_subscribers", "point_hashes"]
    // The rows of these tables are deleted when the mirror has deleted the device.
    let sent: Set<String> = ["mirror_changes", "mirror_devices"]
    #expect(found == Set(DeviceDeletion.tables).union(others).union(sent))
  }
}
