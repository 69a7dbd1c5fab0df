import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("Regions: polygons and small circles")
struct RegionsShapeTests {
  @Test("the circle round polygons is no entry: a fix in it decides, and its exit is the exit")
  func polygon() throws {
    var bench = RegionsBench([try Regions.square("park", width: 2000)])
    bench.fix(5000, 0)
    #expect(bench.entered("park", 1000) == ["fixes 100m"])
    // In the circle and not in the park: the horizon ends at its edge.
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

  @Test("leaving the circle from inside without a fix is an exit of the polygon")
  func circleLeft() throws {
    var bench = RegionsBench([try Regions.square("park", width: 2000)])
    bench.fix(0, 0)
    bench.entered("park", 1)
    #expect(bench.exited("park", 500).contains("exited park 500"))
  }

  @Test("a hole is outside")
  func hole() throws {
    func ring(_ half: Meters) -> [Coordinate] {
      [(-half, -half), (-half, half), (half, half), (half, -half)].map { Regions.place($0.0, $0.1) }
    }
    // One polygon is enough for one.
    let area = MultiPolygon([try Polygon(outer: ring(2000), holes: [ring(500)])])!
    var bench = RegionsBench([Region(id: "lake", shape: .polygons(area))])
    bench.fix(0, 0)
    #expect(bench.reported.isEmpty)
    bench.fix(800, 100)
    bench.fix(100, 200)
    #expect(bench.reported == ["entered lake 100", "exited lake 200"])
  }

  @Test("a small circle: fixes while beside it, none once in it, and the exit by the system at 100 m at the latest")
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
