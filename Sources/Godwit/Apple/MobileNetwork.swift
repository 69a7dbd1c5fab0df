#if canImport(CoreTelephony) && canImport(UIKit)
  // Not compiled on systems without CoreTelephony, so it holds no decisions.
  internal import CoreTelephony
  internal import GodwitEngine

  /// The names of the mobile networks of a device. Since iOS 16.4 the system returns "--" to most apps, which counts as no name.
  enum MobileNetwork {
    static var name: String? {
      let networks: any CarrierNames = CTTelephonyNetworkInfo()
      return Carrier.name(networks.carrierNames)
    }
  }

  /// A protocol for the deprecated API, which has no replacement. It avoids a compiler warning.
  private protocol CarrierNames { var carrierNames: [String] { get } }

  extension CTTelephonyNetworkInfo: CarrierNames {
    @available(iOS, deprecated: 16.0, message: "The system has no other API for the name.")
    fileprivate var carrierNames: [String] { (serviceSubscriberCellularProviders ?? [:]).values.compactMap(\.carrierName) }
  }
#endif
