import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("The screens of places")
@MainActor
struct PlacesTests {
  private func tracking(
    _ script: String = "", watchesRegions: Bool = false, changes: @escaping @MainActor (inout AppServices) -> Void = { _ in }
  ) throws -> AppPhone {
    let app = try AppPhone(script, watchesRegions: watchesRegions, changes: changes)
    app.finishOnboarding()
    app.pair()
    app.model.tracker.isTracking = true
    app.settle(60)
    return app
  }

  @Test("the last 24 hours are adjacent segments, each with its reason")
  func coverage() throws {
    let app = try tracking("+8h30m permission denied\n+9h permission authorized_always")
    app.run(until: hours(12))
    let coverage = app.model.coverage
    let segments = coverage.segments
    #expect(segments.contains { $0.title == "No permission" && $0.level == .bad })
    #expect(segments.contains { $0.title == "Recorded" && $0.level == .good && $0.fixesText.hasSuffix("positions") })
    for (segment, next) in zip(segments, segments.dropFirst()) {
      #expect(abs(segment.start + segment.width - next.start) < 0.001, "\(segment) \(next)")
    }
    #expect(coverage.share > 0.02 && coverage.share < 1 && coverage.shareText.contains("%"))
    #expect(coverage.reasons.contains { $0.title == "No permission" })
    #expect(segments.allSatisfy { !$0.explanation.isEmpty && !$0.accessibilityLabel.isEmpty } && coverage.emptyText == nil)
    app.end()
  }

  @Test("a zone is added with the current network and position, changed, and removed")
  func wifiZones() throws {
    let app = try tracking { $0.wifiName = { "home" } }
    app.run(until: hours(8.2))
    let zones = app.model.wifiZones
    #expect(zones.canAddHere && zones.emptyText != nil)
    zones.addHere()
    let form = try #require(zones.form)
    #expect(form.name == "home" && form.canSave && form.mapPlace != nil)
    zones.saveForm()
    app.settle()
    #expect(zones.form == nil && zones.rows.map(\.name) == ["home"] && zones.rows.first?.isCurrent == true)
    zones.edit(0)
    zones.form?.latitude = "100"
    #expect(zones.form?.canSave == false && zones.form?.problem != nil)
    zones.saveForm()
    #expect(zones.form != nil)
    zones.form?.place(latitude: 46.5, longitude: 14.5)
    zones.saveForm()
    app.settle()
    #expect(zones.rows.map(\.latitude) == [46.5])
    zones.add()
    zones.form?.name = "home"
    zones.form?.place(latitude: 1, longitude: 2)
    zones.saveForm()
    app.settle()
    #expect(zones.rows.map(\.latitude) == [1], "a network has one place")
    zones.remove(0)
    zones.remove(7)
    app.settle()
    #expect(zones.rows.isEmpty)
    app.end()
  }

  @Test("the map has today's track, also after a relaunch, and no track of other days")
  func map() throws {
    let app = try tracking("+10h kill\n+10h01m open")
    app.run(until: hours(9.9))
    let before = app.model.map.distanceText
    app.run(until: hours(11))
    #expect(app.launches.count == 2)
    let map = app.model.map
    // The walk and the drive are 2.3 km and 54 km. Noise at rest and a moved router at night add no line.
    let kilometers = try #require(Double(map.distanceText.split(separator: " ").first ?? ""))
    #expect(abs(kilometers - 56.3) < 2, "\(map.distanceText), before \(before)")
    #expect(map.lines.allSatisfy { !$0.isHistory && !$0.points.isEmpty })
    #expect(map.lines.map(\.points.count).reduce(0, +) < 1_000, "lines are simplified")
    #expect(map.dayText == "Today" && !map.canShowNextDay && map.position != nil)
    map.showPreviousDay()
    #expect(map.dayText == "Yesterday" && map.lines.isEmpty && map.emptyText != nil)
    map.showPreviousDay()
    #expect(map.dayText == "18 Nov")
    map.showNextDay()
    map.showNextDay()
    #expect(map.dayText == "Today" && !map.lines.isEmpty)
    app.end()
  }

  @Test("positions are added after a position with a time in the future, also a stored one")
  func futurePosition() throws {
    let place = try #require(Coordinate(latitude: 45, longitude: 14))
    let stored = TrackLog.bytes(of: [TrackPoint(time: midnight.date + 4000 * 86_400, coordinate: place)])
    let log = TrackLog(AppFiles(read: { _ in stored }, write: { _, _ in })) { midnight.date }
    log.load()
    for seconds in [0, 4000 * 86_400, 600] as [Double] {
      log.add([Record(kind: .fix(Fix(time: midnight.date + seconds, coordinate: place)))])
    }
    #expect(log.points.map(\.time) == [midnight.date, midnight.date + 600])
  }

  @Test("positions round-trip as bytes; the intact positions of a damaged file are read")
  func trackFile() throws {
    let place = try #require(Coordinate(latitude: -45.5, longitude: 170.25))
    let points = [
      TrackPoint(time: midnight.date, coordinate: place, accuracy: nil),
      TrackPoint(time: at(3.5).date, coordinate: place, accuracy: 12),
    ]
    let bytes = TrackLog.bytes(of: points)
    #expect(TrackLog.points(of: bytes) == points)
    #expect(TrackLog.points(of: bytes.dropLast()) == [points[0]])
    #expect(TrackLog.points(of: Data(repeating: 0xFF, count: 41)).count == 2)
    #expect(TrackLog.points(of: Data(repeating: 0x7F, count: 40)).isEmpty)
  }

  @Test("without a Godwit server there are no regions, and the screen explains their origin")
  func noRegions() throws {
    let app = try tracking()
    #expect(!app.model.regions.isAvailable && app.model.regions.emptyText?.contains("Godwit server") == true)
    #expect(app.model.regions.near.isEmpty && app.model.regions.inside.isEmpty && app.model.regions.beacons.isEmpty)
    app.end()
  }

  @Test("regions are sorted by distance, and regions that contain the device are in a separate list")
  func regions() throws {
    let app = try tracking(watchesRegions: true) { services in
      services.configure = { configuration in
        configuration.regions = RegionConfiguration()
        configuration.regions?.path = configuration.journalPath + ".regions"
      }
    }
    app.run(until: hours(8.1))
    let regions = app.model.regions
    #expect(regions.isAvailable && regions.emptyText?.contains("no region") == true)
    let home = try #require(Coordinate(latitude: 45.5, longitude: 14))
    let manager = try #require(app.model.openTracker?.regions)
    func circle(_ id: String, _ north: Double) throws -> Region {
      let center = GreatCircle.destination(from: home, course: 0, distance: north)
      return Region(id: id, name: id, shape: .circle(Circle(center: center, radius: 200)), tags: [])
    }
    try manager.replaceRegions([try circle("far", 9_000), try circle("town", 600), try circle("near", 2_000)])
    app.run(until: hours(8.13))
    app.run(until: hours(8.15))
    #expect(regions.countText == "3 regions" && regions.emptyText == nil)
    #expect(regions.inside.map(\.id) == ["town"] && regions.near.map(\.id) == ["near", "far"])
    #expect(regions.near.allSatisfy { $0.circle?.radius == 200 && $0.distanceText.hasSuffix("m") })
    app.end()
  }
}
