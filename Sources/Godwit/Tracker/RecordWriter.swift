internal import Foundation
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel

/// Writes to the journal. What cannot be written, for example because the disk is full, waits in memory, and is written
/// again every second.
struct RecordWriter {
  let journal: Journal
  private let mailbox: Mailbox
  /// The tracker's clock.
  private let now: @Sendable () -> Date
  /// Called with written records.
  private let recorded: (@Sendable ([Record]) -> Void)?
  /// Whether appends may not be flushed at once.
  private let isFlushedLater: Bool
  /// Bytes of the journal beyond which the oldest records are removed.
  var maximumSize: Double
  /// Records that could not be written.
  private(set) var unwritten: [Record] = []
  /// Values to store with them.
  private var notes: [String: String?] = [:]
  /// Lines of the coverage log that wait with them, by their start.
  private var lines: [Date: CoverageEntry] = [:]
  /// Records that were dropped because too many waited.
  private(set) var lost = 0
  /// Records that an endpoint rejected permanently.
  private(set) var quarantined = 0
  /// When settings last changed since the launch.
  var settingsChanged: Date?
  /// Why the last operation on the journal failed, as a sentence.
  private(set) var problem: String?
  /// The newest fix that is in the journal.
  private(set) var lastCommitted: Fix?
  /// Records that were appended since the last check of the journal's size.
  private var unmeasured = 0
  /// When old records of an endpoint were last removed, by the boot clock.
  private var swept: [EndpointID: Double] = [:]
  /// Callers that wait until nothing is held back.
  private var barriers: [AsyncStream<Void>.Continuation] = []
  /// Signals a failed write.
  let failures = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  /// Signals an append that may not be flushed.
  let appends = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Maximum records in memory while the journal cannot be written.
  static let maximumUnwritten = 100_000
  /// Records of one retry transaction.
  static let heldBackPiece = 1000
  /// Records after which the journal's size is checked, besides each minute. A replayed file can fill a disk within a
  /// minute.
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

  /// Whether something waits in memory.
  var isHoldingBack: Bool { !unwritten.isEmpty || !notes.isEmpty || !lines.isEmpty }

  /// Reads the newest fix of earlier launches.
  mutating func readNewest() throws -> Fix? {
    lastCommitted = try journal.newestFix()
    return lastCommitted
  }

  // MARK: Writing

  /// Appends records and values in one transaction, after those that wait. If that fails, they wait.
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

  /// Carries out an effect that writes.
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
    // The journal's own limit.
    while lines.count > Journal.maximumCoverageLines, let oldest = lines.keys.min() { lines[oldest] = nil }
    attempt { writer in try writer.writeLines() }
    if isHoldingBack { failures.continuation.yield() }
  }

  private mutating func writeLines() throws {
    guard !lines.isEmpty else { return }
    try journal.store(lines.values.sorted { $0.start < $1.start })
    lines = [:]
  }

  /// Writes what waits.
  mutating func retry() { attempt { writer in try writer.writeHeldBack() } }

  /// In pieces: while the disk is full an attempt costs only one piece.
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

  /// Deletes all waiting records.
  private mutating func purge() {
    attempt { writer in try writer.journal.purge() }
    unwritten = []
    finishBarriers()
  }

  /// Performs an operation, and keeps its error as the problem.
  mutating func attempt(_ body: (inout RecordWriter) throws -> Void) {
    do { try body(&self) } catch { failed(error) }
  }

  mutating func failed(_ error: any Error) { problem = "\(error)" }

  // MARK: Callers that wait

  /// Finishes a barrier when everything before it is in the journal.
  mutating func add(_ barrier: AsyncStream<Void>.Continuation) {
    if unwritten.isEmpty { barrier.finish() } else { barriers.append(barrier) }
  }

  mutating func finishBarriers() {
    for barrier in barriers { barrier.finish() }
    barriers = []
  }

  // MARK: Keeping house

  mutating func countQuarantined() { attempt { writer in writer.quarantined = try writer.journal.quarantinedCount() } }

  /// Removes the oldest records until the journal has its maximum size.
  mutating func limitSize() {
    unmeasured = 0
    attempt { writer in
      // A size that no file reaches, infinity among them, is no limit.
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

  /// Removes old records, at most every hour.
  /// - Parameters:
  ///   - endpoints: to which sending fails: only records that could not be sent are removed, and none in flight.
  ///   - age: seconds.
  ///   - uptime: the boot clock.
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

  /// Returns the result of an upload with the journal's present state: only the journal knows what waits, and records may
  /// have been added since the upload ended.
  /// - Parameter random: a random number, 0 ..< 1, for a failure.
  func completed(_ result: UploadResult, of endpoint: EndpointID, random: () -> Double) -> UploadResult {
    let waiting = journal.waiting(endpoint: endpoint.name)
    switch result {
    // Unwritten records are not in the journal yet: they are neither sent nor dropped.
    case .nothingToSend where !unwritten.isEmpty:
      return .failed(reason: problem ?? "The journal cannot be written.", retryAfter: nil, jitter: random())
    case .nothingToSend where waiting == 0: return result
    case .nothingToSend: return .accepted(remaining: waiting)
    case .accepted(_, let bytes): return .accepted(remaining: waiting, bytes: bytes)
    // Records may have been added since; they wait too.
    case .quarantined(_, let jitter): return .quarantined(remaining: waiting, jitter: jitter)
    case .notYet, .failed, .faulted, .rejected, .unauthorized: return result
    }
  }
}
