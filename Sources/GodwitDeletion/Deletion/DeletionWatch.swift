package import GodwitStore
internal import Synchronization

/// Detects deletions by other processes: each deletion increments the version of zones and owners.
package final class DeletionWatch: Sendable {
  private let known = Mutex<Int64?>(nil)

  package init() {}

  /// Whether the version has changed since the last call.
  package func hasChanged(in store: any StoreDatabase) -> Bool {
    // If the store does not respond now, the next call detects the change.
    guard let version = try? store.read({ try FilterVersion.current($0) }) else { return false }
    return known.withLock { known in
      defer { known = version }
      return known != nil && known != version
    }
  }
}
