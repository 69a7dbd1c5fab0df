internal import Foundation
internal import Synchronization

/// What an upload of a device must know of its app.
package struct AppConfiguration: Sendable, Hashable {
  /// The pass phrase of its messages.
  package var key: String?
  /// Whether it tells its place to others that do so, and is told theirs.
  package var shares = false
  /// Whether there is something that it is to be told to do.
  package var hasCommands = false
  /// Whether it was on a trip when it was heard of last.
  package var isOnTrip = false
  /// Settings that it is to take.
  package var order: DesiredSettingsChange?
}

/// The terms of devices, read once a second at most: an upload costs no query of its own.
package final class AppConfigurationCache: Sendable {
  private struct State {
    var terms: [Int64: AppConfiguration] = [:]
    var filled = Date.distantPast
  }
  private let state = Mutex(State())
  private let read: @Sendable (Int64) throws -> AppConfiguration

  /// - Parameter read: asks the store for those of a device.
  package init(read: @escaping @Sendable (Int64) throws -> AppConfiguration) { self.read = read }

  package func terms(of device: Int64) throws -> AppConfiguration {
    let now = Date()
    let known = state.withLock { state -> AppConfiguration? in
      if abs(now.timeIntervalSince(state.filled)) > 1 {
        state.terms.removeAll(keepingCapacity: true)
        state.filled = now
      }
      return state.terms[device]
    }
    if let known { return known }
    let terms = try read(device)
    state.withLock { $0.terms[device] = terms }
    return terms
  }

  /// They were changed here.
  package func forget(_ device: Int64) { state.withLock { $0.terms[device] = nil } }
}
