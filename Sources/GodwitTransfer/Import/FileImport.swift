internal import Foundation
internal import GodwitFiles
internal import GodwitModel
internal import GodwitServices
package import GodwitStore
package import GodwitTracks
internal import Synchronization

/// Imports the records of a file into the store. Records are decoded while earlier batches are being stored. Each batch
/// stores a checkpoint in its transaction.
///
/// Can be used once, on a thread that may block.
package final class FileImport {
  /// Minimum records in a batch.
  private static let batchSize = 4_000
  /// Maximum batches in flight: those of one transaction, and the first ones of the next. More need more memory and are not
  /// faster.
  private static let maximumInFlight = 4
  /// Bytes after which a checkpoint is stored even if there are no records.
  private static let progressInterval = 32 << 20

  private let store: any StoreDatabase
  private let job: ImportJob?
  private let options: ImportOptions
  private let source: any RecordSource
  private let inFlight: InFlightBatches
  private var devices: [String: Device] = [:]
  private var progress: ImportProgress
  private var batch: Int64
  private var noted = 0
  /// Called with the progress every few thousand records.
  package var onProgress: ((ImportProgress) -> Void)?
  /// Called for each skipped part.
  package var onSkip: ((TrackSkip) -> Void)?
  /// Returns whether to stop; called repeatedly.
  package var isCancelled: () -> Bool = { false }

  /// - Parameters:
  ///   - store: the store in which the records are stored.
  ///   - job: the import in the store; `nil`: none, so that it cannot be resumed.
  ///   - options: the devices of the records.
  ///   - source: the file, positioned at the job's checkpoint.
  package init(into store: any StoreDatabase, job: ImportJob?, options: ImportOptions, source: any RecordSource) {
    self.store = store
    self.job = job
    self.options = options
    self.source = source
    inFlight = InFlightBatches(maximum: Self.maximumInFlight)
    batch = job?.batch ?? 0
    var report = job?.report ?? ImportReport()
    if job?.checkpoint?.isInTheMiddle != true {
      // The file is read from the beginning, so that all parts are reported again.
      (report.skipped, report.reasons, report.devices, report.unmapped) = (0, [], [:], 0)
    }
    // All records are read again. Those that are stored already are counted as duplicates.
    if job?.checkpoint == nil { (report.saved, report.duplicates) = (0, 0) }
    progress = ImportProgress(position: source.position, report: report)
    inFlight.begin(saved: report.saved, duplicates: report.duplicates)
  }

  /// Reads to the end, and returns when all records are durable.
  /// - Throws: the file's error, after the records before it are stored; the store's error; `CancellationError`.
  /// - Returns: the report.
  package func run() throws -> ImportReport {
    // The store finds the target of a device that is merged while the file is read by its number, not by its name. An import by a command
    // creates devices, but only those with records.
    if job?.place.isEmpty == false { for name in options.devices { _ = try device(name) } }
    source.onSkip = { [unowned self] skip in
      progress.report.count(skip)
      onSkip?(skip)
    }
    defer { source.onSkip = nil }
    var fault: (any Error)?
    do {
      var gathered: [Record] = []
      while true {
        do {
          guard let records = try source.next() else { break }
          if gathered.isEmpty { gathered = records } else { gathered.append(contentsOf: records) }
        } catch {
          // The records before the fault are stored.
          fault = error
          break
        }
        try check()
        if gathered.count >= Self.batchSize || source.position - noted > Self.progressInterval {
          try send(gathered)
          gathered = []
        }
      }
      try send(gathered)
    } catch {
      _ = try? inFlight.finish()
      update()
      throw (error as? SubmissionError)?.reason ?? error
    }
    try inFlight.finish()
    update()
    if let fault { throw fault }
    onProgress?(progress)
    return progress.report
  }

  /// The progress so far.
  package var current: ImportProgress { progress }

  private func check() throws {
    if isCancelled() { throw CancellationError() }
    if let failure = inFlight.failure { throw SubmissionError(reason: failure) }
  }

  private func update() {
    progress.position = source.position
    progress.report.format = source.format?.name
    progress.report.records = source.records
    progress.report.withoutTime = source.withoutTime
    progress.report.unused = source.unused
    (progress.report.saved, progress.report.duplicates) = inFlight.counts
  }

  /// Submits records by device. The last part carries the checkpoint.
  private func send(_ records: [Record]) throws {
    var parts: [(device: Device, records: [Record])] = []
    if options.mapping.isEmpty, let name = options.device {
      count(records)
      if !records.isEmpty { parts = [(try device(name), records)] }
    } else {
      var places: [String: Int] = [:]
      for record in records {
        let called = SourceDevice.name(of: record)
        progress.report.count(device: called)
        guard let name = called.flatMap({ options.mapping[$0] }) ?? options.device else {
          progress.report.unmapped += 1
          continue
        }
        let place = places[name] ?? parts.count
        if place == parts.count {
          places[name] = place
          parts.append((try device(name), []))
        }
        parts[place].records.append(record)
      }
    }
    // The position must be stored even if there are no records.
    if parts.isEmpty, source.position - noted > Self.progressInterval, let name = options.devices.min() {
      parts = [(try device(name), [])]
    }
    update()
    noted = source.position
    for (index, part) in parts.enumerated() {
      batch += 1
      try send(part.records, of: part.device, checkpoint: index == parts.count - 1 ? source.checkpoint : nil)
    }
    onProgress?(progress)
  }

  private func count(_ records: [Record]) {
    // Most files have at most one device.
    var (last, count): (String?, Int) = (nil, 0)
    for record in records {
      let name = record.context.deviceID
      if name != last {
        if count > 0 { progress.report.count(device: last, records: count) }
        (last, count) = (name, 0)
      }
      count += 1
    }
    if count > 0 { progress.report.count(device: last, records: count) }
  }

  private func device(_ name: String) throws -> Device {
    if let known = devices[name] { return known }
    let found = try store.device(named: name) ?? store.makeDevice(named: name, at: store.clock.now)
    devices[name] = found
    return found
  }

  private func send(_ records: [Record], of device: Device, checkpoint: Checkpoint?) throws {
    inFlight.enter()
    let now = store.clock.now
    // If the store is busy, the completion is called immediately on this thread, and nothing was stored.
    let sender = ObjectIdentifier(Thread.current)
    var submission = Submission(device: device, records: records, received: now) { [inFlight] in
      inFlight.leave($0, isAtOnce: ObjectIdentifier(Thread.current) == sender)
    }
    submission.isHistory = true
    submission.importID = job?.id
    if let id = job?.id {
      let (batch, progress, inFlight) = (batch, progress, inFlight)
      submission.alongside = { stored, connection in
        var progress = progress
        // Earlier batches of the same transaction have not been counted yet.
        let counts = inFlight.counting(stored, as: batch)
        (progress.report.saved, progress.report.duplicates) = counts
        try ImportTables.advance(id, to: batch, progress, checkpoint: checkpoint, at: now, connection)
      }
    }
    while true {
      store.submit(submission)
      guard inFlight.takeBusy() else { break }
      // The store is busy with other clients. The batch is submitted again, because batches must be stored in their order.
      Thread.sleep(forTimeInterval: 0.05)
    }
    if let failure = inFlight.failure { throw SubmissionError(reason: failure) }
  }

  /// The error if a batch in flight was not stored.
  private struct SubmissionError: Error { let reason: any Error }
}

