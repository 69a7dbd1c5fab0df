internal import Foundation
package import GodwitSecrets
package import GodwitServices
package import GodwitStore
internal import Synchronization

/// A cache of valid device tokens, so that a request needs a hash instead of a query.
///
/// An entry is valid for at most one second. After that, a token that another process revoked is rejected.
package final class TokenCache: Sendable {
  private struct State {
    var devices: [[UInt8]: Device] = [:]
    var filled = Date.distantPast
  }
  private let state = Mutex(State())
  private let clock: ServerClock
  private let lookUp: @Sendable ([UInt8]) throws -> Device?

  /// - Parameters:
  ///   - clock: the clock of the server.
  ///   - lookUp: reads the device of a token's hash from the store.
  package init(clock: ServerClock, lookUp: @escaping @Sendable ([UInt8]) throws -> Device?) {
    self.clock = clock
    self.lookUp = lookUp
  }

  /// Discards all entries. Called after devices were deleted, so that their tokens are rejected at once.
  package func invalidate() { state.withLock { $0.devices.removeAll(keepingCapacity: true) } }

  package func device(for token: AccessToken) throws -> Device? {
    let hash = token.hash
    let now = clock.now
    let known = state.withLock { state -> Device? in
      if abs(now.timeIntervalSince(state.filled)) > 1 {
        state.devices.removeAll(keepingCapacity: true)
        state.filled = now
      }
      return state.devices[hash]
    }
    if let known { return known }
    for stored in token.hashes {
      guard let device = try lookUp(stored) else { continue }
      state.withLock { $0.devices[hash] = device }
      return device
    }
    return nil
  }
}
