import Foundation
import TestDisk
import TestParts
import Testing

@testable import GodwitJournal

@Suite("The journal when the power fails")
struct JournalPowerCutTests {
  private static func cuts(seed: UInt64, interval: Double, fails: Bool, isUnsafe: Bool = false) throws -> CutCampaign.Result {
    let folder = MemoryFolder()
    let workload = try JournalWorkload(seed: seed, interval: interval, in: folder.path + "/disk", isUnsafe: isUnsafe)
    var result = CutCampaign.Result(problems: try workload.run(fails: fails))
    let seeds = "seed \(seed), interval \(interval) s\(fails ? ", with failures" : "")"
    for cut in workload.cuts {
      for variant in 0..<2 as Range<UInt64> {
        result.cuts += 1
        let after = folder.path + "/after"
        try cut.disk.write(seed: variant, to: after)
        result.problems += cut.expected.problems(inFile: after + "/journal", scans: result.cuts % 4 == 0 && !isUnsafe)
          .map { "\(seeds), operation \(cut.disk.operation), variant \(variant): \($0)" }
      }
    }
    return result
  }

  @Test("after a power cut flushed records are there, later ones up to some transaction, and numbers are not used twice")
  func cuts() throws {
    let result = try CutCampaign("journal", quick: 400, system: 10_000).run { seed in
      try Self.cuts(seed: seed, interval: seed % 2 == 0 ? 0 : 30, fails: seed % 3 == 2)
    }
    #expect(result.problems.isEmpty, "\(result.problems.prefix(5))")
  }

  @Test("with synchronous=OFF some flushed records are lost")
  func control() throws {
    let result = try CutCampaign.untilProblem(within: 500) { seed in
      try Self.cuts(seed: seed, interval: 0, fails: false, isUnsafe: true)
    }
    #expect(!result.problems.isEmpty)
  }

  /// Uses a journal that flushes at most every 30 s on a simulated disk, and returns the numbers in it after each variant of the power cut.
  private static func withJournal(_ body: (Journal, SimulatedDisk) throws -> PowerCut) throws -> [[Int64]] {
    let folder = MemoryFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/disk", withIntermediateDirectories: true)
    let disk = try SimulatedDisk(folder: folder.path + "/disk")
    let cut = try body(try Journal(path: folder.path + "/disk/journal", syncInterval: 30), disk)
    disk.end()
    return try (0..<20 as Range<UInt64>).map { variant in
      try cut.write(seed: variant, to: folder.path + "/after")
      return try Journal(path: folder.path + "/after/journal").next(endpoint: "home", limit: 10).map(\.sequence)
    }
  }

  // SQLite does not sync a commit that changes nothing, such as a flush that stores the number that the acknowledgement stored before.
  @Test("a record that was appended during an upload is flushed before the next upload")
  func appendedDuringUpload() throws {
    let found = try Self.withJournal { journal, disk in
      try journal.append([record(1)], recordedAt: start)
      _ = try journal.next(endpoint: "home", limit: 10)
      try journal.append([record(2)], recordedAt: start + 1)
      try journal.acknowledge(endpoint: "home", through: 1, at: start + 2)
      #expect(try journal.next(endpoint: "home", limit: 10).map(\.sequence) == [2])
      return disk.cut
    }
    #expect(found.allSatisfy { $0 == [2] }, "\(found)")
  }

  @Test("a record is flushed with a value that was stored before")
  func appendedBeforeValue() throws {
    let found = try Self.withJournal { journal, disk in
      try journal.remember("key", "value")
      for second in 1...2 { try journal.append([record(Double(second))], recordedAt: start + Double(second)) }
      try journal.append([], remembering: ["key": "value"], recordedAt: start + 3)
      return disk.cut
    }
    #expect(found.allSatisfy { $0 == [1, 2] }, "\(found)")
  }

  @Test("a record that a killed program appended is flushed before the next program sends it")
  func killed() throws {
    let folder = MemoryFolder()
    let found = try Self.withJournal { journal, disk in
      for second in 1...2 { try journal.append([record(Double(second))], recordedAt: start + Double(second)) }
      let next = try SimulatedDisk(folder: folder.path + "/next", after: disk.cut)
      defer { next.end() }
      let reopened = try Journal(path: next.folder + "/journal", syncInterval: 30)
      #expect(try reopened.next(endpoint: "home", limit: 10).map(\.sequence) == [1, 2])
      return next.cut
    }
    #expect(found.allSatisfy { $0 == [1, 2] }, "\(found)")
  }

  @Test("an error of any disk operation loses no flushed record, and the journal continues after it", arguments: [0.0, 30])
  func faults(interval: Double) throws {
    let result = try FaultRuns.eachOperation { fault, folder in
      try JournalWorkload(seed: 1, interval: interval, in: folder + "/disk").run(during: fault)
    }
    #expect(result.problems.isEmpty, "\(result.problems.prefix(5))")
    #expect(result.operations > 40)
  }
}
