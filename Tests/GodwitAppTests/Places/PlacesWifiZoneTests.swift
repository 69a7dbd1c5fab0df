import Foundation
import Godwit
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("Wifi zones")
@MainActor
struct PlacesWifiZoneTests {
  @Test(
    "an invalid zone is rejected with a reason",
    arguments: [
      ("", "46", "14", "Enter the name"),
      ("Home", "", "14", "latitude"),
      ("Home", "north", "14", "latitude"),
      ("Home", "90.1", "14", "latitude"),
      ("Home", "nan", "14", "latitude"),
      ("Home", "inf", "14", "latitude"),
      ("Home", "46", "", "longitude"),
      ("Home", "46", "-180.5", "longitude"),
      ("a\nb", "46", "14", "line break"),
      (String(repeating: "ž", count: 17), "46", "14", "32 bytes"),
    ])
  func invalid(name: String, latitude: String, longitude: String, reason: String) {
    let zones = WifiZonesModel(closedState())
    zones.add()
    #expect(zones.form?.problem == nil, "an untouched form has no problem to show")
    zones.form?.name = name
    zones.form?.latitude = latitude
    zones.form?.longitude = longitude
    #expect(zones.form?.problem?.contains(reason) == true, "\(zones.form?.problem ?? "")")
    #expect(zones.form?.canSave == false)
    zones.saveForm()
    #expect(zones.form != nil && zones.rows.isEmpty)
  }

  @Test("names may contain the separator of a zone's parts")
  func names() {
    let zones = WifiZonesModel(closedState())
    for (name, latitude) in [("Café, 2nd floor; @home", "46,05"), (String(repeating: "ž", count: 16), " 46.1 ")] {
      zones.add()
      zones.form?.name = name
      zones.form?.latitude = latitude
      zones.form?.longitude = "14.5"
      zones.saveForm()
      #expect(zones.form == nil, "\(zones.problem ?? "")")
    }
    #expect(zones.rows.map(\.name) == ["Café, 2nd floor; @home", String(repeating: "ž", count: 16)])
    #expect(zones.rows.first?.placeText == "46.05000, 14.50000")
    #expect(zones.area?.center.longitude == 14.5)
  }

  @Test("an open form changes its own zone also after the list changed")
  func listChanges() {
    let zones = WifiZonesModel(closedState())
    for name in ["A", "B"] {
      zones.add()
      zones.form?.name = name
      zones.form?.place(latitude: 1, longitude: 2)
      zones.saveForm()
    }
    zones.edit(1)
    zones.form?.name = "C"
    zones.remove(0)
    zones.saveForm()
    #expect(zones.rows.map(\.name) == ["C"])
  }

  @Test("an old position is not offered for a new zone")
  func oldPosition() throws {
    let app = try AppPhone("+1h aeroplane on", changes: { $0.wifiName = { "Home" } })
    app.finishOnboarding()
    app.model.tracker.isTracking = true
    app.settle(120)
    #expect(app.model.wifiZones.canAddHere)
    app.model.tracker.isTracking = false
    app.settle(3_600)
    #expect(!app.model.wifiZones.canAddHere && app.model.wifiZones.addHereText != nil)
    app.model.wifiZones.addHere()
    #expect(app.model.wifiZones.form == nil)
    app.end()
  }

  @Test(
    "the visible region is the smallest one with all places",
    arguments: [
      ([(10.0, 20.0)], 10.0, 20.0, 0.005, 0.005),
      ([(10.0, 20.0), (20.0, 40.0)], 15, 30, 12, 24),
      ([(0.0, 179.0), (0.0, -179.0)], 0, 180, 0.005, 2.4),
      ([(0.0, 170.0), (0.0, -170.0), (0.0, -160.0)], 0, -175, 0.005, 36),
      ([(-90.0, 0.0), (90.0, 0.0)], 0, 0, 180, 0.005),
    ] as [([(Double, Double)], Double, Double, Double, Double)])
  func area(places: [(Double, Double)], latitude: Double, longitude: Double, height: Double, width: Double) throws {
    let coordinates = places.compactMap { Coordinate(latitude: $0.0, longitude: $0.1) }
    let area = try #require(MapArea(around: coordinates))
    #expect(abs(area.center.latitude - latitude) < 1e-9 && abs(area.center.longitude - longitude) < 1e-9)
    #expect(abs(area.latitudeSpan - height) < 1e-9 && abs(area.longitudeSpan - width) < 1e-9)
  }
}
