public import Foundation

/// A place and its address.
///
/// `@unchecked Sendable`: constants only.
public final class CLPlacemark: NSObject, @unchecked Sendable {
  public let location: CLLocation?
  /// The circle around the place; `nil`: its extent is not known.
  public let region: CLRegion?
  /// Always `nil`: the time zone of an address is unknown here.
  public var timeZone: TimeZone? { nil }
  /// Name of the place, or its street and number.
  public let name: String?
  /// Street.
  public let thoroughfare: String?
  /// Number in the street.
  public let subThoroughfare: String?
  /// City, town or village.
  public let locality: String?
  /// Part of it.
  public let subLocality: String?
  /// State or province.
  public let administrativeArea: String?
  /// County or district.
  public let subAdministrativeArea: String?
  public let postalCode: String?
  /// Two capital letters (ISO 3166-1).
  public let isoCountryCode: String?
  public let country: String?
  /// Always `nil`: waters are not distinguished here.
  public var inlandWater: String? { nil }
  /// Always `nil`: waters are not distinguished here.
  public var ocean: String? { nil }
  /// Always `nil`: sights are not distinguished here.
  public var areasOfInterest: [String]? { nil }

  /// A copy.
  /// - Parameter placemark: what is copied.
  public init(placemark: CLPlacemark) {
    location = placemark.location
    region = placemark.region
    name = placemark.name
    thoroughfare = placemark.thoroughfare
    subThoroughfare = placemark.subThoroughfare
    locality = placemark.locality
    subLocality = placemark.subLocality
    administrativeArea = placemark.administrativeArea
    subAdministrativeArea = placemark.subAdministrativeArea
    postalCode = placemark.postalCode
    isoCountryCode = placemark.isoCountryCode
    country = placemark.country
  }

  init(_ found: Nominatim.Found) {
    /// The first of these parts that the address has.
    func part(_ names: String...) -> String? { names.lazy.compactMap { found.address[$0] }.first }
    location = CLLocation(latitude: found.coordinate.latitude, longitude: found.coordinate.longitude)
    region = Self.circle(around: found)
    thoroughfare = part("road", "pedestrian", "footway", "cycleway", "path", "square")
    subThoroughfare = part("house_number")
    locality = part("city", "town", "village", "municipality", "hamlet")
    subLocality = part("suburb", "city_district", "neighbourhood", "quarter", "borough")
    administrativeArea = part("state", "province", "region")
    subAdministrativeArea = part("county", "state_district", "district")
    postalCode = part("postcode")
    isoCountryCode = part("country_code")?.uppercased()
    country = part("country")
    let street = [thoroughfare, subThoroughfare].compactMap(\.self).joined(separator: " ")
    let names = [found.name, street, found.displayName]
    name = names.lazy.compactMap(\.self).first { !$0.isEmpty }
  }

  private static func circle(around found: Nominatim.Found) -> CLCircularRegion? {
    guard found.box.count == 4 else { return nil }
    let corner = CLLocation(latitude: found.box[0], longitude: found.box[2])
    let radius = corner.distance(
      from: CLLocation(latitude: found.coordinate.latitude, longitude: found.coordinate.longitude))
    guard radius > 0 else { return nil }
    return CLCircularRegion(
      center: found.coordinate, radius: radius,
      identifier: "\(found.coordinate.latitude),\(found.coordinate.longitude)")
  }
}
