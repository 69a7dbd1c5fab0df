public import Foundation
public import GodwitHTTPClient
public import GodwitModel

/// The Places search of Facebook's Graph API.
///
/// **Retired** in 2020, without a successor; it is here for apps that have a server of the same language, whose address
/// they name.
public struct FacebookPlaces: PlacesService {
  /// A radius as Facebook had it; the number of places is a bound of ours.
  public static let bounds = PlacesBounds(radius: 50_000, limit: 100)
  /// Where it was. Valid: a literal address.
  public static let retiredAddress = URL(string: "https://graph.facebook.com")!

  private let token: ServiceKey
  private let placesClient: PlacesClient

  /// - Parameters:
  ///   - token: of an app; sent as `Authorization: Bearer`.
  ///   - address: the server, with the version in its path if it wants one.
  ///   - client: the network.
  /// - Throws: a setting that cannot be.
  public init(token: String, address: URL = Self.retiredAddress, client: HTTPClient = .live()) throws(PlacesError) {
    let service = "Facebook Places"
    self.token = try ServiceKey(token, name: "the token", service: service)
    placesClient = PlacesClient(
      service: service, address: try ServiceAddress(address, service: service), client: client, secrets: [self.token],
      classify: Self.code)
  }

  /// Places around a coordinate, the nearest first.
  /// - Parameters:
  ///   - coordinate: the middle of the search.
  ///   - radius: metres, above 0, at most 50,000.
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

  /// Graph API, "Handling errors": 190 is a token, 10 and 200…299 a permission, the others limits.
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
