public import GodwitModel

/// A place on a map, such as a shop, a park or a station, in a form that is the same for all services.
public struct Place: Sendable, Hashable, Codable, Identifiable {
  /// Identifier of the place, unique within the service: `node/240109189`, `ChIJ…`.
  public var id: String
  /// Name; `nil` if the place has none or the service does not report it.
  public var name: String?
  /// Categories with the service's names, the most significant first: `amenity=cafe`, `restaurant`, "Coffee Shop".
  public var categories: [String]
  /// Position, or the centre of an area. `nil` only if a service reports a distance without a position (``SafeGraphPlaces``).
  public var coordinate: Coordinate?
  /// Distance in metres from the requested coordinate, ≥ 0: the service's value, otherwise the great-circle distance.
  public var distance: Meters
  /// Address in one line; `nil` if the service does not report it.
  public var address: String?
  /// The attribution that must be shown with the place, as all services require. Google's legacy API includes links as HTML.
  public var attribution: String

  /// Creates a place, for custom services and for tests.
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
  /// Returns the nearest places, at most `limit`, sorted by distance. Places at the same distance are sorted by identifier, so that
  /// the result is deterministic.
  func nearest(_ limit: Int) -> [Place] {
    Array(sorted { ($0.distance, $0.id) < ($1.distance, $1.id) }.prefix(limit))
  }
}
