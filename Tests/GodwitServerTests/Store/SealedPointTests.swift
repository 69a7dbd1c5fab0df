import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitColumns
@testable import GodwitDeletion
@testable import GodwitStore
@testable import GodwitTransfer

/// Compares points in blocks with the same points in rows.
@Suite("Sealed points")
struct SealedPointTests {
  /// A random record at one of a few places.
  private static func record(_ generator: inout SeededNumbers, within seconds: Int) throws -> Record {
    let second = Int.random(in: -seconds...seconds, using: &generator)
    let fix = Fix(
      time: walkStart.addingTimeInterval(Double(second)),
      coordinate: try coordinate(
        Double(Int.random(in: -3...3, using: &generator)) * 10, Double(Int.random(in: -17...17, using: &generator)) * 10),
      horizontalAccuracy: Bool.random(using: &generator) ? 5 : nil,
      altitude: Double(Int.random(in: -100...9_000, using: &generator)),
      speed: Bool.random(using: &generator) ? Double(Int.random(in: 0...40, using: &generator)) : nil)
    var context = DeviceContext(batteryLevel: Bool.random(using: &generator) ? 0.5 : nil)
    if Bool.random(using: &generator) { context.wifi = "wifi \(Int.random(in: 0...2, using: &generator))" }
    if Bool.random(using: &generator) { context.motion = [.walking] }
    let id =
      Bool.random(using: &generator) ? RecordID(journal: 7, sequence: RecordNumber(clamping: Int64(second + seconds + 1))) : nil
    return Record(id: id, kind: .fix(fix), context: context, extras: Bool.random(using: &generator) ? "{\"a\":\(second)}" : nil)
  }

  private static func description(_ point: StoredPoint) -> String {
    "\(point.device) \(point.fix) \(point.record) \(point.cursor)"
  }

  private static func query(_ generator: inout SeededNumbers, _ devices: [Device]) -> PointQuery {
    var query = PointQuery(limit: [1, 7, 50, 5_000].randomElement(using: &generator) ?? 7)
    if Bool.random(using: &generator) { query.device = devices.randomElement(using: &generator)?.id }
    let (first, length) = (Int.random(in: -600...600, using: &generator), Int.random(in: 0...400, using: &generator))
    if Bool.random(using: &generator) { query.from = walkStart.addingTimeInterval(Double(first)) }
    if Bool.random(using: &generator) { query.to = walkStart.addingTimeInterval(Double(first + length)) }
    if Bool.random(using: &generator) {
      query.box = BoundingBox(
        west: Double(Int.random(in: -180...180, using: &generator)), south: -20,
        east: Double(Int.random(in: -180...180, using: &generator)),
        north: 10)
    }
    query.leavesOutMarked = Bool.random(using: &generator)
    return query
  }

  /// A line for each point of a query and a device, with the numbers of its columns.
  private static func lines(_ query: PointQuery, ofDevice device: Int64, _ store: any StoreDatabase) throws -> [String] {
    guard let span = PointSpan(query, device: device) else { return [] }
    let columns = PointColumn.stored(.sqlite).filter { $0 != .device && $0 != .extras }
    return try store.read { db in
      var lines: [String] = []
      try PointReader(columns, of: span, db).readBatches { points in
        let values = columns.map { (points.numbers($0), points.present($0)) }
        lines += points.indices.map { index in
          values.map { $1?[index] ?? true ? "\($0[index])" : "none" }.joined(separator: " ")
        }
      }
      return lines
    }
  }

