import Foundation
import GodwitModel
import GodwitSQLite
import GodwitSimulator
import TestDisk
import TestParts
import Testing

@testable import GodwitServer
@testable import GodwitStore

@Suite("The store after power cuts and disk faults")
struct StorePowerCutTests {
  /// Runs a workload and checks the store after each power cut.
  /// - Parameter isUnsafe: whether the writer uses `synchronous=OFF`.
  private static func cuts(seed: UInt64, fails: Bool, isUnsafe: Bool = false) throws -> CutCampaign.Result {
    let folder = MemoryFolder()
    let workload = try StoreWorkload(seed: seed, in: folder.path + "/disk", isUnsafe: isUnsafe)
    var result = CutCampaign.Result(problems: try workload.run(fails: fails))
    let seeds = "seed \(seed)\(fails ? " with failures" : "")"
    for cut in workload.cuts {
      for variant in 0..<2 as Range<UInt64> {
        result.cuts += 1
        try cut.disk.write(seed: variant, to: folder.path + "/after")
        result.problems += cut.expected.problems(inStoreOf: folder.path + "/after", scans: result.cuts % 4 == 0 && !isUnsafe)
          .map { "\(seeds), operation \(cut.disk.operation), variant \(variant): \($0)" }
      }
    }
    return result
  }

  @Test("after a power cut acknowledged records are stored once, no upload is stored in part, and storing continues")
  func cuts() throws {
    let result = try CutCampaign("store", quick: 400, system: 10_000).run { seed in
      try Self.cuts(seed: seed, fails: seed % 3 == 2)
    }
    #expect(result.problems.isEmpty, "\(result.problems.prefix(5))")
  }

  @Test("with synchronous=OFF acknowledged records are lost")
  func control() throws {
    let result = try CutCampaign.untilProblem(within: 500) { seed in
      try Self.cuts(seed: seed, fails: false, isUnsafe: true)
    }
    #expect(!result.problems.isEmpty)
  }

  @Test("an error of any disk operation loses no acknowledged record, and storing continues after it")
  func faults() throws {
    let result = try FaultRuns.eachOperation { fault, folder in
      try StoreWorkload(seed: 1, in: folder + "/disk").run(during: fault, rewrites: !TestGroup.quick.isRun)
    }
    #expect(result.problems.isEmpty, "\(result.problems.prefix(5))")
    #expect(result.operations > 40)
  }
}
