package import Foundation
internal import GodwitModel
package import GodwitStore

/// Computes what is computed of points, soon after they came, a few days at a time: first what happened, that is visits, trips
/// and marks (``Timeline``), then the lines of the map (``Overview``), which leave out what was marked.
///
/// Several servers on one database may do so at the same time; one that finds that another was faster discards its own result.
package struct RecomputeWorker: Sendable {
  package let database: any StoreDatabase
  /// Called with the points of a device that were flagged as impossible later than when they came.
  package var flagged: @Sendable (Int64, FlagChange) -> Void = { _, _ in }

  package init(database: any StoreDatabase, flagged: @escaping @Sendable (Int64, FlagChange) -> Void = { _, _ in }) {
    self.database = database
    self.flagged = flagged
  }

  /// Days of one device in one go.
  package static let batch = 64

  /// Of one device something could not be computed.
  package struct Failure: Error, CustomStringConvertible {
    package var device: Int64
    package var reason: any Error
    package var description: String { "the days of device \(device) cannot be computed: \(reason)" }
  }

  /// Computes what is due of one device.
  /// - Parameters:
  ///   - now: the time.
  ///   - resting: devices that are passed over.
  /// - Returns: whether anything was due.
  /// - Throws: ``Failure``; the store's error where it cannot say what is due; `CancellationError`.
  package func pass(at now: Date, passingOver resting: Set<Int64> = []) async throws -> Bool {
    let entries = try database.read { try DirtyDays.due(at: now, passingOver: resting, limit: Self.batch, in: $0) }
    guard let device = entries.first?.device else { return false }
    do {
      let timeline = try database.read { try Timeline.change(of: entries.map(\.day), ofDevice: device, in: $0) }
      let done = entries.filter { timeline.done.contains($0.day) }
      let flags = try await database.write { try timeline.apply(in: $0) }
      if !flags.isEmpty { flagged(device, flags) }
      let lines = try database.read { try Overview.change(of: done.map(\.day), ofDevice: device, in: $0) }
      try await database.write { connection in
        try lines.apply(in: connection)
        for entry in done { try DirtyDays.takeBack(entry, in: connection) }
      }
    } catch is DirtyDays.TakenBack {
      // Another server was faster.
    } catch let cancellation as CancellationError {
      throw cancellation
    } catch {
      throw Failure(device: device, reason: error)
    }
    return true
  }

  /// Seconds after which a device is tried again of which something could not be computed.
  private static let rest = 300.0

  /// Computes until the task is cancelled: what is due, then looks again a second later. A device of which something cannot be computed
  /// delays no other device.
  package func run() async {
    var resting: [Int64: Date] = [:]
    while !Task.isCancelled {
      let now = Date()
      resting = resting.filter { $0.value > now }
      var isWaiting = true
      do { isWaiting = try await !pass(at: now, passingOver: Set(resting.keys)) } catch let failure as Failure {
        // What is due stays so.
        resting[failure.device] = now.addingTimeInterval(Self.rest)
      } catch {
        // The store could not be read; its next reader gets the error.
      }
      if isWaiting { try? await Task.sleep(for: .seconds(1)) }
    }
  }

  /// Computes until nothing is due.
  package func catchUp(at now: Date) async throws {
    while try await pass(at: now) {}
  }
}

extension StoreDatabase {
  /// Computes all that is to be computed of points, and would be soon while a server runs.
  package func catchUp() async throws { try await RecomputeWorker(database: self).catchUp(at: .distantFuture) }
}
