import Foundation
import Godwit
import GodwitModel
import GodwitSimulator
import Synchronization
@_exported import TestDays

@testable import GodwitPhone

/// Settings that record every position that comes.
func everything() -> Settings {
  var settings = Settings()
  settings.apply(.highResolution)
  return settings
}

/// What the server got, and what the tracker wrote down.
final class Books: Sendable {
  private let state = Mutex((records: [Record](), trackers: 0))

  func store(_ record: Record) { state.withLock { $0.records.append(record) } }
  func launched() { state.withLock { $0.trackers += 1 } }
  var records: [Record] { state.withLock { $0.records } }
  var launches: Int { state.withLock { $0.trackers } }
}
