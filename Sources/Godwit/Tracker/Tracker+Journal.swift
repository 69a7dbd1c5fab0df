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

  /// Every second: what could not be written. Every minute: the ledger. Every hour: what is too old.
  func keepHouse() async throws {
    var seconds = 0
    while true {
      if seconds % 3600 == 0 {
        let limit = configuration.environment.now().addingTimeInterval(-engine.settings.retention)
        attempt { lost += try journal.removeRecords(olderThan: limit) }
      }
      if seconds % 60 == 0, seconds > 0 { mailbox.post(.tick) }
      if !unwritten.isEmpty || !unwrittenNotes.isEmpty {
        attempt { try writeHeldBack() }
        statusStream.publish(status)
      }
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
