import Foundation
import GodwitSimulator
import TestDisk
import Testing

@testable import GodwitSQLite

@Suite("Power cuts under a database")
struct PowerCutTests {
  /// The texts of the rows of a database, by ID.
  private struct Content: Hashable, Sendable {
    var rows: [Int64: String] = [:]

    init() {}

    init(_ database: Database) throws {
      let statement = try database.statement("SELECT id, text FROM rows")
      defer { statement.reset() }
      while try statement.step() { rows[statement.integer(0)] = statement.text(1) }
    }
  }

  /// The allowed contents after a power cut.
  private struct Expected: Sendable {
    var committed = Content()
    /// The contents after later transactions, each of which failed or has not returned.
    var attempts: [Content] = []
  }

  /// Transactions of all sizes on a simulated disk.
  private final class Workload {
    let folder: String
    let disk: SimulatedDisk
    private let recorder: CutRecorder<Expected>
    private var random: RandomSource
    private var database: Database?
    /// The current content of the database.
    private var current = Content()
    private let synchronous: String
    private(set) var failures = 0

    init(seed: UInt64, synchronous: String = "FULL", in parent: String) throws {
      random = RandomSource(seed: seed, stream: "workload")
      self.synchronous = synchronous
      folder = "\(parent)/disk-\(seed)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      disk = try SimulatedDisk(folder: folder)
      recorder = CutRecorder(Expected(), on: disk, seed: seed, interval: 120)
    }

    /// A workload that starts after a crash of the program.
    init(seed: UInt64, after crash: (disk: PowerCut, expected: Expected), in parent: String) throws {
      random = RandomSource(seed: seed, stream: "workload")
      synchronous = "FULL"
      folder = "\(parent)/crash-\(seed)"
      disk = try SimulatedDisk(folder: folder, after: crash.disk)
      recorder = CutRecorder(crash.expected, on: disk, seed: seed, interval: 12)
    }

    /// Runs the workload.
    /// - Parameters:
    ///   - transactions: the number of transactions.
    ///   - fails: whether some operations fail.
    /// - Returns: the power cuts, with the allowed contents after each.
    func run(transactions: Int, fails: Bool) throws -> [(disk: PowerCut, expected: Expected)] {
      try open()
      for number in 1...transactions {
        if fails, random.happens(0.3) {
          let isSync = random.happens(0.5)
          disk.fail(
            SimulatedDisk.Fault(
              isSync ? .sync : nil, after: Int.random(in: 0...(isSync ? 1 : 12), using: &random),
              isLasting: random.happens(0.7), isFull: random.happens(0.5)))
        }
        do { try step(number) } catch let error as SQLiteError {
          guard fails, !error.isCorrupt else { throw error }
          failures += 1
        }
        if random.happens(0.7) { disk.fail(nil) }
      }
      disk.fail(nil)
      database = nil
      disk.end()
      return recorder.cuts
    }

    private func open() throws {
      let opened = try Database(path: folder + "/a.sqlite")
      try opened.execute("PRAGMA wal_autocheckpoint = 12; PRAGMA cache_size = 5; PRAGMA cache_spill = 1")
      try opened.execute("PRAGMA synchronous = \(synchronous)")
      try opened.execute(
        "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX IF NOT EXISTS texts ON rows (text)")
      database = opened
      // The recovery of the log may commit a failed transaction.
      current = try Content(opened)
      let expected = recorder.expected
      #expect(current == expected.committed || expected.attempts.contains(current))
    }

    private func step(_ number: Int) throws {
      if database == nil { try open() }
      switch random.next() % 32 {
      case 0: database = nil
      case 1: try database?.execute("VACUUM")
      case 2: try database?.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      default: try change(number)
      }
    }

    private func change(_ number: Int) throws {
      guard let database else { return }
      var content = current
      let count = [1, 2, 3, 40][Int(random.next() % 4)]
      let isRolledBack = random.happens(0.1)
      struct RolledBack: Error {}
      func run() throws {
        try database.transaction {
          for place in 0..<count {
            let id = Int64.random(in: 1...120, using: &random)
            if random.happens(0.2) {
              try database.run("DELETE FROM rows WHERE id = ?", id)
              content.rows[id] = nil
            } else {
              let text = String(repeating: "\(number) \(place) ", count: Int(random.next() % 2 == 0 ? 3 : random.next() % 900))
              try database.run("INSERT OR REPLACE INTO rows VALUES (?, ?)", id, text)
              content.rows[id] = text
            }
          }
          if isRolledBack { throw RolledBack() }
          recorder.expect { $0.attempts.append(content) }
        }
        current = content
        recorder.expect { $0 = Expected(committed: content) }
      }
      do { try run() } catch is RolledBack {}
    }
  }

