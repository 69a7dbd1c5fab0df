public import Foundation
public import GodwitHTTPClient

/// Places and addresses from OpenStreetMap: Overpass finds places, and Nominatim finds addresses. No key is needed, and other
/// servers can be set.
///
/// The public servers require the app's name in the user agent, at most one request per second for all users of an app, and caching
/// of responses. This type does all three. Frequent use requires a separate server
/// (<https://operations.osmfoundation.org/policies/nominatim/>,
/// <https://dev.overpass-api.de/overpass-doc/en/preface/commons.html>). The results must be shown with "© OpenStreetMap
/// contributors".
public struct OpenStreetMapPlaces: PlacesService {
  /// Overpass has no limits, but a search beyond 5 km takes too long.
  public static let bounds = PlacesBounds(radius: 5_000, limit: 100)
  /// Default keys of OpenStreetMap that define a place.
  public static let keys = ["amenity", "shop", "tourism", "leisure", "office", "public_transport", "historic", "craft"]
  /// The public Overpass server. Valid: a literal address.
  public static let overpass = URL(string: "https://overpass-api.de")!
  /// The public Nominatim server. Valid: a literal address.
  public static let nominatim = URL(string: "https://nominatim.openstreetmap.org")!

  /// The attribution that must be shown with places or addresses.
  public static let attribution = "© OpenStreetMap contributors"

  let places: PlacesClient
  let addresses: PlacesClient
  let userAgent: String
  let keys: [String]
  let language: String?
  let pacer: RequestPacer
  let knownPlaces: ResponseCache<PlaceSearch, [Place]>
  let knownAddresses: ResponseCache<LookupPoint, PlaceAddress>

  /// - Parameters:
  ///   - userAgent: Name of the app with a contact address, "ExampleApp/1.2 (me@app.example)". The servers reject requests without
  ///     one.
  ///   - client: HTTP client.
  ///   - overpass: the Overpass server, without `/api/interpreter`.
  ///   - nominatim: the Nominatim server, without `/reverse`.
  ///   - keys: Keys of OpenStreetMap that define a place, at least one.
  ///   - language: Language of addresses, as in `Accept-Language`: "de", "fr-CH, fr;q=0.9". `nil` for the local language.
  ///   - pacer: Spaces the requests. Use a pacer other than that of the process only for a separate server.
  ///   - cacheLifetime: Seconds for which a response is cached in memory, for at most 256 searches and 256 addresses; 0 disables
  ///     the cache.
  ///   - uptime: Seconds of a monotonic clock.
  /// - Throws: ``PlacesError`` for an invalid setting.
  public init(
    userAgent: String, client: HTTPClient = .live(), overpass: URL = Self.overpass, nominatim: URL = Self.nominatim,
    keys: [String] = Self.keys, language: String? = nil, pacer: RequestPacer = .process,
    cacheLifetime: Double = 86_400, uptime: @escaping @Sendable () -> Double = SteadyClock.uptime
  ) throws(PlacesError) {
    let service = "OpenStreetMap"
    guard userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), userAgent.contains(where: { $0 != " " }) else {
      throw PlacesError(
        .invalidSetup, service: service, reason: "the User-Agent is empty or contains a character outside ASCII",
        advice:
          "Use the name of your app and a contact address, as in \"ExampleApp/1.2 (me@app.example)\"; the servers require it.")
    }
    // Any other character could end the string in the query and start a statement.
    let isKey: (String) -> Bool = { key in
      !key.isEmpty && key.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x3A }
    }
    guard !keys.isEmpty, keys.allSatisfy(isKey) else {
      throw PlacesError(
        .invalidSetup, service: service, reason: "there are no keys, or one is not a key of OpenStreetMap",
        advice: "Use keys of lower-case letters, digits, _ and :, such as amenity.")
    }
    places = PlacesClient(
      service: "Overpass", address: try ServiceAddress(overpass, service: "Overpass"), client: client)
    addresses = PlacesClient(
      service: "Nominatim", address: try ServiceAddress(nominatim, service: "Nominatim"), client: client)
    self.userAgent = userAgent
    self.keys = keys
    self.language = language
    self.pacer = pacer
    knownPlaces = ResponseCache(lifetime: cacheLifetime, uptime: uptime)
    knownAddresses = ResponseCache(lifetime: cacheLifetime, uptime: uptime)
  }

  /// Waits until a request is permitted.
  func turn(of placesClient: PlacesClient, about point: LookupPoint) async throws {
    do { try await pacer.turn() } catch let busy as RequestPacer.Busy {
      throw placesClient.fault(
        .limitReached, "too many requests of this process are already waiting", retryAfter: busy.wait, about: point)
    }
  }
}
