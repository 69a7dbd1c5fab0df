import NetworkExtension
import os

/// The name of the current wifi network. The system reports it asynchronously, so the last reported name is stored.
final class WifiName: Sendable {
  private let name = OSAllocatedUnfairLock<String?>(initialState: nil)

  /// Returns the last reported name, and requests an update.
  func last() -> String? {
    NEHotspotNetwork.fetchCurrent { [weak self] network in
      let ssid = network?.ssid
      self?.name.withLock { $0 = ssid }
    }
    return name.withLock { $0 }
  }
}
