public import Foundation
public import GodwitHTTPClient
public import GodwitModel

/// Foursquare Places. It needs a key, and charges for requests beyond a free quota; see
/// <https://docs.foursquare.com/fsq-developers-places/reference/place-search>.
public struct FoursquarePlaces: PlacesService {
  /// Version of the API. A key is valid for one of them only.
  public enum API: Sendable, Hashable {
    /// `GET /places/search` with a service key.
    /// - `version`: Date of the API version that this SDK supports.
    case current(version: String = "2025-06-17")
    /// `GET /v3/places/search` with a legacy key.
    case v3
  }

  /// Limits of both versions.
  public static let bounds = PlacesBounds(radius: 100_000, limit: 50)
  // Valid: a literal address.
  static let currentAddress = URL(string: "https://places-api.foursquare.com")!
  // Valid: a literal address.
  static let v3Address = URL(string: "https://api.foursquare.com")!
  static let attribution = "Powered by Foursquare"

  private let path: String
  /// A closure, so that printing this value does not print the key.
  private let headers: @Sendable () -> [String: String]
  private let placesClient: PlacesClient

  /// - Parameters:
  ///   - key: The service key; for ``API/v3`` the legacy key.
  ///   - api: Version of the API.
  ///   - client: HTTP client.
  ///   - address: Address of another server; `nil` for Foursquare's.
  /// - Throws: ``PlacesError`` for an invalid setting.
  public init(
    key: String, api: API = .current(), client: HTTPClient = .live(), address: URL? = nil
  ) throws(PlacesError) {
    let service = "Foursquare Places"
    let key = try ServiceKey(key, name: "the key", service: service)
    let standard: URL
    switch api {
    case .current(let version):
      let version = try ServiceKey(version, name: "the version", service: service).value
      headers = { ["Authorization": "Bearer \(key.value)", "X-Places-Api-Version": version] }
      path = "/places/search"
      standard = Self.currentAddress
    case .v3:
      // This API expects the key without a scheme.
      headers = { ["Authorization": key.value] }
      path = "/v3/places/search"
      standard = Self.v3Address
    }
    placesClient = PlacesClient(
      service: service, address: try ServiceAddress(address ?? standard, service: service), client: client,
      secrets: [key])
  }

  /// Finds the places around a coordinate, nearest first.
  /// - Parameters:
  ///   - coordinate: Centre of the search.
  ///   - radius: Metres, above 0, at most 100,000.
  ///   - limit: 1…50.
  /// - Throws: ``PlacesError``; `CancellationError`.
  public func places(near coordinate: Coordinate, radius: Meters, limit: Int) async throws -> [Place] {
    let search = try PlaceSearch(
      near: coordinate, radius: radius, limit: limit, bounds: Self.bounds, service: placesClient.service)
    let response = try await placesClient.ask(
      FoursquareResponse.self, about: search.point, path: path,
      query: [
        ("ll", search.point.text), ("radius", "\(search.radius)"), ("limit", "\(limit)"), ("sort", "DISTANCE"),
      ], headers: headers())
    return response.results.compactMap { $0.value?.place(from: coordinate) }.nearest(limit)
  }
}

/// Response of both versions. Each has members that the other does not have.
private struct FoursquareResponse: Decodable {
  var results: [LossyDecoding<Entry>]

  struct Entry: Decodable {
    var currentID: String?
    var v3ID: String?
    var name: String?
    var latitude: Double?
    var longitude: Double?
    var geocodes: Geocodes?
    var location: Location?
    var categories: [LossyDecoding<Category>]?
    var distance: Double?

    private enum CodingKeys: String, CodingKey {
      case name, latitude, longitude, geocodes, location, categories, distance
      case currentID = "fsq_place_id"
      case v3ID = "fsq_id"
    }
    struct Geocodes: Decodable { var main: Point? }
    struct Point: Decodable {
      var latitude: Double
      var longitude: Double
    }
    struct Category: Decodable { var name: String }
    struct Location: Decodable {
      var formattedAddress: String?
      private enum CodingKeys: String, CodingKey { case formattedAddress = "formatted_address" }
    }

    /// Returns the place; `nil` without an identifier or coordinates.
    func place(from middle: Coordinate) -> Place? {
      guard let id = currentID ?? v3ID, let latitude = latitude ?? geocodes?.main?.latitude,
        let longitude = longitude ?? geocodes?.main?.longitude,
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      else { return nil }
      let reported = distance.flatMap { $0 >= 0 ? $0 : nil }
      return Place(
        id: id, name: name?.nonEmpty, categories: (categories ?? []).compactMap { $0.value?.name },
        coordinate: coordinate, distance: reported ?? GreatCircle.distance(middle, coordinate),
        address: location?.formattedAddress?.nonEmpty, attribution: FoursquarePlaces.attribution)
    }
  }
}
