import Foundation
import GodwitEngine
import GodwitModel
import TestTexts
import Testing

/// The catalogue encodes its regions compactly; decoding must return the same regions.
@Suite("Regions: compact encoding")
struct RegionsTableTests {
  /// Returns an id: numbered, random, with a long common prefix, or with characters outside of ASCII.
  private static func id(_ number: Int, _ random: inout SeededNumbers) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: "shop-\(number)"
    case 1: String(UInt64.random(in: 0 ... .max, using: &random), radix: 36)
    case 2: String(repeating: "a", count: Int.random(in: 0...200, using: &random)) + "/\(number)"
    default: String((0..<3).map { _ in "éßключ🗝日".randomElement(using: &random) ?? "x" }) + "\(number)"
    }
  }

  /// Returns a region of a random kind, about a kilometre from the start.
  private static func region(_ id: String, _ random: inout SeededNumbers) throws -> Region {
    let center = Regions.place(.random(in: -1000...1000, using: &random), .random(in: -1000...1000, using: &random))
    var region =
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try Regions.star(id, at: center, radius: 300, &random)
      case 1: Regions.beacon(id, .random(in: 0..<3, using: &random), place: Bool.random(using: &random) ? center : nil)
      default: Region(id: id, shape: .circle(Circle(center: center, radius: .random(in: 5...600, using: &random))))
      }
    region.name = Bool.random(using: &random) ? "" : "Name of \(id)"
    region.tags = ["a", "b", "c"].filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
    region.dwell = [nil, 60, 300].randomElement(using: &random) ?? nil
    if Int.random(in: 0..<5, using: &random) == 0 {
      region.schedule = RegionSchedule(windows: [.init(from: 0, to: .random(in: 1...3, using: &random))], timeZone: "Asia/Tokyo")
    }
    if Int.random(in: 0..<5, using: &random) == 0 { region.extras = #"{"number":\#(Int.random(in: 0..<9, using: &random))}"# }
    return region
  }

  private static func regions(_ count: Int, _ random: inout SeededNumbers) throws -> [Region] {
    try (0..<count).map { try region(id($0, &random), &random) }
  }

  @Test(
    "all regions round-trip, by position, by id and by area",
    arguments: [(0, 1), (1, 2), (7, 3), (8, 4), (9, 5), (300, 6), (300, 7), (1000, 8)])
  func all(_ count: Int, _ seed: Int) throws {
    var random = SeededNumbers(UInt64(seed))
    let given = try Self.regions(count, &random)
    let catalogue = RegionCatalogue(given.shuffled(using: &random))
    let expected = Dictionary(given.map { ($0.id, $0) }, uniquingKeysWith: { $1 }).values.sorted { $0.id < $1.id }
    #expect(Array(catalogue.regions) == expected && catalogue.isEmpty == given.isEmpty)
    for region in expected {
      #expect(catalogue[region.id] == region)
      #expect(catalogue[region.id + "!"] == nil && catalogue[String(region.id.dropLast())]?.id != region.id)
    }
    #expect(catalogue[""] == nil && catalogue["\u{10FFFF}"] == nil)
    #expect(catalogue.timeZones == Set(expected.compactMap { $0.schedule?.timeZone }))
    #expect(catalogue.beaconUUIDs == Set(expected.compactMap { $0.shape.beacon?.identity.uuid }).sorted())
    for _ in 0..<20 {
      let place = Regions.place(.random(in: -1500...1500, using: &random), .random(in: -1500...1500, using: &random))
      #expect(Set(catalogue.geofences(at: place)) == Set(expected.filter { $0.shape.contains(place) }))
    }
  }

  @Test("regions that arrive one by one, sorted by id or not, equal those that arrive at once")
  func streamed() throws {
    var random = SeededNumbers(9)
    // "e" with a combining accent sorts before "f" in UTF-8, but as the character é it sorts after "f".
    let accents = ["e\u{301}", "f", "g"].map { Regions.fence($0) }
    let many = try Self.regions(100, &random)
    for regions in [accents, many, many.sorted { $0.id < $1.id }, many + many.map { Regions.fence($0.id) }] {
      let streamed = RegionCatalogue(capacity: 1, digest: "d") { take in for region in regions { take(region) } }
      #expect(Array(streamed.regions) == Array(RegionCatalogue(regions).regions) && streamed.digest == "d")
    }
  }

  @Test("an error of the source is rethrown, the first time and the second", arguments: 1...2)
  func broken(_ time: Int) {
    struct Broken: Error {}
    var times = 0
    #expect(throws: Broken.self) {
      try RegionCatalogue(capacity: 2, digest: "") { take in
        times += 1
        take(Regions.fence("a"))
        if times == time { throw Broken() }
      }
    }
    #expect(times == time)
  }
}
