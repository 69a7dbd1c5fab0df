public import Foundation
public import GodwitHTTPClient
public import GodwitModel

/// SafeGraph's places around a device, as apps with OpenLocate requested them.
///
/// **Retired.** The company gave this service up; it is here for apps that have a server of the same language, whose address they name.
/// It is the only service that identifies the *person*: an advertising identifier goes with every request. Give it only with the person's
/// consent.
public struct SafeGraphPlaces: PlacesService {
  /// A device, as advertisers know it.
  public struct AdvertisingID: Sendable, CustomStringConvertible {
    /// The system of an identifier.
    public enum Kind: String, Sendable, Hashable {
      /// Apple's.
      case idfa
      /// Google's.
      case aaid
    }
    /// The system of the identifier.
    public let kind: Kind
    let key: ServiceKey

    /// - Throws: when it is empty, or has spaces or letters beyond ASCII in it.
    public init(_ value: String, kind: Kind) throws(PlacesError) {
      key = try ServiceKey(value, name: "the advertising identifier", service: "SafeGraph Places")
      self.kind = kind
    }

    /// Without the identifier.
    public var description: String { "<\(kind.rawValue)>" }
  }

  /// The service has no bounds of its own, nor does it know radius and limit: what is too far or too much is left out here.
  public static let bounds = PlacesBounds(radius: 50_000, limit: 100)
  /// Where it was. Valid: a literal address.
  public static let retiredAddress = URL(string: "https://api.safegraph.com")!

  private let token: ServiceKey
  private let device: AdvertisingID
  private let horizontalAccuracy: Meters
  private let placesClient: PlacesClient

  /// - Parameters:
  ///   - token: sent as `Authorization: Bearer`.
  ///   - device: sent with every request.
  ///   - address: the server.
  ///   - horizontalAccuracy: metres, ≥ 0: how exact positions are where no more is known.
  ///   - client: the network.
  /// - Throws: a setting that cannot be.
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

  /// Places around a coordinate, the nearest first, without their coordinates where the service does not report them.
  /// - Parameters:
  ///   - coordinate: the middle of the search.
  ///   - radius: metres, above 0, at most 50,000.
  ///   - limit: 1…100.
  /// - Throws: ``PlacesError``; `CancellationError`.
  public func places(near coordinate: Coordinate, radius: Meters, limit: Int) async throws -> [Place] {
    try await places(near: coordinate, horizontalAccuracy: horizontalAccuracy, radius: radius, limit: limit)
  }

  /// Places around a fix, the nearest first.
  /// - Parameters:
  ///   - fix: where, and how exactly.
  ///   - radius: metres, above 0, at most 50,000.
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
    // Whole metres: nothing is more exact than the rounded coordinate beside it.
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
    /// Written as a number, which loses the zeros that it begins with.
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

    /// `nil` where it reports neither where nor how far.
    func place(from middle: Coordinate) -> Place? {
      let coordinate: Coordinate? =
        if let latitude, let longitude { Coordinate(latitude: latitude, longitude: longitude) } else { nil }
      let reported = distance.flatMap { $0 >= 0 ? $0 : nil }
      guard let distance = reported ?? coordinate.map({ GreatCircle.distance(middle, $0) }) else { return nil }
      return Place(
        id: id.text, name: name?.nonEmpty, categories: [subcategory, category].compactMap { $0?.nonEmpty },
        coordinate: coordinate, distance: distance, address: address, attribution: "SafeGraph")
    }

    /// "1 Ferry Building, San Francisco, CA 94111".
    private var address: String? {
      // United States: five digits.
      let zip = zipCode.map { String(repeating: "0", count: max(0, 5 - $0.text.count)) + $0.text }
      let region = [state, zip].compactMap { $0?.nonEmpty }.joined(separator: " ")
      return [streetAddress, city, region].compactMap { $0?.nonEmpty }.joined(separator: ", ").nonEmpty
    }
  }
}
