import Foundation
import Godwit
import GodwitHTTPClient
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("Many regions on a phone")
@MainActor
struct PlacesRegionTests {
  private let home = Coordinate(latitude: 45.5, longitude: 14)!  // in range

  private func place(north: Double, east: Double = 0) -> Coordinate {
    GreatCircle.destination(
      from: GreatCircle.destination(from: home, course: 0, distance: north), course: 90, distance: east)
  }

  private func fence(_ id: String, north: Double, radius: Double = 300, east: Double = 0) -> Region {
    Region(id: id, name: id.capitalized, shape: .circle(Circle(center: place(north: north, east: east), radius: radius)))
  }

  private func watching(_ client: (@Sendable (HTTPClient) -> HTTPClient)? = nil, server: URL? = nil) throws -> AppPhone {
    let app = try AppPhone(watchesRegions: true) { services in
      if let client { services.environment.client = client(services.environment.client) }
      services.configure = { configuration in
        configuration.regions = RegionConfiguration(server: server.map { SyncCoordinator.Configuration(server: $0) })
        configuration.regions?.path = configuration.journalPath + ".regions"
      }
    }
    app.finishOnboarding()
    app.pair()
    app.model.tracker.isTracking = true
    app.settle(120)
    return app
  }

  @Test("the nearest of thousands of regions are listed and drawn, polygons as outlines")
  func nearest() throws {
    let app = try watching()
    let triangle = MultiPolygon([try Polygon(outer: [place(north: 900), place(north: 1500), place(north: 1200, east: 500)])])
    let park = Region(id: "park", shape: .polygons(try #require(triangle)))
    let far = (0..<3000).map { fence("far \($0)", north: 40_000 + Double($0) * 10, radius: 100, east: 20_000) }
    try app.model.openTracker?.regions?.replaceRegions([fence("home", north: 0), fence("work", north: 56_340), park] + far)
    app.settle(600)
    let regions = app.model.regions
    #expect(regions.countText == "3003 regions" && regions.inside.map(\.id) == ["home"])
    #expect(regions.near.count == RegionsModel.maximumRows && regions.near.first?.id == "park")
    #expect(regions.outlines.map(\.id) == ["park.0"] && regions.outlines.first?.corners.count == 3)
    #expect(regions.outlines.first?.isInside == false)
    #expect(regions.near.first?.circle == nil && regions.inside.first?.circle?.radius == 300, "polygons are not drawn twice")
    let area = try #require(regions.area)
    #expect(area.latitudeSpan > 0.01 && area.latitudeSpan < 1)
    #expect(regions.syncText == "Never copied from the server.")
    app.end()
  }

  @Test("the screen shows the time of the last sync of regions, and the reason for a failure")
  func sync() throws {
    let address = try #require(URL(string: "https://regions.example"))
    let page = Array(
      #"{"epoch":"one","nodes":[],"pageInfo":{"endCursor":"one-0","hasNextPage":false},"digest":"\#(String(repeating: "0", count: 32))"}"#
        .utf8)
    let responses = HistoryServer()
    responses.reply { request in
      request.url.path.hasSuffix("/api/regions") ? HTTPClient.Response(status: 200, body: page) : nil
    }
    let app = try watching(
      { network in
        HTTPClient { request in
          request.url.host == "regions.example" ? try responses.respond(request) : try await network.send(request)
        }
      }, server: address)
    let regions = app.model.regions
    #expect(regions.syncText.hasPrefix("Copied from the server ") && regions.problem == nil, "\(regions.problem ?? "")")
    #expect(regions.emptyText == "The server has no region for this phone.")
    responses.reply { _ in HTTPClient.Response(status: 503) }
    app.settle(3_600)
    regions.sync()
    app.settle(60)
    #expect(regions.syncText.hasPrefix("Copied from the server 1 h"), "\(regions.syncText)")
    #expect(regions.problem?.contains("could not be copied") == true)
    responses.reply { _ in HTTPClient.Response(status: 200, body: page) }
    regions.sync()
    app.settle(60)
    #expect(regions.problem == nil && regions.syncText.contains("server ") && !regions.syncText.contains(" h"))
    app.end()
  }

  @Test("an empty list of servers and a list without a Godwit server have different messages")
  func otherServer() throws {
    let app = try AppPhone(watchesRegions: true)
    app.finishOnboarding()
    #expect(app.model.regions.emptyText?.contains("Pair with one first") == true)
    app.pair("godwit://setup?url=https%3A%2F%2Fother.example%2Fbatch&token=a")
    app.settle(10)
    #expect(app.model.regions.emptyText?.contains("None of your servers") == true)
    app.end()
  }
}
