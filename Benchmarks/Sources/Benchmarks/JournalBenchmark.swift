import Foundation
@_spi(Benchmarks) import GodwitJournal
import GodwitModel

/// Durable transactions of one fix each, compared with a plain loop of appends with fsync on the same disk.
enum JournalBenchmark {
  static func measure(in folder: URL) throws -> Measurement {
    let count = 2000
    // Valid: a place in Europe.
    let place = Coordinate(latitude: 45.4, longitude: 14)!
    var best = (speed: 0.0, bare: 1.0)
    // In turns, so that both have the same conditions.
    for round in 0..<3 {
      let bare = try bareLoop(count, in: folder.appendingPathComponent("bare-\(round)"))
      let journal = try Journal.measured(path: folder.appendingPathComponent("journal-\(round)").path)
      let start = ContinuousClock.now
      for i in 0..<count {
        let fix = Fix(
          time: Date(timeIntervalSince1970: 1_700_000_000 + Double(i)), coordinate: place, horizontalAccuracy: 5,
          altitude: 700, speed: 1.4, course: 90)
        try journal.measureAppend(of: Record(kind: .fix(fix)))
      }
      let seconds = Double((ContinuousClock.now - start) / .nanoseconds(1)) / 1e9
      if Double(count) / seconds / bare > best.speed / best.bare { best = (Double(count) / seconds, bare) }
    }
    return Measurement(
      name: "journal, one fix a transaction, FULL (ratio to the bare loop)", value: best.speed / best.bare,
      unit: "of the bare loop", goal: 0.8,
      comparedTo: "100-byte appends with fsync: \(Int(best.bare))/s; the journal: \(Int(best.speed))/s",
      ratio: best.speed / best.bare)
  }

  private static func bareLoop(_ count: Int, in file: URL) throws -> Double {
    let descriptor = open(file.path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
    precondition(descriptor >= 0)
    defer { close(descriptor) }
    let bytes = [UInt8](repeating: 120, count: 100)
    let start = ContinuousClock.now
    for _ in 0..<count {
      precondition(write(descriptor, bytes, bytes.count) == bytes.count)
      precondition(fsync(descriptor) == 0)
    }
    return Double(count) / (Double((ContinuousClock.now - start) / .nanoseconds(1)) / 1e9)
  }
}
