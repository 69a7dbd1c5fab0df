import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("Regions: selection")
struct RegionsSelectionTests {
  /// Returns `count` geofences in a row to the north, with their centres a kilometre apart.
  static func row(_ count: Int, radius: Meters = 200) -> [Region] {
    (0..<count).map { Regions.fence(String(format: "f%03d", $0), north: Double($0) * 1000, radius: radius) }
  }

  func plan(
    _ regions: [Region], at north: Meters? = 0, accuracy: Meters = 0, _ change: (inout RegionSelection) -> Void = { _ in }
  ) -> RegionPlan {
    var selection = RegionSelection(place: north.map { Regions.place($0) }, accuracy: accuracy)
    change(&selection)
    return selection.plan(in: RegionCatalogue(regions))
  }

  @Test(
    "all slots are used; the horizon takes one if a geofence has no slot; foreign regions and the reserved slot count",
    arguments: [
      // count, foreign, chosen, whether there is a horizon
      (0, 0, 0, false), (1, 0, 1, false), (19, 0, 19, false), (20, 0, 18, true), (500, 0, 18, true), (9, 10, 9, false),
      (10, 10, 8, true), (5, 18, 0, true), (5, 19, 0, false), (5, 40, 0, false), (5, -3, 5, false),
    ])
  func slots(_ count: Int, _ unmanaged: Int, _ chosen: Int, _ hasHorizon: Bool) {
    let plan = plan(Self.row(count)) { $0.unmanaged = unmanaged }
    #expect(plan.geofences == Self.row(chosen).map(\.id))
    #expect((plan.horizon != nil) == hasHorizon)
    #expect(plan.monitored.count == chosen + (hasHorizon ? 1 : 0))
    // Without a slot for the horizon, fixes are needed.
    #expect((plan.needs != nil) == (count > 0 && unmanaged > 18))
  }

  @Test("the horizon ends before the nearest edge without a slot, by the margin and the accuracy of the position")
  func horizon() throws {
    let plan = plan(Self.row(30), accuracy: 30)
    let horizon = try #require(plan.horizon)
    // The edge of the nineteenth geofence is 17,800 m away.
    #expect(abs(horizon.radius - (17_800 - 30 - 100)) < 1 && horizon.center == Regions.start)
    #expect(plan.slack.map { abs($0 - 17_800) < 1 } == true && plan.needs == nil)
    #expect(plan.monitored.first?.identifier == RegionIdentifier.horizon.description)
    #expect(plan.monitored.first?.notifiesOnEntry == false)
  }

  @Test(
    "a fast device gets a smaller horizon, by the distance of twenty seconds; above a limit it needs fixes",
    arguments: [(0, 17_700.0, false), (10, 17_500, false), (250, 12_700, false), (2000, 100, true)])
  func speed(_ speed: Double, _ radius: Double, _ needsFixes: Bool) {
    let plan = plan(Self.row(30)) { $0.speed = speed }
    #expect(plan.horizon.map { abs($0.radius - radius) < 1 } == true && (plan.needs != nil) == needsFixes)
  }

  @Test("geofences are sorted by the distance to the edge, those that contain the position first, then by id")
  func order() {
    let regions = [
      Regions.fence("near", north: 900, radius: 100), Regions.fence("wide", north: 5000, radius: 4900),
      Regions.fence("around", radius: 50_000), Regions.fence("closer around", radius: 300),
      Regions.fence("b", north: -2000), Regions.fence("a", north: -2000),
    ]
    #expect(plan(regions).geofences == ["closer around", "around", "wide", "near", "a", "b"])
  }

  @Test("more regions around the position than slots: the nearest edges get them, and the horizon avoids the others' edges")
  func crowded() {
    let rings = (1...30).map { Regions.fence(String(format: "ring%02d", $0), radius: Double($0) * 1000) }
    let wide = plan(rings)
    #expect(wide.geofences == rings.prefix(18).map(\.id))
    #expect(wide.slack.map { abs($0 - 19_000) < 1 } == true && wide.needs == nil)
    // The system cannot detect crossings at this distance: the plan has the smallest horizon and needs fixes.
    let narrow = plan((1...30).map { Regions.fence(String(format: "ring%02d", $0), radius: 100 + Double($0)) })
    #expect(narrow.geofences.count == 18 && narrow.horizon?.radius == 100 && narrow.needs == .hundredMeters)
  }

  @Test("a region that contains the device keeps its slot although the position is beside it")
  func known() {
    let far = Regions.fence("far", north: -40_000)
    #expect(!plan(Self.row(40) + [far]).geofences.contains("far"))
    #expect(plan(Self.row(40) + [far]) { $0.inside = ["far", "gone"] }.geofences.prefix(3) == ["f000", "far", "f001"])
  }

  @Test("a region that is too large or rejected gets no slot, and the horizon ends at its edge")
  func impossible() {
    let plan = plan([Regions.fence("huge", radius: 50_000), Regions.fence("no", north: 9000)] + Self.row(3)) {
      $0.limits.largestRadius = 40_000
      $0.rejected = ["no"]
    }
    #expect(plan.geofences == ["f000", "f001", "f002"])
    #expect(plan.horizon.map { abs($0.radius - 8700) < 1 } == true)
    let alone = self.plan([Regions.fence("huge", radius: 100_000)]) { $0.limits.largestRadius = 40_000 }
    #expect(alone.summary == "horizon " && alone.horizon?.radius == 40_000)
  }

