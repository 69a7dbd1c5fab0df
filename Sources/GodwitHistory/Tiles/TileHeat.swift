internal import GodwitTiles

/// The layer `heat`: the number of days on which each cell of a grid was passed.
struct TileHeat {
  /// The number of cells in a row.
  private let width = 128
  private var days: DayCounts
  private let frame: TileFrame

  init(_ frame: TileFrame) {
    self.frame = frame
    days = DayCounts(cells: 128 * 128)
  }

  private static let cell = Double(VectorTileWriter.extent) / 128
  /// The units between two samples of a step: half a cell.
  private static let stride = cell / 2

  /// Begins the next device. Its days are counted in addition to those of the previous devices.
  mutating func beginDevice() { days.beginDevice() }

  /// Counts the cell of a place.
  @inline(__always)
  mutating func count(_ place: TileFrame.Place, day: Int64) {
    guard frame.contains(place) else { return }
    days.count(Int(place.y / Self.cell) * 128 + Int(place.x / Self.cell), day)
  }

  /// Counts the cells of a step; both ends are inside the margin.
  @inline(__always)
  mutating func count(_ a: TileFrame.Place, _ b: TileFrame.Place, day: Int64) {
    forPlaces(from: a, to: b, every: Self.stride) { count($0, day: day) }
  }

  /// Returns the layer with at most the given number of bytes: while it is larger, four cells are merged into one. Each feature has
  /// the points of one class: `days` is 1, 2, 4, 8 and so on.
  func layer(limit: Int) -> VectorTileWriter.Layer {
    var (counts, width) = (days.counts, self.width)
    while true {
      let layer = Self.layer(counts, width)
      if layer.size <= limit || width == 1 { return layer }
      (counts, width) = (Self.halved(counts, width), width / 2)
    }
  }

  private static func halved(_ counts: [Int32], _ width: Int) -> [Int32] {
    let half = width / 2
    return (0..<half * half).map { index in
      let (row, column) = (index / half * 2, index % half * 2)
      let first = row * width + column
      return max(counts[first], counts[first + 1], counts[first + width], counts[first + width + 1])
    }
  }

  private static func layer(_ counts: [Int32], _ width: Int) -> VectorTileWriter.Layer {
    let cell = Int32(VectorTileWriter.extent / width)
    var classes: [Int64: [VectorTileWriter.Point]] = [:]
    for (index, count) in counts.enumerated() where count > 0 {
      let (row, column) = (Int32(index / width), Int32(index % width))
      classes[DayCounts.class(of: count), default: []]
        .append(VectorTileWriter.Point(x: column * cell + cell / 2, y: row * cell + cell / 2))
    }
    var layer = VectorTileWriter.Layer(HistoryTile.Layer.heat.rawValue)
    for (days, points) in classes.sorted(by: { $0.key < $1.key }) {
      layer.add(VectorTileWriter.Geometry(points: points), [("days", .integer(days))])
    }
    return layer
  }
}

/// Counts the days on which each cell was passed. The days must be added in order.
struct DayCounts {
  private(set) var counts: [Int32]
  private var last: [Int64]

  init(cells: Int) {
    counts = Array(repeating: 0, count: cells)
    last = Array(repeating: .min, count: cells)
  }

  /// Begins the next device. Its days are counted in addition to those of the previous devices.
  mutating func beginDevice() {
    for index in last.indices { last[index] = .min }
  }

  @inline(__always)
  mutating func count(_ cell: Int, _ day: Int64) {
    if last[cell] == day { return }
    last[cell] = day
    counts[cell] &+= 1
  }

  /// Returns the greatest power of two up to a count.
  static func `class`(of count: Int32) -> Int64 { count > 0 ? 1 << Int64(31 - count.leadingZeroBitCount) : 0 }
}

/// Calls a function with places along a step that are at most a distance apart, and with the end of the step.
@inline(__always)
func forPlaces(
  from a: TileFrame.Place, to b: TileFrame.Place, every distance: Double, _ body: (TileFrame.Place) -> Void
) {
  let (dx, dy) = (b.x - a.x, b.y - a.y)
  let length = max(abs(dx), abs(dy))
  if length > distance {
    let count = Int(length / distance)
    for step in 0...count {
      let share = Double(step) / Double(count + 1)
      body(TileFrame.Place(x: a.x + dx * share, y: a.y + dy * share))
    }
  }
  body(b)
}
