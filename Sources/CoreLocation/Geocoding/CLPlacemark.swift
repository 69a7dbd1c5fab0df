public import Contacts
public import Foundation

/// A place and its address.
///
/// `@unchecked Sendable`: it has only constants.
open class CLPlacemark: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  struct Address: Codable {
    var name: String?
    var thoroughfare: String?
    var subThoroughfare: String?
    var locality: String?
    var subLocality: String?
    var administrativeArea: String?
    var subAdministrativeArea: String?
    var postalCode: String?
    var isoCountryCode: String?
    var country: String?
  }

  private let place: CLLocation?
  private let circle: CLRegion?
  private let address: Address

  open var location: CLLocation? { place }
  /// The circle around the place; `nil`: the extent of the place is unknown.
  open var region: CLRegion? { circle }
  /// Always `nil`: the time zone of an address is unknown here.
  open var timeZone: TimeZone? { nil }
  /// The name of the place, or its street and number.
  open var name: String? { address.name }
  /// The street.
  open var thoroughfare: String? { address.thoroughfare }
  /// The number of the building in the street.
  open var subThoroughfare: String? { address.subThoroughfare }
  /// The city, town or village.
  open var locality: String? { address.locality }
  /// The part of the city, town or village.
  open var subLocality: String? { address.subLocality }
  /// The state or province.
  open var administrativeArea: String? { address.administrativeArea }
  /// The county or district.
  open var subAdministrativeArea: String? { address.subAdministrativeArea }
  open var postalCode: String? { address.postalCode }
  /// The country code of two capital letters (ISO 3166-1).
  open var isoCountryCode: String? { address.isoCountryCode }
  open var country: String? { address.country }
  /// Always `nil`: waters are not distinguished here.
  open var inlandWater: String? { nil }
  /// Always `nil`: waters are not distinguished here.
  open var ocean: String? { nil }
  /// Always `nil`: sights are not distinguished here.
  open var areasOfInterest: [String]? { nil }

  /// The parts of the address; `nil`: no part is known.
  open var postalAddress: CNPostalAddress? {
    let address = CNMutablePostalAddress()
    address.street = [thoroughfare, subThoroughfare].compactMap(\.self).joined(separator: " ")
    address.subLocality = subLocality ?? ""
    address.city = locality ?? ""
    address.subAdministrativeArea = subAdministrativeArea ?? ""
    address.state = administrativeArea ?? ""
    address.postalCode = postalCode ?? ""
    address.country = country ?? ""
    address.isoCountryCode = isoCountryCode ?? ""
    return address == CNPostalAddress() ? nil : address.copy() as? CNPostalAddress
  }

  /// The address under the keys of the Address Book framework, without unknown parts. Deprecated on Apple's systems since iOS 11.
  open var addressDictionary: [AnyHashable: Any]? {
    guard let postalAddress else { return nil }
    let parts = [
      "Name": name ?? "", "Street": postalAddress.street, "SubLocality": postalAddress.subLocality, "City": postalAddress.city,
      "SubAdministrativeArea": postalAddress.subAdministrativeArea, "State": postalAddress.state,
      "ZIP": postalAddress.postalCode, "Country": postalAddress.country, "CountryCode": postalAddress.isoCountryCode,
    ]
    return parts.filter { !$0.value.isEmpty }
  }

  /// Creates a placemark without values.
  public override init() {
    (place, circle, address) = (nil, nil, Address())
    super.init()
  }

  /// Creates a copy of a placemark.
  /// - Parameter placemark: the placemark to copy.
  public init(placemark: CLPlacemark) {
    (place, circle) = (placemark.location, placemark.region)
    address = Address(
      name: placemark.name, thoroughfare: placemark.thoroughfare, subThoroughfare: placemark.subThoroughfare,
      locality: placemark.locality, subLocality: placemark.subLocality, administrativeArea: placemark.administrativeArea,
      subAdministrativeArea: placemark.subAdministrativeArea, postalCode: placemark.postalCode,
      isoCountryCode: placemark.isoCountryCode, country: placemark.country)
    super.init()
  }

  init(location: CLLocation?, region: CLRegion?, address: Address) {
    (place, circle, self.address) = (location, region, address)
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    guard let address = coder.decode(values: Address.self) else { return nil }
    self.address = address
    // Decoding an absent value would cause an error of the whole archive.
    place = coder.containsValue(forKey: "location") ? coder.decodeObject(of: CLLocation.self, forKey: "location") : nil
    circle = coder.containsValue(forKey: "region") ? coder.decodeObject(of: CLRegion.self, forKey: "region") : nil
    super.init()
  }

  open func encode(with coder: NSCoder) {
    coder.encode(values: address)
    if let location { coder.encode(location, forKey: "location") }
    if let region { coder.encode(region, forKey: "region") }
  }

  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    [name, locality, administrativeArea, postalCode, country].compactMap(\.self).joined(separator: ", ")
  }
}
