/// The town, the state and the country of a position.
package struct PlaceName: Sendable, Hashable {
  /// The name of a town of about 1,000 inhabitants or more; `nil` if no town of the country is within 30 km.
  package var town: String?
  /// The distance to the centre of the town in metres.
  package var townDistance: Double?
  /// The state or province, in the spelling of Natural Earth.
  package var state: String?
  /// The country's English name.
  package var country: String?
  /// The country's code of ISO 3166-1, two capital letters; also `XK` for Kosovo.
  package var countryCode: String?

  package init(
    town: String? = nil, townDistance: Double? = nil, state: String? = nil, country: String? = nil, countryCode: String? = nil
  ) {
    self.town = town
    self.townDistance = townDistance
    self.state = state
    self.country = country
    self.countryCode = countryCode
  }

  /// A position at sea.
  package static let none = PlaceName()
}
