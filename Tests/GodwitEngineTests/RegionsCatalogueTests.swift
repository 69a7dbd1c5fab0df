import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("Regions: catalogue")
struct RegionsCatalogueTests {
  @Test("the catalogue has each id once, with the last definition, sorted and found by id")
  func ids() {
    let catalogue = RegionCatalogue(
      [
        Regions.fence("b"), Regions.beacon("c", 9), Regions.fence("a", radius: 300), Regions.beacon("d", 2),
        Regions.fence("a", radius: 400), Regions.beacon("e", 9, major: 4),
      ], digest: "5f")
    #expect(catalogue.regions.map(\.id) == ["a", "b", "c", "d", "e"] && catalogue.digest == "5f")
    #expect(catalogue["a"] == Regions.fence("a", radius: 400) && catalogue["x"] == nil)
    #expect(catalogue.beaconUUIDs.map(\.low) == [2, 9])
    #expect(RegionCatalogue.empty.isEmpty && RegionCatalogue.empty.geofences(at: Regions.start).isEmpty)
  }

  @Test("geofences are found by position; a polygon whose enclosing circle alone contains the position is not found")
  func places() throws {
    let catalogue = RegionCatalogue([
      Regions.fence("wide", north: 5000, radius: 6000), Regions.fence("small", north: 30, radius: 20),
      Regions.fence("here", radius: 150), try Regions.square("corner", north: 240, east: 240, width: 400),
      Regions.fence("away", north: 1000),
    ])
    #expect(catalogue.geofences(at: Regions.start).map(\.id) == ["here", "wide"])
    #expect(catalogue.geofences(at: Regions.place(60, 60)).map(\.id) == ["corner", "here", "wide"])
  }

  @Test("the catalogue lists the time zones of its schedules")
  func zones() {
    let schedule = RegionSchedule(windows: [.init(from: 0, to: 60)], timeZone: "Europe/Ljubljana")
    let catalogue = RegionCatalogue([Regions.fence("a", schedule: schedule), Regions.fence("b")])
    #expect(catalogue.timeZones == ["Europe/Ljubljana"])
  }

  @Test(
    "identifiers are parsed from their text, for any id",
    arguments: [
      RegionIdentifier.horizon, .geofence("home", version: 0), .geofence("a.b.horizon", version: .max), .geofence("", version: 1),
      .geofence("ключ 🗝 .", version: 0xAB), .beacons(ProximityUUID(high: .max, low: 1)),
    ])
  func identifiers(_ identifier: RegionIdentifier) {
    #expect(RegionIdentifier(identifier.description) == identifier)
  }

  @Test(
    arguments: [
      "", "home", "godwit.region", "godwit.region.", "godwit.region.fence.", "godwit.region.fence.12", "godwit.region.fence.a.x",
      "godwit.region.beacon.7", "godwit.region.horizon.", "Godwit.region.horizon",
    ])
  func unmanagedIdentifiers(_ text: String) { #expect(RegionIdentifier(text) == nil) }
}
