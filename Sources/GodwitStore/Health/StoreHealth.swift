package import Foundation
package import GodwitServices
internal import Synchronization

/// Whether the store can write, according to its last attempts. May be used on any thread.
package final class StoreHealth: Sendable {
  private struct State {
    var fault: StoreFault?
    /// Where the database is damaged; `nil`: no damage is known.
    var damage: String?
    /// When a write last succeeded, as the clock's uptime.
    var stored: Duration?
    var checked: Date?
    /// Damaged blocks of points.
    var blocks: Set<DamagedBlock> = []
    /// Days whose rows of points do not match their hash.
    var days: Set<DamagedDay> = []
    var observer: (@Sendable (String) -> Void)?
  }
  private let state = Mutex(State())
  private let clock: ServerClock

  package init(clock: ServerClock = .system) { self.clock = clock }

  /// Why the store cannot write; `nil` if it can.
  package var fault: StoreFault? {
    state.withLock { $0.damage == nil ? $0.fault : StoreFault(.damaged) }
  }

  /// Whether the database was found damaged.
  package var isDamaged: Bool { state.withLock { $0.damage != nil } }

  /// Damaged blocks of points that a read or the last check found, in the order of devices and times.
  package var damagedBlocks: [DamagedBlock] {
    state.withLock { $0.blocks }.sorted { ($0.device, $0.times.lowerBound) < ($1.device, $1.times.lowerBound) }
  }

  /// Days whose rows of points did not match their hash at the last check, in the order of devices and days.
  package var damagedDays: [DamagedDay] {
    state.withLock { $0.days }.sorted { ($0.device, $0.number) < ($1.device, $1.number) }
  }

  /// The days with damaged points by device, such as "2026-03-01 to 2026-03-04".
  package var damagedDaysByDevice: [Int64: [String]] {
    var days: [Int64: [String]] = [:]
    for block in damagedBlocks { days[block.device, default: []].append(block.days) }
    for day in damagedDays { days[day.device, default: []].append(day.day) }
    return days
  }

  /// Time of the last integrity check.
  package var checked: Date? { state.withLock { $0.checked } }

  /// Whether the last write succeeded, less than `seconds` seconds ago.
  package func hasStored(within seconds: Double) -> Bool {
    let now = clock.uptime
    return state.withLock { $0.fault == nil && $0.stored.map { now - $0 < .seconds(seconds) } ?? false }
  }

  /// Calls `observer` with a sentence whenever the store becomes able or unable to write.
  package func observe(_ observer: @escaping @Sendable (String) -> Void) { state.withLock { $0.observer = observer } }

  // MARK: Reports of the store

  /// Records a successful write.
  package func succeeded() {
    let now = clock.uptime
    change { state in
      state.stored = now
      guard let fault = state.fault else { return nil }
      state.fault = nil
      return fault.kind == .damaged ? nil : "The store can be written again."
    }
  }

  /// Records a failed write or read.
  package func failed(_ error: any Error) {
    guard let fault = StoreFault(error) else { return }
    if fault.kind == .damaged { return foundDamage("\(error)") }
    change { state in
      guard state.fault != fault else { return nil }
      state.fault = fault
      return "The store cannot be written: \(error)"
    }
  }

  /// Records damage. - Parameter what: where the database is damaged, for the log.
  package func foundDamage(_ what: String, at now: Date? = nil) {
    change { state in
      if let now { state.checked = now }
      guard state.damage == nil else { return nil }
      state.damage = what
      return
        "The database is damaged: \(what). The server stores nothing, and devices keep their records. Restore the last snapshot or backup; see `godwit doctor --server`."
    }
  }

  /// Records an integrity check without damage.
  package func foundWhole(at now: Date) {
    change { state in
      state.checked = now
      guard state.damage != nil else { return nil }
      state.damage = nil
      return "The database is intact again; the server stores records."
    }
  }

  /// Records a damaged block of points, if `error` is one; ignores other errors.
  package func readFailed(_ error: any Error) {
    guard let block = error as? DamagedBlock else { return }
    change { state in state.blocks.insert(block).inserted ? "\(block)" : nil }
  }

  /// Records that a damaged block of points was deleted.
  package func removed(_ block: DamagedBlock) { state.withLock { _ = $0.blocks.remove(block) } }

  /// Records the result of a check of all blocks of points: the damaged ones.
  package func foundBlocks(_ blocks: [DamagedBlock]) {
    change { state in
      let new = Set(blocks).subtracting(state.blocks)
      state.blocks = Set(blocks)
      return new.isEmpty ? nil : new.map { "\($0)" }.sorted().joined(separator: " ")
    }
  }

  /// Records the result of a check of all rows of points: the days whose rows do not match their hash.
  package func foundDays(_ days: [DamagedDay]) {
    change { state in
      let new = Set(days).subtracting(state.days)
      state.days = Set(days)
      return new.isEmpty ? nil : new.map { "\($0)" }.sorted().joined(separator: " ")
    }
  }

  private func change(_ body: (inout State) -> String?) {
    let (change, observer) = state.withLock { state in (body(&state), state.observer) }
    if let change { observer?(change) }
  }

  /// Writes the metrics of the store.
  package func write(to metrics: inout MetricsText) {
    let (fault, isDamaged, checked) = (fault, isDamaged, checked)
    metrics.gauge("godwit_store_writable", "1 if the last write succeeded, otherwise 0.", fault == nil ? 1 : 0)
    metrics.gauge("godwit_store_damaged", "1 if the last integrity check found damage, otherwise 0.", isDamaged ? 1 : 0)
    metrics.gauge(
      "godwit_store_last_check_timestamp_seconds", "Unix time of the last integrity check; 0 before the first.",
      Int(checked?.timeIntervalSince1970 ?? 0))
    metrics.gauge("godwit_store_damaged_blocks", "Blocks of points whose checksum is wrong.", damagedBlocks.count)
    metrics.gauge("godwit_store_damaged_days", "Days of devices whose rows of points do not match their hash.", damagedDays.count)
  }
}
