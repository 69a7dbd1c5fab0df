public import Foundation
public import GodwitHTTPClient
public import GodwitModel

/// Google Places, in the current and in the legacy API. It needs a key and charges for requests; see
/// <https://developers.google.com/maps/documentation/places/web-service/nearby-search>.
///
/// Google's terms permit only identifiers to be stored, so that nothing is cached.
public struct GooglePlaces: PlacesService {
  /// Version of the API.
  public enum API: Sendable, Hashable {
    /// `POST /v1/places:searchNearby`, nearest first.
    /// - `includedTypes`: Only these types, at most 50; empty for all types.
    case new(includedTypes: [String] = [])
    /// `GET /maps/api/place/nearbysearch/json`: legacy since 2025-03-01, and unavailable for new projects. It returns the 20 most
    /// prominent places in the circle, not the nearest ones.
    /// - `type`: Only this type. `keyword`: Words that a place must match.
    case legacy(type: String? = nil, keyword: String? = nil)
  }

  /// Limits of both versions.
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
  ///   - key: Key of a project with access to Places.
  ///   - api: Version of the API.
  ///   - client: HTTP client.
  ///   - address: Address of another server; `nil` for Google's.
  /// - Throws: ``PlacesError`` for an invalid setting.
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

  /// Finds the places around a coordinate, nearest first.
  /// - Parameters:
  ///   - coordinate: Centre of the search.
  ///   - radius: Metres, above 0, at most 50,000.
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
    // Google reports an invalid key as INVALID_ARGUMENT. Only the details distinguish it.
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
