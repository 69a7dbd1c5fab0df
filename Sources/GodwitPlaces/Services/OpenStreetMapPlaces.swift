public import Foundation
public import GodwitHTTPClient

/// Places and addresses from OpenStreetMap: Overpass for what is around, Nominatim for the address. No key, and servers
/// of one's own can be named.
///
/// The public servers require the app's name, at most one request a second for all users of an app, and that answers are cached
/// instead of requested twice. This type does all three. Frequent use needs a separate server
/// (<https://operations.osmfoundation.org/policies/nominatim/>,
/// <https://dev.overpass-api.de/overpass-doc/en/preface/commons.html>). Where they are shown, "© OpenStreetMap
/// contributors" must be too.
public struct OpenStreetMapPlaces: PlacesService {
  /// Overpass has no bounds; a search beyond 5 km takes too long.
  public static let bounds = PlacesBounds(radius: 5_000, limit: 100)
  /// What makes something a place, unless the app says otherwise: OpenStreetMap's keys.
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
  ///   - userAgent: names the app and a contact of its makers, "ExampleApp/1.2 (me@app.example)": the servers refuse requests
  ///     without one.
  ///   - client: the network.
  ///   - overpass: the Overpass server, without `/api/interpreter`.
  ///   - nominatim: the Nominatim server, without `/reverse`.
  ///   - keys: what makes something a place: keys of OpenStreetMap, at least one.
  ///   - language: of addresses, as in `Accept-Language`: "de", "fr-CH, fr;q=0.9". `nil`: as they are written there.
  ///   - pacer: lets requests go. Another one than the process's only for a server of one's own.
  ///   - cacheLifetime: seconds that an answer is kept in memory, for at most 256 searches and as many addresses; 0
  ///     keeps nothing.
  ///   - uptime: seconds of a clock that never goes back.
  /// - Throws: a setting that cannot be.
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
    // Anything else could end the query's string and begin a statement.
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

  /// Waits for the turn of a request.
  func turn(of placesClient: PlacesClient, about point: LookupPoint) async throws {
    do { try await pacer.turn() } catch let busy as RequestPacer.Busy {
      throw placesClient.fault(
        .limitReached, "too many requests of this process are already waiting", retryAfter: busy.wait, about: point)
    }
  }
}