/// The batches in flight to the store.
private final class InFlightBatches: Sendable {
  private struct State {
    var saved = 0
    var duplicates = 0
    /// The results of batches in a transaction that has not been committed.
    var open: [Int64: SubmissionResult] = [:]
    var isBusy = false
    var failure: (any Error)?
  }
  private let state = Mutex(State())
  private let room: DispatchSemaphore
  private let maximum: Int

  init(maximum: Int) {
    self.maximum = maximum
    room = DispatchSemaphore(value: maximum)
  }

  func begin(saved: Int, duplicates: Int) {
    state.withLock { ($0.saved, $0.duplicates) = (saved, duplicates) }
  }

  /// Waits until another batch may be sent.
  func enter() { room.wait() }

  /// Returns the counts of all stored batches, including this one.
  func counting(_ stored: SubmissionResult, as batch: Int64) -> (saved: Int, duplicates: Int) {
    state.withLock { state in
      // If a transaction is retried, its batches are counted again.
      state.open = state.open.filter { $0.key < batch }
      state.open[batch] = stored
      let open = state.open.values
      return (
        open.reduce(state.saved) { $0 + $1.saved }, open.reduce(state.duplicates) { $0 + $1.duplicates }
      )
    }
  }

  /// Records the result of a batch.
  func leave(_ result: Result<SubmissionResult, any Error>, isAtOnce: Bool) {
    let isGone = state.withLock { state in
      switch result {
      case .success(let stored):
        state.saved += stored.saved
        state.duplicates += stored.duplicates
        if let first = state.open.keys.min() { state.open[first] = nil }
      case .failure(StoreError.busy) where isAtOnce:
        state.isBusy = true
        return false
      case .failure(let error):
        if state.failure == nil { state.failure = error }
      }
      return true
    }
    if isGone { room.signal() }
  }

  /// Returns and clears whether the last batch was rejected because the store was busy.
  func takeBusy() -> Bool {
    state.withLock { state in
      defer { state.isBusy = false }
      return state.isBusy
    }
  }

  var counts: (saved: Int, duplicates: Int) { state.withLock { ($0.saved, $0.duplicates) } }

  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Waits until no batch is in flight.
  ///
  /// - Throws: the error of a batch.
  func finish() throws {
    for _ in 0..<maximum { room.wait() }
    for _ in 0..<maximum { room.signal() }
    if let failure { throw failure }
  }
}
