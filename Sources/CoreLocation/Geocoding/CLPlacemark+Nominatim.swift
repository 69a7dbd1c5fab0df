internal import Foundation

extension CLPlacemark {
  convenience init(_ found: Nominatim.Found) {
    self.init(
      location: CLLocation(latitude: found.coordinate.latitude, longitude: found.coordinate.longitude),
      region: Self.circle(around: found), address: Address(found))
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

extension CLPlacemark.Address {
  init(_ found: Nominatim.Found) {
    /// Returns the first of these parts that the address contains.
    func part(_ names: String...) -> String? { names.lazy.compactMap { found.address[$0] }.first }
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
}
