#if canImport(NetworkExtension) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
  // Not compiled where there is no NetworkExtension framework: kept thin.
  internal import GodwitModel
  internal import NetworkExtension

  /// The wifi network that the device is connected to. The app needs the capability "Access Wi-Fi Information", and
  /// permission to know the exact location.
  enum Wifi {
    /// Tells a tracker its name and address, or that there is none.
    static func tell(_ tracker: Tracker) {
      NEHotspotNetwork.fetchCurrent { network in
        let (name, address) = (WifiName.known(network?.ssid), WifiName.known(network?.bssid))
        tracker.update { context in
          context.wifi = name
          context.wifiBSSID = address
        }
      }
    }
  }
#endif
