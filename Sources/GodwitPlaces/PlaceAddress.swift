/// The address of a coordinate.
public struct PlaceAddress: Sendable, Hashable, Codable {
  /// The complete address in one line, from small to large.
  public var text: String
  /// Name of the building or object at the coordinate.
  public var name: String?
  /// House number, for example "77" or "12 a".
  public var houseNumber: String?
  /// Name of the road, square or path.
  public var street: String?
  /// Postcode in the format of the country.
  public var postcode: String?
  /// City, town or village.
  public var locality: String?
  /// State or province.
  public var region: String?
  /// Name of the country in the requested language.
  public var country: String?
  /// Country code of ISO 3166-1, two capital letters.
  public var countryCode: String?
  /// The attribution that must be shown with the address.
  public var attribution: String

  /// Creates an address. Unknown parts are `nil`.
  public init(
    text: String, name: String? = nil, houseNumber: String? = nil, street: String? = nil, postcode: String? = nil,
    locality: String? = nil, region: String? = nil, country: String? = nil, countryCode: String? = nil,
    attribution: String
  ) {
    self.text = text
    self.name = name
    self.houseNumber = houseNumber
    self.street = street
    self.postcode = postcode
    self.locality = locality
    self.region = region
    self.country = country
    self.countryCode = countryCode
    self.attribution = attribution
  }
}
