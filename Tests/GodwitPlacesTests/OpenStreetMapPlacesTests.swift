import Foundation
import GodwitModel
import GodwitPlaces
import Synchronization
import Testing

@Suite("Places of OpenStreetMap")
struct OpenStreetMapPlacesTests {
  private let time = VirtualTime()

  private func places(
    _ server: RecordedServer, keys: [String] = ["amenity", "tourism", "historic"], language: String? = nil
  ) throws -> OpenStreetMapPlaces {
    let time = time
    return try OpenStreetMapPlaces(
      userAgent: "GodwitTests/1 (tests@godwit.example)", client: server.client, overpass: server.url, nominatim: server.url,
      keys: keys,
      language: language, pacer: time.pacer(), uptime: { time.uptime })
  }

  @Test("a request to Overpass has a form with every key, and the name of the app as User-Agent")
  func request() async throws {
    let server = try RecordedServer(RecordedResponses.overpass)
    _ = try await places(server).places(near: gate(), radius: 149.2, limit: 20)
    let request = try #require(server.requests.first)
    #expect(server.requests.count == 1)
    #expect(request.method == "POST" && request.path == "/api/interpreter" && request.query.isEmpty)
    #expect(request.headers["user-agent"] == "GodwitTests/1 (tests@godwit.example)")
    #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
    let around = "around:150,52.5163,13.3777"
    #expect(
      request.form == [
        "data": "[out:json][timeout:25];(nwr(\(around))[\"amenity\"];nwr(\(around))[\"tourism\"];"
          + "nwr(\(around))[\"historic\"];);out tags center 500;"
      ])
  }

  @Test("places have name, categories, address and distance, and are sorted by distance")
  func results() async throws {
    let server = try RecordedServer(RecordedResponses.overpass)
    let found = try await places(server).places(near: gate(), radius: 500, limit: 20)
    #expect(
      found == [
        Place(
          id: "way/502", name: "Brandenburger Tor", categories: ["tourism=attraction", "historic=city_gate"],
          coordinate: Coordinate(latitude: 52.51628, longitude: 13.3777), distance: try distance(52.51628, 13.3777),
          attribution: "© OpenStreetMap contributors"),
        Place(
          id: "node/504", categories: ["amenity=bench"], coordinate: Coordinate(latitude: 52.5165, longitude: 13.3785),
          distance: try distance(52.5165, 13.3785), attribution: "© OpenStreetMap contributors"),
        Place(
          id: "node/501", name: "Café am Tor", categories: ["amenity=cafe"],
          coordinate: Coordinate(latitude: 52.517, longitude: 13.38), distance: try distance(52.517, 13.38),
          address: "Unter den Linden 77, 10117 Berlin", attribution: "© OpenStreetMap contributors"),
      ])
  }

  @Test("a search with too many results is repeated with smaller circles until the nearest places are found")
  func crowded() async throws {
    // 600 benches on a line to the north, one per metre; low ids are the farthest.
    let server = try RecordedServer { request in
      let radius = request.form["data"]?.firstMatch(of: #/around:([0-9]+),/#).flatMap { Double($0.1) } ?? 0
      let elements = (1...600).reversed().filter { Double($0) <= radius }.prefix(500).map { meters in
        let latitude = 52.5163 + Double(meters) / 111_195
        return #"{"type":"node","id":\#(1000 - meters),"lat":\#(latitude),"lon":13.3777,"tags":{"amenity":"bench"}}"#
      }
      return RecordedServer.Response(body: #"{"elements":[\#(elements.joined(separator: ","))]}"#)
    }
    let found = try await places(server).places(near: gate(), radius: 4000, limit: 3)
    #expect(found.map(\.id) == ["node/999", "node/998", "node/997"])
    #expect(
      server.requests.compactMap { $0.form["data"]?.firstMatch(of: #/around:([0-9]+),/#).map { String($0.1) } } == [
        "4000", "1000", "250",
      ])
    #expect(time.waits == [1, 1])
  }

  @Test("a response with an error in its remark is an error and not an empty list")
  func remark() async throws {
    let server = try RecordedServer(RecordedResponses.overpassTimeout)
    let service = try places(server)
    let error = await #expect(throws: PlacesError.self) { try await service.places(near: gate(), radius: 500, limit: 20) }
    #expect(error?.code == .failed && error?.status == 200 && error?.isTemporary == true)
    #expect(error?.description.contains("Query timed out") == true, "\(error as Any)")
    // The response is not cached.
    await #expect(throws: PlacesError.self) { try await service.places(near: gate(), radius: 500, limit: 20) }
    #expect(server.requests.count == 2)
  }

  @Test("a response without elements is an empty list")
  func nothing() async throws {
    let server = try RecordedServer(#"{"version": 0.6, "elements": []}"#)
    #expect(try await places(server).places(near: gate(), radius: 500, limit: 20).isEmpty)
  }

  @Test("a request to Nominatim has the name of the app and the language of the user")
  func reverse() async throws {
    let server = try RecordedServer(RecordedResponses.nominatim)
    let address = try await places(server, language: "de-CH, de;q=0.9").address(at: gate())
    let request = try #require(server.requests.first)
    #expect(request.method == "GET" && request.path == "/reverse" && request.body.isEmpty)
    #expect(
      request.query == [
        "lat": "52.5163", "lon": "13.3777", "format": "jsonv2", "zoom": "18", "addressdetails": "1",
        "accept-language": "de-CH, de;q=0.9",
      ])
    #expect(request.headers["user-agent"] == "GodwitTests/1 (tests@godwit.example)")
    #expect(
      address
        == PlaceAddress(
          text: "Brandenburger Tor, 1, Pariser Platz, Mitte, Berlin, 10117, Deutschland", name: "Brandenburger Tor",
          houseNumber: "1", street: "Pariser Platz", postcode: "10117", locality: "Berlin", country: "Deutschland",
          countryCode: "DE", attribution: "© OpenStreetMap contributors"))
  }

  @Test(
    "Nominatim's errors with status 200 are errors",
    arguments: [
      (#"{"error": "Unable to geocode"}"#, PlacesError.Code.notFound),
      (#"{"error": "Something is broken"}"#, .failed),
      (#"{"error": {"code": 400, "message": "Need coordinates"}}"#, .failed),
      (#"{"error": 17}"#, .failed),
      (#"{"place_id": 1}"#, .unreadable),
      ("[]", .unreadable),
      ("<html>busy</html>", .unreadable),
    ])
  func reverseFaults(_ body: String, _ code: PlacesError.Code) async throws {
    let service = try places(RecordedServer(body))
    let error = await #expect(throws: PlacesError.self) { try await service.address(at: gate()) }
    #expect(error?.code == code && error?.service == "Nominatim", "\(error as Any)")
  }

  @Test("a search is cached for nearby positions, and sent again for other circles and limits, and after a day")
  func cache() async throws {
    let server = try RecordedServer(RecordedResponses.overpass)
    let service = try places(server)
    let nearby = try #require(Coordinate(latitude: 52.51632, longitude: 13.37768))
    let first = try await service.places(near: gate(), radius: 500, limit: 20)
    let second = try await service.places(near: nearby, radius: 500, limit: 20)
    #expect(server.requests.count == 1)
    #expect(second.map(\.id) == first.map(\.id))
    // The distance is that from the position of this search, not of the cached one.
    let there = try #require(second[0].coordinate)
    #expect(second[0].distance == GreatCircle.distance(nearby, there) && second[0].distance != first[0].distance)
    _ = try await service.places(near: gate(), radius: 501, limit: 20)
    #expect(try await service.places(near: gate(), radius: 500, limit: 1).map(\.id) == ["way/502"])
    _ = try await service.places(near: try #require(Coordinate(latitude: 52.5164, longitude: 13.3777)), radius: 500, limit: 20)
    #expect(server.requests.count == 4)
    time.advance(86_300)
    _ = try await service.places(near: gate(), radius: 500, limit: 20)
    #expect(server.requests.count == 4)
    time.advance(200)
    _ = try await service.places(near: gate(), radius: 500, limit: 20)
    #expect(server.requests.count == 5)
  }

  @Test("a search that equals a running one waits for the response of that one")
  func meanwhile() async throws {
    let sentCount = Mutex(0)
    let (waiting, wait) = AsyncStream<Void>.makeStream()
    let (answered, response) = AsyncStream<Void>.makeStream()
    let service = try OpenStreetMapPlaces(
      userAgent: "GodwitTests/1",
      client: HTTPClient { request in
        let number = sentCount.withLock { sentCount in
          sentCount += 1
          return sentCount
        }
        // The first response is sent when the second request waits for its turn.
        if number == 1 { for await _ in waiting { break } }
        let body = request.method == "GET" ? RecordedResponses.nominatim : RecordedResponses.overpass
        return HTTPClient.Response(status: 200, body: Array(body.utf8))
      },
      pacer: RequestPacer(
        uptime: { 0 },
        sleep: { _ in
          wait.yield()
          for await _ in answered { break }
        }))
    let here = try gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let found = try await service.places(near: here, radius: 500, limit: 20)
          #expect(found.count == 3)
          response.yield()
        }
      }
      try await group.waitForAll()
    }
    #expect(sentCount.withLock { $0 } == 1)
    response.yield()
    for _ in 0..<2 { _ = try await service.address(at: here) }
    #expect(sentCount.withLock { $0 } == 2)
  }

  @Test("addresses are cached too, and the least recently used response is evicted")
  func addressCache() async throws {
    let sentCount = Mutex(0)
    let time = time
    let service = try OpenStreetMapPlaces(
      userAgent: "GodwitTests/1",
      client: HTTPClient { _ in
        sentCount.withLock { $0 += 1 }
        return HTTPClient.Response(status: 200, body: Array(RecordedResponses.nominatim.utf8))
      }, pacer: time.pacer(), uptime: { time.uptime })
    func ask(_ number: Int) async throws -> Int {
      _ = try await service.address(at: try #require(Coordinate(latitude: 1, longitude: Double(number) / 100)))
      return sentCount.withLock { $0 }
    }
    for number in 0..<256 { _ = try await ask(number) }
    #expect(try await ask(0) == 256)
    #expect(try await ask(256) == 257)
    #expect(try await ask(0) == 257)
    #expect(try await ask(1) == 258)
  }

  @Test("with a cache lifetime of zero, nothing is cached")
  func noCache() async throws {
    let server = try RecordedServer(RecordedResponses.overpass)
    let service = try OpenStreetMapPlaces(
      userAgent: "GodwitTests/1", client: server.client, overpass: server.url, pacer: time.pacer(), cacheLifetime: 0)
    for _ in 0..<2 { _ = try await service.places(near: gate(), radius: 500, limit: 20) }
    #expect(server.requests.count == 2)
  }

  @Test("places and addresses share the limit of one request per second")
  func pace() async throws {
    let sent = Mutex<[Double]>([])
    let time = time
    let service = try OpenStreetMapPlaces(
      userAgent: "GodwitTests/1",
      client: HTTPClient { request in
        sent.withLock { $0.append(time.uptime) }
        let body = request.method == "GET" ? RecordedResponses.nominatim : RecordedResponses.overpass
        return HTTPClient.Response(status: 200, body: Array(body.utf8))
      }, pacer: time.pacer(), uptime: { time.uptime })
    for radius in 1...3 {
      _ = try await service.places(near: gate(), radius: Double(radius), limit: 20)
      _ = try await service.address(at: try #require(Coordinate(latitude: 1, longitude: Double(radius))))
    }
    #expect(sent.withLock { $0 } == [0, 1, 2, 3, 4, 5])
  }

  @Test("a request that would wait too long is rejected with the time to wait")
  func busy() async throws {
    let time = time
    let pacer = RequestPacer(maximumWait: 1, uptime: { time.uptime }, sleep: { _ in })
    let service = try OpenStreetMapPlaces(
      userAgent: "GodwitTests/1",
      client: HTTPClient { _ in HTTPClient.Response(status: 200, body: Array(RecordedResponses.overpass.utf8)) }, pacer: pacer)
    for radius in [1.0, 2] { _ = try await service.places(near: gate(), radius: radius, limit: 20) }
    let error = await #expect(throws: PlacesError.self) { try await service.places(near: gate(), radius: 3, limit: 20) }
    #expect(error?.code == .limitReached && error?.retryAfter == 2 && error?.status == nil)
  }

  @Test("an invalid name of the app is rejected", arguments: ["", "   ", "App/1\r\nX-Evil: 1", "Äpp/1"])
  func userAgent(_ name: String) {
    let error = #expect(throws: PlacesError.self) { try OpenStreetMapPlaces(userAgent: name) }
    #expect(error?.code == .invalidSetup && error?.description.contains("User-Agent") == true)
  }

  @Test("invalid keys are rejected", arguments: [[], [""], ["amenity", "x\"];out;"], ["Amenity"], ["a b"]])
  func keys(_ keys: [String]) {
    #expect(throws: PlacesError.self) { try OpenStreetMapPlaces(userAgent: "GodwitTests/1", keys: keys) }
  }
}