  /// Returns the problems of a database after a power cut.
  private static func problems(_ cut: (disk: PowerCut, expected: Expected), seed: UInt64, _ folder: String, scans: Bool = true)
    -> [String]
  {
    do {
      try cut.disk.write(seed: seed, to: folder)
      let path = folder + "/a.sqlite"
      var problems = scans && seed % 4 == 0 ? try PageReport.problems(ofFile: path) : []
      let database = try Database(path: path)
      try database.execute("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT)")
      let check = try database.text("PRAGMA integrity_check")
      if check != "ok" { problems.append("integrity_check: \(check ?? "")") }
      let found = try Content(database)
      if found != cut.expected.committed, !cut.expected.attempts.contains(found) {
        problems.append("\(found.rows.count) rows are not those of \(cut.expected.committed.rows.count)")
      }
      try database.run("INSERT OR REPLACE INTO rows VALUES (?, ?)", 1000, "new")
      if try database.integer("SELECT count(*) FROM rows WHERE id = 1000") != 1 { problems.append("a row cannot be inserted") }
      return problems
    } catch {
      return ["\(error)"]
    }
  }

  /// Runs workloads, and checks the database after each power cut.
  /// - Returns: the number of cuts, the number of failed transactions, and the problems with their seeds.
  private static func run(
    seeds: Range<UInt64>, variants: UInt64 = 3, synchronous: String = "FULL", fails: Bool = false, ignoresSyncs: Bool = false
  ) throws -> (cuts: Int, failures: Int, problems: [String]) {
    let parent = MemoryFolder()
    var (cuts, failures, problems) = (0, 0, [String]())
    for seed in seeds {
      let workload = try Workload(seed: seed, synchronous: synchronous, in: parent.path)
      workload.disk.ignoreSyncs(ignoresSyncs)
      for cut in try workload.run(transactions: 60, fails: fails) {
        for variant in 0..<variants {
          cuts += 1
          problems += Self.problems(cut, seed: variant, "\(parent.path)/after", scans: !ignoresSyncs && synchronous == "FULL").map
          {
            "seed \(seed), operation \(cut.disk.operation), variant \(variant): \($0)"
          }
        }
      }
      failures += workload.failures
    }
    return (cuts, failures, problems)
  }

  @Test("a power cut at any operation leaves each committed transaction, and no part of another one")
  func cuts() throws {
    let result = try Self.run(seeds: 0..<4)
    #expect(result.cuts > 0)
    #expect(result.problems.isEmpty, "\(result.problems.count) of \(result.cuts): \(result.problems.prefix(10))")
  }

  @Test("a power cut leaves each committed transaction also after failed operations")
  func cutsAfterFaults() throws {
    let result = try Self.run(seeds: 0..<8, fails: true)
    #expect(result.cuts > 0 && result.failures > 0)
    #expect(result.problems.isEmpty, "\(result.problems.count) of \(result.cuts): \(result.problems.prefix(10))")
  }

  @Test("a power cut leaves each committed transaction also soon after a crash and a restart of the program")
  func cutsAfterCrash() throws {
    let parent = MemoryFolder()
    var (cuts, problems) = (0, [String]())
    for seed in [0, 3] as [UInt64] {
      for crash in try Workload(seed: seed, in: parent.path).run(transactions: 60, fails: seed == 3) {
        for cut in try Workload(seed: seed, after: crash, in: parent.path).run(transactions: 3, fails: false) {
          cuts += 1
          problems += Self.problems(cut, seed: UInt64(cuts), parent.path + "/after").map {
            "seed \(seed), crash \(crash.disk.operation), cut \(cut.disk.operation): \($0)"
          }
        }
      }
    }
    #expect(cuts > 0)
    #expect(problems.isEmpty, "\(problems.count) of \(cuts): \(problems.prefix(10))")
  }

  @Test("without syncs some committed transactions are lost")
  func control() throws {
    #expect(try !Self.run(seeds: 0..<1, synchronous: "OFF").problems.isEmpty)
    #expect(try !Self.run(seeds: 0..<1, ignoresSyncs: true).problems.isEmpty)
  }
}
