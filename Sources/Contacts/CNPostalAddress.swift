// As on Apple's systems, `import Contacts` also imports Foundation.
@_exported public import Foundation

// Names and keys are Apple's (Contacts' headers). The module contains only postal addresses, which Core Location needs.

// swift-format-ignore: AlwaysUseLowerCamelCase
public let CNPostalAddressStreetKey = "street"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CNPostalAddressSubLocalityKey = "subLocality"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CNPostalAddressCityKey = "city"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CNPostalAddressSubAdministrativeAreaKey = "subAdministrativeArea"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CNPostalAddressStateKey = "state"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CNPostalAddressPostalCodeKey = "postalCode"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CNPostalAddressCountryKey = "country"
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CNPostalAddressISOCountryCodeKey = "ISOCountryCode"

/// A postal address. Unknown parts are empty.
open class CNPostalAddress: NSObject, NSSecureCoding, NSCopying, NSMutableCopying {
  private static let keys = [
    CNPostalAddressStreetKey, CNPostalAddressSubLocalityKey, CNPostalAddressCityKey, CNPostalAddressSubAdministrativeAreaKey,
    CNPostalAddressStateKey, CNPostalAddressPostalCodeKey, CNPostalAddressCountryKey, CNPostalAddressISOCountryCodeKey,
  ]

  fileprivate var parts: [String: String]
  fileprivate func part(_ key: String) -> String { parts[key] ?? "" }

  open var street: String { part(CNPostalAddressStreetKey) }
  open var subLocality: String { part(CNPostalAddressSubLocalityKey) }
  open var city: String { part(CNPostalAddressCityKey) }
  open var subAdministrativeArea: String { part(CNPostalAddressSubAdministrativeAreaKey) }
  open var state: String { part(CNPostalAddressStateKey) }
  open var postalCode: String { part(CNPostalAddressPostalCodeKey) }
  open var country: String { part(CNPostalAddressCountryKey) }
  /// The country code of two letters (ISO 3166-1).
  open var isoCountryCode: String { part(CNPostalAddressISOCountryCodeKey) }

  public override init() {
    parts = [:]
    super.init()
  }

  fileprivate init(parts: [String: String]) {
    self.parts = parts
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    parts = [:]
    super.init()
    for key in Self.keys where coder.containsValue(forKey: key) {
      parts[key] = coder.decodeObject(of: NSString.self, forKey: key) as String?
    }
  }

  open func encode(with coder: NSCoder) {
    for (key, part) in parts { coder.encode(part as NSString, forKey: key) }
  }

  open func copy(with zone: NSZone? = nil) -> Any { CNPostalAddress(parts: parts) }
  open func mutableCopy(with zone: NSZone? = nil) -> Any { CNMutablePostalAddress(parts: parts) }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CNPostalAddress else { return false }
    return Self.keys.allSatisfy { part($0) == other.part($0) }
  }

  open override var hash: Int { [street, city, postalCode].hashValue }
}

/// A mutable postal address.
open class CNMutablePostalAddress: CNPostalAddress {
  open override var street: String {
    get { part(CNPostalAddressStreetKey) }
    set { parts[CNPostalAddressStreetKey] = newValue }
  }
  open override var subLocality: String {
    get { part(CNPostalAddressSubLocalityKey) }
    set { parts[CNPostalAddressSubLocalityKey] = newValue }
  }
  open override var city: String {
    get { part(CNPostalAddressCityKey) }
    set { parts[CNPostalAddressCityKey] = newValue }
  }
  open override var subAdministrativeArea: String {
    get { part(CNPostalAddressSubAdministrativeAreaKey) }
    set { parts[CNPostalAddressSubAdministrativeAreaKey] = newValue }
  }
  open override var state: String {
    get { part(CNPostalAddressStateKey) }
    set { parts[CNPostalAddressStateKey] = newValue }
  }
  open override var postalCode: String {
    get { part(CNPostalAddressPostalCodeKey) }
    set { parts[CNPostalAddressPostalCodeKey] = newValue }
  }
  open override var country: String {
    get { part(CNPostalAddressCountryKey) }
    set { parts[CNPostalAddressCountryKey] = newValue }
  }
  open override var isoCountryCode: String {
    get { part(CNPostalAddressISOCountryCodeKey) }
    set { parts[CNPostalAddressISOCountryCodeKey] = newValue }
  }
}
