import GodwitModel
import Testing

@Suite("Validation of regions")
struct RegionRulesTests {
  static let home = Region(id: "home", shape: .circle(Circle(center: .at(45.5, 14), radius: 100)))

  /// Returns the fault of a valid region after a change; `nil` if there is none.
  static func fault(_ change: (inout Region) -> Void) -> RegionFault? {
    var region = home
    change(&region)
    do {
      try region.check()
      return nil
    } catch {
      return error
    }
  }

  @Test("a valid region has no faults")
  func good() throws {
    #expect(Self.fault { _ in } == nil)
    let area = try #require(MultiPolygon([Polygon(outer: [.at(0, 0), .at(0, 1), .at(1, 0)])]))
    let fault = Self.fault {
      $0.id = String(repeating: "ž", count: 128)
      $0.name = String(repeating: "n", count: 256)
      $0.shape = .polygons(area)
      $0.tags = (0..<64).map { "tag \($0)" }
      $0.dwell = 2_592_000
      $0.schedule = RegionSchedule(windows: [.init(from: 0, to: 1440), .init(from: 1439, to: 1)], timeZone: "Europe/Ljubljana")
      $0.extras = "{}"
    }
    #expect(fault == nil)
  }

  @Test(
    "the id is 1 to 128 characters without control characters",
    arguments: ["", String(repeating: "a", count: 129), "a\nb", "a\0", "\u{7F}", "\u{9F}x"])
  func id(_ id: String) { #expect(Self.fault { $0.id = id } == RegionFault(.id)) }

  @Test("the name is at most 256 characters")
  func name() { #expect(Self.fault { $0.name = String(repeating: "n", count: 257) } == RegionFault(.name)) }

  @Test(
    "the radius is more than 0 and at most 1,000 km",
    arguments: [0, -1, -0.0, 1_000_000.1, .infinity, -.infinity, .nan])
  func radius(_ radius: Double) {
    let fault = Self.fault { $0.shape = .circle(Circle(center: .at(0, 0), radius: radius)) }
    #expect(fault?.path == "radius" && fault?.description == "radius: expected metres more than 0, at most 1000000")
  }

  @Test(
    "the dwell is more than 0 and at most 30 days", arguments: [0, -1, 2_592_001, .infinity, .nan])
  func dwell(_ dwell: Double) { #expect(Self.fault { $0.dwell = dwell }?.path == "dwell") }

  @Test(
    "a tag has 1 to 64 characters without control characters and is unique",
    arguments: [
      (["a", ""], "tags[1]"), (["a", "b", "a"], "tags[2]"), ([String(repeating: "t", count: 65)], "tags[0]"),
      (["a\tb"], "tags[0]"),
      ((0...64).map { "\($0)" }, "tags"),
    ])
  func tags(_ tags: [String], _ path: String) { #expect(Self.fault { $0.tags = tags }?.path == path) }

  @Test(
    "a window begins and ends within a day, and has at least one day",
    arguments: [
      RegionSchedule.Window(days: [], from: 0, to: 60), .init(from: -1, to: 60), .init(from: 1440, to: 60), .init(from: 0, to: 0),
      .init(from: 0, to: 1441),
    ])
  func windows(_ window: RegionSchedule.Window) {
    let fault = Self.fault { $0.schedule = RegionSchedule(windows: [.init(from: 0, to: 60), window]) }
    #expect(fault?.path == "schedule.windows[1]")
  }

  @Test("a schedule has 1 to 64 windows, and its time zone is not empty")
  func schedule() {
    #expect(Self.fault { $0.schedule = RegionSchedule(windows: []) }?.path == "schedule.windows")
    let many = [RegionSchedule.Window](repeating: .init(from: 0, to: 60), count: 65)
    #expect(Self.fault { $0.schedule = RegionSchedule(windows: many) }?.path == "schedule.windows")
    let fault = Self.fault { $0.schedule = RegionSchedule(windows: [.init(from: 0, to: 60)], timeZone: "") }
    #expect(fault?.path == "schedule.time_zone")
  }

  @Test("extras are not larger than 64 KiB")
  func extras() {
    #expect(Self.fault { $0.extras = String(repeating: " ", count: 65_537) }?.path == "extras")
    #expect(Self.fault { $0.extras = "" }?.path == "extras")
  }

  @Test("the polygons of a region have at most 100,000 corners together")
  func corners() throws {
    let ring = (0..<30_000).map {
      GreatCircle.destination(from: .at(10, 10), course: Double($0) * 360 / 30_000, distance: 10_000)
    }
    let polygon = try Polygon(outer: ring)
    let three = try #require(MultiPolygon([polygon, polygon, polygon]))
    let four = try #require(MultiPolygon([polygon, polygon, polygon, polygon]))
    #expect(Self.fault { $0.shape = .polygons(three) } == nil)
    #expect(Self.fault { $0.shape = .polygons(four) }?.path == "polygons")
  }

  @Test("the message for every member names the expected value", arguments: RegionRules.Member.allCases)
  func words(_ member: RegionRules.Member) {
    #expect(RegionFault(member).description == "\(member.rawValue): expected \(member.expected)")
    #expect(!member.expected.isEmpty && !member.expected.hasSuffix("."))
  }
}

@Suite("The region filter of a device")
struct TagFilterTests {
  @Test(
    "a region passes with a wanted tag and without an excluded one",
    arguments: [
      ([], [], ["a"], true), ([], [], [], true), (["a"], [], ["a", "b"], true), (["a", "c"], [], ["c"], true),
      (["a"], [], ["b"], false),
      (["a"], [], [], false), ([], ["b"], ["a", "b"], false), ([], ["b"], ["a"], true), ([], ["b"], [], true),
      (["a"], ["b"], ["a", "b"], false), (["a"], ["a"], ["a"], false), (["A"], [], ["a"], false),
    ] as [([String], [String], [String], Bool)])
  func filter(_ wanted: [String], _ without: [String], _ tags: [String], _ isIncluded: Bool) {
    let filter = TagFilter(wanted: Set(wanted), without: Set(without))
    var region = RegionRulesTests.home
    region.tags = tags
    #expect(filter.includes(region) == isIncluded && filter.includes(tags) == isIncluded)
    #expect(filter.isEmpty == (wanted.isEmpty && without.isEmpty))
  }
}

@Suite("Shapes of regions")
struct RegionShapeTests {
  static let beacon = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 3)

  @Test("a reference to a circle has its centre and radius")
  func circle() {
    let mention = RegionMention(RegionRulesTests.home)
    #expect(mention == RegionMention(id: "home", center: .at(45.5, 14), radius: 100))
  }

  @Test("a reference to polygons has the circle around them")
  func polygons() throws {
    let area = try #require(MultiPolygon([Polygon(outer: [.at(0, 0), .at(0, 1), .at(1, 1), .at(1, 0)])]))
    let region = Region(id: "p", name: "Park", shape: .polygons(area), tags: ["t"])
    let mention = RegionMention(region)
    #expect(mention.center == area.enclosingCircle.center && mention.radius == area.enclosingCircle.radius)
    #expect(mention.name == "Park" && mention.tags == ["t"] && mention.beacon == nil)
    #expect(region.shape.contains(.at(0.5, 0.5)) && !region.shape.contains(.at(1.5, 0.5)))
    #expect(try #require(region.shape.distanceToEdge(from: .at(0.5, 0.9))) < 0)
  }

  @Test("a reference to a beacon has its identity and its position", arguments: [nil, Coordinate.at(1, 2)])
  func beacons(_ place: Coordinate?) {
    let region = Region(id: "b", shape: .beacon(Beacon(identity: Self.beacon, place: place)))
    #expect(RegionMention(region) == RegionMention(id: "b", center: place, beacon: Self.beacon))
    #expect(region.shape.enclosingCircle == nil && region.shape.distanceToEdge(from: .at(1, 2)) == nil)
    #expect(!region.shape.contains(.at(1, 2)))
  }
}
