import Foundation
import GodwitModel
import GodwitPlaces
import Synchronization
import Testing

/// A clock that advances only when a task waits, or by `advance(_:)`.
final class VirtualTime: Sendable {
  private let state = Mutex<(now: Double, waits: [Double])>((0, []))

  var uptime: Double { state.withLock { $0.now } }
  /// The durations of all waits, in seconds.
  var waits: [Double] { state.withLock { $0.waits } }

  func wait(_ seconds: Double) { state.withLock { $0 = ($0.now + seconds, $0.waits + [seconds]) } }
  func advance(_ seconds: Double) { state.withLock { $0.now += seconds } }

  /// A pacer of one request per second of this clock.
  func pacer(maximumWait: Double = 60) -> RequestPacer {
    RequestPacer(maximumWait: maximumWait, uptime: { self.uptime }, sleep: { self.wait($0) })
  }
}

/// A service with a key and a device that are easy to find in texts.
struct PlacesUnderTest: Sendable, CustomTestStringConvertible {
  static let secret = "K3y-of-the-app"
  static let device = "6D92078A-8246-4BA4-AE5B-76104861E7DC"

  let testDescription: String
  /// Values that descriptions and errors must not contain.
  var secrets = [secret]
  /// Creates the service with a client and the address of its server.
  let make: @Sendable (HTTPClient, URL) throws -> any PlacesService

  static let openStreetMap = PlacesUnderTest(testDescription: "OpenStreetMap", secrets: []) { client, url in
    try OpenStreetMapPlaces(
      userAgent: "GodwitTests/1", client: client, overpass: url, nominatim: url, pacer: VirtualTime().pacer())
  }
  static let googleNew = PlacesUnderTest(testDescription: "Google, new") { client, url in
    try GooglePlaces(key: secret, client: client, address: url)
  }
  static let googleLegacy = PlacesUnderTest(testDescription: "Google, legacy") { client, url in
    try GooglePlaces(key: secret, api: .legacy(), client: client, address: url)
  }
  static let foursquare = PlacesUnderTest(testDescription: "Foursquare") { client, url in
    try FoursquarePlaces(key: secret, client: client, address: url)
  }
  static let foursquareV3 = PlacesUnderTest(testDescription: "Foursquare v3") { client, url in
    try FoursquarePlaces(key: secret, api: .v3, client: client, address: url)
  }
  static let safeGraph = PlacesUnderTest(testDescription: "SafeGraph", secrets: [secret, device]) { client, url in
    try SafeGraphPlaces(
      token: secret, device: SafeGraphPlaces.AdvertisingID(device, kind: .idfa), address: url, client: client)
  }
  static let facebook = PlacesUnderTest(testDescription: "Facebook") { client, url in
    try FacebookPlaces(token: secret, address: url, client: client)
  }

  static let all = [openStreetMap, googleNew, googleLegacy, foursquare, foursquareV3, safeGraph, facebook]

  /// The service with a client that calls `response` in place of the network.
  func service(_ response: @escaping @Sendable (HTTPClient.Request) async throws -> HTTPClient.Response) throws
    -> any PlacesService
  {
    try make(HTTPClient(send: response), try #require(URL(string: "https://places.example")))
  }

  func service(status: Int = 200, headers: [String: String] = [:], body: String) throws -> any PlacesService {
    try service { _ in HTTPClient.Response(status: status, headers: headers, body: Array(body.utf8)) }
  }
}

/// The Brandenburg Gate. Requests contain 52.5163,13.3777.
func gate() throws -> Coordinate { try #require(Coordinate(latitude: 52.516275, longitude: 13.377704)) }

/// The distance from the Brandenburg Gate.
func distance(_ latitude: Double, _ longitude: Double) throws -> Meters {
  GreatCircle.distance(try gate(), try #require(Coordinate(latitude: latitude, longitude: longitude)))
}
