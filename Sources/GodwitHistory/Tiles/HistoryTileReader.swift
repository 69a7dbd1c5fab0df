internal import Foundation
internal import GodwitModel
package import GodwitStore
package import GodwitTiles

/// Makes tiles of the history from the overviews: for any range of days, without reading each point.
package struct HistoryTileReader {
  private let connection: any SQLConnection
  private let cache: HistoryTileCache

  package init(_ db: any SQLConnection, _ cache: HistoryTileCache) {
    (connection, self.cache) = (db, cache)
  }

  /// Returns the tile, with at most ``HistoryTile/maximumSize`` bytes. It is empty if the tile has no data.
  package func tile(_ tile: HistoryTile) throws -> [UInt8] {
    let frame = TileFrame(tile.coordinate, margin: HistoryTile.margin)
    let painter = try painted(tile, frame)
    var stays = TileStays(frame)
    if tile.layers.contains(.stays) {
      for (index, source) in tile.sources.enumerated() where source.hasTimeline {
        stays.add(try cache.timeline(ofDevice: source.device, connection).stays, of: index, in: source.times)
      }
    }
    return Self.bytes(painter, stays, tile)
  }

  /// Draws the lines of all devices into the layers of a tile.
  /// - Parameter detail: the number of zoom levels by which the hexagons are finer than those of the tile.
  private func painted(_ tile: HistoryTile, _ frame: TileFrame, detail: Int = 0) throws -> TilePainter {
    var painter = TilePainter(frame, tile.layers, detail: detail)
    guard !tile.layers.subtracting([.stays]).isEmpty else { return painter }
    let plans = tile.sources.map { Plan($0, frame, detail: detail) }
    let pieces = try pieces(plans, Self.box(frame))
    for (index, plan) in plans.enumerated() { try draw(plan, index, pieces, &painter) }
    return painter
  }

  /// Returns the number of hexagons of a tile that are in an area, and the number of those that were passed.
  func explored(_ tile: HistoryTile, in contains: (_ x: Double, _ y: Double) -> Bool) throws -> ExploredArea {
    let painter = try painted(tile, TileFrame(tile.coordinate, margin: HistoryTile.margin))
    return painter.hexagons?.explored(in: contains) ?? ExploredArea()
  }

  /// Returns the centres of the hexagons that devices passed, in the Mercator square.
  /// - Parameters:
  ///   - place: the tile that contains the centres.
  ///   - detail: the number of zoom levels by which the hexagons are finer than those of the tile.
  package func passed(
    _ place: TileCoordinate, by sources: [HistoryTile.Source], detail: Int
  ) throws -> [(x: Double, y: Double)] {
    let tile = HistoryTile(place, layers: [.hexagons], sources: sources)
    let painter = try painted(tile, TileFrame(place, margin: HistoryTile.margin), detail: detail)
    return painter.hexagons?.passed ?? []
  }

  /// Joins the layers. Each layer has a share of the bytes; the lines get the remaining bytes.
  static func bytes(_ painter: TilePainter, _ stays: TileStays, _ tile: HistoryTile) -> [UInt8] {
    let names = tile.sources.map(\.name)
    let lines = tile.layers.contains(.lines)
    var writer = VectorTileWriter()
    // The explored area is drawn below and the stays above all other layers. The hexagons have no limit because they are few.
    if let hexagons = painter.hexagons { writer.add(hexagons.layer()) }
    if let heat = painter.heat { writer.add(heat.layer(limit: lines ? 14_000 : 40_000)) }
    let visited = stays.layer(names, limit: 8_000)
    if let points = painter.points {
      let left = HistoryTile.maximumSize - writer.bytes.count - visited.size
      writer.add(points.layer(names, limit: lines ? min(14_000, left) : left))
    }
    if let lines = painter.lines {
      writer.add(lines.layer(names, limit: HistoryTile.maximumSize - writer.bytes.count - visited.size))
    }
    writer.add(visited)
    return writer.bytes
  }

  // MARK: Lines

  /// The plan for reading the lines of a device.
  private struct Plan {
    let source: HistoryTile.Source
    let days: ClosedRange<Int64>
    let level: OverviewLevel

    init(_ source: HistoryTile.Source, _ frame: TileFrame, detail: Int) {
      self.source = source
      let times = source.times
      days = DirtyDays.day(of: times.lowerBound)...DirtyDays.day(of: max(times.lowerBound, times.upperBound - 1))
      level = HistoryTileReader.level(frame, detail: detail, days: days.upperBound - days.lowerBound + 1)
    }

    var isFine: Bool { level.daysInSlot == 1 }
    /// Whether pieces are selected by their day instead of their box.
    var isShort: Bool { isFine && days.upperBound - days.lowerBound < HistoryTileReader.fewDays }
  }

  private static let fewDays: Int64 = 64

  private func draw(
    _ plan: Plan, _ index: Int, _ pieces: [Int64: [OverviewPiece.Row]], _ painter: inout TilePainter
  ) throws {
    let (source, level) = (plan.source, plan.level)
    guard !source.times.isEmpty else { return }
    let runs = source.hasTimeline ? try cache.timeline(ofDevice: source.device, connection).runs : TravelRuns([])
    painter.begin(index, runs, isFine: plan.isFine)
    let days = try daysOfPoints(plan)
    var pen = TilePen(source, level, fresh: Set(days.map(\.day)))
    pen.isFresh = true
    for line in days.flatMap(\.lines).reversed() {
      pen.lift(&painter)
      for vertex in line.reversed() { pen.move(to: vertex, &painter) }
    }
    pen.lift(&painter)
    pen.isFresh = false
    var vertices: [TrackVertex] = []
    let rows =
      plan.isShort
      ? try OverviewTables.rows(device: source.device, level, slots: plan.days, connection) : pieces[source.device] ?? []
    for row in rows.reversed() {
      vertices.removeAll(keepingCapacity: true)
      OverviewPiece.Encoding.read(row.data, unit: level.unit) { vertices.append($0) }
      pen.draw(vertices, &painter)
    }
    pen.lift(&painter)
  }

  /// Returns the days that are drawn from their points, in order: the newest days without an overview, and for the device of a
  /// friend the first day of the range, because a line that was simplified together with earlier points would reveal them.
  private func daysOfPoints(_ plan: Plan) throws -> [(day: Int64, lines: [[TrackVertex]])] {
    let (device, times) = (plan.source.device, plan.source.times)
    let first = plan.source.hasTimeline ? nil : plan.days.lowerBound
    var days: [(day: Int64, lines: [[TrackVertex]])] = []
    if let first {
      let end = min(times.upperBound, (first + 1) * DayLength.milliseconds)
      let lines = try Overview.lines(device: device, times.lowerBound..<end, connection)
      days.append((first, OverviewLines.coarser(lines, plan.level)))
    }
    for entry in try DirtyDays.newest(plan.days, ofDevice: device, limit: OverviewReader.maximumFresh, connection)
    where entry.day != first {
      days.append((entry.day, OverviewLines.coarser(try cache.lines(of: entry, connection), plan.level)))
    }
    return days.sorted { $0.day < $1.day }
  }

  /// Returns the pieces in a box by device, of the devices whose range of times is not short.
  private func pieces(_ plans: [Plan], _ box: OverviewPiece.Box) throws -> [Int64: [OverviewPiece.Row]] {
    var pieces: [Int64: [OverviewPiece.Row]] = [:]
    for (level, plans) in Dictionary(grouping: plans.filter { !$0.isShort && !$0.source.times.isEmpty }, by: \.level) {
      let times = plans.map(\.source.times)
      guard let first = times.map(\.lowerBound).min(), let end = times.map(\.upperBound).max() else { continue }
      let rows = try OverviewTables.rows(
        level, in: box, devices: plans.map(\.source.device), times: first...end - 1, connection)
      for row in rows { pieces[row.device, default: []].append(row) }
    }
    return pieces
  }

  /// Returns the level for a tile: its lines deviate by less than 1.25 pixels. For a short range of days, it is a level whose lines
  /// end at the boundaries of the days.
  /// - Parameter detail: the number of zoom levels by which the level is finer than that of the tile.
  static func level(_ frame: TileFrame, detail: Int = 0, days: Int64) -> OverviewLevel {
    let middle = Double(VectorTileWriter.extent) / 2
    let pixel = frame.metres(at: TileFrame.Place(x: middle, y: middle)) * HistoryTile.pixel / Double(1 << detail)
    let level = OverviewLevel.forTolerance(pixel * 1.25)
    let coarsest = OverviewLevel.all.last { $0.daysInSlot == 1 || $0.daysInSlot * 32 <= days }
    guard let coarsest, coarsest.index < level.index else { return level }
    return coarsest
  }

  /// Returns the tile with its margin, in 1e-7 degrees.
  private static func box(_ frame: TileFrame) -> OverviewPiece.Box {
    let margin = frame.margin / frame.world
    let (tile, scale) = (frame.tile, 1e7)
    let northWest = MercatorPoint(x: tile.west - margin, y: tile.north - margin)
    let southEast = MercatorPoint(x: tile.west + tile.width + margin, y: tile.north + tile.width + margin)
    return OverviewPiece.Box(
      west: Int32((max(-180, northWest.longitude) * scale).rounded()), south: Int32((southEast.latitude * scale).rounded()),
      east: Int32((min(180, southEast.longitude) * scale).rounded()), north: Int32((northWest.latitude * scale).rounded()))
  }
}

