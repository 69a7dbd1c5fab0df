import Foundation
import GodwitModel
import GodwitSQLite
import GodwitSimulator
import TestDisk

@testable import GodwitJournal

/// The allowed contents of a journal after a power cut.
struct ExpectedJournal: Sendable {
  /// The last number that must be in the journal, because it was flushed or sent.
  var flushed: Int64 = 0
  /// The numbers that end a transaction: one of them must be the last number in the journal.
  var ends: Set<Int64> = [0]
  /// The last number that the endpoint has acknowledged, or that was removed.
  var acknowledged: Int64 = 0

  /// Returns the problems of a journal.
  /// - Parameter scans: whether each page of the file is compared with its checksum as well.
  func problems(inFile path: String, scans: Bool = false) -> [String] {
    do {
      let reported = scans ? try PageReport.problems(ofFile: path, syncsAll: false) : []
      if !reported.isEmpty { return reported }
      let (journal, aside) = try Journal.openMovingDamagedAside(path: path)
      if let aside { return ["the journal was moved to \(aside)"] }
      var problems: [String] = []
      let check = try journal.writing.withLock { try journal.writer.text("PRAGMA integrity_check") }
      if check != "ok" { problems.append("integrity_check: \(check ?? "")") }
      let after = journal.acknowledged(endpoint: JournalWorkload.endpoint)
      if after > acknowledged { problems.append("\(after) is acknowledged, and not \(acknowledged)") }
      let found = try journal.next(endpoint: JournalWorkload.endpoint, limit: 10_000)
      let last = found.last?.sequence ?? after
      if found.map(\.sequence) != Array(after + 1..<last + 1) {
        problems.append("after \(after) there are \(found.map(\.sequence))")
      }
      if let wrong = found.first(where: { $0.record.time != record(Double($0.sequence)).time }) {
        problems.append("\(wrong.sequence) is another record")
      }
      if last < flushed { problems.append("\(last) is the last number, and \(flushed) was flushed") }
      if !ends.contains(last) { problems.append("\(last) is the last number, which ends no transaction") }
      let remembered = try journal.remembered("end")
      if remembered.flatMap({ Int64($0) }) != (last == 0 ? nil : last) {
        problems.append("the value with \(last) is \(remembered ?? "none")")
      }
      try journal.append([record(Double(last + 1))], recordedAt: start)
      let next = try journal.next(endpoint: JournalWorkload.endpoint, limit: 10_000).last?.sequence
      if next != last + 1 { problems.append("\(String(describing: next)) follows \(last)") }
      return problems
    } catch {
      return ["\(error)"]
    }
  }
}

/// The operations of a tracker on its journal, on a simulated disk.
final class JournalWorkload {
  static let endpoint = "home"

  private let path: String
  private let disk: SimulatedDisk
  private let recorder: CutRecorder<ExpectedJournal>
  private let interval: Double
  private let isUnsafe: Bool
  private var random: RandomSource
  private var journal: Journal?
  private var now = start
  /// The time of the last flush, computed as the journal does.
  private var flushed = Date.distantPast
  private var last: Int64 = 0

  /// - Parameters:
  ///   - interval: the sync interval in seconds.
  ///   - isUnsafe: whether nothing is synced.
  init(seed: UInt64, interval: Double, in folder: String, isUnsafe: Bool = false) throws {
    path = folder + "/journal"
    (self.interval, self.isUnsafe) = (interval, isUnsafe)
    random = RandomSource(seed: seed, stream: "journal")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    disk = try SimulatedDisk(folder: folder)
    recorder = CutRecorder(ExpectedJournal(), on: disk, seed: seed, interval: 12)
  }

  deinit {
    journal = nil
    disk.end()
  }

  var cuts: [(disk: PowerCut, expected: ExpectedJournal)] { recorder.cuts }

