internal import Foundation
internal import GodwitStore

/// Looks after the store while the server runs: whether it can store, whether it is damaged, and its log.
struct StoreWatch: Sendable {
  let store: any StoreDatabase
  /// Looks for damage, behind all else.
  private let integrity = DispatchQueue(label: "godwit.integrity", qos: .background)

  init(_ store: any StoreDatabase) { self.store = store }

  /// Seconds for which a write that succeeded proves that the store can store.
  private static let proof = 10.0
  /// Seconds between two looks at the store's files.
  static let healthInterval = 5
  /// Seconds between two checks for damage, and while it is damaged.
  private static let (integrityInterval, damageInterval) = (86_400, 600)

  /// Finds out whether the store can store: by what it stored last, or by a small write.
  /// - Parameter completion: called once, at once or on a thread of the store; with `nil` where it can.
  func check(_ completion: @escaping @Sendable (StoreFault?) -> Void) {
    // A small write may fit where an upload does not.
    if let fault = store.health.fault, fault.kind == .full, !store.hasRoom { return completion(fault) }
    if store.health.isDamaged || store.health.hasStored(within: Self.proof) { return completion(store.health.fault) }
    store.write(
      { connection in
        // Stores what is there already: the page is written all the same.
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

  /// What is to be done for the store's health each second.
  /// - Parameter second: since the server started, from 1.
  func tick(second: Int) {
    if second.isMultiple(of: Self.healthInterval) {
      if store.health.fault != nil {
        check { _ in }
      } else {
        // Writes nothing, and notices files that were removed or replaced.
        store.write({ _ in }, completion: { _ in })
      }
    }
    let interval = store.health.isDamaged ? Self.damageInterval : Self.integrityInterval
    if second == 1 || second.isMultiple(of: interval) {
      integrity.async { [store] in store.checkIntegrity(at: Date()) }
    }
    // What lies in the log alone is lost with the log.
    if second.isMultiple(of: 60) { integrity.async { [store] in store.moveLog() } }
  }
}
