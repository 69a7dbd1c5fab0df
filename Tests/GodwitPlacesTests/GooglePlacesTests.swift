import Foundation
import GodwitModel
import GodwitPlaces
import Testing

@Suite("Places of Google")
struct GooglePlacesTests {
  private let key = PlacesUnderTest.secret

  @Test("the new form is a POST with the key and the field mask in headers")
  func newRequest() async throws {
    let server = try RecordedServer(RecordedResponses.googleNew)
    let service = try GooglePlaces(
      key: key, api: .new(includedTypes: ["restaurant", "cafe"]), client: server.client, address: server.url)
    _ = try await service.places(near: gate(), radius: 500, limit: 10)
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.path == "/v1/places:searchNearby" && request.query.isEmpty)
    #expect(request.headers["x-goog-api-key"] == key && request.headers["content-type"] == "application/json")
    #expect(
      request.headers["x-goog-fieldmask"]
        == "places.id,places.displayName,places.location,places.types,places.formattedAddress,places.attributions")
    #expect(
      request.body
        == #"{"includedTypes":["restaurant","cafe"],"locationRestriction":{"circle":{"center":{"latitude":52.5163,"#
        + #""longitude":13.3777},"radius":500}},"maxResultCount":10,"rankPreference":"DISTANCE"}"#)
  }

  @Test("without types, the member is omitted, because an empty list is an error")
  func allTypes() async throws {
    let server = try RecordedServer("{}")
    #expect(
      try await GooglePlaces(key: key, client: server.client, address: server.url).places(near: gate(), radius: 500, limit: 20)
        .isEmpty)
    #expect(server.requests.first?.body.contains("includedTypes") == false)
  }

  @Test("the places of the new form are sorted by distance")
  func newResults() async throws {
    let server = try RecordedServer(RecordedResponses.googleNew)
    #expect(
      try await GooglePlaces(key: key, client: server.client, address: server.url).places(near: gate(), radius: 500, limit: 20)
        == [
          Place(
            id: "ChIJnear", name: "Brandenburg Gate", categories: ["historical_landmark"],
            coordinate: Coordinate(latitude: 52.5163, longitude: 13.3777), distance: try distance(52.5163, 13.3777),
            attribution: "Google Maps"),
          Place(
            id: "ChIJfar", name: "Tor Küche", categories: ["restaurant", "food"],
            coordinate: Coordinate(latitude: 52.517, longitude: 13.38), distance: try distance(52.517, 13.38),
            address: "Pariser Platz 4, 10117 Berlin, Germany", attribution: "Google Maps, Local Guide"),
        ])
  }

  @Test("a coordinate that Google omits is zero, as on the equator")
  func equator() async throws {
    let server = try RecordedServer(#"{"places":[{"id":"a","location":{"longitude":6.5}},{"id":"b","location":{}}]}"#)
    let found = try await GooglePlaces(key: key, client: server.client, address: server.url).places(
      near: gate(), radius: 500, limit: 20)
    #expect(found.map(\.coordinate) == [Coordinate(latitude: 0, longitude: 6.5)])
  }

  @Test("the legacy form is a GET with all parameters in its query")
  func legacyRequest() async throws {
    let server = try RecordedServer(RecordedResponses.googleLegacy)
    let service = try GooglePlaces(
      key: key, api: .legacy(type: "restaurant", keyword: "Kaffee & Kuchen+"), client: server.client, address: server.url)
    _ = try await service.places(near: gate(), radius: 500, limit: 10)
    let request = try #require(server.requests.first)
    #expect(request.method == "GET" && request.path == "/maps/api/place/nearbysearch/json" && request.body.isEmpty)
    #expect(
      request.query == [
        "location": "52.5163,13.3777", "radius": "500", "type": "restaurant", "keyword": "Kaffee & Kuchen+", "key": key,
      ])
  }

  @Test("the places of the legacy form are in the member results, and are sorted by distance")
  func legacyResults() async throws {
    let server = try RecordedServer(RecordedResponses.googleLegacy)
    let found = try await GooglePlaces(key: key, api: .legacy(), client: server.client, address: server.url)
      .places(near: gate(), radius: 500, limit: 20)
    let provider = #"Google Maps, Listings by <a href="https://guide.example">Local Guide</a>"#
    #expect(
      found == [
        Place(
          id: "ChIJnear", name: "Brandenburg Gate", categories: ["tourist_attraction"],
          coordinate: Coordinate(latitude: 52.5163, longitude: 13.3777), distance: try distance(52.5163, 13.3777),
          attribution: provider),
        Place(
          id: "ChIJfar", name: "Tor Küche", categories: ["restaurant", "food"],
          coordinate: Coordinate(latitude: 52.517, longitude: 13.38), distance: try distance(52.517, 13.38),
          address: "Pariser Platz 4, Berlin", attribution: provider),
      ])
    #expect(server.requests.first.map { Set($0.query.keys) } == ["location", "radius", "key"])
  }

  @Test(
    "the legacy form reports errors in the member status, with HTTP status 200",
    arguments: [
      ("OVER_QUERY_LIMIT", PlacesError.Code.limitReached), ("OVER_DAILY_LIMIT", .limitReached),
      ("REQUEST_DENIED", .unauthorized), ("INVALID_REQUEST", .rejected), ("NOT_FOUND", .rejected),
      ("UNKNOWN_ERROR", .failed), ("SOMETHING_NEW", .unreadable),
    ])
  func legacyStatus(_ word: String, _ code: PlacesError.Code) async throws {
    let body = #"{"html_attributions":[],"results":[],"status":"\#(word)","error_message":"The reason."}"#
    let service = try PlacesUnderTest.googleLegacy.service(body: body)
    let error = await #expect(throws: PlacesError.self) { try await service.places(near: gate(), radius: 500, limit: 20) }
    #expect(error?.code == code && error?.reason.hasSuffix("\(word), The reason") == true, "\(error as Any)")
  }

  @Test("ZERO_RESULTS is an empty list")
  func zeroResults() async throws {
    let service = try PlacesUnderTest.googleLegacy.service(body: #"{"results":[],"status":"ZERO_RESULTS"}"#)
    #expect(try await service.places(near: gate(), radius: 500, limit: 20).isEmpty)
  }

  @Test(
    "the new form reports errors in the format of other Google APIs",
    arguments: [
      (403, "PERMISSION_DENIED", PlacesError.Code.unauthorized), (401, "UNAUTHENTICATED", .unauthorized),
      (429, "RESOURCE_EXHAUSTED", .limitReached), (400, "INVALID_ARGUMENT", .rejected), (503, "UNAVAILABLE", .failed),
      (500, "INTERNAL", .failed), (404, "NOT_FOUND", .rejected), (418, "SOMETHING_NEW", .rejected),
    ])
  func newStatus(_ status: Int, _ word: String, _ code: PlacesError.Code) async throws {
    let body = #"{"error":{"code":\#(status),"message":"The reason.","status":"\#(word)"}}"#
    let service = try PlacesUnderTest.googleNew.service(status: status, body: body)
    let error = await #expect(throws: PlacesError.self) { try await service.places(near: gate(), radius: 500, limit: 20) }
    #expect(error?.code == code && error?.status == status, "\(error as Any)")
    #expect(error?.reason.hasSuffix("(status \(status)): The reason") == true, "\(error as Any)")
  }

  @Test("an invalid key, which Google reports as an invalid argument, is the error unauthorized")
  func wrongKey() async throws {
    let body = #"""
      {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}, 17]}}
      """#
    let service = try PlacesUnderTest.googleNew.service(status: 400, body: body)
    let error = await #expect(throws: PlacesError.self) { try await service.places(near: gate(), radius: 500, limit: 20) }
    #expect(error?.code == .unauthorized)
  }

  @Test("more than 50 types are rejected before the request")
  func tooManyTypes() {
    let types = (1...51).map { "type_\($0)" }
    #expect(throws: PlacesError.self) { try GooglePlaces(key: "k", api: .new(includedTypes: types)) }
  }
}
