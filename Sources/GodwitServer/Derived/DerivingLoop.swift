internal import Foundation
internal import GodwitModel

/// Computes what is computed of points, soon after they came, a few days at a time: first what happened, that is visits, trips
/// and marks (``Timeline``), then the lines of the map (``Overview``), which leave out what was marked.
///
/// Several servers on one database may do so at the same time; whoever finds that another was faster throws its own away.
struct DerivingLoop: Sendable {
  let database: any StoreDatabase

  /// Days of one device in one go.
  static let batch = 64

  /// Computes what is due.
  /// - Parameter now: the time.
  /// - Returns: how many days it computed; 0: nothing is due.
  func pass(at now: Date) async throws -> Int {
    let due = try database.read { try StaleDays.due(at: now, limit: Self.batch, in: $0) }
    guard let device = due.first?.device else { return 0 }
    let entries = due.filter { $0.device == device }
    let timeline = try database.read { try Timeline.change(of: entries.map(\.day), ofDevice: device, in: $0) }
    let done = entries.filter { timeline.done.contains($0.day) }
    do {
      try await database.write { try timeline.apply(in: $0) }
      let lines = try database.read { try Overview.change(of: done.map(\.day), ofDevice: device, in: $0) }
      try await database.write { connection in
        try lines.apply(in: connection)
        for entry in done { try StaleDays.takeBack(entry, in: connection) }
      }
    } catch is StaleDays.TakenBack {
      return 0
    }
    return done.count
  }

  /// Computes until the task is cancelled: what is due, then looks again a second later.
  func run() async {
    while !Task.isCancelled {
      var done = 0
      do { done = try await pass(at: Date()) } catch {
        // The store could not be read or written; whoever asks it hears of that. What is due stays so.
      }
      if done == 0 { try? await Task.sleep(for: .seconds(1)) }
    }
  }

  /// Computes until nothing is due.
  func catchUp(at now: Date) async throws {
    while try await pass(at: now) > 0 { try Task.checkCancellation() }
  }
}

extension StoreDatabase {
  /// Computes all that is to be computed of points, and would be soon while a server runs.
  package func catchUp() async throws { try await DerivingLoop(database: self).catchUp(at: .distantFuture) }
}
