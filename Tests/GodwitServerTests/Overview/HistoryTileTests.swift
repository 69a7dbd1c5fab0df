import Foundation
import GodwitModel
import GodwitTiles
import TestTiles
import Testing

@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

@Suite("History tiles")
struct HistoryTileTests {
  static let start = Date(timeIntervalSince1970: 1_763_596_800)
  static let always = -2_208_988_800_000..<Int64(7_258_118_400_000)

  static func milliseconds(_ date: Date) -> Int64 { date.millisecondsSince1970 }

  /// Reads a tile with the store's device.
  private static func tile(
    _ overviews: OverviewStore, _ coordinate: TileCoordinate, _ layers: Set<HistoryTile.Layer> = [.lines],
    _ times: Range<Int64> = always
  ) throws -> DecodedTile {
    let source = HistoryTile.Source(device: overviews.device.id, name: "walker", times: times, hasTimeline: true)
    let bytes = try overviews.store.read { db in
      try HistoryTileReader(db, HistoryTileCache()).tile(HistoryTile(coordinate, layers: layers, sources: [source]))
    }
    #expect(bytes.count <= HistoryTile.maximumSize)
    return try DecodedTile(bytes)
  }

  private static func tiles(of fixes: [Fix], zoom: Int) -> Set<TileCoordinate> {
    Set(
      fixes.compactMap {
        TileCoordinate(zoom: zoom, latitude: $0.coordinate.latitude, longitude: $0.coordinate.longitude)
      })
  }

  private typealias Step = (a: SIMD2<Double>, b: SIMD2<Double>)

  private static func steps(_ features: [DecodedTile.Feature]) -> [Step] {
    features.flatMap { feature in
      feature.parts.flatMap { part in
        zip(part, part.dropFirst()).map { (SIMD2(Double($0.x), Double($0.y)), SIMD2(Double($1.x), Double($1.y))) }
      }
    }
  }

  private static func distance(_ point: SIMD2<Double>, from steps: [Step]) -> Double {
    steps.reduce(.infinity) { nearest, step in
      let (way, offset) = (step.b - step.a, point - step.a)
      let length = (way * way).sum()
      let share = length > 0 ? min(1, max(0, (offset * way).sum() / length)) : 0
      let rest = offset - way * share
      return min(nearest, (rest * rest).sum().squareRoot())
    }
  }

  @Test("the lines of a tile match those of the overview within a pixel", arguments: 1...3 as ClosedRange<UInt64>)
  func agreement(_ seed: UInt64) async throws {
    try await OverviewStore.with { overviews in
      var wanderer = Wanderer(state: seed, latitude: 40 + Double(seed) * 10)
      let fixes = wanderer.fixes(12_000, from: Self.start)
      try await overviews.add(fixes)
      try await overviews.processBacklog()
      for zoom in [4, 9, 12, 14, 16] {
        for coordinate in Self.tiles(of: fixes, zoom: zoom).sorted(by: { ($0.column, $0.row) < ($1.column, $1.row) }).prefix(6) {
          let frame = TileFrame(coordinate, margin: HistoryTile.margin)
          let middle = TileFrame.Place(x: 2048, y: 2048)
          let tolerance = frame.metres(at: middle) * HistoryTile.pixel * 1.25
          let world = BoundingBox(west: -180, south: -90, east: 180, north: 90)
          let overview = try overviews.store.read { db in
            try OverviewReader(db).view(world, device: overviews.device.id, 0...4_000_000_000_000, tolerance: tolerance)
          }.map { line in
            line.vertices.map { vertex in
              let place = frame.place(latitude: vertex.latitude, longitude: vertex.longitude)
              return SIMD2(place.x, place.y)
            }
          }
          let all = overview.flatMap { line in
            line.count == 1 ? [(line[0], line[0])] : zip(line, line.dropFirst()).map { ($0, $1) }
          }
          let drawn = Self.steps(try Self.tile(overviews, coordinate)["lines"])
          #expect(!drawn.isEmpty)
          for step in drawn {
            #expect(Self.distance(step.a, from: all) <= HistoryTile.pixel, "zoom \(zoom): a vertex away from the track")
          }
          for line in overview {
            for place in line where frame.contains(TileFrame.Place(x: place.x, y: place.y)) {
              #expect(Self.distance(place, from: drawn) <= HistoryTile.pixel, "zoom \(zoom): a part of the track is missing")
            }
          }
        }
      }
    }
  }

