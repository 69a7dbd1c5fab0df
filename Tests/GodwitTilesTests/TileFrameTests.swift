import GodwitTiles
import Testing

@Suite("TileFrame")
struct TileFrameTests {
  private typealias Place = TileFrame.Place

  @Test("a position is projected to within half a unit of the exact value, at every zoom level", arguments: 0...22)
  func projection(zoom: Int) throws {
    var random = Numbers(state: UInt64(zoom) + 1)
    for _ in 0..<20 {
      let center = (Double(random.below(1700)) / 10 - 85, Double(random.below(3600)) / 10 - 180)
      let tile = try #require(TileCoordinate(zoom: zoom, latitude: center.0, longitude: center.1))
      let frame = TileFrame(tile, margin: 64)
      for _ in 0..<50 {
        // Three quarters of the positions are near the tile, the others anywhere.
        let spread = random.below(4) == 0 ? 170 : 170 / Double(1 << zoom)
        let latitude = min(85, max(-85, center.0 + (Double(random.below(2001)) / 1000 - 1) * spread))
        let longitude = min(180, max(-180, center.1 + (Double(random.below(2001)) / 1000 - 1) * spread))
        let (north, east) = (Int32((latitude * 1e7).rounded()), Int32((longitude * 1e7).rounded()))
        let exact = MercatorPoint(latitude: Double(north) / 1e7, longitude: Double(east) / 1e7)
        let place = frame.place(latitude: north, longitude: east)
        #expect(abs(place.x - (exact.x - tile.west) * frame.world) < 0.01)
        #expect(abs(place.y - (exact.y - tile.north) * frame.world) < 0.5)
      }
    }
  }

  @Test("a clipped segment is exactly the part of the segment inside the frame", arguments: 1...5 as ClosedRange<UInt64>)
  func clipping(seed: UInt64) throws {
    var random = Numbers(state: seed)
    let frame = TileFrame(try #require(TileCoordinate(zoom: 3, column: 2, row: 5)), margin: 100)
    func isInside(_ place: Place, _ slack: Double) -> Bool {
      (-100 - slack...4196 + slack).contains(place.x) && (-100 - slack...4196 + slack).contains(place.y)
    }
    for _ in 0..<500 {
      func place() -> Place { Place(x: Double(random.below(14_000)) - 5000, y: Double(random.below(14_000)) - 5000) }
      let (a, b) = (place(), place())
      let clipped = frame.clipped(a, b)
      if let (start, end) = clipped { #expect(isInside(start, 1e-6) && isInside(end, 1e-6)) }
      for step in 0...200 {
        let share = Double(step) / 200
        let point = Place(x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share)
        let isOnClipped = clipped.map { Self.distance(point, $0.0, $0.1) < 1e-6 } ?? false
        #expect(isOnClipped || !isInside(point, -1e-6))
        #expect(!isOnClipped || isInside(point, 1e-5))
      }
    }
  }

  @Test("segments of zero length, along an edge and outside the frame are clipped")
  func edges() throws {
    let frame = TileFrame(try #require(TileCoordinate(zoom: 0, column: 0, row: 0)), margin: 0)
    let inside = Place(x: 5, y: 5)
    #expect(frame.clipped(inside, inside) ?? (inside, Place(x: 0, y: 0)) == (inside, inside))
    #expect(frame.clipped(Place(x: -1, y: -1), Place(x: -1, y: -1)) == nil)
    let edge = try #require(frame.clipped(Place(x: -10, y: 0), Place(x: 5000, y: 0)))
    #expect(edge == (Place(x: 0, y: 0), Place(x: 4096, y: 0)))
    #expect(frame.clipped(Place(x: -10, y: 20), Place(x: -10, y: 4000)) == nil)
    #expect(frame.contains(Place(x: 0, y: 0)) && !frame.contains(Place(x: 4096, y: 0)))
  }

  @Test("the size of a unit in metres at 60° north is half of that at the equator")
  func metres() throws {
    let frame = TileFrame(try #require(TileCoordinate(zoom: 10, latitude: 60, longitude: 25)), margin: 0)
    let place = frame.place(latitude: 600_000_000, longitude: 250_000_000)
    #expect(abs(frame.metres(at: place) / (40_075_016.686 / 4096 / 1024 / 2) - 1) < 1e-6)
  }

  /// The distance of a point from a segment.
  private static func distance(_ point: Place, _ a: Place, _ b: Place) -> Double {
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let length = dx * dx + dy * dy
    let share = length > 0 ? min(1, max(0, ((point.x - a.x) * dx + (point.y - a.y) * dy) / length)) : 0
    let (offX, offY) = (a.x + dx * share - point.x, a.y + dy * share - point.y)
    return (offX * offX + offY * offY).squareRoot()
  }
}
