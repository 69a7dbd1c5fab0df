import NetworkExtension
import os

/// The name of the wifi network. The system reports it later than it is asked for, so each question answers with the last report.
final class WifiName: Sendable {
  private let name = OSAllocatedUnfairLock<String?>(initialState: nil)

  /// Returns the last known name, and asks for the next one.
  func last() -> String? {
    NEHotspotNetwork.fetchCurrent { [weak self] network in
      let ssid = network?.ssid
      self?.name.withLock { $0 = ssid }
    }
    return name.withLock { $0 }
  }
}
