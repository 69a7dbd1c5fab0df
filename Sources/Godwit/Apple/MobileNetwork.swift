#if canImport(CoreTelephony) && canImport(UIKit)
  // Not compiled where there is no CoreTelephony framework: kept thin.
  internal import CoreTelephony

  /// The names of the mobile networks that a device is a customer of. Since iOS 16.4 the system answers "--" to most
  /// apps, and then there is no name.
  enum MobileNetwork {
    static var name: String? {
      let networks: any CarrierNames = CTTelephonyNetworkInfo()
      return Carrier.name(networks.carrierNames)
    }
  }

  /// What is deprecated without a replacement is reached through a protocol, so that it is named in one place.
  private protocol CarrierNames { var carrierNames: [String] { get } }

  extension CTTelephonyNetworkInfo: CarrierNames {
    @available(iOS, deprecated: 16.0, message: "The system has nothing else that tells the name.")
    fileprivate var carrierNames: [String] { (serviceSubscriberCellularProviders ?? [:]).values.compactMap(\.carrierName) }
  }
#endif
