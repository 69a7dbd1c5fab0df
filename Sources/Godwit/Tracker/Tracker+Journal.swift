internal import Foundation
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel

/// The tracker and its journal: records that cannot be written wait in memory and are tried again.
extension Tracker {
  func write(_ records: [Record], _ notes: [String: String?]) {
    do {
      if isHoldingBack { try writeHeldBack() }
      try journal.append(records, remembering: notes, recordedAt: configuration.environment.now())
      journalProblem = nil
      committed(records)
      if configuration.syncInterval > 0 { appends.continuation.yield() }
      if !records.isEmpty { configuration.recorded?(records) }
    } catch {
      journalProblem = "\(error)"
      let room = max(0, Self.maximumUnwritten - unwritten.count)
      unwritten += records.prefix(room)
      lost += max(0, records.count - room)
      unwrittenNotes.merge(notes) { _, new in new }
      troubles.continuation.yield()
    }
  }

  /// Stores lines of the coverage log; a failed write is repeated with the records.
  func keep(_ lines: [LedgerEntry]) {
    for line in lines { unwrittenLines[line.start] = line }
    // The journal's own limit.
    while unwrittenLines.count > Journal.maximumLedgerLines, let oldest = unwrittenLines.keys.min() {
      unwrittenLines[oldest] = nil
    }
    attempt { try writeLines() }
    if isHoldingBack { troubles.continuation.yield() }
  }

  private func writeLines() throws {
    guard !unwrittenLines.isEmpty else { return }
    try journal.keep(unwrittenLines.values.sorted { $0.start < $1.start })
    unwrittenLines = [:]
  }

  var isHoldingBack: Bool { !unwritten.isEmpty || !unwrittenNotes.isEmpty || !unwrittenLines.isEmpty }

  /// In pieces: while the disk is full an attempt costs only one piece.
  private func writeHeldBack() throws {
    var written = 0
    defer { unwritten.removeFirst(written) }
    while written < unwritten.count || !unwrittenNotes.isEmpty {
      let piece = Array(unwritten[written...].prefix(Self.heldBackPiece))
      let isLast = written + piece.count == unwritten.count
      try journal.append(
        piece, remembering: isLast ? unwrittenNotes : [:], recordedAt: configuration.environment.now())
      if !piece.isEmpty { configuration.recorded?(piece) }
      committed(piece)
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

  /// Performs an optional operation and reports its error.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { journalProblem = "\(error)" }
  }

  private func committed(_ records: [Record]) {
    for case .fix(let fix) in records.lazy.map(\.kind) where fix.time >= lastCommitted?.time ?? .distantPast {
      lastCommitted = fix
    }
    appendedUnmeasured += records.count
    // A replayed file can fill a disk within a minute.
    if appendedUnmeasured >= Self.measuredEvery { limitSize() }
  }

  /// Records after which the journal's size is checked, besides each minute.
  private static let measuredEvery = 1000
  /// Seconds between two removals of old records.
  private static let sweepInterval = 3600.0

  /// Writes the coverage log and limits the journal's size every minute, and removes old records every hour.
  func keepHouse() async throws {
    while true {
      removeOld()
      limitSize()
      try await configuration.environment.sleep(60)
      mailbox.post(.tick)
    }
  }

  /// Removes only records that could not be sent, and none that are being uploaded.
  private func removeOld() {
    let uptime = configuration.environment.uptime()
    let retention = engine.settings.retention
    for endpoint in configuration.endpoints.map(\.id) where engine.isFailing(endpoint) {
      if let last = swept[endpoint], uptime - last < Self.sweepInterval { continue }
      swept[endpoint] = uptime
      attempt {
        let count = try journal.removeRecords(waitingFor: endpoint.name, olderThan: retention, at: now)
        if count > 0 { mailbox.post(.recordsLost(endpoint, count: count, isOld: true)) }
        try journal.removeSetAside(olderThan: retention)
      }
    }
    guard setAside > 0 else { return }
    attempt { try journal.removeSetAside(olderThan: retention) }
    countSetAside()
  }

  private func limitSize() {
    appendedUnmeasured = 0
    attempt {
      for (name, count) in try journal.shrink(to: Int(engine.settings.maximumJournalSize), at: now).sorted(by: { $0.key < $1.key }
      ) {
        mailbox.post(.recordsLost(EndpointID(name), count: count, isOld: false))
      }
    }
  }

  /// Retries every second while writes are pending.
  func retryWriting() async throws {
    for await _ in troubles.stream {
      while isHoldingBack {
        try await configuration.environment.sleep(1)
        attempt { try writeHeldBack() }
        statusStream.publish(status)
      }
    }
  }

  /// Flushes the last records if no others follow.
  func syncJournal() async throws {
    for await _ in appends.stream {
      // A little longer, because the next record of a stream flushes by itself.
      try await configuration.environment.sleep(configuration.syncInterval + 1)
      attempt { try journal.sync(at: configuration.environment.now()) }
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