  /// Performs random operations.
  /// - Parameter fails: whether some operations of the disk fail.
  /// - Returns: the problems of the journal at the end.
  func run(fails: Bool) throws -> [String] {
    for _ in 0..<60 {
      if fails, random.happens(0.2) {
        disk.fail(.random(within: 12, &random))
      }
      do { try step(Int(random.next() % 24)) } catch { if !fails { throw error } }
      if random.happens(0.7) { disk.fail(nil) }
    }
    disk.fail(nil)
    disk.endCuts()
    journal = nil
    return recorder.expected.problems(inFile: path, scans: true)
  }

  /// Performs a fixed sequence of operations while the disk has a fault.
  /// - Returns: whether an operation failed, and the problems of the journal at the end.
  func run(during fault: SimulatedDisk.Fault) throws -> (isReached: Bool, problems: [String]) {
    disk.fail(fault)
    for kind in [10, 11, 6, 12, 1, 13, 2, 14, 6, 0, 15] { try? step(kind) }
    disk.fail(nil)
    let isReached = disk.failures > 0
    do { try step(10) } catch { return (isReached, ["appending fails after the fault: \(error)"]) }
    journal = nil
    return (isReached, recorder.expected.problems(inFile: path, scans: true))
  }

  private func opened() throws -> Journal {
    if let journal { return journal }
    let opened = try Journal(path: path, syncInterval: interval)
    try opened.writing.withLock {
      try opened.writer.execute("PRAGMA wal_autocheckpoint = 12\(isUnsafe ? "; PRAGMA synchronous = OFF" : "")")
    }
    flushed = .distantPast
    // The recovery of the log may commit a transaction whose commit failed.
    last = try opened.next(endpoint: Self.endpoint, limit: 10_000).last?.sequence ?? opened.acknowledged(endpoint: Self.endpoint)
    journal = opened
    return opened
  }

  private func step(_ kind: Int) throws {
    let journal = try opened()
    now += Double.random(in: 0...12, using: &random)
    switch kind {
    case 0: self.journal = nil
    case 1: try journal.writing.withLock { try journal.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    case 2: try journal.register(endpoint: Self.endpoint)
    case 3:
      try journal.sync(at: now)
      if now.timeIntervalSince(flushed) >= interval { hasFlushed() }
    case 4:
      try journal.sync()
      recorder.expect { [last] in $0.flushed = last }
    case 5:
      recorder.expect { [last] in $0.acknowledged = last }
      _ = try journal.shrink(to: Int.random(in: 20...40, using: &random) * 4096, at: now)
    case 6, 7, 8: try send(journal)
    case 9: try journal.removeQuarantined(olderThan: 1, at: now)
    default: try append(journal)
    }
  }

  private func hasFlushed() {
    flushed = now
    recorder.expect { [last] in $0.flushed = last }
  }

  private func append(_ journal: Journal) throws {
    let count = Int64.random(in: 1...6, using: &random)
    let end = last + count
    recorder.expect { _ = $0.ends.insert(end) }
    // Some records have much content.
    let extras = random.happens(0.2) ? "{\"text\":\"\(String(repeating: "x", count: 3000))\"}" : nil
    let records = (last + 1...end).map { sequence in
      var record = record(Double(sequence))
      record.extras = extras
      return record
    }
    try journal.append(records, remembering: ["end": "\(end)"], recordedAt: now)
    last = end
    if interval <= 0 || now.timeIntervalSince(flushed) >= interval { hasFlushed() }
  }

  private func send(_ journal: Journal) throws {
    let batch = try journal.batch(endpoint: Self.endpoint, limit: Int.random(in: 1...20, using: &random))
    recorder.expect { [last] in $0.flushed = last }
    guard batch.through > batch.after, random.happens(0.8) else { return }
    // Records are appended while the upload is under way.
    if random.happens(0.3) { try append(journal) }
    recorder.expect { $0.acknowledged = max($0.acknowledged, batch.through) }
    try journal.acknowledge(endpoint: Self.endpoint, through: batch.through, at: now)
  }
}
