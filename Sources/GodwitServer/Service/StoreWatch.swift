internal import Foundation
internal import GodwitStore

/// Monitors the store while the server runs: free space, damage, and its log.
struct StoreWatch: Sendable {
  let store: any StoreDatabase
  /// Queue of the integrity checks, at the lowest priority.
  private let integrity = DispatchQueue(label: "godwit.integrity", qos: .background)

  init(_ store: any StoreDatabase) { self.store = store }

  /// Seconds for which a successful write proves that the store can write.
  private static let proof = 10.0
  /// Seconds between two checks of the store's files.
  static let healthInterval = 5
  /// Seconds between two integrity checks, normally and while the store is damaged.
  private static let (integrityInterval, damageInterval) = (86_400, 600)

  /// Checks whether the store can write: by its last write, or by a small write.
  /// - Parameter completion: called once, at once or on a thread of the store, with `nil` if the store can write.
  func check(_ completion: @escaping @Sendable (StoreFault?) -> Void) {
    // A small write may fit where an upload does not.
    if let fault = store.health.fault, fault.kind == .full, !store.hasRoom { return completion(fault) }
    if store.health.isDamaged || store.health.hasStored(within: Self.proof) { return completion(store.health.fault) }
    store.write(
      { connection in
        // Sets existing values; the page is written nevertheless.
        _ = try connection.run("UPDATE region_status SET rules = rules WHERE one = 1")
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

  /// Runs the periodic checks of the store, once a second.
  /// - Parameter second: seconds since the server started, from 1.
  func tick(second: Int) {
    if second.isMultiple(of: Self.healthInterval) {
      if store.health.fault != nil {
        check { _ in }
      } else {
        // An empty write, which detects removed or replaced files.
        store.write({ _ in }, completion: { _ in })
      }
    }
    let interval = store.health.isDamaged ? Self.damageInterval : Self.integrityInterval
    if second == 1 || second.isMultiple(of: interval) {
      integrity.async { [store] in store.checkIntegrity(at: Date()) }
    }
    // Content that is only in the log would be lost with the log.
    if second.isMultiple(of: 60) { integrity.async { [store] in store.moveLog() } }
  }
}
