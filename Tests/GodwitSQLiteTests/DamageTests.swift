import Foundation
import GodwitSimulator
import TestParts
import Testing

@testable import GodwitSQLite

/// Tests flipped bits and replaced sectors of a database and of its write-ahead log.
@Suite("Damage of database files")
struct DamageTests {
  /// The numbers of damages in the tests. `GODWIT_FLIPS` sets their sum.
  private struct FlipCampaign {
    let database: Int
    let log: Int

    /// - Parameters:
    ///   - quick: the sum in the quick tests.
    ///   - system: the sum in the system tests.
    init(quick: Int, system: Int) {
      let named = ProcessInfo.processInfo.environment["GODWIT_FLIPS"].flatMap { Int($0) }
      let sum = max(0, named ?? (TestGroup.quick.isRun ? quick : system))
      log = sum / 10 * 3
      database = sum - log
    }
  }

  private static let campaign = FlipCampaign(quick: 800, system: 10_000)

  /// The content of a file.
  private struct Content: Hashable {
    /// All rows in the order of the table, and in that of an index.
    var rows: [String]
    /// The result of a check of the whole file.
    var found: [String]
  }

  /// Reads a file.
  /// - Throws: an error if reading fails.
  private static func content(_ path: String, _ access: Database.Access = .readWrite, checks: Bool = true) throws -> Content {
    let database = try Database(path: path, access: access, checksPages: checks)
    var content = Content(rows: [], found: [])
    for columns in [
      "quote(id) || quote(latitude) || quote(note) AS line FROM points ORDER BY id",
      "note || id AS line FROM points INDEXED BY notes ORDER BY note",
    ] {
      content.rows.append(try database.text("SELECT group_concat(line, char(10)) FROM (SELECT \(columns))") ?? "")
    }
    let check = try database.statement("PRAGMA quick_check")
    while try check.step() { content.found.append(check.text(0)) }
    check.reset()
    return content
  }

  /// A part of a file with changed bytes.
  private struct Damage {
    var offset: Int
    var bytes: [UInt8]

    /// Flips a bit.
    init(flipping bit: Int, of original: [UInt8]) {
      (offset, bytes) = (bit / 8, [original[bit / 8] ^ 1 << (bit % 8)])
    }

    init(offset: Int, bytes: [UInt8]) { (self.offset, self.bytes) = (offset, bytes) }

    /// Returns a flipped bit, or in every fourth turn a sector that is replaced by another sector, zeros or random bytes.
    static func random(of original: [UInt8], within size: Int, _ turn: Int, _ random: inout RandomSource) -> Damage {
      if turn % 4 < 3 { return Damage(flipping: Int.random(in: 0..<size * 8, using: &random), of: original) }
      let sectors = size / 512
      let (target, source) = (Int.random(in: 0..<sectors, using: &random), Int.random(in: 0..<sectors, using: &random))
      let bytes =
        switch turn % 12 {
        case 3: Array(original[source * 512..<source * 512 + 512])
        case 7: [UInt8](repeating: 0, count: 512)
        default: (0..<512).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
      return Damage(offset: target * 512, bytes: bytes)
    }
  }

  /// A file that is damaged and restored in place. It stays open, because closing it would release the locks of SQLite.
  private final class DamagedFile {
    let original: [UInt8]
    private let descriptor: Int32

    init(_ path: String) throws {
      original = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
      descriptor = open(path, O_RDWR | O_CLOEXEC)
      try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    func apply(_ damage: Damage) throws {
      try #require(pwrite(descriptor, damage.bytes, damage.bytes.count, off_t(damage.offset)) == damage.bytes.count)
    }

    /// Restores the file, which a reader may have changed, and removes another file that a reader may have created.
    func restore(removing other: String? = nil) throws {
      if let other { unlink(other) }
      try #require(pwrite(descriptor, original, original.count, 0) == original.count)
      try #require(ftruncate(descriptor, off_t(original.count)) == 0)
    }
  }

