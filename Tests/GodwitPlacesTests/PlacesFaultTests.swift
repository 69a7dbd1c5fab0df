import Foundation
import GodwitModel
import GodwitPlaces
import Testing

@Suite("Faults of places")
struct PlacesFaultTests {
  private func fault(_ service: any PlacesService) async -> PlacesError? {
    await #expect(throws: PlacesError.self) { try await service.places(near: gate(), radius: 500, limit: 20) }
  }

  @Test(
    "a status has the same meaning for every service",
    arguments: PlacesUnderTest.all,
    [
      (401, PlacesError.Code.unauthorized), (403, .unauthorized), (429, .limitReached), (500, .failed), (503, .failed),
      (504, .failed), (400, .rejected), (404, .rejected), (410, .rejected), (307, .rejected),
    ])
  func status(_ service: PlacesUnderTest, _ expected: (status: Int, code: PlacesError.Code)) async throws {
    for body in ["", "<html><h1>Error</h1></html>", #"{"message":"no"}"#] {
      let error = await fault(try service.service(status: expected.status, body: body))
      #expect(error?.code == expected.code && error?.status == expected.status, "\(error as Any)")
      #expect(error?.host == "places.example")
    }
  }

  @Test(
    "an invalid response is an error with a message", arguments: PlacesUnderTest.all,
    ["", "rubbish", "<html></html>", "[]", "17", "null", #"{"places": [{"id""#])
  func invalid(_ service: PlacesUnderTest, _ body: String) async throws {
    let error = await fault(try service.service(body: body))
    #expect(error?.code == .unreadable && error?.isTemporary == false, "\(error as Any)")
  }

  @Test(
    "a missing response is an error that may be retried", arguments: PlacesUnderTest.all,
    [URLError.Code.notConnectedToInternet, .timedOut, .cannotFindHost])
  func unreachable(_ service: PlacesUnderTest, _ code: URLError.Code) async throws {
    let error = await fault(try service.service { _ in throw URLError(code) })
    #expect(error?.code == .unreachable && error?.isTemporary == true && error?.status == nil, "\(error as Any)")
  }

  @Test("a cancelled request ends with a cancellation, not with an error of the service", arguments: PlacesUnderTest.all)
  func cancelled(_ service: PlacesUnderTest) async throws {
    let places = try service.service { _ in throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await places.places(near: gate(), radius: 500, limit: 20) }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await service.service { _ in throw URLError(.cancelled) }.places(near: gate(), radius: 500, limit: 20)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("Retry-After is reported", arguments: PlacesUnderTest.all)
  func retryAfter(_ service: PlacesUnderTest) async throws {
    let error = await fault(try service.service(status: 429, headers: ["retry-after": "17"], body: ""))
    #expect(error?.retryAfter == 17 && error?.description.contains("17 s") == true)
  }

  @Test("a redirect is an error, so that the key is not sent to another address", arguments: PlacesUnderTest.all)
  func redirect(_ service: PlacesUnderTest) async throws {
    let target = "https://elsewhere.example/?key=\(PlacesUnderTest.secret)"
    let error = await fault(try service.service(status: 302, headers: ["location": target], body: ""))
    #expect(error?.description.contains("redirects to elsewhere.example") == true)
    #expect(error?.description.contains(PlacesUnderTest.secret) == false)
  }

  @Test(
    "no error and no description contains a key, a token, a device or a coordinate", arguments: PlacesUnderTest.all,
    [
      "bad key K3y-of-the-app", "at 52.516275, 13.377704", "ll=52.5163,13.3777", "device 6D92078A-8246-4BA4-AE5B-76104861E7DC",
      "see https://places.example/search?key=K3y-of-the-app&ll=52.5,13.4",
    ])
  func secrets(_ service: PlacesUnderTest, _ message: String) async throws {
    let hidden = service.secrets + ["52.5", "13.3", "13.4"]
    let bodies = [
      #"{"error":{"message":"\#(message)","code":99}}"#, #"{"error":"\#(message)"}"#, #"{"message":"\#(message)"}"#,
      #"{"error_message":"\#(message)","status":"REQUEST_DENIED"}"#,
    ]
    for body in bodies {
      let error = await fault(try service.service(status: 400, body: body))
      for text in hidden { #expect(error.map { "\($0)".contains(text) } == false, "\(error as Any)") }
    }
    let places = try service.service(body: "")
    var dumped = ""
    dump(places, to: &dumped)
    for text in [String(describing: places), String(reflecting: places), dumped] {
      #expect(!text.contains(PlacesUnderTest.secret) && !text.contains(PlacesUnderTest.device))
    }
  }

  @Test("the description of an error has the service, the host, the reason and a remedy")
  func sentence() async throws {
    let body = #"{"message":"Invalid request token."}"#
    let error = await fault(try PlacesUnderTest.foursquare.service(status: 401, body: body))
    #expect(
      error?.description
        == "Foursquare Places at places.example: it rejects the key or the token (status 401): Invalid request token. "
        + "Check the key or the token, and that its project may use this service.")
  }

  @Test(
    "an invalid radius is rejected before the request", arguments: PlacesUnderTest.all,
    [0, -1, .nan, .infinity, 100_001])
  func radius(_ service: PlacesUnderTest, _ radius: Double) async throws {
    let places = try service.service { _ in throw URLError(.badURL) }
    let error = await #expect(throws: PlacesError.self) { try await places.places(near: gate(), radius: radius, limit: 1) }
    #expect(error?.code == .invalidSearch)
  }

  @Test("an invalid limit is rejected before the request", arguments: PlacesUnderTest.all, [0, -1, 101, .max])
  func limit(_ service: PlacesUnderTest, _ limit: Int) async throws {
    let places = try service.service { _ in throw URLError(.badURL) }
    let error = await #expect(throws: PlacesError.self) { try await places.places(near: gate(), radius: 1, limit: limit) }
    #expect(error?.code == .invalidSearch)
  }

  @Test("each service has its largest radius and limit, and returns at most the requested number")
  func bounds() async throws {
    let recorded: [(PlacesUnderTest, PlacesBounds, String)] = [
      (.openStreetMap, OpenStreetMapPlaces.bounds, RecordedResponses.overpass),
      (.googleNew, GooglePlaces.bounds, RecordedResponses.googleNew),
      (.googleLegacy, GooglePlaces.bounds, RecordedResponses.googleLegacy),
      (.foursquare, FoursquarePlaces.bounds, RecordedResponses.foursquare),
      (.foursquareV3, FoursquarePlaces.bounds, RecordedResponses.foursquareV3),
      (.safeGraph, SafeGraphPlaces.bounds, RecordedResponses.safeGraph),
      (.facebook, FacebookPlaces.bounds, RecordedResponses.facebook),
    ]
    for (service, bounds, body) in recorded {
      let places = try service.service(body: body)
      let all = try await places.places(near: gate(), radius: bounds.radius, limit: bounds.limit)
      #expect(all.count >= 2 && all.map(\.distance) == all.map(\.distance).sorted(), "\(service.testDescription)")
      let first = try await places.places(near: gate(), radius: bounds.radius, limit: 1)
      #expect(first == Array(all.prefix(1)), "\(service.testDescription)")
    }
  }

  @Test("an invalid key is rejected without being repeated", arguments: ["", "two words", "line\nbreak", "schlüssel"])
  func keys(_ key: String) {
    func expect(_ make: () throws -> Any) {
      let error = #expect(throws: PlacesError.self) { _ = try make() }
      #expect(error?.code == .invalidSetup && (key.isEmpty || error?.description.contains(key) == false))
    }
    expect { try GooglePlaces(key: key) }
    expect { try FoursquarePlaces(key: key) }
    expect { try FacebookPlaces(token: key) }
    expect { try SafeGraphPlaces.AdvertisingID(key, kind: .idfa) }
    expect { try SafeGraphPlaces(token: key, device: SafeGraphPlaces.AdvertisingID("x", kind: .idfa)) }
  }

  @Test(
    "an invalid address is rejected",
    arguments: [
      "ftp://places.example", "places.example", "/path", "https://user:pw@places.example", "https://places.example/?a=b",
    ])
  func addresses(_ text: String) throws {
    let url = try #require(URL(string: text))
    for service in PlacesUnderTest.all {
      let error = #expect(throws: PlacesError.self) { try service.make(HTTPClient { _ in throw URLError(.badURL) }, url) }
      #expect(error?.code == .invalidSetup)
    }
  }

  @Test(
    "a custom server may have a port, a path and a numeric address",
    arguments: [
      ("http://[::1]:8080", "http://[::1]:8080/search", "[::1]:8080"),
      ("HTTP://10.0.0.7/graph//", "http://10.0.0.7/graph/search", "10.0.0.7"),
      ("https://places.example/v7.0", "https://places.example/v7.0/search", "places.example"),
    ])
  func ownServer(_ base: String, _ expected: String, _ host: String) async throws {
    let url = try #require(URL(string: base))
    let places = try PlacesUnderTest.facebook.make(
      HTTPClient { request in
        #expect(request.url.absoluteString.hasPrefix(expected + "?"), "\(request.url)")
        return HTTPClient.Response(status: 500)
      }, url)
    #expect(await fault(places)?.host == host)
  }

  @Test(
    "coordinates are sent with four decimals, without an exponent or a decimal comma",
    arguments: [
      (0.00001, -0.00004, "0.0000,0.0000"), (-0.00006, 0.5, "-0.0001,0.5000"), (-90, 180, "-90.0000,180.0000"),
      (52.516275, 13.377704, "52.5163,13.3777"), (1, -179.99999, "1.0000,-180.0000"),
    ])
  func coordinates(_ latitude: Double, _ longitude: Double, _ text: String) async throws {
    let server = try RecordedServer(RecordedResponses.foursquare)
    let service = try FoursquarePlaces(key: "k", client: server.client, address: server.url)
    let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
    _ = try await service.places(near: coordinate, radius: 0.2, limit: 1)
    #expect(server.requests.first?.query["ll"] == text && server.requests.first?.query["radius"] == "1")
  }
}
