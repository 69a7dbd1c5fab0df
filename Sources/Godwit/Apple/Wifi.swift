#if canImport(NetworkExtension) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
  // Not compiled on systems without NetworkExtension, so it holds no decisions.
  internal import GodwitEngine
  internal import GodwitModel
  internal import NetworkExtension

  /// The wifi network that the device is connected to. The app needs the capability "Access Wi-Fi Information", and
  /// permission for the precise location.
  enum Wifi {
    /// Reports the name and address of the network to a tracker, or that there is none.
    static func notify(_ tracker: Tracker) {
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