  @Test("every flipped bit and every replaced sector of a file is detected, or does not change the result of a query")
  func database() throws {
    let file = try TemporaryFile()
    try Database(path: file.path).fillWithRows()
    let expected = try Self.content(file.path)
    #expect(expected.found == ["ok"])
    let damaged = try DamagedFile(file.path)
    var random = RandomSource(seed: 21, stream: "damage")
    var found = 0
    for turn in 0..<Self.campaign.database {
      try damaged.apply(Damage.random(of: damaged.original, within: damaged.original.count, turn, &random))
      switch Result(catching: { try Self.content(file.path) }) {
      case .failure(let error as SQLiteError):
        #expect(error.isCorrupt, "turn \(turn): \(error)")
        found += 1
      case .failure(let error): Issue.record(error)
      case .success(let content):
        // The check reads more than the rows.
        if content.found != ["ok"] { found += 1 }
        if content.rows != expected.rows { Issue.record("turn \(turn): other rows") }
      }
      try damaged.restore(removing: file.path + "-wal")
    }
    #expect(found > Self.campaign.database / 2)
    #expect(try Self.content(file.path) == expected)
  }

  @Test("without checksums the same damage changes results of queries without an error")
  func control() throws {
    let file = try TemporaryFile()
    try Database(path: file.path, checksPages: false).fillWithRows()
    let expected = try Self.content(file.path, checks: false)
    let damaged = try DamagedFile(file.path)
    var random = RandomSource(seed: 21, stream: "damage")
    var undetected = 0
    for turn in 0..<Self.campaign.database {
      try damaged.apply(Damage.random(of: damaged.original, within: damaged.original.count, turn, &random))
      if let content = try? Self.content(file.path, checks: false), content.found == ["ok"], content.rows != expected.rows {
        undetected += 1
      }
      try damaged.restore(removing: file.path + "-wal")
    }
    #expect(undetected > Self.campaign.database / 10)
  }

  /// The files of a database after a crash.
  private struct Crash {
    let path: String
    var log: String { path + "-wal" }
    let expected: Content
    /// The size of the log before its last two frames; the last transaction has one page.
    let acknowledged: Int

    init(in file: TemporaryFile) throws {
      path = file.path + "-crash"
      let open = try Database(path: file.path)
      try open.execute("PRAGMA wal_autocheckpoint = 0")
      try open.fillWithRows()
      for id in 1...30 { try open.run("UPDATE points SET latitude = ? WHERE id = ?", Double(id), id) }
      try FileManager.default.copyItem(atPath: file.path, toPath: path)
      try FileManager.default.copyItem(atPath: file.path + "-wal", toPath: path + "-wal")
      expected = try content(file.path, .readOnly)
      let (size, frame) = (try Data(contentsOf: URL(fileURLWithPath: path + "-wal")).count, 24 + 4096)
      try #require((size - 32) % frame == 0)
      acknowledged = size - 2 * frame
    }

    /// Reads the files as the next program does. The log is not changed.
    func read() throws -> Content {
      try? FileManager.default.removeItem(atPath: path + "-shm")
      return try content(path, .readOnly)
    }
  }

  @Test("damage of the write-ahead log after a crash is detected, unless it is in the last transaction")
  func log() throws {
    let file = try TemporaryFile()
    let crash = try Crash(in: file)
    #expect(try crash.read() == crash.expected)
    let damaged = try DamagedFile(crash.log)
    var random = RandomSource(seed: 3, stream: "log")
    var found = 0
    for turn in 0..<Self.campaign.log {
      var damage = Damage.random(of: damaged.original, within: crash.acknowledged, turn, &random)
      // The first turns damage each byte of the header.
      if turn < 32 { damage = Damage(flipping: turn * 8, of: damaged.original) }
      try damaged.apply(damage)
      switch Result(catching: { try crash.read() }) {
      case .failure(let error as SQLiteError):
        #expect(error.isCorrupt, "turn \(turn): \(error)")
        found += 1
      case .failure(let error): Issue.record(error)
      case .success(let content):
        if content != crash.expected {
          Issue.record("turn \(turn): other rows, at \(damage.offset), \(damage.bytes.count) bytes")
        }
      }
      try damaged.restore()
    }
    #expect(found > Self.campaign.log / 2)
    #expect(try crash.read() == crash.expected)
  }
}
