package import GodwitStore
internal import Synchronization

/// Finds out whether another process deleted something: each deletion changes the version that zones and owners have.
package final class DeletionWatch: Sendable {
  private let known = Mutex<Int64?>(nil)

  package init() {}

  /// Whether the version has changed since the last call.
  package func hasChanged(in store: any StoreDatabase) -> Bool {
    // Where the store does not answer now, the next question finds as much.
    guard let version = try? store.read({ try FilterVersion.current($0) }) else { return false }
    return known.withLock { known in
      defer { known = version }
      return known != nil && known != version
    }
  }
}
