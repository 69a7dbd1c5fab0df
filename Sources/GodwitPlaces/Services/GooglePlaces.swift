public import Foundation
public import GodwitHTTPClient
public import GodwitModel

/// Google Places, in its present form and in the one before. Needs a key and costs per request; see
/// <https://developers.google.com/maps/documentation/places/web-service/nearby-search>.
///
/// Google's terms allow only identifiers to be stored, so nothing is cached.
public struct GooglePlaces: PlacesService {
  /// Which of the two is used.
  public enum API: Sendable, Hashable {
    /// `POST /v1/places:searchNearby`, the nearest first.
    /// - `includedTypes`: only these types, at most 50; none: all.
    case new(includedTypes: [String] = [])
    /// `GET /maps/api/place/nearbysearch/json`: legacy since 2025-03-01, and not to be had for new projects. It chooses
    /// the 20 most prominent places in the circle, not the nearest.
    /// - `type`: only this one. `keyword`: words that a place must be about.
    case legacy(type: String? = nil, keyword: String? = nil)
  }

  /// The same for both.
  public static let bounds = PlacesBounds(radius: 50_000, limit: 20)
  // Valid: a literal address.
  static let newAddress = URL(string: "https://places.googleapis.com")!
  // Valid: a literal address.
  static let legacyAddress = URL(string: "https://maps.googleapis.com")!
  static let attribution = "Google Maps"

  let key: ServiceKey
  let api: API
  let placesClient: PlacesClient

  /// - Parameters:
  ///   - key: of a project that may use Places.
  ///   - api: which form is used.
  ///   - client: the network.
  ///   - address: another server in Google's place; `nil`: Google's.
  /// - Throws: a setting that cannot be.
  public init(
    key: String, api: API = .new(), client: HTTPClient = .live(), address: URL? = nil
  ) throws(PlacesError) {
    let service = "Google Places"
    self.key = try ServiceKey(key, name: "the key", service: service)
    self.api = api
    let standard: URL
    switch api {
    case .new(let includedTypes):
      guard includedTypes.count <= 50 else {
        throw PlacesError(
          .invalidSetup, service: service, reason: "\(includedTypes.count) types are more than the service accepts",
          advice: "Use at most 50.")
      }
      standard = Self.newAddress
    case .legacy: standard = Self.legacyAddress
    }
    placesClient = PlacesClient(
      service: service, address: try ServiceAddress(address ?? standard, service: service), client: client,
      secrets: [self.key], classify: Self.code)
  }

  /// Places around a coordinate, the nearest first.
  /// - Parameters:
  ///   - coordinate: the middle of the search.
  ///   - radius: metres, above 0, at most 50,000.
  ///   - limit: 1…20.
  /// - Throws: ``PlacesError``; `CancellationError`.
  public func places(near coordinate: Coordinate, radius: Meters, limit: Int) async throws -> [Place] {
    let search = try PlaceSearch(
      near: coordinate, radius: radius, limit: limit, bounds: Self.bounds, service: placesClient.service)
    switch api {
    case .new(let includedTypes):
      return try await searchNearby(search, includedTypes: includedTypes, from: coordinate).nearest(limit)
    case .legacy(let type, let keyword):
      return try await nearbySearch(search, type: type, keyword: keyword, from: coordinate).nearest(limit)
    }
  }

  /// The canonical codes of Google's services (<https://cloud.google.com/apis/design/errors>).
  private static func code(_ errorBody: APIErrorBody) -> PlacesError.Code? {
    // A wrong key is an INVALID_ARGUMENT to Google; only the details distinguish it.
    if errorBody.reasons.contains(where: { $0.hasPrefix("API_KEY_") }) { return .unauthorized }
    switch errorBody.status {
    case "UNAUTHENTICATED", "PERMISSION_DENIED": return .unauthorized
    case "RESOURCE_EXHAUSTED": return .limitReached
    case "INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE", "NOT_FOUND", "UNIMPLEMENTED": return .rejected
    case "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "UNKNOWN", "ABORTED": return .failed
    default: return nil
    }
  }
}