/// Follows the lines of a device backwards in time, and draws the parts that are in its range of times and not hidden.
private struct TilePen {
  private let times: Range<Int64>
  private let hidden: (any HiddenArea)?
  /// Metres from hidden places within which nothing is drawn.
  private let distance: Double
  /// Whether a step is cut at the ends of the range. The steps of a friend are not cut, because the times between two positions of
  /// a simplified line are not exact.
  private let isCut: Bool
  /// Days that are drawn from their points.
  private let fresh: Set<Int64>
  var isFresh = false
  /// The previous vertex, which is later in time, hidden or not; `nil` at the start of a line.
  private var before: TrackVertex?
  /// The previous vertex if it is not hidden.
  private var later: TrackVertex?
  private var isDrawing = false

  init(_ source: HistoryTile.Source, _ level: OverviewLevel, fresh: Set<Int64>) {
    times = source.times
    hidden = source.hidden
    isCut = level.daysInSlot == 1 && source.hasTimeline
    self.fresh = fresh
    // A vertex may represent positions up to the radius of a stay away, and is rounded to the unit of its level.
    distance = 150 + Double(level.unit) / 90
  }

  /// Ends a line.
  mutating func lift(_ painter: inout TilePainter) {
    before = nil
    interrupt(&painter)
  }

