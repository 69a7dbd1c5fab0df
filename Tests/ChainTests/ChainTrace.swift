import Foundation
import GodwitModel
import GodwitSimulator

/// The events of a run: a hash of all of them, and the last lines.
struct ChainTrace: Sendable {
  /// FNV-1a over all lines.
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private(set) var count = 0
  private var last: [String] = []
  /// All lines; `nil` unless they are kept.
  private(set) var lines: [String]?

  private static let kept = 60

  /// - Parameter isWhole: whether all lines are kept.
  init(isWhole: Bool = false) { lines = isWhole ? [] : nil }

  mutating func add(_ text: String, at time: SimulatedTime) {
    let line = "\(time.microseconds) \(text)"
    for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ 10) &* 0x100_0000_01B3
    count += 1
    lines?.append(line)
    last.append(line)
    if last.count > 2 * Self.kept { last.removeFirst(Self.kept) }
  }

  /// The last lines of the run, for a report.
  var end: String { last.suffix(Self.kept).joined(separator: "\n") }
}
