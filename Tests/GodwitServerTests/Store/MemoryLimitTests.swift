import CSQLite
import Foundation
import TestDisk
import TestParts
import Testing

@testable import GodwitStore

/// Failing allocations of SQLite. The limit applies to all databases in a process, so the runs are in a separate process.
@Suite("The store with failing allocations")
struct MemoryLimitTests {
  private static let isOwnProcess = ProcessInfo.processInfo.environment["GODWIT_MEMORY_LIMITS"] != nil
  /// On macOS another program runs the tests, with other arguments.
  private static let hasProgram = CommandLine.arguments[0].hasSuffix(".xctest")

  @Test(
    "failing allocations lose no acknowledged record, and storing continues when memory is available again",
    .enabled(if: hasProgram && !isOwnProcess, "the test starts its own program again, which is possible on Linux only"))
  func limits() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    process.arguments = ["--testing-library", "swift-testing", "--filter", "MemoryLimitTests/runs"]
    process.environment = ProcessInfo.processInfo.environment.merging(["GODWIT_MEMORY_LIMITS": "1"]) { $1 }
    let folder = MemoryFolder()
    let file = folder.path + "/output"
    try Data().write(to: URL(fileURLWithPath: file))
    process.standardOutput = FileHandle(forWritingAtPath: file)
    process.standardError = process.standardOutput
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let output = String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
    let line = output.split(separator: "\n").first { $0.hasPrefix("memory limits:") }
    #expect(process.terminationStatus == 0 && line != nil, "\(output.suffix(4_000))")
  }

  @Test("the runs with each memory limit", .enabled(if: isOwnProcess, "the test above starts the runs in a separate process"))
  func runs() throws {
    // The first run makes the allocations that happen only once.
    _ = try Self.run(limit: nil)
    let base = sqlite3_memory_used()
    _ = sqlite3_memory_highwater(1)
    let whole = try Self.run(limit: nil)
    #expect(whole.failures == 0 && whole.problems.isEmpty)
    let maximum = sqlite3_memory_highwater(0)
    let runs = TestGroup.quick.isRun ? 60 : 600
    var (problems, failing, opened) = ([String](), 0, 0)
    for run in 0..<runs {
      let limit = base + (maximum - base) * Int64(run) / Int64(runs) + 1
      let found = try Self.run(limit: limit)
      problems += found.problems.map { "\(limit - base) bytes of \(maximum - base): \($0)" }
      if found.failures > 0 { failing += 1 }
      if found.isOpen { opened += 1 }
    }
    #expect(problems.isEmpty, "\(problems.count): \(problems.prefix(5))")
    // With some limits the store opens and fails later.
    #expect(failing > runs / 10 && opened > runs - failing)
    print("memory limits: \(runs) runs up to \(maximum - base) bytes, \(failing) with failures; the store opened in \(opened)")
  }

  private static func run(limit: Int64?) throws -> StoreWorkload.SequenceResult {
    let folder = MemoryFolder()
    return try StoreWorkload(seed: 1, in: folder.path + "/disk").runSequence(
      rewrites: false, startFaults: { if let limit { sqlite3_hard_heap_limit64(limit) } },
      endFaults: { if limit != nil { sqlite3_hard_heap_limit64(0) } })
  }
}
