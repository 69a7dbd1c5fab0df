internal import Foundation
package import GodwitHTTP
internal import GodwitModel
internal import GodwitServices
package import GodwitStore
internal import GodwitText
internal import GodwitTracks
internal import Synchronization

/// Imports uploaded files in the background, one at a time. An import that was interrupted by the end of the server
/// continues after its next start.
///
/// `@unchecked Sendable`: `state` is used only while `condition` is locked.
package final class ImportQueue: @unchecked Sendable {
  /// The folder of uploaded files until they are imported.
  package let folder: String
  /// Distinguishes this folder from those of other servers on the same database.
  package let place: String
  private let store: any StoreDatabase
  private let imported: @Sendable (_ device: String) -> Void
  private let condition = NSCondition()
  private var state = State()
  /// Seconds before the next attempt if the store could not be written.
  private static let pause = 10.0

  private struct State {
    var isRunning = false
    var isStopping = false
    /// Whether new imports may exist.
    var hasWork = true
    var cancelled: Set<Int64> = []
    /// The current import with its progress.
    var current: (id: Int64, progress: ImportProgress)?
  }

  /// - Parameters:
  ///   - store: the store in which the records are stored.
  ///   - folder: the data folder.
  ///   - imported: called at the end of an import for each device whose points may have changed.
  package init(store: any StoreDatabase, folder: String, imported: @escaping @Sendable (_ device: String) -> Void) throws {
    self.store = store
    self.imported = imported
    self.folder = folder + "/uploads"
    try FileManager.default.createDirectory(
      atPath: self.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let file = self.folder + "/place"
    if let known = try? String(contentsOfFile: file, encoding: .utf8), !known.isEmpty {
      place = known.trimmingCharacters(in: .whitespacesAndNewlines)
    } else {
      place = String(UInt64.random(in: 0...UInt64.max), radix: 36)
      try Data((place + "\n").utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }
  }

  /// Creates a file for the body of an upload.
  package func newFile(limit: Int) throws(Problem) -> BodyFile {
    try BodyFile(folder + "/\(UUID().uuidString).part", limit: limit)
  }

  // MARK: Life

  /// Removes files without an import. Must be called before the first upload.
  package func tidy() throws {
    let paths = try store.read { try ImportTables.unfinished(place: place, $0) }.map(\.path)
    let known = Set(paths + paths.map(ImportStarts.name))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name != "place" && !known.contains(name) {
      try? FileManager.default.removeItem(atPath: folder + "/" + name)
    }
  }

  /// Starts the import thread.
  package func start() {
    condition.withLock {
      guard !state.isRunning else { return }
      (state.isRunning, state.isStopping, state.hasWork) = (true, false, true)
      let thread = Thread { [self] in work() }
      thread.name = "godwit-import"
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  /// Stops after the batches in flight are stored. The rest is imported after the next start.
  package func stop() {
    condition.lock()
    state.isStopping = true
    condition.broadcast()
    while state.isRunning { condition.wait() }
    condition.unlock()
  }

  /// Wakes the import thread after an import was added.
  package func wake() {
    condition.withLock {
      state.hasWork = true
      condition.broadcast()
    }
  }

  /// Stops an import that was cancelled, and removes its file.
  package func cancel(_ job: ImportJob) {
    guard job.place == place else { return }
    let isCurrent = condition.withLock {
      state.cancelled.insert(job.id)
      return state.current?.id == job.id
    }
    // The file of the current import is removed by the import thread.
    if !isCurrent { remove(job) }
  }

  /// Returns the progress of an import that this server is running; `nil`: another import.
  package func progress(of id: Int64) -> ImportProgress? {
    condition.withLock { state.current.flatMap { $0.id == id ? $0.progress : nil } }
  }

  // MARK: The thread

  private func work() {
    var mayTry = true
    while waitForWork(mayTry) {
      do {
        guard let job = try store.read({ try ImportTables.unfinished(place: place, $0) }).first else {
          mayTry = false
          continue
        }
        mayTry = try run(job)
      } catch {
        // The store could not be read. A request for the list of imports reports the same error.
        mayTry = false
        condition.withLock { state.hasWork = true }
        pause()
      }
    }
    condition.withLock {
      state.isRunning = false
      condition.broadcast()
    }
  }

  /// Waits for an import.
  ///
  /// - Returns: `false`: the queue is stopping.
  private func waitForWork(_ mayTry: Bool) -> Bool {
    condition.withLock {
      while !mayTry, !state.hasWork, !state.isStopping { condition.wait() }
      state.hasWork = false
      return !state.isStopping
    }
  }

  /// Pauses in real time, because another thread can interrupt the pause. A timer ends it, because `wait(until:)` would wait for longer if
  /// the clock is set back.
  private func pause() {
    let end = ContinuousClock.now + .seconds(Self.pause)
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.pause) { [self] in condition.withLock { condition.broadcast() } }
    condition.withLock {
      if !state.isStopping, ContinuousClock.now < end { condition.wait() }
    }
  }

  /// Runs an import.
  ///
  /// - Returns: whether to continue with the next one immediately.
  private func run(_ found: ImportJob) throws -> Bool {
    let path = folder + "/" + found.path
    let id = found.id
    let now = store.clock.now
    // Read again, because a merge may have replaced a device since.
    let started = try store.writeAndWait { db -> ImportJob? in
      try ImportTables.set(id, .running, at: now, db) ? ImportTables.job(id, db) : nil
    }
    guard let job = started else {
      remove(found)
      return true
    }
    let starts = ImportStarts(upload: path)
    defer { starts.end() }
    guard try starts.begin(at: job.position) else {
      let text =
        "\(job.name): the server ended \(ImportStarts.maximum) times while it read this part of the file, so that it is not read "
        + "again. What is before it is stored. Please report the file as a fault."
      try end(job, .failed, text, nil)
      return true
    }
    let file: any RecordSource
    do { file = try RecordSources.open(path, from: job.checkpoint, options: job.options.options) } catch {
      try end(job, .failed, Self.reason(error, job, records: 0), nil)
      return true
    }
    let work = FileImport(into: store, job: job, options: job.options, source: file)
    condition.withLock { state.current = (id, work.current) }
    defer {
      condition.withLock {
        state.current = nil
        state.cancelled.remove(id)
      }
      for device in job.options.devices { imported(device) }
    }
    work.onProgress = { [unowned self] progress in condition.withLock { state.current = (id, progress) } }
    work.isCancelled = { [unowned self] in condition.withLock { state.isStopping || state.cancelled.contains(id) } }
    do {
      _ = try work.run()
      let report = work.current.report
      try end(job, report.endState(problem: nil), report.isUsable ? nil : "\(job.name): \(report.nothingUsable).", work.current)
    } catch let error where error is FormatError || error is TrackFileError {
      try end(job, .failed, Self.reason(error, job, records: work.current.report.records), work.current)
    } catch is CancellationError {
      if condition.withLock({ state.cancelled.contains(id) }) { remove(job) }
    } catch is ImportConflict {
      // The import was cancelled in the store, or was deleted with its user.
      remove(job)
    } catch {
      // Stored records stay, and the rest is retried.
      let text = "\(error)"
      let now = store.clock.now
      _ = try? store.writeAndWait { try ImportTables.set(id, .waiting, problem: text, at: now, $0) }
      condition.withLock { state.hasWork = true }
      pause()
      return false
    }
    return true
  }

  /// Returns the error of the file with its displayed name.
  private static func reason(_ error: any Error, _ job: ImportJob, records: Int) -> String {
    if let error = error as? TrackFileError { return "\(job.name): \(error.reason)." }
    return "\(error). \(records > 0 ? "The records before it are stored." : "Nothing was stored.")"
  }

  private func end(_ job: ImportJob, _ state: ImportJob.State, _ problem: String?, _ progress: ImportProgress?) throws {
    let (id, now) = (job.id, store.clock.now)
    try store.writeAndWait {
      try ImportTables.set(
        id, state, problem: problem, report: progress?.report, position: progress?.position, at: now, $0)
    }
    remove(job)
  }

  private func remove(_ job: ImportJob) { try? FileManager.default.removeItem(atPath: folder + "/" + job.path) }
}

extension ImportQueue: Service {
  /// Imports until the task is cancelled. Returns after the batches in flight are stored.
  package func run() async throws {
    start()
    await untilCancelled()
    await withCheckedContinuation { continuation in
      // `stop()` blocks until the import thread has ended.
      DispatchQueue.global().async { [self] in
        stop()
        continuation.resume()
      }
    }
  }
}
