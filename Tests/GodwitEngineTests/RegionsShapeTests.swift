import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("Regions: polygons and small circles")
struct RegionsShapeTests {
  @Test("the enclosing circle of a polygon is no entry; fixes determine entry and exit")
  func polygon() throws {
    var bench = RegionsBench([try Regions.square("park", width: 2000)])
    bench.fix(5000, 0)
    #expect(bench.entered("park", 1000) == ["fixes 100m"])
    // A position in the circle and outside of the park: the horizon ends at the edge of the park.
    let beside = bench.fix(1300, 1003)
    #expect(beside.contains("no fixes") && beside.contains { $0.hasPrefix("start horizon 19") } && bench.reported.isEmpty)
    #expect(bench.exited("horizon", 1050) == ["fixes 100m"])
    #expect(bench.fix(950, 1052).contains("entered park 1052"))
    // Too near the edge for a horizon.
    #expect(bench.watch.plan.needs == .tenMeters)
    #expect(bench.fix(0, 1300).contains("no fixes"))
    #expect(bench.fix(1100, 1400).contains("exited park 1400"))
    #expect(bench.exited("park", 1500).allSatisfy { !$0.hasPrefix("exited") })
  }

  @Test("leaving the enclosing circle without a fix is an exit from the polygon")
  func circleLeft() throws {
    var bench = RegionsBench([try Regions.square("park", width: 2000)])
    bench.fix(0, 0)
    bench.entered("park", 1)
    #expect(bench.exited("park", 500).contains("exited park 500"))
  }

  @Test("a hole of a polygon is outside")
  func hole() throws {
    func ring(_ half: Meters) -> [Coordinate] {
      [(-half, -half), (-half, half), (half, half), (half, -half)].map { Regions.place($0.0, $0.1) }
    }
    // Not nil: the list of polygons is not empty.
    let area = MultiPolygon([try Polygon(outer: ring(2000), holes: [ring(500)])])!
    var bench = RegionsBench([Region(id: "lake", shape: .polygons(area))])
    bench.fix(0, 0)
    #expect(bench.reported.isEmpty)
    bench.fix(800, 100)
    bench.fix(100, 200)
    #expect(bench.reported == ["entered lake 100", "exited lake 200"])
  }

  @Test("a small circle needs fixes while the device is beside it and none inside; the system reports the exit at 100 m")
  func small() {
    var bench = RegionsBench([Regions.fence("door", radius: 30)])
    bench.fix(500, 0)
    #expect(bench.entered("door", 100) == ["fixes 10m"])
    #expect(bench.fix(80, 103).contains("no fixes") == false && bench.reported.isEmpty)
    #expect(bench.fix(50, 110, accuracy: 200).allSatisfy { !$0.hasPrefix("entered") })
    let inside = bench.fix(20, 120)
    #expect(inside.contains("entered door 120") && inside.contains("no fixes"))
    #expect(bench.exited("door", 400).first == "exited door 400")
  }

  @Test("resting beside a small circle does not request fixes without end")
  func restBesideSmall() {
    var bench = RegionsBench([Regions.fence("neighbour", radius: 30)])
    bench.fix(60, 0)
    #expect(bench.watch.plan.needs == .tenMeters)
    #expect(bench.fix(62, 250) == [])
    #expect(bench.send(.timer, 300).contains("no fixes"))
    #expect(bench.fix(0, 400).first == "entered neighbour 400")
  }
}
