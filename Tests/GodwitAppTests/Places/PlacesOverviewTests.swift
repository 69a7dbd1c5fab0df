import Foundation
import Godwit
import GodwitHTTPClient
import GodwitModel
import Synchronization
import Testing

@testable import GodwitApp

@Suite("The map of all time", .timeLimit(.minutes(20)))
@MainActor
struct PlacesOverviewTests {
  private func map(_ server: HistoryServer) throws -> MapModel {
    let state = closedState { $0.environment.client = server.client }
    let address = "https://home.example/godwit/api/overland"
    state.perform(.servers(ServerList([StoredServer(id: "home", name: "My home", address: address)])))
    try state.services.credentials.setToken("send-1", "home")
    let map = MapModel(state)
    map.access.refresh()
    return map
  }

  private func loaded(_ overview: OverviewModel) async { while overview.isLoading { await Task.yield() } }

  private let lines = Array(
    #"{"features":[{"geometry":{"coordinates":[[[14,46],[14.1,46.1]],[[900,46]]]}},{"geometry":{"coordinates":[[[15,46],[15,46]]]}}]}"#
      .utf8)

  @Test("the visible part is read with its zoom, and again after a move during the request")
  func moved() async throws {
    let server = HistoryServer()
    let body = lines
    server.reply { $0.url.path == "/godwit/api/v1/overview" ? HTTPClient.Response(status: 200, body: body) : nil }
    let map = try map(server)
    let overview = map.overview
    let area = MapArea(center: MapPoint(latitude: 46, longitude: 14.5), latitudeSpan: 1, longitudeSpan: 1.5)
    #expect(!overview.canShow)
    map.access.scanned("read-1")
    overview.moved(to: area, width: 384)
    #expect(overview.canShow && server.requests.isEmpty, "the overview is not shown yet")
    overview.isShown = true
    #expect(overview.isLoading)
    for step in 1...5 {
      overview.moved(
        to: MapArea(center: MapPoint(latitude: 46, longitude: 179.5), latitudeSpan: 1, longitudeSpan: 1.5),
        width: 384 * Double(step))
    }
    await loaded(overview)
    #expect(overview.lines.map(\.points.count) == [2, 2] && overview.problem == nil)
    let queries = server.requests.filter { $0.url.path.hasSuffix("overview") }.map(HistoryServer.query)
    #expect(queries.map { $0["bbox"] } == ["13.75,45.5,15.25,46.5", "178.75,45.5,-179.75,46.5"])
    #expect(queries.map { $0["zoom"] } == ["8.5", "10.8"] && queries.allSatisfy { $0["device"] == "phone +1" })
    overview.isShown = false
    #expect(overview.lines.isEmpty)
  }

  @Test(
    "an invalid overview is an error with a message, and the previous lines remain",
    arguments: [(200, "{}", "not a track"), (403, "", "token for reading"), (500, "", "status 500")])
  func problems(status: Int, body: String, words: String) async throws {
    let server = HistoryServer()
    let good = lines
    server.reply { $0.url.path.hasSuffix("overview") ? HTTPClient.Response(status: 200, body: good) : nil }
    let map = try map(server)
    map.access.scanned("read-1")
    map.overview.moved(
      to: MapArea(center: MapPoint(latitude: 0, longitude: 0), latitudeSpan: 180, longitudeSpan: 360), width: 256)
    map.overview.isShown = true
    await loaded(map.overview)
    server.reply { $0.url.path.hasSuffix("overview") ? HTTPClient.Response(status: status, body: Array(body.utf8)) : nil }
    map.overview.moved(to: MapArea(center: MapPoint(latitude: 0, longitude: 0), latitudeSpan: 1, longitudeSpan: 1), width: 256)
    await loaded(map.overview)
    #expect(map.overview.problem?.contains(words) == true, "\(map.overview.problem ?? "")")
    #expect(map.overview.lines.count == 2)
  }
}