  private mutating func interrupt(_ painter: inout TilePainter) {
    later = nil
    isDrawing = false
    painter.lift()
  }

  /// Draws a piece. It continues the previous piece if its end is the start of that piece.
  mutating func draw(_ vertices: [TrackVertex], _ painter: inout TilePainter) {
    var rest = vertices[...]
    if let before, let end = rest.last, end.time / 1000 == before.time / 1000 { rest.removeLast() } else { lift(&painter) }
    while let vertex = rest.popLast() { move(to: vertex, &painter) }
  }

  @inline(__always)
  mutating func move(to vertex: TrackVertex, _ painter: inout TilePainter) {
    if !isFresh, !fresh.isEmpty, fresh.contains(DirtyDays.day(of: vertex.time)) { return lift(&painter) }
    if let hidden { follow(vertex, beside: hidden, &painter) } else { draw(vertex, &painter) }
    before = vertex
  }

  /// Draws the parts of a step that are not hidden: the steps of a simplified line may be longer than a hidden place.
  private mutating func follow(_ vertex: TrackVertex, beside hidden: any HiddenArea, _ painter: inout TilePainter) {
    let start = before ?? vertex
    let isWhole = times.contains(start.time) && times.contains(vertex.time)
    let length = isWhole ? GreatCircle.distance(start.coordinate, vertex.coordinate) : 0
    let count = min(Self.maximumLooks, Int(length / (distance / 2)) + 1)
    for look in 1...count {
      let place = look == count ? vertex : Self.between(vertex, start, Double(look) / Double(count))
      if hidden.isNear(latitude: place.latitude, longitude: place.longitude, within: distance) {
        interrupt(&painter)
      } else {
        draw(place, &painter)
      }
    }
  }

  /// The maximum number of positions that are checked along one step.
  private static let maximumLooks = 256

  @inline(__always)
  private mutating func draw(_ vertex: TrackVertex, _ painter: inout TilePainter) {
    let isInside = times.contains(vertex.time)
    if let later, isCut, !isInside || !isDrawing { cut(later, vertex, &painter) } else if isInside { put(vertex, &painter) }
    if !isInside, isDrawing {
      isDrawing = false
      painter.lift()
    }
    later = vertex
  }

  @inline(__always)
  private mutating func put(_ vertex: TrackVertex, _ painter: inout TilePainter) {
    isDrawing = true
    let place = painter.frame.place(latitude: vertex.latitude, longitude: vertex.longitude)
    painter.move(to: TilePainter.Vertex(place: place, time: vertex.time))
  }

  /// Draws the part of a step that is in the range of times.
  private mutating func cut(_ later: TrackVertex, _ earlier: TrackVertex, _ painter: inout TilePainter) {
    let (start, end) = (min(later.time, times.upperBound - 1), max(earlier.time, times.lowerBound))
    guard start >= end else { return }
    if !isDrawing { put(Self.between(later, earlier, at: start), &painter) }
    put(Self.between(later, earlier, at: end), &painter)
  }

  private static func between(_ later: TrackVertex, _ earlier: TrackVertex, at time: Int64) -> TrackVertex {
    let span = later.time - earlier.time
    return between(later, earlier, span > 0 ? Double(time - earlier.time) / Double(span) : time == later.time ? 1 : 0)
  }

  /// Returns a position on a step.
  /// - Parameter share: 0: the second end, 1: the first end.
  private static func between(_ one: TrackVertex, _ other: TrackVertex, _ share: Double) -> TrackVertex {
    // A step across the antimeridian is not interpolated.
    guard abs(Int64(one.longitude) - Int64(other.longitude)) < 1_800_000_000 else { return share < 1 ? other : one }
    var vertex = other
    vertex.time += Int64((Double(one.time - other.time) * share).rounded())
    vertex.latitude += Int32((Double(one.latitude - other.latitude) * share).rounded())
    vertex.longitude += Int32((Double(one.longitude - other.longitude) * share).rounded())
    return vertex
  }
}
