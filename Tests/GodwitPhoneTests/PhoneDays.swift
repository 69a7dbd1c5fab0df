import Foundation
import Godwit
import GodwitHTTPClient
import GodwitModel
import GodwitSimulator
import Synchronization
@_exported import TestDays

@testable import GodwitPhone

/// Settings with which the tracker records every position of the system.
func everything() -> Settings {
  var settings = Settings()
  settings.apply(.highResolution)
  return settings
}

/// The records that the server stored, and the number of trackers that were launched.
final class ReceivedRecords: Sendable {
  private let state = Mutex((records: [Record](), trackers: 0))

  func store(_ record: Record) { state.withLock { $0.records.append(record) } }
  func launched() { state.withLock { $0.trackers += 1 } }
  var records: [Record] { state.withLock { $0.records } }
  var launches: Int { state.withLock { $0.trackers } }
}

/// The apps of these tests send no requests.
final class NoServer: SimulatedServer {
  func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response { HTTPClient.Response(status: 404, body: []) }
}
