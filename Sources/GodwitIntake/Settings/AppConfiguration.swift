internal import Foundation
package import GodwitServices
internal import Synchronization

/// The state of an app that the handling of an upload needs.
package struct AppConfiguration: Sendable, Hashable {
  /// The passphrase of encrypted messages; `nil`: none.
  package var key: String?
  /// Whether plain messages are rejected.
  package var isSealedOnly = false
  /// Whether the device shares positions with other devices.
  package var shares = false
  /// Whether commands are pending.
  package var hasCommands = false
  /// Whether the device was on a trip at its last contact.
  package var isOnTrip = false
  /// The pending change of the device's settings; `nil`: none.
  package var pendingChange: DesiredSettingsChange?
}

/// Caches the app configurations of devices for a second, so that most uploads need no query.
package final class AppConfigurationCache: Sendable {
  private struct State {
    var configurations: [Int64: AppConfiguration] = [:]
    var filled = Date.distantPast
  }
  private let state = Mutex(State())
  private let clock: ServerClock
  private let read: @Sendable (Int64) throws -> AppConfiguration

  /// - Parameters:
  ///   - clock: the clock of the server.
  ///   - read: reads the configuration of a device.
  package init(clock: ServerClock, read: @escaping @Sendable (Int64) throws -> AppConfiguration) {
    self.clock = clock
    self.read = read
  }

  package func configuration(of device: Int64) throws -> AppConfiguration {
    let now = clock.now
    let known = state.withLock { state -> AppConfiguration? in
      if abs(now.timeIntervalSince(state.filled)) > 1 {
        state.configurations.removeAll(keepingCapacity: true)
        state.filled = now
      }
      return state.configurations[device]
    }
    if let known { return known }
    let configuration = try read(device)
    state.withLock { $0.configurations[device] = configuration }
    return configuration
  }

  /// Discards a device's entry after a change.
  package func invalidate(_ device: Int64) { state.withLock { $0.configurations[device] = nil } }
}
