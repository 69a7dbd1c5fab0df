public import Foundation
public import GodwitHTTPClient
public import GodwitModel

/// The place search of Facebook's Graph API.
///
/// **Retired** in 2020 without a successor. It remains for apps with a server of the same protocol, whose address they set.
public struct FacebookPlaces: PlacesService {
  /// Facebook's limit of the radius. The limit of places is set by this SDK.
  public static let bounds = PlacesBounds(radius: 50_000, limit: 100)
  /// Address of the retired service. Valid: a literal address.
  public static let retiredAddress = URL(string: "https://graph.facebook.com")!

  private let token: ServiceKey
  private let placesClient: PlacesClient

  /// - Parameters:
  ///   - token: Token of an app, sent as `Authorization: Bearer`.
  ///   - address: Address of the server, with the API version in its path if required.
  ///   - client: HTTP client.
  /// - Throws: ``PlacesError`` for an invalid setting.
  public init(token: String, address: URL = Self.retiredAddress, client: HTTPClient = .live()) throws(PlacesError) {
    let service = "Facebook Places"
    self.token = try ServiceKey(token, name: "the token", service: service)
    placesClient = PlacesClient(
      service: service, address: try ServiceAddress(address, service: service), client: client, secrets: [self.token],
      classify: Self.code)
  }

  /// Finds the places around a coordinate, nearest first.
  /// - Parameters:
  ///   - coordinate: Centre of the search.
  ///   - radius: Metres, above 0, at most 50,000.
  ///   - limit: 1…100.
  /// - Throws: ``PlacesError``; `CancellationError`.
  public func places(near coordinate: Coordinate, radius: Meters, limit: Int) async throws -> [Place] {
    let search = try PlaceSearch(
      near: coordinate, radius: radius, limit: limit, bounds: Self.bounds, service: placesClient.service)
    let response = try await placesClient.ask(
      FacebookResponse.self, about: search.point, path: "/search",
      query: [
        ("type", "place"), ("center", search.point.text), ("distance", "\(search.radius)"), ("limit", "\(limit)"),
        ("fields", "id,name,location,category_list"),
      ], headers: ["Authorization": "Bearer \(token.value)"])
    return response.data.compactMap { $0.value?.place(from: coordinate) }.nearest(limit)
  }

  /// Graph API, "Handling errors": 190 is a token error, 10 and 200…299 are permission errors, the others are limits.
  private static func code(_ errorBody: APIErrorBody) -> PlacesError.Code? {
    guard let number = errorBody.code else { return nil }
    switch number {
    case 190, 102, 10, 200..<300: return .unauthorized
    case 4, 17, 32, 341, 613: return .limitReached
    case 1, 2: return .failed
    default: return nil
    }
  }
}

private struct FacebookResponse: Decodable {
  var data: [LossyDecoding<Entry>]

  struct Entry: Decodable {
    var id: TextOrNumber
    var name: String?
    var location: Location?
    var categories: [LossyDecoding<Category>]?

    private enum CodingKeys: String, CodingKey {
      case id, name, location
      case categories = "category_list"
    }
    struct Category: Decodable { var name: String }
    struct Location: Decodable {
      var latitude: Double?
      var longitude: Double?
      var street: String?
      var zip: String?
      var city: String?
      var country: String?
    }

    /// `nil` without coordinates.
    func place(from middle: Coordinate) -> Place? {
      guard let location, let latitude = location.latitude, let longitude = location.longitude,
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      else { return nil }
      let city = [location.zip, location.city].compactMap { $0?.nonEmpty }.joined(separator: " ")
      return Place(
        id: id.text, name: name?.nonEmpty, categories: (categories ?? []).compactMap { $0.value?.name },
        coordinate: coordinate, distance: GreatCircle.distance(middle, coordinate),
        address: [location.street, city, location.country].compactMap { $0?.nonEmpty }.joined(separator: ", ").nonEmpty,
        attribution: "Facebook")
    }
  }
}
