internal import Foundation
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel

/// Writes to the journal. Records and values that cannot be written, for example because the disk is full, wait in memory, and
/// are retried every second.
struct RecordWriter {
  let journal: Journal
  private let mailbox: Mailbox
  /// The tracker's clock.
  private let now: @Sendable () -> Date
  /// Called with written records.
  private let recorded: (@Sendable ([Record]) -> Void)?
  /// Whether an append may be flushed later than at once.
  private let isFlushedLater: Bool
  /// The maximum size of the journal in bytes. Beyond it the oldest records are removed.
  var maximumSize: Double
  /// Records that could not be written.
  private(set) var unwritten: [Record] = []
  /// Values to store with the unwritten records.
  private var notes: [String: String?] = [:]
  /// Unwritten lines of the coverage log, by their start.
  private var lines: [Date: CoverageEntry] = [:]
  /// The number of records that were dropped because too many waited.
  private(set) var lost = 0
  /// The number of records that an endpoint rejected permanently.
  private(set) var quarantined = 0
  /// The time of the last change of settings; `nil`: none since the launch.
  var settingsChanged: Date?
  /// The reason why the last operation on the journal failed, as a sentence; `nil`: it succeeded.
  private(set) var problem: String?
  /// The newest fix that is in the journal.
  private(set) var lastCommitted: Fix?
  /// The number of records that were appended since the last check of the journal's size.
  private var unmeasured = 0
  /// The time of the last removal of old records for each endpoint, in seconds of the boot clock.
  private var swept: [EndpointID: Double] = [:]
  /// Callers that wait until no record is unwritten.
  private var barriers: [AsyncStream<Void>.Continuation] = []
  /// Signals a failed write.
  let failures = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  /// Signals an append that may not be flushed yet.
  let appends = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Maximum records in memory while the journal cannot be written.
  static let maximumUnwritten = 100_000
  /// The number of records of one retry transaction.
  static let heldBackPiece = 1000
  /// The number of records after which the journal's size is checked, in addition to the check every minute. A replayed file
  /// can fill a disk within a minute.
  private static let measuredEvery = 1000
  /// Seconds between two removals of old records.
  private static let sweepInterval = 3600.0

  init(
    journal: Journal, mailbox: Mailbox, _ configuration: Tracker.Configuration
  ) {
    self.journal = journal
    self.mailbox = mailbox
    now = configuration.environment.now
    recorded = configuration.recorded
    isFlushedLater = configuration.syncInterval > 0
    maximumSize = configuration.settings.maximumJournalSize
  }

  /// Whether records, values or lines of the coverage log wait in memory.
  var isHoldingBack: Bool { !unwritten.isEmpty || !notes.isEmpty || !lines.isEmpty }

  /// Reads the newest fix of earlier launches.
  mutating func readNewest() throws -> Fix? {
    lastCommitted = try journal.newestFix()
    return lastCommitted
  }

  // MARK: Writing

  /// Writes waiting records first, and then appends records and values in one transaction. If that fails, they wait too.
  mutating func write(_ records: [Record], _ values: [String: String?]) {
    do {
      if isHoldingBack { try writeHeldBack() }
      try journal.append(records, remembering: values, recordedAt: now())
      problem = nil
      committed(records)
      if isFlushedLater { appends.continuation.yield() }
      if !records.isEmpty { recorded?(records) }
    } catch {
      failed(error)
      let room = max(0, Self.maximumUnwritten - unwritten.count)
      unwritten += records.prefix(room)
      lost += max(0, records.count - room)
      notes.merge(values) { _, new in new }
      failures.continuation.yield()
    }
  }

  /// Stores a value under a key; `nil` removes it.
  private mutating func store(_ key: String, _ value: (some Encodable)?) { write([], [key: Self.json(value)]) }