  @Test(
    "points in blocks are read like points in rows, for random queries, sealing, late points, deletions and flags",
    arguments: StoreKind.tested.contains(.sqlite) ? [1, 2, 3, 4] as [UInt64] : [])
  func likeRows(seed: UInt64) async throws {
    var generator = SeededNumbers(seed)
    let (rows, sealed) = (try ContractStore(.sqlite), try ContractStore(.sqlite))
    defer {
      rows.end()
      sealed.end()
    }
    let devices = try ["a", "b", "c"].map { name in
      (try rows.store.makeDevice(name), try sealed.store.makeDevice(name))
    }
    for step in 0..<60 {
      let (plain, other) = devices[Int.random(in: 0..<3, using: &generator)]
      switch Int.random(in: 0..<6, using: &generator) {
      case 0...2:
        let records = try (0..<Int.random(in: 1...300, using: &generator)).map { _ in try Self.record(&generator, within: 500) }
        let results = (try await rows.store.store(records, of: plain), try await sealed.store.store(records, of: other))
        #expect(results.0.known == results.1.known && results.0.savedPoints == results.1.savedPoints)
      case 3:
        let end = walkStart.addingTimeInterval(Double(Int.random(in: -500...600, using: &generator))).millisecondsSince1970
        _ = try await sealed.store.write { db in
          try PointSealer(ofDevice: other.id, db).sealFirst(from: .min, before: end, minimum: 1)
        }
      case 4:
        let first = walkStart.addingTimeInterval(Double(Int.random(in: -500...500, using: &generator)))
        let selection = (plain.id, other.id, first.millisecondsSince1970, first.millisecondsSince1970 + 20_000)
        for (store, device) in [(rows.store, selection.0), (sealed.store, selection.1)] {
          let points = DeletionPoints(PointSelection(device: device, from: selection.2, to: selection.3))
          try await store.write { db in
            let page = try points.page(after: nil, db)
            _ = try points.delete(page.points, keepsNumbers: false, db)
          }
        }
      default:
        let point = try rows.store.points(PointQuery(device: plain.id, limit: 50)).randomElement(using: &generator)
        guard let key = point?.cursor else { continue }
        for (store, device) in [(rows.store, plain.id), (sealed.store, other.id)] {
          try await store.write { db in
            try db.run(
              """
              INSERT INTO outliers (device, time, latitude, longitude, reason, flagged, manual, day) VALUES (?, ?, ?, ?, 'manual', 1, 1, 0)
              ON CONFLICT DO NOTHING
              """, device, key.time.value, key.latitude.value, key.longitude.value)
          }
        }
      }
      let query = Self.query(&generator, devices.map(\.0))
      #expect(
        try rows.store.points(query).map(Self.description) == sealed.store.points(query).map(Self.description), "step \(step)")
      if var after = try rows.store.points(query).randomElement(using: &generator).map({ _ in query }) {
        after.after = try rows.store.points(query).randomElement(using: &generator)?.cursor
        #expect(try rows.store.points(after).map(Self.description) == sealed.store.points(after).map(Self.description))
      }
      for (plain, other) in devices {
        let read = (
          try Self.lines(query, ofDevice: plain.id, rows.store), try Self.lines(query, ofDevice: other.id, sealed.store)
        )
        #expect(read.0 == read.1 && read.0.count <= query.limit, "step \(step)")
        #expect(
          try rows.store.newest(device: plain.id).map(Self.description)
            == sealed.store.newest(device: other.id).map(Self.description))
      }
      let summaries = (try rows.store.devices(), try sealed.store.devices())
      #expect(summaries.0.map(\.first) == summaries.1.map(\.first) && summaries.0.map(\.points) == summaries.1.map(\.points))
      let times = (query.from?.millisecondsSince1970 ?? .min)..<Int64.max
      let counts = try [rows.store, sealed.store].map { store in
        try store.read { db in try PointLookup.count(ofDevice: plain.id, times, db) }
      }
      #expect(counts[0] == counts[1])
    }
    let blocks = try sealed.store.read { try $0.integer("SELECT count(*) FROM point_blocks") } ?? 0
    #expect(blocks > 0)
  }

  @Test(
    "blocks of a device do not overlap, have at most 1.5 times the usual size, and contain each point once",
    arguments: StoreKind.tested)
  func layout(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    var generator = SeededNumbers(5)
    var order = Array(0..<12_000)
    order.shuffle(using: &generator)
    for part in stride(from: 0, to: order.count, by: 3_000) {
      _ = try await place.store.store(order[part..<part + 3_000].map { try step($0, journal: 3) }, of: device)
      _ = try SealingRun(database: place.store, days: 0, minimum: 1).run(at: walkStart.addingTimeInterval(20_000))
    }
    let again = try await place.store.store((0..<12_000).map { try step($0, journal: 3) }, of: device)
    #expect(again.savedPoints == 0 && again.duplicates == 12_000)
    let (headers, rows) = try place.store.read { db in
      (
        try BlockTable.headers(ofDevice: device.id, .min..<Int64.max, db),
        try db.integer("SELECT count(*) FROM points") ?? -1
      )
    }
    #expect(headers.reduce(0) { $0 + $1.count } == 12_000 && rows == 0)
    #expect(zip(headers, headers.dropFirst()).allSatisfy { $0.times.upperBound < $1.times.lowerBound })
    #expect(headers.allSatisfy { $0.count <= PointSealer.usual * 3 / 2 })
    let points = try place.store.allPoints(PointQuery(device: device.id, limit: 1_000))
    #expect(points.map(\.fix.time) == (0..<12_000).map { walkStart.addingTimeInterval(Double($0)) })
    #expect(points.map { $0.record.id?.sequence.value } == (1...12_000).map { Int64($0) })
  }

  @Test(
    "only old points are sealed, and only if there are enough of them", arguments: StoreKind.tested.filter { !$0.isSealed })
  func age(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    func rows() throws -> Int64? { try place.store.read { try $0.integer("SELECT count(*) FROM points") } }
    _ = try await place.store.store((0..<600).map { try step($0 * 1_000) }, of: device)
    let end = walkStart.addingTimeInterval(599_000)
    let run = SealingRun(database: place.store)
    #expect(try run.run(at: walkStart).sealed == 0)
    // Only 100 points are older than three days.
    #expect(try run.run(at: walkStart.addingTimeInterval(100_000 + 3 * 86_400)).sealed == 0)
    #expect(try rows() == 600)
    #expect(try run.run(at: end.addingTimeInterval(3 * 86_400)).sealed == 599)
    #expect(try rows() == 1)
    // A late point is added to its block by the next run.
    _ = try await place.store.store([try step(1_500)], of: device)
    #expect(try run.run(at: end.addingTimeInterval(3 * 86_400)).sealed == 1)
    #expect(try place.store.points(PointQuery(device: device.id, limit: 1_000)).count == 601)
  }

  @Test("thousands of points with the same time are in one block, and points that do not fit into a block remain in rows")
  func oneTime() async throws {
    let place = try ContractStore(.sqlite)
    defer { place.end() }
    let device = try place.store.makeDevice()
    func records(_ count: Int, at second: Double) throws -> [Record] {
      try (0..<count).map { number in
        Record(
          kind: .fix(
            Fix(time: walkStart.addingTimeInterval(second), coordinate: try coordinate(1 + Double(number) * 1e-5, 2))))
      }
    }
    for (second, count) in [(0.0, 10), (1, 9_000), (2, 17_000), (3, 10)] {
      _ = try await place.store.store(records(count, at: second), of: device)
    }
    let result = try SealingRun(database: place.store, days: 0, minimum: 1).run(at: walkStart.addingTimeInterval(100))
    #expect(result.sealed == 9_020 && result.problems.isEmpty)
    #expect(try place.store.read { try $0.integer("SELECT count(*) FROM points") } == 17_000)
    #expect(try place.store.allPoints(PointQuery(device: device.id, limit: 10_000)).count == 26_020)
  }

  @Test("sealing that fails before its commit has no effect", arguments: StoreKind.tested)
  func interrupted(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    struct Interrupted: Error {}
    _ = try await place.store.store((0..<5_000).map { try step($0) }, of: device)
    let before = try place.store.allPoints(PointQuery(device: device.id, limit: 1_000)).map(Self.description)
    let blocks = try place.store.read { try $0.integer("SELECT count(*) FROM point_blocks") }
    await #expect(throws: Interrupted.self) {
      try await place.store.write { db in
        _ = try PointSealer(ofDevice: device.id, db).sealFirst(from: .min, before: .max, minimum: 1)
        throw Interrupted()
      }
    }
    #expect(try place.store.read { try $0.integer("SELECT count(*) FROM point_blocks") } == blocks)
    #expect(try place.store.allPoints(PointQuery(device: device.id, limit: 1_000)).map(Self.description) == before)
  }

  @Test("a damaged block is an error with its device and days, and all other points can be read", arguments: StoreKind.tested)
  func damage(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let (device, other) = (try place.store.makeDevice(), try place.store.makeDevice("other"))
    for device in [device, other] { _ = try await place.store.store((0..<9_000).map { try step($0 * 10) }, of: device) }
    _ = try SealingRun(database: place.store, days: 0, minimum: 1).run(at: walkStart.addingTimeInterval(100_000))
    let headers = try place.store.read { try BlockTable.headers(ofDevice: device.id, .min..<Int64.max, $0) }
    let middle = headers[headers.count / 2]
    try await place.store.write { db in
      var content = try #require(
        try db.first(
          "SELECT content FROM point_blocks WHERE device = ? AND first = ?", device.id, middle.times.lowerBound
        ) { try $0.blob("content") })
      content[content.count / 2] ^= 4
      try db.run(
        "UPDATE point_blocks SET content = ? WHERE device = ? AND first = ?", content, device.id, middle.times.lowerBound)
    }
    let error = try #require(throws: DamagedBlock.self) { try place.store.allPoints(PointQuery(device: device.id, limit: 1_000)) }
    #expect(error.device == device.id && error.times == middle.times)
    #expect("\(error)".contains("2026-11-2") && "\(error)".contains("the device \"walker\""))
    #expect(try place.store.allPoints(PointQuery(device: other.id, limit: 1_000)).count == 9_000)
    #expect(place.store.health.damagedBlocks == [error])
    #expect(try BlockScrub.run(place.store) == [error])
    let before = PointQuery(device: device.id, to: Date(millisecondsSince1970: middle.times.lowerBound), limit: 100_000)
    #expect(try place.store.points(before).count == headers.prefix { $0 != middle }.reduce(0) { $0 + $1.count })
  }

  /// A connection to a database in which the columns of a block cannot be read.
  private final class DatabaseWithUnreadableBlock: SQLConnection {
    struct Unreadable: Error {}
    private let db: any SQLConnection
    private let first: Int64

    init(_ db: any SQLConnection, first: Int64) { (self.db, self.first) = (db, first) }

    var dialect: SQLDialect { db.dialect }
    func run(_ sql: String, with arguments: [SQLArgument]) throws -> Int { try db.run(sql, with: arguments) }
    func query(_ sql: String, with arguments: [SQLArgument], _ body: (any SQLRow) throws -> Bool) throws {
      if sql.hasPrefix("SELECT content "), arguments.last == .integer(first) { throw Unreadable() }
      try db.query(sql, with: arguments, body)
    }
  }

  @Test("pages of a block can be read while the next block cannot, also those after the first page")
  func pagesBeforeUnreadableBlock() async throws {
    let place = try ContractStore(.sqlite)
    defer { place.end() }
    let device = try place.store.makeDevice()
    _ = try await place.store.store((0..<9_000).map { try step($0 * 10) }, of: device)
    _ = try SealingRun(database: place.store, days: 0, minimum: 1).run(at: walkStart.addingTimeInterval(100_000))
    let headers = try place.store.read { try BlockTable.headers(ofDevice: device.id, .min..<Int64.max, $0) }
    try #require(headers.count > 1 && headers[0].count > 200)
    func count(_ query: PointQuery) throws -> Int {
      let span = try #require(PointSpan(query, device: device.id))
      return try place.store.read { db in
        let unreadable = DatabaseWithUnreadableBlock(db, first: headers[1].times.lowerBound)
        let (columns, select) = (PointColumn.stored(.sqlite), PointQueryText.select)
        var points = 0
        try PointReader(columns, select: select, of: span, unreadable, last: LastTable()).readEach { _ in points += 1 }
        return points
      }
    }
    var query = PointQuery(device: device.id, limit: 100)
    #expect(try count(query) == 100)
    query.after = try place.store.points(query).last?.cursor
    #expect(try count(query) == 100)
    let rest = PointQuery(device: device.id, after: query.after, limit: headers[0].count)
    #expect(throws: DatabaseWithUnreadableBlock.Unreadable.self) { try count(rest) }
  }

  @Test("sealing reduces the size of the file")
  func space() async throws {
    let place = try ContractStore(.sqlite)
    defer { place.end() }
    let device = try place.store.makeDevice()
    for part in 0..<16 {
      let records = try (0..<20_000).map { try step(part * 20_000 + $0, journal: 9) }
      _ = try await place.store.store(records, of: device, at: walkStart.addingTimeInterval(Double(part + 1) * 20_000))
    }
    func size() throws -> Int64 {
      try place.store.read { db in
        try (db.integer("PRAGMA page_count") ?? 0) * (db.integer("PRAGMA page_size") ?? 0)
      }
    }
    let before = try size()
    #expect(try SealingRun(database: place.store, days: 0).run(at: walkStart.addingTimeInterval(1_000_000)).sealed == 320_000)
    let after = try size()
    #expect(after * 5 < before, "\(after) of \(before) bytes")
    #expect(try place.store.points(PointQuery(device: device.id, limit: 400_000)).count == 320_000)
  }

  /// A point of a phone with every field, of a walk with errors of the positions, speeds and courses.
  private static func phonePoint(_ number: Int, _ generator: inout SeededNumbers) throws -> Record {
    func error() -> Double { Double.random(in: -1...1, using: &generator) + Double.random(in: -1...1, using: &generator) }
    let fix = Fix(
      time: walkStart.addingTimeInterval(Double(number)),
      coordinate: try coordinate(47 + Double(number) * 1.2e-5 + error() * 5e-6, 10 + Double(number) * 0.7e-5 + error() * 7e-6),
      horizontalAccuracy: [4.7, 6.5, 9.3, 14.2].randomElement(using: &generator), altitude: 430 + error(),
      verticalAccuracy: [3, 4, 6].randomElement(using: &generator), speed: max(0, 1.4 + error() * 0.2),
      speedAccuracy: [0.4, 0.5, 0.7].randomElement(using: &generator), course: 40 + error() * 3,
      courseAccuracy: [8.5, 12.1, 20].randomElement(using: &generator))
    let context = DeviceContext(
      batteryLevel: 0.9 - Double(number / 600) * 0.01, batteryState: .unplugged, motion: [.walking], wifi: "home",
      deviceID: "phone")
    return Record(
      id: RecordID(journal: 5, sequence: RecordNumber(clamping: Int64(number) + 1)), kind: .fix(fix), context: context)
  }

  @Test(
    "a sealed point with every field of a phone takes less than 12 bytes on SQLite and 20 on PostgreSQL",
    arguments: StoreKind.tested.filter { !$0.isSealed })
  func bytes(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    var generator = SeededNumbers(3)
    for part in 0..<4 {
      let records = try (0..<10_000).map { try Self.phonePoint(part * 10_000 + $0, &generator) }
      _ = try await place.store.store(records, of: device, at: walkStart.addingTimeInterval(Double(part + 1) * 10_000))
    }
    #expect(try SealingRun(database: place.store, days: 0).run(at: walkStart.addingTimeInterval(50_000)).sealed == 40_000)
    let size = try place.store.read { db in
      try db.integer(
        kind.isPostgres
          ? "SELECT pg_total_relation_size('point_blocks')"
          : "SELECT sum(pgsize) FROM dbstat WHERE name = 'point_blocks'")
    }
    let bytes = Double(try #require(size)) / 40_000
    #expect(bytes < (kind.isPostgres ? 20 : 12), "\(bytes) bytes a point")
  }
}
