internal import Foundation
internal import GodwitEngine
internal import GodwitModel

/// The tracker and its journal: what cannot be written waits in memory and is tried again.
extension Tracker {
  func write(_ records: [Record], _ notes: [String: String?]) {
    do {
      if !unwritten.isEmpty || !unwrittenNotes.isEmpty { try writeHeldBack() }
      try journal.append(records, remembering: notes, recordedAt: configuration.environment.now())
      journalProblem = nil
      if !records.isEmpty { configuration.recorded?(records) }
    } catch {
      journalProblem = "\(error)"
      let room = max(0, Self.mostUnwritten - unwritten.count)
      unwritten += records.prefix(room)
      lost += max(0, records.count - room)
      unwrittenNotes.merge(notes) { _, new in new }
      troubles.continuation.yield()
    }
  }

  private func writeHeldBack() throws {
    try journal.append(unwritten, remembering: unwrittenNotes, recordedAt: configuration.environment.now())
    if !unwritten.isEmpty { configuration.recorded?(unwritten) }
    unwritten = []
    unwrittenNotes = [:]
    journalProblem = nil
    for barrier in barriers { barrier.finish() }
    barriers = []
  }

  /// Does what can be done without, and says what went wrong.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch { journalProblem = "\(error)" }
  }

  /// Every minute: the ledger. Every hour: what is too old. By the clock, because a device that sleeps counts nothing.
  func keepHouse() async throws {
    var swept: Date?
    while true {
      let now = configuration.environment.now()
      if swept.map({ abs(now.timeIntervalSince($0)) >= 3600 }) ?? true {
        let limit = now.addingTimeInterval(-engine.settings.retention)
        attempt { lost += try journal.removeRecords(olderThan: limit) }
        swept = now
      }
      try await configuration.environment.sleep(60)
      mailbox.post(.tick)
    }
  }

  /// Every second, while there is something that could not be written.
  func retryWriting() async throws {
    for await _ in troubles.stream {
      while !unwritten.isEmpty || !unwrittenNotes.isEmpty {
        try await configuration.environment.sleep(1)
        attempt { try writeHeldBack() }
        statusStream.publish(status)
      }
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