  static func json(_ value: (some Encodable)?) -> String? {
    guard let value, let data = try? JSONEncoder().encode(value) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// Performs an effect that writes.
  mutating func perform(_ effect: Effect) {
    switch effect {
    case .record(let records): write(records, [:])
    case .storeTrip(let trip): store("trip", trip)
    case .storeRest(let rest): store("rest", rest)
    case .storeTripModes(let modes): store("trip_modes", modes)
    case .storeRollout(let rollout): store("trial", rollout)
    case .storeCoverage(let lines): storeCoverage(lines)
    case .rememberTracking(let isOn): write([], ["tracking": isOn ? "on" : "off"])
    case .purge: purge()
    default: break
    }
  }

  /// Stores lines of the coverage log; a failed write is repeated with the records.
  private mutating func storeCoverage(_ new: [CoverageEntry]) {
    for line in new { lines[line.start] = line }
    // The journal stores no more lines either.
    while lines.count > Journal.maximumCoverageLines, let oldest = lines.keys.min() { lines[oldest] = nil }
    attempt { writer in try writer.writeHeldBack() }
    if isHoldingBack { failures.continuation.yield() }
  }

  private mutating func writeLines() throws {
    guard !lines.isEmpty else { return }
    try journal.store(lines.values.sorted { $0.start < $1.start })
    lines = [:]
  }

  /// Writes what waits in memory.
  mutating func retry() { attempt { writer in try writer.writeHeldBack() } }

  /// Writes what waits in memory, in pieces: while the disk is full, an attempt costs only one piece.
  private mutating func writeHeldBack() throws {
    var written = 0
    defer { unwritten.removeFirst(written) }
    while written < unwritten.count || !notes.isEmpty {
      let piece = Array(unwritten[written...].prefix(Self.heldBackPiece))
      let isLast = written + piece.count == unwritten.count
      try journal.append(piece, remembering: isLast ? notes : [:], recordedAt: now())
      if !piece.isEmpty { recorded?(piece) }
      committed(piece)
      written += piece.count
      if isLast { notes = [:] }
    }
    try writeLines()
    problem = nil
    finishBarriers()
  }

  private mutating func committed(_ records: [Record]) {
    let now = now()
    for case .fix(let fix) in records.lazy.map(\.kind) {
      if let last = lastCommitted, fix.time != last.time, !fix.replaces(last, at: now) { continue }
      lastCommitted = fix
    }
    unmeasured += records.count
    if unmeasured >= Self.measuredEvery { limitSize() }
  }

  /// Deletes all records that are not sent or not written.
  private mutating func purge() {
    attempt { writer in try writer.journal.purge() }
    unwritten = []
    finishBarriers()
  }

  /// Performs an operation, and stores its error as the problem.
  mutating func attempt(_ body: (inout RecordWriter) throws -> Void) {
    do { try body(&self) } catch { failed(error) }
  }

  mutating func failed(_ error: any Error) { problem = "\(error)" }

  // MARK: Barriers

  /// Finishes a barrier when all records before it are in the journal.
  mutating func add(_ barrier: AsyncStream<Void>.Continuation) {
    if unwritten.isEmpty { barrier.finish() } else { barriers.append(barrier) }
  }

  mutating func finishBarriers() {
    for barrier in barriers { barrier.finish() }
    barriers = []
  }

  // MARK: Housekeeping

  mutating func countQuarantined() { attempt { writer in writer.quarantined = try writer.journal.quarantinedCount() } }

  /// Removes the oldest records until the journal does not exceed its maximum size.
  mutating func limitSize() {
    unmeasured = 0
    attempt { writer in
      // A size that no file reaches, for example infinity, means no limit.
      guard writer.maximumSize < 1e18 else { return }
      let lost = try writer.journal.shrink(to: Int(max(0, writer.maximumSize)), at: writer.now())
      for (name, count) in lost.waiting.sorted(by: { $0.key < $1.key }) {
        writer.mailbox.post(.recordsLost(EndpointID(name), count: count, isOld: false))
      }
      writer.reportQuarantined(lost.quarantined, isOld: false)
    }
  }

  private mutating func reportQuarantined(_ lost: [String: Int], isOld: Bool) {
    guard !lost.isEmpty else { return }
    for (name, count) in lost.sorted(by: { $0.key < $1.key }) {
      mailbox.post(.quarantinedLost(EndpointID(name), count: count, isOld: isOld))
    }
    countQuarantined()
  }

  /// Removes old records at most once an hour for each endpoint, and old quarantined records at each call.
  /// - Parameters:
  ///   - endpoints: the endpoints whose uploads fail. Only their records are removed, because other records will be sent.
  ///   - age: the maximum age in seconds.
  ///   - uptime: seconds of the boot clock.
  mutating func removeOld(of endpoints: [EndpointID], olderThan age: Double, uptime: Double) {
    for endpoint in endpoints {
      if let last = swept[endpoint], uptime - last < Self.sweepInterval { continue }
      swept[endpoint] = uptime
      attempt { writer in
        let count = try writer.journal.removeRecords(waitingFor: endpoint.name, olderThan: age, at: writer.now())
        if count > 0 { writer.mailbox.post(.recordsLost(endpoint, count: count, isOld: true)) }
        writer.reportQuarantined(try writer.journal.removeQuarantined(olderThan: age, at: writer.now()), isOld: true)
      }
    }
    guard quarantined > 0 else { return }
    attempt { writer in
      writer.reportQuarantined(try writer.journal.removeQuarantined(olderThan: age, at: writer.now()), isOld: true)
    }
  }

  /// Returns the result of an upload, updated from the journal: records may have been added since the upload ended.
  /// - Parameter random: a random number, 0 ..< 1, for a failure.
  func completed(_ result: UploadResult, of endpoint: EndpointID, random: () -> Double) -> UploadResult {
    let waiting = journal.waiting(endpoint: endpoint.name)
    switch result {
    // Unwritten records are not in the journal yet, so they still have to be sent.
    case .nothingToSend where !unwritten.isEmpty:
      return .failed(reason: problem ?? "The journal cannot be written.", retryAfter: nil, jitter: random())
    case .nothingToSend where waiting == 0: return result
    case .nothingToSend: return .accepted(remaining: waiting)
    case .accepted(_, let bytes): return .accepted(remaining: waiting, bytes: bytes)
    // Records may have been added since.
    case .quarantined(_, let jitter): return .quarantined(remaining: waiting, jitter: jitter)
    case .notYet, .failed, .faulted, .rejected, .unauthorized: return result
    }
  }
}
