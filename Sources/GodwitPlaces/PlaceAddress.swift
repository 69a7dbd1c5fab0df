/// Where a coordinate is, in words.
public struct PlaceAddress: Sendable, Hashable, Codable {
  /// The whole of it on one line, from the small to the large.
  public var text: String
  /// Name of what stands there.
  public var name: String?
  /// "77", "12 a".
  public var houseNumber: String?
  /// Road, square or path.
  public var street: String?
  /// As written in the country.
  public var postcode: String?
  /// City, town or village.
  public var locality: String?
  /// State or province.
  public var region: String?
  /// In the requested language.
  public var country: String?
  /// ISO 3166-1, two capital letters.
  public var countryCode: String?
  /// The attribution that must be shown with the address.
  public var attribution: String

  /// An address of these parts; what is `nil` is not known.
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
