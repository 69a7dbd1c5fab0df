public import GodwitModel

/// A shop, a park, a station: something that has a name on a map, as every service is made to report it.
public struct Place: Sendable, Hashable, Codable, Identifiable {
  /// As the service names it, unique within the service: `node/240109189`, `ChIJ…`.
  public var id: String
  /// `nil`: it has none, or the service does not report it.
  public var name: String?
  /// In the service's own words, the most significant first: `amenity=cafe`, `restaurant`, "Coffee Shop".
  public var categories: [String]
  /// Where it is; of an area its middle. `nil` only where a service reports how far, but not where
  /// (``SafeGraphPlaces``).
  public var coordinate: Coordinate?
  /// Metres from the coordinate of the request, ≥ 0: as the service reports, else along the great circle.
  public var distance: Meters
  /// On one line; `nil` where the service does not report it.
  public var address: String?
  /// The attribution that must be shown with the place: it is a condition of every service. Google's legacy form writes links in it, as
  /// HTML.
  public var attribution: String

  /// A place of these parts, for services of your own and for tests.
  public init(
    id: String, name: String? = nil, categories: [String] = [], coordinate: Coordinate?, distance: Meters,
    address: String? = nil, attribution: String
  ) {
    self.id = id
    self.name = name
    self.categories = categories
    self.coordinate = coordinate
    self.distance = distance
    self.address = address
    self.attribution = attribution
  }
}

extension [Place] {
  /// The nearest `limit` of them, the nearest first; equally near ones by their identifiers, so that an answer is
  /// always the same.
  func nearest(_ limit: Int) -> [Place] {
    Array(sorted { ($0.distance, $0.id) < ($1.distance, $1.id) }.prefix(limit))
  }
}
