import Foundation
import GodwitModel
import GodwitPlaces
import Testing

@Suite("Places of discontinued services")
struct RetiredPlacesTests {
  private func safeGraph(_ server: RecordedServer) throws -> SafeGraphPlaces {
    try SafeGraphPlaces(
      token: PlacesUnderTest.secret, device: SafeGraphPlaces.AdvertisingID(PlacesUnderTest.device, kind: .idfa),
      address: server.url, client: server.client)
  }

  @Test("a request to SafeGraph has the device, its position and the accuracy")
  func safeGraphRequest() async throws {
    let server = try RecordedServer(RecordedResponses.safeGraph)
    let service = try safeGraph(server)
    let fix = Fix(time: Date(timeIntervalSince1970: 0), coordinate: try gate(), horizontalAccuracy: 7.4)
    _ = try await service.places(near: gate(), radius: 500, limit: 20)
    _ = try await service.places(near: fix, radius: 500, limit: 20)
    for (request, accuracy) in zip(server.requests, ["50", "8"]) {
      #expect(request.method == "GET" && request.path == "/places/v1/nearby" && request.body.isEmpty)
      #expect(request.headers["authorization"] == "Bearer \(PlacesUnderTest.secret)")
      #expect(
        request.query == [
          "advertising_id": PlacesUnderTest.device, "advertising_id_type": "idfa", "latitude": "52.5163",
          "longitude": "13.3777", "horizontal_accuracy": accuracy,
        ])
    }
    #expect(server.requests.count == 2)
  }

  @Test("places of SafeGraph have only distances, and those outside the circle are omitted")
  func safeGraphResults() async throws {
    let server = try RecordedServer(RecordedResponses.safeGraph)
    #expect(
      try await safeGraph(server).places(near: gate(), radius: 500, limit: 20) == [
        Place(id: "sg:near", name: "Gate Museum", coordinate: nil, distance: 12, attribution: "SafeGraph"),
        Place(
          id: "sg:far", name: "Gate Coffee", categories: ["Snack Bars", "Restaurants"], coordinate: nil, distance: 178.5,
          address: "12 State Street, Boston, MA 02109", attribution: "SafeGraph"),
      ])
  }

  @Test("an invalid accuracy is rejected", arguments: [-1, .nan, .infinity])
  func accuracy(_ meters: Double) throws {
    let device = try SafeGraphPlaces.AdvertisingID("x", kind: .aaid)
    #expect(throws: PlacesError.self) { try SafeGraphPlaces(token: "t", device: device, horizontalAccuracy: meters) }
  }

  @Test("a request to Facebook has the centre in its query and the token in a header")
  func facebookRequest() async throws {
    let server = try RecordedServer(RecordedResponses.facebook)
    let service = try FacebookPlaces(
      token: PlacesUnderTest.secret, address: server.url.appendingPathComponent("v7.0"), client: server.client)
    _ = try await service.places(near: gate(), radius: 500, limit: 10)
    let request = try #require(server.requests.first)
    #expect(request.method == "GET" && request.path == "/v7.0/search" && request.body.isEmpty)
    #expect(
      request.query == [
        "type": "place", "center": "52.5163,13.3777", "distance": "500", "limit": "10",
        "fields": "id,name,location,category_list",
      ])
    #expect(request.headers["authorization"] == "Bearer \(PlacesUnderTest.secret)")
  }

  @Test("places of Facebook are sorted by distance")
  func facebookResults() async throws {
    let server = try RecordedServer(RecordedResponses.facebook)
    #expect(
      try await FacebookPlaces(token: "t", address: server.url, client: server.client).places(
        near: gate(), radius: 500, limit: 20) == [
          Place(
            id: "1101", name: "Brandenburger Tor", coordinate: Coordinate(latitude: 52.5163, longitude: 13.3777),
            distance: try distance(52.5163, 13.3777), attribution: "Facebook"),
          Place(
            id: "1102", name: "Tor Café", categories: ["Café"], coordinate: Coordinate(latitude: 52.517, longitude: 13.38),
            distance: try distance(52.517, 13.38), address: "Pariser Platz 4, 10117 Berlin, Germany", attribution: "Facebook"),
        ])
  }

  @Test(
    "the error codes of Facebook are mapped",
    arguments: [
      (190, PlacesError.Code.unauthorized), (10, .unauthorized), (200, .unauthorized), (4, .limitReached),
      (613, .limitReached), (2, .failed), (100, .rejected),
    ])
  func facebookFaults(_ number: Int, _ code: PlacesError.Code) async throws {
    let body = #"{"error":{"message":"The reason.","type":"OAuthException","code":\#(number),"fbtrace_id":"Ax"}}"#
    let service = try PlacesUnderTest.facebook.service(status: 400, body: body)
    let error = await #expect(throws: PlacesError.self) { try await service.places(near: gate(), radius: 500, limit: 20) }
    #expect(error?.code == code, "\(error as Any)")
  }
}
