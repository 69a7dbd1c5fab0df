import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

@Suite("Explored area of a city")
struct ExploredAreaTests {
  private static let start = Date(timeIntervalSince1970: 1_795_000_200)
  private static let path = "/api/v1/history/explored"

  @Test(
    "the explored share is that of the hexagons with positions, by devices and days", arguments: StoreKind.tested)
  func share(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      let phone = try await server.device("phone", of: nil)
      let none = server.send("GET", "\(Self.path)?at=46.05,14.5").object
      #expect(none["city"] as? String == "Ljubljana" && none["country_code"] as? String == "SI" && none["explored"] as? Int == 0)
      let all = try #require(none["hexagons"] as? Int)
      // The total area of the hexagons is that of the city's circle.
      let radius = try #require(none["radius"] as? Double)
      let side = 40_075_016.686 * cos(46.05 * .pi / 180) / Double(1 << ExploredArea.zoom) / 40
      let expected = .pi * radius * radius / (1.5 * 3.0.squareRoot() * side * side)
      #expect(radius > 3_000 && abs(Double(all) - expected) < 0.05 * expected, "\(all), \(expected)")
      // A track to the east through the city and far beyond it, with a point every 100 m.
      let track = (0..<300).map { (latitude: 46.05, longitude: 14.45 + Double($0) * 0.0013) }
      try server.upload(phone.caller, track, from: Self.start)
      try await server.server.processBacklog()
      let walked = server.send("GET", "\(Self.path)?at=46.05,14.5").object
      let explored = try #require(walked["explored"] as? Int)
      // A line through the centre passes as many hexagons as fit in the diameter, or up to twice as many between two rows.
      let across = radius * 2 / (side * 3.0.squareRoot())
      #expect(Double(explored) > across * 0.85 && Double(explored) < across * 2.2, "\(explored) of \(across)")
      #expect(abs((walked["share"] as? Double ?? 0) - Double(explored) / Double(all)) < 1e-5)
      #expect(server.send("GET", "\(Self.path)?at=46.05,14.5&to=2020-01-01").object["explored"] as? Int == 0)
      _ = try await server.device("van", of: nil)
      #expect(server.send("GET", "\(Self.path)?at=46.05,14.5&device=van").object["explored"] as? Int == 0)
    }
  }

  @Test(
    "a position at sea has no city, and an invalid position is rejected with the expected format",
    arguments: ["", "46", "46,14,3", "91,0", "a,b", "nan,0"])
  func rejected(_ at: String) async throws {
    try await AccountServer.with(asAdministrator: true) { server in
      #expect(server.send("GET", "\(Self.path)?at=0,-30").object["city"] is NSNull)
      let response = server.send("GET", "\(Self.path)?at=\(at)")
      #expect(response.status == 400 && response.text.contains("LATITUDE,LONGITUDE"), "\(response.text)")
    }
  }
}
