package import GodwitModel
internal import Synchronization

/// The records that a server received, and the number of trackers that were launched.
package final class ReceivedRecords: Sendable {
  private let state = Mutex((records: [Record](), launches: 0))

  package init() {}

  package func store(_ record: Record) { state.withLock { $0.records.append(record) } }
  package func launched() { state.withLock { $0.launches += 1 } }
  package var records: [Record] { state.withLock { $0.records } }
  package var launches: Int { state.withLock { $0.launches } }
}
