import Foundation
import TestParts
import Testing

@Suite("The whole chain from the phone to the webhook, simulated in one process from one seed")
struct ChainTests {
  @Test("recorded positions are stored once, with any faults", arguments: ChainSeeds.quick)
  func faults(seed: UInt64) throws {
    let outcome = try Chain.run(Chain.Configuration(seed: seed, days: ChainSeeds.days))
    print(outcome.summary)
    if let lines = outcome.lines { print(lines.joined(separator: "\n")) }
    #expect(outcome.problems.isEmpty, "\(outcome.summary)\n\(outcome.end)")
  }

  @Test("two runs of a seed are equal")
  func determinism() throws {
    let configuration = Chain.Configuration(seed: 7, days: 3, keepsTrace: true)
    let (one, other) = (try Chain.run(configuration), try Chain.run(configuration))
    let difference = zip(one.lines ?? [], other.lines ?? []).first { $0 != $1 }
    #expect(one.hash == other.hash, "\(String(describing: difference))")
    #expect(one.lines?.isEmpty == false)
  }
}

/// The seeds and days of the tests, which `GODWIT_CHAIN_SEEDS=1-200` and `GODWIT_CHAIN_DAYS=365` change.
enum ChainSeeds {
  private static let environment = ProcessInfo.processInfo.environment

  static let days = environment["GODWIT_CHAIN_DAYS"].flatMap { Int($0) } ?? 5

  static let quick: ClosedRange<UInt64> = {
    let ends = environment["GODWIT_CHAIN_SEEDS"]?.split(separator: "-").compactMap { UInt64($0) } ?? []
    guard let first = ends.first, let last = ends.last, first <= last else { return 1...3 }
    return first...last
  }()
}

@Suite("The faults that scripts/planted-faults plants")
struct PlantedFaultTests {
  /// A fault: a piece of a source file that is replaced.
  struct Fault: Decodable {
    var name: String
    var fault: String
    var origin: String
    var file: String
    var find: String
    var replace: String
  }

  @Test("each pattern occurs once in the sources, and each fault has its own switch")
  func sources() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
    let list = try Data(contentsOf: folder.appendingPathComponent("planted-faults.json"))
    let faults = try JSONDecoder().decode([Fault].self, from: list)
    #expect(faults.count >= 10)
    #expect(Set(faults.map(\.name)).count == faults.count)
    for fault in faults {
      let source = try String(contentsOf: root.appendingPathComponent(fault.file), encoding: .utf8)
      #expect(source.components(separatedBy: fault.find).count == 2, "\(fault.name): \(fault.file)")
      #expect(fault.replace.contains("isPlanted(\"\(fault.name)\")"), "\(fault.name)")
      #expect(!fault.fault.isEmpty)
    }
  }
}