  @Test("a region on which system and fixes disagree keeps its slot, and the horizon ends at its edge")
  func disputed() {
    let plan = plan(Self.row(3)) { $0.disputed = ["f002"] }
    #expect(plan.geofences.count == 3 && plan.slack.map { abs($0 - 1800) < 1 } == true)
  }

  @Test("a small circle is monitored with a radius of 100 m; inside of that, exact fixes are needed until the entry")
  func small() throws {
    let small = Regions.fence("small", radius: 20)
    let away = plan([small], at: 500)
    #expect(away.horizon == nil && away.needs == nil)
    guard case .circle(let circle)? = away.monitored.first?.shape else { return #expect(Bool(false)) }
    #expect(circle.radius == 100)
    let beside = plan([small], at: 60)
    #expect(beside.geofences == ["small"] && beside.needs == .tenMeters && beside.slack.map { abs($0 - 40) < 1 } == true)
    let reported = plan([small], at: 130) { $0.around = ["small"] }
    #expect(reported.needs == .tenMeters && reported.slack.map { abs($0 - 110) < 1 } == true)
    #expect(plan([small], at: 0) { $0.inside = ["small"] }.needs == nil)
  }

  @Test("polygons are monitored by their enclosing circle; inside of that the horizon ends at their edge")
  func polygons() throws {
    let land = try Regions.square("land", width: 100_000)
    #expect(plan([land], at: 90_000).horizon == nil)
    let middle = plan([land], at: 10_000, accuracy: 50)
    #expect(middle.geofences == ["land"] && middle.needs == nil)
    #expect(middle.horizon.map { abs($0.radius - 39_900) < 300 } == true)
    // A position inside of the circle and outside of the square.
    let corner = plan([land], at: 60_000)
    #expect(corner.horizon.map { abs($0.radius - 9950) < 300 } == true)
    let edge = plan([land], at: 49_950)
    #expect(edge.needs == .tenMeters && edge.horizon?.radius == 100)
  }

  @Test("without a position all geofences are monitored if they fit, otherwise none")
  func unreachable() {
    #expect(plan(Self.row(19), at: nil).geofences.count == 19)
    #expect(plan(Self.row(20), at: nil).geofences.isEmpty)
    #expect(plan(Self.row(20), at: nil).horizon == nil)
  }

  // MARK: Beacons

  @Test(
    "beacon UUIDs get at most five slots, and at most a quarter of the slots beside geofences",
    arguments: [
      // UUIDs, geofences, foreign, chosen UUIDs, chosen geofences
      (0, 30, 0, 0, 18), (3, 30, 0, 3, 15), (9, 30, 0, 5, 13), (9, 0, 0, 5, 0), (9, 30, 11, 2, 5), (9, 30, 18, 0, 0),
      (9, 0, 18, 1, 0), (9, 0, 19, 0, 0), (3, 16, 0, 3, 16),
    ])
  func beaconSlots(_ uuids: Int, _ fences: Int, _ unmanaged: Int, _ chosen: Int, _ chosenFences: Int) {
    let beacons = (0..<uuids).map { Regions.beacon("b\($0)", $0) }
    let plan = plan(beacons + Self.row(fences)) { $0.unmanaged = unmanaged }
    #expect(plan.beacons == (0..<chosen).map(Regions.uuid))
    #expect(plan.geofences.count == chosenFences)
    #expect(plan.monitored.count <= 19 - unmanaged || plan.monitored.isEmpty)
  }

  @Test("UUIDs with detected beacons come first, then the nearest, then the most often detected, then by order")
  func beaconOrder() {
    let regions = [
      Regions.beacon("1", 1), Regions.beacon("2", 2), Regions.beacon("3", 3),
      Regions.beacon("4", 4, place: Regions.place(50_000)), Regions.beacon("5", 5, place: Regions.place(20_000)),
      Regions.beacon("5 too", 5, major: 2, place: Regions.place(90_000)), Regions.beacon("6", 6),
    ]
    var selection = RegionSelection(place: Regions.start)
    selection.ranged = [Regions.uuid(6)]
    selection.met = [Regions.uuid(3): 4, Regions.uuid(2): 1, Regions.uuid(4): 9]
    #expect(selection.beaconUUIDs(in: RegionCatalogue(regions)).map(\.low) == [6, 5, 4, 3, 2])
    selection.place = nil
    #expect(selection.beaconUUIDs(in: RegionCatalogue(regions)).map(\.low) == [6, 4, 3, 2, 1])
    selection.rejectedBeacons = [Regions.uuid(4)]
    #expect(selection.beaconUUIDs(in: RegionCatalogue(regions)).map(\.low) == [6, 3, 2, 1, 5])
  }

  @Test("an approaching UUID without a slot limits the horizon, to a kilometre at least")
  func beaconHorizon() {
    let regions = (0..<7).map { Regions.beacon("\($0)", $0, place: Regions.place(Double($0) * 5000)) }
    #expect(plan(regions).horizon.map { abs($0.radius - (25_000 - 100 - 100)) < 1 } == true)
    let house = (0..<7).map { Regions.beacon("\($0)", $0, place: Regions.place(Double($0))) }
    #expect(plan(house).horizon.map { abs($0.radius - 1000) < 1 } == true && plan(house).needs == nil)
  }
}
