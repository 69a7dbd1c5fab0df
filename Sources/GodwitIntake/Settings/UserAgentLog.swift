package import Foundation
internal import GodwitModel
package import GodwitStore
internal import Synchronization

/// Records the `User-Agent` of each device. It is stored when it changes, and once a day.
package final class UserAgentLog: Sendable {
  private struct Note: Hashable {
    var agent: String
    /// The day since 1970, UTC.
    var day: Int64
  }
  private let notes = Mutex<[Int64: Note]>([:])
  private let store: any StoreDatabase
  /// Maximum cached devices.
  private static let maximumDevices = 50_000
  /// Maximum characters that are stored.
  private static let maximum = 200
  /// The type of the report in ``AppTables``.
  package static let type = "agent"

  package init(store: any StoreDatabase) { self.store = store }

  /// Records an upload of a device.
  /// - Parameters:
  ///   - device: the device.
  ///   - agent: the `User-Agent`.
  ///   - now: the time.
  package func record(_ device: Int64, _ agent: String?, at now: Date) {
    guard let agent = agent?.trimmingCharacters(in: .whitespaces), !agent.isEmpty else { return }
    let note = Note(agent: String(agent.prefix(Self.maximum)), day: DayLength.number(of: now.millisecondsSince1970))
    let isNew = notes.withLock { notes in
      if notes[device] == note { return false }
      if notes.count >= Self.maximumDevices { notes.removeAll(keepingCapacity: true) }
      notes[device] = note
      return true
    }
    guard isNew else { return }
    let work: @Sendable (any SQLConnection) throws -> Void = {
      try AppTables.store(Self.type, note.agent, of: device, at: now, $0)
    }
    store.write(work) { [self] result in
      if case .failure = result { notes.withLock { $0[device] = nil } }
    }
  }
}
