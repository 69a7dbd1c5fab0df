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
    let result = try CutCampaign.untilProblem(within: 500) { seed in
      try Self.cuts(seed: seed, interval: 0, fails: false, isUnsafe: true)
    }
    #expect(!result.problems.isEmpty)
  }

  @Test("an error at any operation of the disk loses no flushed record, and the journal goes on after it", arguments: [0.0, 30])
  func faults(interval: Double) throws {
    let result = try FaultRuns.eachOperation { fault, folder in
      try JournalWorkload(seed: 1, interval: interval, in: folder + "/disk").run(during: fault)
    }
    #expect(result.problems.isEmpty, "\(result.problems.prefix(5))")
    #expect(result.operations > 40)
  }
}
