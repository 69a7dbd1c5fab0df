import Foundation
import GodwitModel
import GodwitPlaces
import Testing

@Suite("Places of Foursquare")
struct FoursquarePlacesTests {
  /// The forms of the API, each with its response, its path and its headers.
  static let forms: [(api: FoursquarePlaces.API, answer: String, path: String, authorization: String, version: String?)] = [
    (.current(), RecordedResponses.foursquare, "/places/search", "Bearer K3y-of-the-app", "2025-06-17"),
    (.current(version: "2026-01-01"), RecordedResponses.foursquare, "/places/search", "Bearer K3y-of-the-app", "2026-01-01"),
    (.v3, RecordedResponses.foursquareV3, "/v3/places/search", "K3y-of-the-app", nil),
  ]

  @Test("each form of the API has its path and its headers, and all return the same places", arguments: forms.indices)
  func search(_ index: Int) async throws {
    let form = Self.forms[index]
    let server = try RecordedServer(form.answer)
    let service = try FoursquarePlaces(key: PlacesUnderTest.secret, api: form.api, client: server.client, address: server.url)
    let found = try await service.places(near: gate(), radius: 500, limit: 10)
    let request = try #require(server.requests.first)
    #expect(request.method == "GET" && request.path == form.path && request.body.isEmpty)
    #expect(request.query == ["ll": "52.5163,13.3777", "radius": "500", "limit": "10", "sort": "DISTANCE"])
    #expect(request.headers["authorization"] == form.authorization)
    #expect(request.headers["x-places-api-version"] == form.version)
    #expect(
      found == [
        Place(
          id: "4adcda7ef964a5208e4721e3", name: "Brandenburger Tor",
          coordinate: Coordinate(latitude: 52.5163, longitude: 13.3777), distance: try distance(52.5163, 13.3777),
          attribution: "Powered by Foursquare"),
        Place(
          id: "4b0588f1f964a520f9c022e3", name: "Tor Café", categories: ["Coffee Shop"],
          coordinate: Coordinate(latitude: 52.517, longitude: 13.38), distance: 178,
          address: "Pariser Platz 4, 10117 Berlin", attribution: "Powered by Foursquare"),
      ])
  }

  @Test("a response without results is rejected")
  func noResults() async throws {
    let service = try PlacesUnderTest.foursquare.service(body: #"{"places":[]}"#)
    let error = await #expect(throws: PlacesError.self) { try await service.places(near: gate(), radius: 500, limit: 20) }
    #expect(error?.code == .unreadable && error?.reason == "the response has no member $.results")
  }
}
