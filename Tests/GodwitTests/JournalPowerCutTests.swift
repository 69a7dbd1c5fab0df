import Foundation
import TestDisk
import TestParts
import Testing

@testable import GodwitJournal

@Suite("The journal when the power fails")
struct JournalPowerCutTests {
  private static func cuts(seed: UInt64, interval: Double, fails: Bool, isUnsafe: Bool = false) throws -> CutCampaign.Result {
    let folder = CutFolder()
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

  @Test("flushed records are there after a power cut, later ones up to some transaction, and numbers are not used twice")
  func cuts() throws {
    let result = try CutCampaign("journal", quick: 400, system: 10_000).run { seed in
      try Self.cuts(seed: seed, interval: seed % 2 == 0 ? 0 : 30, fails: seed % 3 == 2)
    }
    #expect(result.problems.isEmpty, "\(result.problems.prefix(5))")
  }

  @Test("with synchronous=OFF some of them are lost")
  func control() throws {
    var result = CutCampaign.Result()
    var seed: UInt64 = 0
    while result.cuts < 500, result.problems.isEmpty {
      result += try Self.cuts(seed: seed, interval: 0, fails: false, isUnsafe: true)
      seed += 1
    }
    #expect(!result.problems.isEmpty)
  }

  @Test("an error at any operation of the disk loses no flushed record, and the journal goes on after it", arguments: [0.0, 30])
  func faults(interval: Double) throws {
    var (operation, problems, isReached) = (0, [String](), true)
    while isReached {
      // In the quick tests each operation has one of the errors.
      let variants = TestGroup.quick.isRun ? 1 : 4
      isReached = false
      for variant in 0..<variants {
        let kind = variant + (variants == 1 ? operation : 0)
        let fault = SimulatedDisk.Fault(after: operation, isLasting: kind % 2 == 0, isFull: kind % 4 < 2)
        let folder = CutFolder()
        let workload = try JournalWorkload(seed: 1, interval: interval, in: folder.path + "/disk")
        let found = try workload.run(during: fault)
        problems += found.problems.map { "operation \(operation + 1), \(fault): \($0)" }
        if found.isReached { isReached = true }
      }
      operation += 1
    }
    #expect(problems.isEmpty, "\(problems.prefix(5))")
    #expect(operation > 40)
  }
}
