import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

@Suite("Explored area of a country")
struct ExploredCountryTests {
  private static let start = Date(timeIntervalSince1970: 1_795_000_200)
  private static let path = "/api/v1/history/explored-country"

  @Test("the explored share is the area of the explored hexagons divided by the country's area", arguments: StoreKind.tested)
  func share(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      let phone = try await server.device("phone", of: nil)
      let none = server.send("GET", "\(Self.path)?at=46.05,14.5").object
      #expect(none["country"] as? String == "Slovenia" && none["country_code"] as? String == "SI")
      #expect(none["explored"] as? Double == 0 && none["share"] as? Double == 0)
      // The area is 20,273 km² (Statistical Office of Slovenia); the polygons are simplified.
      let area = try #require(none["area"] as? Double)
      #expect(abs(area - 20_273) < 150, "\(area)")
      // A track from west to east into Hungary, with a point every 500 m.
      let track = (0..<450).map { (latitude: 46.4, longitude: 13.8 + Double($0) * 0.0065) }
      try server.upload(phone.caller, track, from: Self.start)
      try await server.server.processBacklog()
      let crossed = server.send("GET", "\(Self.path)?at=46.05,14.5").object
      let explored = try #require(crossed["explored"] as? Double)
      // The area of the hexagons on a line is its length times their mean width, at least 3/2 of the radius.
      let radius = 40_075.017 * cos(46.4 * .pi / 180) / Double(1 << 9) / 40
      let length = 190.0
      #expect(explored > length * radius * 1.3 && explored < length * radius * 3.2, "\(explored) of \(length * radius)")
      #expect(abs((crossed["share"] as? Double ?? 0) - explored / area) < 1e-4)
      // The rest of the track is in Croatia, and then in Hungary.
      for (at, code) in [("45.8,16", "HR"), ("47.2,18.2", "HU")] {
        let neighbor = server.send("GET", "\(Self.path)?at=\(at)").object
        #expect(neighbor["country_code"] as? String == code && (neighbor["explored"] as? Double ?? 0) > 4, "\(neighbor)")
      }
      #expect(server.send("GET", "\(Self.path)?at=48.85,2.35").object["explored"] as? Double == 0)
      #expect(server.send("GET", "\(Self.path)?at=46.05,14.5&to=2020-01-01").object["explored"] as? Double == 0)
      _ = try await server.device("van", of: nil)
      #expect(server.send("GET", "\(Self.path)?at=46.05,14.5&device=van").object["explored"] as? Double == 0)
    }
  }

  @Test("small countries have finer hexagons, and a position at sea has no country")
  func small() async throws {
    try await AccountServer.with(asAdministrator: true) { server in
      let phone = try await server.device("phone", of: nil)
      let track = (0..<60).map { (latitude: 43.925 + Double($0) * 0.0005, longitude: 12.447) }
      try server.upload(phone.caller, track, from: Self.start)
      try await server.server.processBacklog()
      let marino = server.send("GET", "\(Self.path)?at=43.94,12.447").object
      #expect(marino["country_code"] as? String == "SM" && abs((marino["area"] as? Double ?? 0) - 58) < 7, "\(marino)")
      // 3.3 km through hexagons with a radius of 177 m.
      let explored = try #require(marino["explored"] as? Double)
      #expect(explored > 0.6 && explored < 2, "\(explored)")
      let sea = server.send("GET", "\(Self.path)?at=0,-30").object
      #expect(sea["country"] is NSNull && sea["area"] as? Double == 0)
      #expect(server.send("GET", "\(Self.path)?at=91,0").status == 400)
    }
  }
}