  @Test("a tile of a range of days has the lines of these days only, at every zoom", arguments: [0, 4, 8, 12, 15])
  func ranges(_ zoom: Int) async throws {
    try await OverviewStore.with { overviews in
      // A day at each of five places, one degree apart, and a drive to the next place before midnight.
      var fixes: [Fix] = []
      for day in 0..<5 {
        for minute in 0..<1440 {
          let moved = max(0, Double(minute - 1400) / 40)
          fixes.append(
            Fix(
              time: Self.start + Double(day * 86_400 + minute * 60),
              coordinate: try #require(Coordinate(latitude: 46, longitude: 14 + Double(day) + moved)), horizontalAccuracy: 8))
        }
      }
      try await overviews.add(fixes)
      for isComputed in [false, true] {
        if isComputed { try await overviews.processBacklog() }
        let noon = Self.milliseconds(Self.start) + 2 * 86_400_000
        let end = noon + 86_400_000
        var (west, east) = (Double.infinity, -Double.infinity)
        for coordinate in Self.tiles(of: fixes, zoom: zoom) {
          for feature in try Self.tile(overviews, coordinate, [.lines], noon..<end)["lines"] {
            #expect(feature.properties["day"] == "\(noon / 86_400_000)")
            for point in feature.parts.joined() where (0..<4096).contains(point.x) {
              let x = coordinate.west + Double(point.x) / 4096 * coordinate.width
              (west, east) = (min(west, x * 360 - 180), max(east, x * 360 - 180))
            }
          }
        }
        // The tolerance is two pixels and a minute of the drive, because a straight line omits the stay in it.
        let slack = 360 / 512 / pow(2, Double(zoom)) * 2 + 0.001
        #expect(abs(west - 16) < max(slack, 0.03) && abs(east - 17) < max(slack, 0.03), "\(west) to \(east), \(isComputed)")
        let half = try Self.tile(
          overviews, try #require(TileCoordinate(zoom: zoom, latitude: 46, longitude: 16.5)), [.lines],
          noon + 3_600_000..<noon + 7_200_000)
        #expect(zoom < 12 || half["lines"].isEmpty, "in the second hour no line is in the middle of the path")
      }
    }
  }

  @Test("the hexagons of a tile are those on the lines, each once, with its number of days", arguments: [10, 13, 15])
  func hexagons(_ zoom: Int) async throws {
    try await OverviewStore.with { overviews in
      var wanderer = Wanderer(state: 11)
      let fixes = wanderer.fixes(4_000, from: Self.start)
      try await overviews.add(fixes)
      try await overviews.processBacklog()
      let grid = HexagonGrid(zoom: zoom)
      for coordinate in Self.tiles(of: fixes, zoom: zoom) {
        let frame = TileFrame(coordinate, margin: HistoryTile.margin)
        let level = HistoryTileReader.level(frame, days: 100_000)
        var expected: Set<HexagonGrid.Cell> = []
        func add(_ place: TileFrame.Place) {
          let cell = grid.cell(
            x: coordinate.west + place.x / frame.world, y: coordinate.north + place.y / frame.world)
          let center = grid.center(cell)
          let middle = TileFrame.Place(
            x: (center.x - coordinate.west) * frame.world, y: (center.y - coordinate.north) * frame.world)
          if frame.contains(middle) { expected.insert(cell) }
        }
        for line in try overviews.lines(level) {
          let places = line.map { frame.place(latitude: $0.latitude, longitude: $0.longitude) }
          places.first.map(add)
          for (a, b) in zip(places, places.dropFirst()) {
            for step in 0...200 {
              add(TileFrame.Place(x: a.x + (b.x - a.x) * Double(step) / 200, y: a.y + (b.y - a.y) * Double(step) / 200))
            }
          }
        }
        let features = try Self.tile(overviews, coordinate, [.hexagons])["hexagons"]
        let count = features.reduce(0) { $0 + (Int($1.properties["count"] ?? "") ?? 0) }
        // A line may cut a corner of a hexagon between two samples.
        #expect(abs(count - expected.count) <= 1 + expected.count / 30, "\(count) of \(expected.count)")
        let polygons = features.flatMap(\.parts)
        #expect(polygons.allSatisfy { $0.count == 6 } && Set(polygons).count == polygons.count && polygons.count >= count)
        #expect(features.allSatisfy { $0.kind == .polygons && ["1", "2", "4"].contains($0.properties["days"]) })
      }
    }
  }

  @Test("a position is in the hexagon whose centre is nearest")
  func nearest() {
    var random = Wanderer(state: 3)
    for zoom in [0, 5, 14, 22] {
      let grid = HexagonGrid(zoom: zoom)
      for _ in 0..<300 {
        let (x, y) = (random.random(), random.random())
        let cell = grid.cell(x: x, y: y)
        func distance(_ cell: HexagonGrid.Cell) -> Double {
          let center = grid.center(cell)
          return hypot(center.x - x, center.y - y)
        }
        let own = distance(cell)
        #expect(own <= grid.radius * 1.000_001)
        for (q, r) in [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)] {
          #expect(distance(HexagonGrid.Cell(q: cell.q + q, r: cell.r + r)) >= own * 0.999_999)
        }
      }
    }
  }

  @Test("the heat layer counts days: repeated passages on one day count once")
  func heat() async throws {
    try await OverviewStore.with { overviews in
      func walk(_ from: Date, _ latitude: Double) throws -> [Fix] {
        try (0..<600).map { second in
          Fix(
            time: from + Double(second),
            coordinate: try #require(Coordinate(latitude: latitude, longitude: 14.5 + Double(second) * 2e-5)))
        }
      }
      try await overviews.add(try walk(Self.start, 46) + walk(Self.start + 3600, 46) + walk(Self.start + 90_000, 46))
      try await overviews.add(try walk(Self.start + 7200, 46.01))
      try await overviews.processBacklog()
      let coordinate = try #require(TileCoordinate(zoom: 11, latitude: 46.005, longitude: 14.505))
      let tile = try Self.tile(overviews, coordinate, [.heat, .hexagons])
      #expect(tile.layers.map(\.name) == ["hexagons", "heat"])
      for layer in ["heat", "hexagons"] {
        #expect(Set(tile[layer].compactMap { $0.properties["days"] }) == ["1", "2"], "\(layer)")
      }
      let once = try Self.tile(
        overviews, coordinate, [.heat], Self.milliseconds(Self.start)..<Self.milliseconds(Self.start) + 86_400_000)
      #expect(once["heat"].compactMap { $0.properties["days"] } == ["1"])
    }
  }

  @Test(
    "a tile full of lines has at most 60,000 bytes, and the shape of the lines remains",
    arguments: [Set(HistoryTile.Layer.allCases), [.lines], [.points], [.heat, .points]] as [Set<HistoryTile.Layer>])
  func size(_ layers: Set<HistoryTile.Layer>) throws {
    let frame = TileFrame(try #require(TileCoordinate(zoom: 12, column: 2200, row: 1450)), margin: HistoryTile.margin)
    var painter = TilePainter(frame, layers)
    painter.begin(0, TravelRuns([]), isFine: true)
    var random = Wanderer(state: 77)
    var seen: Set<Int> = []
    var (x, y, time) = (2000.0, 2000.0, Int64(1_763_596_800_000))
    for step in 0..<100_000 {
      if step.isMultiple(of: 499) {
        painter.lift()
        (x, y) = (random.random() * 4600 - 250, random.random() * 4600 - 250)
      }
      (x, y) = (x + (random.random() - 0.5) * 60, y + (random.random() - 0.5) * 60)
      time -= Int64(random.random() * 120_000)
      painter.move(to: TilePainter.Vertex(place: TileFrame.Place(x: x, y: y), time: time))
      if (0..<4096).contains(x), (0..<4096).contains(y) { seen.insert(Int(y) / 256 * 16 + Int(x) / 256) }
    }
    painter.lift()
    let source = HistoryTile.Source(device: 1, name: "phone", times: Self.always, hasTimeline: false)
    let bytes = HistoryTileReader.bytes(
      painter, TileStays(frame), HistoryTile(frame.tile, layers: layers, sources: [source]))
    #expect(bytes.count <= HistoryTile.maximumSize && bytes.count > 20_000, "\(bytes.count)")
    let tile = try DecodedTile(bytes)
    for layer in [HistoryTile.Layer.lines, .points] where layers.contains(layer) {
      let cells = Self.cells(tile[layer.rawValue])
      #expect(seen.subtracting(cells).count <= seen.count / 20, "\(layer): \(cells.count) of \(seen.count) parts of the tile")
    }
  }

  /// The cells of a 16 by 16 grid over the tile that contain a vertex.
  private static func cells(_ features: [DecodedTile.Feature]) -> Set<Int> {
    var cells: Set<Int> = []
    for point in features.flatMap({ $0.parts.joined() }) where 0..<4096 ~= point.x && 0..<4096 ~= point.y {
      cells.insert(point.y / 256 * 16 + point.x / 256)
    }
    return cells
  }

  @Test("lines across the antimeridian are on both sides, and no line crosses the map")
  func antimeridian() async throws {
    try await OverviewStore.with { overviews in
      let fixes = try (0..<200).map { step in
        let longitude = 179 + Double(step) / 100
        return Fix(
          time: Self.start + Double(step) * 30,
          coordinate: try #require(Coordinate(latitude: 10, longitude: longitude > 180 ? longitude - 360 : longitude)))
      }
      try await overviews.add(fixes)
      try await overviews.processBacklog()
      let world = try #require(TileCoordinate(zoom: 0, column: 0, row: 0))
      for step in Self.steps(try Self.tile(overviews, world)["lines"]) { #expect(abs(step.a.x - step.b.x) < 100) }
      for column in [0, 15] {
        let coordinate = try #require(TileCoordinate(zoom: 4, column: column, row: 7))
        let xs: [Double] = Self.steps(try Self.tile(overviews, coordinate)["lines"]).flatMap { [$0.a.x, $0.b.x] }
        let (least, greatest) = (try #require(xs.min()), try #require(xs.max()))
        if column == 0 { #expect(least <= 0 && greatest > 150) } else { #expect(least < 3940 && greatest >= 4096) }
      }
    }
  }
}
