internal import Foundation
internal import GodwitEngine
internal import GodwitModel

/// The tracker and its journal: what cannot be written waits in memory and is tried again.
extension Tracker {
  func write(_ records: [Record], _ notes: [String: String?]) {
    do {
      if isHoldingBack { try writeHeldBack() }
      try journal.append(records, remembering: notes, recordedAt: configuration.environment.now())
      journalProblem = nil
    } catch {
      journalProblem = "\(error)"
      let room = max(0, Self.mostUnwritten - unwritten.count)
      unwritten += records.prefix(room)
      lost += max(0, records.count - room)
      unwrittenNotes.merge(notes) { _, new in new }
    }
  }

  /// Lines of the ledger; what the journal cannot take now is tried again with the records.
  func keep(_ lines: [LedgerEntry]) {
    for line in lines { unwrittenLines[line.start] = line }
    // As many as the journal itself would keep.
    while unwrittenLines.count > Journal.mostLedgerLines, let oldest = unwrittenLines.keys.min() {
      unwrittenLines[oldest] = nil
    }
    attempt { try writeLines() }
  }

  private func writeLines() throws {
    guard !unwrittenLines.isEmpty else { return }
    try journal.keep(unwrittenLines.values.sorted { $0.start < $1.start })
    unwrittenLines = [:]
  }

  var isHoldingBack: Bool { !unwritten.isEmpty || !unwrittenNotes.isEmpty || !unwrittenLines.isEmpty }

  /// Piece by piece: while the disk stays full each attempt costs a piece and not everything.
  private func writeHeldBack() throws {
    var written = 0
    defer { unwritten.removeFirst(written) }
    while written < unwritten.count || !unwrittenNotes.isEmpty {
      let piece = Array(unwritten[written...].prefix(Self.heldBackPiece))
      let isLast = written + piece.count == unwritten.count
      try journal.append(
        piece, remembering: isLast ? unwrittenNotes : [:], recordedAt: configuration.environment.now())
      written += piece.count
      if isLast { unwrittenNotes = [:] }
    }
    try writeLines()
    journalProblem = nil
    finishBarriers()
  }

  func throwAway() {
    attempt { try journal.purge() }
    unwritten = []
    finishBarriers()
  }

  private func finishBarriers() {
    for barrier in barriers { barrier.finish() }
    barriers = []
  }

  /// Does what can be done without, and says what went wrong.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { journalProblem = "\(error)" }
  }

  /// Every second: what could not be written. Every minute: the ledger. Every hour: what is too old.
  func keepHouse() async throws {
    var seconds = 0
    while true {
      if seconds % 3600 == 0 {
        let limit = configuration.environment.now().addingTimeInterval(-engine.settings.retention)
        attempt { lost += try journal.removeRecords(olderThan: limit) }
      }
      if seconds % 60 == 0, seconds > 0 { mailbox.post(.tick) }
      if isHoldingBack {
        attempt { try writeHeldBack() }
        statusStream.publish(status)
      }
      attempt { try journal.sync(at: configuration.environment.now()) }
      try await configuration.environment.sleep(1)
      seconds += 1
    }
  }

  func countSetAside() { attempt { setAside = try journal.setAsideCount() } }

  func waiting() -> [EndpointID: Int] {
    Dictionary(uniqueKeysWithValues: configuration.endpoints.map { ($0.id, journal.waiting(endpoint: $0.id.name)) })
  }

  var isAllSent: Bool { unwritten.isEmpty && waiting().values.allSatisfy { $0 == 0 } }

  static func json(_ value: (some Encodable)?) -> String? {
    guard let value, let data = try? JSONEncoder().encode(value) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
