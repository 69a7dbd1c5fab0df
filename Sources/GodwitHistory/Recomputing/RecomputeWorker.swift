package import Foundation
internal import GodwitModel
internal import GodwitServices
package import GodwitStore

/// Computes timelines and overviews soon after points arrive, a few days at a time: first visits and trips, then the overviews.
///
/// Several servers on one database may compute concurrently. A server whose result is outdated discards it.
package struct RecomputeWorker: Service {
  package let database: any StoreDatabase
  /// Called with the points of a device that were flagged or unflagged by a computation.
  package var flagged: @Sendable (Int64, FlagChange) -> Void = { _, _ in }
  private let library: RoadLibrary

  /// - Parameter library: opens the file of roads that the store refers to.
  package init(
    database: any StoreDatabase, library: RoadLibrary = RoadLibrary(),
    flagged: @escaping @Sendable (Int64, FlagChange) -> Void = { _, _ in }
  ) {
    self.database = database
    self.library = library
    self.flagged = flagged
  }

  /// Maximum days of one device in one computation.
  package static let batch = 64

  /// An error: the computation of a device failed.
  package struct Failure: Error, CustomStringConvertible {
    package var device: Int64
    package var reason: any Error
    package var description: String { "the days of device \(device) cannot be computed: \(reason)" }
  }

  /// Computes the due entries of one device.
  /// - Parameters:
  ///   - now: the time.
  ///   - resting: devices to skip.
  /// - Returns: whether any entry was due.
  /// - Throws: ``Failure``, the store's error if the due entries cannot be read, or `CancellationError`.
  package func runOnce(at now: Date, passingOver resting: Set<Int64> = []) async throws -> Bool {
    let entries = try database.read { try DirtyDays.due(at: now, passingOver: resting, limit: Self.batch, $0) }
    guard let device = entries.first?.device else { return false }
    do {
      let timeline = try change(of: entries.map(\.day), ofDevice: device)
      let done = entries.filter { timeline.done.contains($0.day) }
      let flags = try await database.write { try timeline.apply($0) }
      if !flags.isEmpty { flagged(device, flags) }
      let lines = try database.read { try Overview.change(of: done.map(\.day), ofDevice: device, $0) }
      try await database.write { db in
        try lines.apply(db)
        for entry in done { try DirtyDays.restore(entry, db) }
      }
    } catch is DirtyDays.AlreadyComputed {
      // Another server was faster.
    } catch let cancellation as CancellationError {
      throw cancellation
    } catch {
      throw Failure(device: device, reason: error)
    }
    return true
  }

  /// Returns the change of a device's timeline by dirty days.
  package func change(of days: [Int64], ofDevice device: Int64) throws -> Timeline.Change {
    try database.read { try Timeline.change(of: days, ofDevice: device, along: library.roads($0), $0) }
  }

  /// Seconds after which a failed device is tried again.
  private static let rest = 300.0

  /// Low, so that uploads and requests have priority.
  package var priority: TaskPriority? { .background }

  /// Computes due entries every second until the task is cancelled. A device whose computation fails does not delay other devices.
  package func run() async throws {
    let clock = database.clock
    var resting: [Int64: Duration] = [:]
    while !Task.isCancelled {
      let (now, uptime) = (clock.now, clock.uptime)
      resting = resting.filter { $0.value > uptime }
      var isWaiting = true
      do { isWaiting = try await !runOnce(at: now, passingOver: Set(resting.keys)) } catch let failure as Failure {
        // The entry stays due.
        resting[failure.device] = uptime + .seconds(Self.rest)
      } catch {
        // The due entries could not be read. Other readers report the error.
      }
      if isWaiting { try await clock.sleep(for: .seconds(1)) }
    }
  }

  /// Computes until no entry is due. A device whose computation fails does not keep the others from theirs.
  /// - Throws: the first ``Failure``, after all other devices were computed.
  package func processBacklog(at now: Date) async throws {
    var failures: [Failure] = []
    var isWaiting = false
    while !isWaiting {
      do { isWaiting = try await !runOnce(at: now, passingOver: Set(failures.map(\.device))) } catch let failure as Failure {
        failures.append(failure)
      }
    }
    if let first = failures.first { throw first }
  }
}

extension StoreDatabase {
  /// Computes all dirty days immediately. A running server would compute them soon.
  package func processBacklog() async throws { try await RecomputeWorker(database: self).processBacklog(at: .distantFuture) }
}
