import Foundation
import GodwitResources
import Testing

@testable import GodwitTiles

/// The archives that are built into the executable.
enum World {
  static func archive(_ name: String) throws -> TileArchive {
    try TileArchive(StaticBytes(EmbeddedFiles.world["CResources/World/\(name).pmtiles"]))
  }

  static let names = Result { try PlaceNames(world: archive("world"), names: archive("names")) }
}

@Suite("PlaceNames")
struct PlaceNamesTests {
  @Test("the built-in archives have at most 8,000,000 bytes, and the layers that maps and names need")
  func size() throws {
    let (world, names) = (try World.archive("world"), try World.archive("names"))
    #expect(world.zooms == 0...6)
    #expect(names.zooms == 0...7)
    #expect(Set(world.metadata.layers) == ["land", "lake", "border", "state_border", "state"])
    #expect(Set(names.metadata.layers) == ["country", "state", "town"])
    let files = EmbeddedFiles.world.files.filter { $0.key.hasSuffix(".pmtiles") }
    #expect(files.values.reduce(0) { $0 + $1.count } <= 8_000_000)
  }

  @Test(
    "positions have the expected town and country",
    arguments: [
      (46.0511, 14.5051, "Ljubljana", "SI", "Slovenia"), (52.5163, 13.3777, "Berlin", "DE", "Germany"),
      (40.7580, -73.9855, "New York City", "US", "United States"), (35.6586, 139.7454, "Tokyo", "JP", "Japan"),
      (-33.8568, 151.2153, "Sydney", "AU", "Australia"), (48.8584, 2.2945, "Paris", "FR", "France"),
      (19.4326, -99.1332, "Mexico City", "MX", "Mexico"), (-1.2921, 36.8219, "Nairobi", "KE", "Kenya"),
      (64.1466, -21.9426, "Reykjavík", "IS", "Iceland"), (41.9029, 12.4534, "Vatican City", "VA", "Vatican"),
      (-16.7, 179.9, nil, "FJ", "Fiji"), (14.6161, -61.0588, "Fort-de-France", "MQ", "Martinique"),
    ] as [(Double, Double, String?, String, String)])
  func known(latitude: Double, longitude: Double, town: String?, code: String, country: String) throws {
    let name = try World.names.get().name(latitude: latitude, longitude: longitude)
    #expect(name.countryCode == code)
    #expect(name.country == country)
    if let town { #expect(name.town == town) }
  }

  @Test("states have the names of Natural Earth")
  func states() throws {
    let names = try World.names.get()
    #expect(try names.name(latitude: 48.1372, longitude: 11.5755).state == "Bayern")
    #expect(try names.name(latitude: 34.0522, longitude: -118.2437).state == "California")
  }

  @Test(
    "a position at sea and a number that is not finite have no name",
    arguments: [(0.0, -30.0), (-50, 100), (.nan, 3), (3, .infinity), (30, -180)] as [(Double, Double)])
  func sea(latitude: Double, longitude: Double) throws {
    #expect(try World.names.get().name(latitude: latitude, longitude: longitude) == .none)
  }

  @Test("a position near a coast has the country of the coast, and longitudes are wrapped")
  func coast() throws {
    let names = try World.names.get()
    // 3 km west of the beach of Scheveningen.
    #expect(try names.name(latitude: 52.11, longitude: 4.22).countryCode == "NL")
    #expect(try names.name(latitude: 46.0511, longitude: 374.5051).town == "Ljubljana")
    #expect(try names.name(latitude: 46.0511, longitude: 14.5051 - 720).town == "Ljubljana")
    // Both sides of the 180th meridian, on Taveuni.
    #expect(try names.name(latitude: -16.8, longitude: -179.95).countryCode == "FJ")
    for latitude in [-90.0, -89.9, 89.9, 90] { _ = try names.name(latitude: latitude, longitude: 12) }
  }

  @Test("the town is in the country of the position, also if a foreign town is nearer or larger")
  func border() throws {
    // Weil am Rhein, 3 km from Basel.
    let name = try World.names.get().name(latitude: 47.5975, longitude: 7.6102)
    #expect(name.countryCode == "DE")
    #expect(name.town == "Weil am Rhein")
  }

  @Test("the position of a town has its name and its country")
  func towns() throws {
    let (names, archive) = (try World.names.get(), try World.archive("names"))
    var count = 0
    // Every 41st tile: all 170,391 towns take minutes without optimization. `scripts/places` checks all tiles.
    for number in stride(from: 0, to: 1 << 14, by: 41) {
      let place = try #require(TileCoordinate(zoom: 7, column: number & 127, row: number >> 7))
      guard let stored = try archive.tile(at: place), let layer = try VectorTile(stored.decompressed())["town"] else { continue }
      let points = try layer.features.map { try #require(try layer.parts(of: $0).first?.first) }
      for (feature, point) in zip(layer.features, points) {
        let position = MercatorPoint(
          x: place.west + Double(point.x) / Double(layer.units) * place.width,
          y: place.north + Double(point.y) / Double(layer.units) * place.width)
        let name = try names.name(latitude: position.latitude, longitude: position.longitude)
        // 37 towns have the same position as another town.
        let here = zip(layer.features, points).filter { $0.1 == point }.map { layer.text("name", of: $0.0) }
        #expect(here.contains(name.town ?? ""))
        #expect(name.countryCode == layer.text("c", of: feature))
        count += 1
      }
    }
    #expect(count > 2_000)
  }

  @Test("the cache evicts the least recently used value")
  func recent() {
    var values = RecentValues<Int, String>(limit: 2)
    (values[1], values[2]) = ("one", "two")
    #expect(values[1] == "one")
    values[3] = "three"
    #expect(values[2] == nil)
    #expect(values[1] == "one")
    #expect(values[3] == "three")
  }
}
