public import Foundation
public import GodwitHTTPClient
public import GodwitModel

/// SafeGraph's places around a device, as apps with OpenLocate requested them.
///
/// **Retired.** The company ended this service. It remains for apps with a server of the same protocol, whose address they set. It
/// is the only service that identifies the *person*: each request contains an advertising identifier. Use it only with the person's
/// consent.
public struct SafeGraphPlaces: PlacesService {
  /// The advertising identifier of a device.
  public struct AdvertisingID: Sendable, CustomStringConvertible {
    /// The system that issued an identifier.
    public enum Kind: String, Sendable, Hashable {
      /// Apple's identifier.
      case idfa
      /// Google's identifier.
      case aaid
    }
    /// The system that issued the identifier.
    public let kind: Kind
    let key: ServiceKey

    /// - Throws: ``PlacesError`` if the value is empty or contains spaces or characters outside ASCII.
    public init(_ value: String, kind: Kind) throws(PlacesError) {
      key = try ServiceKey(value, name: "the advertising identifier", service: "SafeGraph Places")
      self.kind = kind
    }

    /// The description does not contain the identifier.
    public var description: String { "<\(kind.rawValue)>" }
  }

  /// The service has no limits, and no parameters for radius and limit. Places beyond them are removed after the response.
  public static let bounds = PlacesBounds(radius: 50_000, limit: 100)
  /// Address of the retired service. Valid: a literal address.
  public static let retiredAddress = URL(string: "https://api.safegraph.com")!

  private let token: ServiceKey
  private let device: AdvertisingID
  private let horizontalAccuracy: Meters
  private let placesClient: PlacesClient

  /// - Parameters:
  ///   - token: Token, sent as `Authorization: Bearer`.
  ///   - device: Identifier, sent with each request.
  ///   - address: Address of the server.
  ///   - horizontalAccuracy: Metres, ≥ 0, for positions whose accuracy is unknown.
  ///   - client: HTTP client.
  /// - Throws: ``PlacesError`` for an invalid setting.
  public init(
    token: String, device: AdvertisingID, address: URL = Self.retiredAddress, horizontalAccuracy: Meters = 50,
    client: HTTPClient = .live()
  ) throws(PlacesError) {
    let service = "SafeGraph Places"
    guard horizontalAccuracy >= 0, horizontalAccuracy.isFinite else {
      throw PlacesError(
        .invalidSetup, service: service, reason: "a horizontal accuracy of \(horizontalAccuracy) m is not valid",
        advice: "Use metres, 0 or more.")
    }
    self.token = try ServiceKey(token, name: "the token", service: service)
    self.device = device
    self.horizontalAccuracy = horizontalAccuracy
    placesClient = PlacesClient(
      service: service, address: try ServiceAddress(address, service: service), client: client,
      secrets: [self.token, device.key])
  }

  /// Finds the places around a coordinate, nearest first. A place has no coordinate if the service does not report it.
  /// - Parameters:
  ///   - coordinate: Centre of the search.
  ///   - radius: Metres, above 0, at most 50,000.
  ///   - limit: 1…100.
  /// - Throws: ``PlacesError``; `CancellationError`.
  public func places(near coordinate: Coordinate, radius: Meters, limit: Int) async throws -> [Place] {
    try await places(near: coordinate, horizontalAccuracy: horizontalAccuracy, radius: radius, limit: limit)
  }

  /// Finds the places around a fix, nearest first.
  /// - Parameters:
  ///   - fix: Position and accuracy.
  ///   - radius: Metres, above 0, at most 50,000.
  ///   - limit: 1…100.
  /// - Throws: ``PlacesError``; `CancellationError`.
  public func places(near fix: Fix, radius: Meters, limit: Int) async throws -> [Place] {
    try await places(
      near: fix.coordinate, horizontalAccuracy: fix.horizontalAccuracy ?? horizontalAccuracy, radius: radius, limit: limit)
  }

  private func places(
    near coordinate: Coordinate, horizontalAccuracy: Meters, radius: Meters, limit: Int
  ) async throws -> [Place] {
    let search = try PlaceSearch(
      near: coordinate, radius: radius, limit: limit, bounds: Self.bounds, service: placesClient.service)
    // Whole metres, because the coordinate is rounded as well.
    let accuracy = Int(min(max(0, horizontalAccuracy.rounded(.up)), 1_000_000))
    let response = try await placesClient.ask(
      SafeGraphResponse.self, about: search.point, path: "/places/v1/nearby",
      query: [
        ("advertising_id", device.key.value), ("advertising_id_type", device.kind.rawValue),
        ("latitude", search.point.latitudeText), ("longitude", search.point.longitudeText),
        ("horizontal_accuracy", "\(accuracy)"),
      ], headers: ["Authorization": "Bearer \(token.value)"])
    return response.places.compactMap { $0.value?.place(from: coordinate) }.filter { $0.distance <= radius }.nearest(limit)
  }
}

private struct SafeGraphResponse: Decodable {
  var places: [LossyDecoding<Entry>]

  struct Entry: Decodable {
    var id: TextOrNumber
    var name: String?
    var streetAddress: String?
    var city: String?
    var state: String?
    /// Encoded as a number, without leading zeros.
    var zipCode: TextOrNumber?
    var category: String?
    var subcategory: String?
    var latitude: Double?
    var longitude: Double?
    var distance: Double?

    private enum CodingKeys: String, CodingKey {
      case id, name, city, state, latitude, longitude, distance
      case streetAddress = "street_address"
      case zipCode = "zip_code"
      case category = "naics_category"
      case subcategory = "naics_subcategory"
    }

    /// Returns the place; `nil` if the service reports neither position nor distance.
    func place(from middle: Coordinate) -> Place? {
      let coordinate: Coordinate? =
        if let latitude, let longitude { Coordinate(latitude: latitude, longitude: longitude) } else { nil }
      let reported = distance.flatMap { $0 >= 0 ? $0 : nil }
      guard let distance = reported ?? coordinate.map({ GreatCircle.distance(middle, $0) }) else { return nil }
      return Place(
        id: id.text, name: name?.nonEmpty, categories: [subcategory, category].compactMap { $0?.nonEmpty },
        coordinate: coordinate, distance: distance, address: address, attribution: "SafeGraph")
    }

    /// Returns "1 Ferry Building, San Francisco, CA 94111".
    private var address: String? {
      // ZIP codes of the United States have five digits.
      let zip = zipCode.map { String(repeating: "0", count: max(0, 5 - $0.text.count)) + $0.text }
      let region = [state, zip].compactMap { $0?.nonEmpty }.joined(separator: " ")
      return [streetAddress, city, region].compactMap { $0?.nonEmpty }.joined(separator: ", ").nonEmpty
    }
  }
}
