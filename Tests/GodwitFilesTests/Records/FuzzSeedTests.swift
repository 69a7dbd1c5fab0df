import Foundation
import GodwitFiles
import Testing

/// The fuzzer has a decoder for each format and changes bytes of the files in `Benchmarks/FormatFuzz/Seeds`.
@Suite("Seeds of the fuzzer")
struct FuzzSeedTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Benchmarks/FormatFuzz/Seeds")

  @Test("each format has a seed that is detected as this format", arguments: RecordFormat.allCases)
  func seed(_ format: RecordFormat) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
      $0.hasPrefix(format.rawValue + "-")
    }
    let detected = try names.map { name in
      RecordFormat.guess(Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)).prefix(RecordFormat.guessSize)))
    }
    #expect(detected.contains(format), "add a small file of this format: Benchmarks/FormatFuzz/Seeds/\(format.rawValue)-1.txt")
  }
}
