internal import GodwitModel
internal import GodwitTiles

/// Draws the lines of devices into the layers of a tile. The positions of a line are added from the newest to the oldest, so that
/// the newest passage determines the properties of a step that is drawn once.
struct TilePainter {
  let frame: TileFrame
  private(set) var lines: TileLines?
  private(set) var points: TilePoints?
  private(set) var heat: TileHeat?
  private(set) var hexagons: TileHexagons?

  private var device = StepProperties(source: 0, runs: TravelRuns([]), isFine: true)
  private var last: Vertex?

  /// A position of a line.
  struct Vertex {
    var place: TileFrame.Place
    /// Milliseconds since 1970.
    var time: Int64
  }

  /// - Parameters:
  ///   - frame: the tile and its margin.
  ///   - layers: the layers that are drawn.
  ///   - detail: the number of zoom levels by which the hexagons are finer than those of the tile.
  init(_ frame: TileFrame, _ layers: Set<HistoryTile.Layer>, detail: Int = 0) {
    self.frame = frame
    if layers.contains(.lines) { lines = TileLines(frame) }
    if layers.contains(.points) { points = TilePoints(frame) }
    if layers.contains(.heat) { heat = TileHeat(frame) }
    if layers.contains(.hexagons) { hexagons = TileHexagons(frame, detail: detail) }
  }

  /// Begins the lines of a device.
  mutating func begin(_ source: Int, _ runs: TravelRuns, isFine: Bool) {
    lift()
    device = StepProperties(source: source, runs: runs, isFine: isFine)
    heat?.beginDevice()
    hexagons?.beginDevice()
  }

  /// Ends a line.
  mutating func lift() {
    guard let last else { return }
    let device = device
    lines?.end(of: device.source) { device.attributes(last) }
    self.last = nil
  }

  /// Begins or continues a line.
  @inline(__always)
  mutating func move(to vertex: Vertex) {
    guard let last else {
      self.last = vertex
      lines?.begin(at: vertex.place)
      count(vertex)
      return
    }
    if abs(vertex.place.x - last.place.x) > frame.world / 2 {
      wrap(last, vertex)
    } else {
      step(last, vertex)
    }
    self.last = vertex
  }

  /// Draws a step across the antimeridian on both sides of the map.
  private mutating func wrap(_ last: Vertex, _ vertex: Vertex) {
    let around = vertex.place.x > last.place.x ? -frame.world : frame.world
    var beyond = vertex
    beyond.place.x += around
    step(last, beyond)
    var before = last
    before.place.x -= around
    lines?.begin(at: before.place)
    step(before, vertex)
  }

  @inline(__always)
  private mutating func step(_ from: Vertex, _ to: Vertex) {
    let (device, frame) = (device, frame)
    lines?.move(to: to.place, of: device.source) { device.attributes(from, to, frame) }
    points?.add(to.place, of: device.source) { device.attributes(from, to, frame) }
    guard heat != nil || hexagons != nil, let (a, b) = frame.clipped(from.place, to.place) else { return }
    // A flight does not explore the land below it.
    if device.run(from, to)?.mode == .plane { return }
    let day = DirtyDays.day(of: from.time)
    heat?.count(a, b, day: day)
    hexagons?.count(a, b, day: day)
  }

  private mutating func count(_ vertex: Vertex) {
    let device = device
    points?.add(vertex.place, of: device.source) { device.attributes(vertex) }
    let day = DirtyDays.day(of: vertex.time)
    heat?.count(vertex.place, day: day)
    hexagons?.count(vertex.place, day: day)
  }
}

/// The properties of the steps of a device, which determine their colours.
private struct StepProperties {
  /// The index of the device among the sources.
  let source: Int
  let runs: TravelRuns
  /// Whether positions are close enough to each other for a speed. Otherwise the speed is that of the trip.
  let isFine: Bool

  /// Returns the properties of a line without steps.
  func attributes(_ vertex: TilePainter.Vertex) -> TileAttributes {
    TileAttributes(source: source, mode: nil, speed: nil, day: DirtyDays.day(of: vertex.time))
  }

  /// Returns the properties of a step. Its first vertex is the later one.
  func attributes(_ from: TilePainter.Vertex, _ to: TilePainter.Vertex, _ frame: TileFrame) -> TileAttributes {
    let run = run(from, to)
    return TileAttributes(
      source: source, mode: run?.mode, speed: speed(from, to, run, frame).map { SpeedClass.of($0) },
      day: DirtyDays.day(of: from.time))
  }

  func run(_ from: TilePainter.Vertex, _ to: TilePainter.Vertex) -> TravelRuns.Run? { runs.run(from: to.time, to: from.time) }

  /// The duration of a step in seconds above which it may contain a stay.
  private static let maximumStep = 300.0

  private func speed(
    _ from: TilePainter.Vertex, _ to: TilePainter.Vertex, _ run: TravelRuns.Run?, _ frame: TileFrame
  ) -> MetersPerSecond? {
    if !isFine { return run?.speed }
    let seconds = Double(from.time - to.time) / 1000
    guard seconds > 0, seconds < Self.maximumStep else { return run?.speed }
    let (dx, dy) = (from.place.x - to.place.x, from.place.y - to.place.y)
    return (dx * dx + dy * dy).squareRoot() * frame.metres(at: to.place) / seconds
  }
}
