internal import Foundation
internal import GodwitModel
internal import GodwitServices
internal import GodwitStore

/// Monitors the store while the server runs: free space, damage, and its log.
struct StoreWatch: Sendable {
  let store: any StoreDatabase
  /// Queue of the integrity checks, at the lowest priority.
  private let integrity: WorkQueue

  init(_ store: any StoreDatabase) {
    self.store = store
    integrity = store.queues.queue("godwit.integrity", priority: .background)
  }

  /// Seconds for which a successful write proves that the store can write.
  private static let proof = 10.0
  /// Seconds between two integrity checks of an undamaged store.
  private static let integrityInterval = DayLength.seconds

  /// Checks whether the store can write: by its last write, or by a small write.
  /// - Parameter completion: called once, at once or on a thread of the store, with `nil` if the store can write.
  func check(_ completion: @escaping @Sendable (StoreFault?) -> Void) {
    // A small write may fit where an upload does not.
    if let fault = store.health.fault, fault.kind == .full, !store.hasRoom { return completion(fault) }
    if store.health.isDamaged || store.health.hasStored(within: Self.proof) { return completion(store.health.fault) }
    store.write(
      { db in
        // Sets existing values; SQLite and PostgreSQL write the page nevertheless.
        _ = try db.run("UPDATE region_status SET rules = rules WHERE one = 1")
      },
      completion: { [store] result in
        switch result {
        case .success:
          store.health.succeeded()
          completion(store.health.fault)
        case .failure(let error): completion(store.health.fault ?? StoreFault(error) ?? StoreFault(.device))
        }
      })
  }

  /// Checks whether a store that failed can write again. A store that works gets an empty write, which detects removed or
  /// replaced files.
  func checkWriting() {
    if store.health.fault != nil {
      check { _ in }
    } else {
      store.write({ _ in }, completion: { _ in })
    }
  }

  /// Checks the database for damage, if the last check is older than ``integrityInterval``, is in the future because the clock was set
  /// back, or found damage.
  func checkIntegrityIfDue() async throws {
    let now = store.clock.now
    if !store.health.isDamaged, let last = store.health.checked,
      (0..<Self.integrityInterval).contains(now.timeIntervalSince(last))
    {
      return
    }
    try await integrity.run { [store] in store.checkIntegrity(at: now) }
  }

  /// Checkpoints the write-ahead log.
  func moveLog() async throws { try await integrity.run { [store] in store.moveLog() } }
}
