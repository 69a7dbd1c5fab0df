internal import Foundation
package import GodwitModel
package import GodwitStore

/// Reads lines of an overview for a map or a track, including points that arrived since the overview was computed.
package struct OverviewReader {
  private let connection: any SQLConnection

  package init(_ db: any SQLConnection) { self.connection = db }

  /// Maximum dirty days that a request computes, the newest first. Other dirty days are shown as last computed.
  static let maximumFresh = 4

  /// A line with its device.
  package struct Line: Sendable {
    package var device: Int64
    package var vertices: [TrackVertex]
  }

  /// Returns a device's lines in a range of times.
  /// - Parameters:
  ///   - tolerance: the maximum deviation in metres, ≥ 0.
  ///   - times: milliseconds since 1970.
  package func track(device: Int64, _ times: Range<Int64>, tolerance: Meters) throws -> [[TrackVertex]] {
    guard let level = OverviewLevel.all.last(where: { $0.tolerance <= tolerance }) else {
      return try Overview.lines(device: device, times, connection)
    }
    let days = DirtyDays.day(of: times.lowerBound)...DirtyDays.day(of: max(times.lowerBound, times.upperBound - 1))
    let fresh = Set(try dirty(days, ofDevice: device).map(\.day))
    let slots = level.slot(ofDay: days.lowerBound)...level.slot(ofDay: days.upperBound)
    let rows = try OverviewTables.rows(device: device, level, slots: slots, connection)
    // A slot with several days contains outdated lines of the dirty days, which are dropped.
    let kept = level.daysInSlot == 1 ? rows.filter { !fresh.contains($0.slot) } : rows
    var lines = OverviewLines.lines(of: kept, level)
    if level.daysInSlot > 1 { lines = lines.flatMap { Self.without(fresh, $0) } }
    for day in fresh { lines += try self.fresh(device: device, day: day, level) }
    let within = lines.map { line in line.filter { times.contains($0.time) } }.filter { !$0.isEmpty }
    return OverviewLines.joined(within.sorted { $0[0].time < $1[0].time })
  }

  /// Returns the lines of a map.
  /// - Parameters:
  ///   - box: the box of the map.
  ///   - device: the device; `nil`: all devices.
  ///   - times: milliseconds since 1970.
  ///   - tolerance: the maximum deviation in metres, ≥ 0.
  package func view(
    _ box: BoundingBox, device: Int64?, _ times: ClosedRange<Int64>, tolerance: Meters
  ) throws -> [Line] {
    let level = OverviewLevel.forTolerance(tolerance)
    var lines: [Line] = []
    for part in Self.parts(of: box) {
      let rows = try OverviewTables.rows(level, in: part, devices: device.map { [$0] }, times: times, connection)
      var start = 0
      while start < rows.count {
        let device = rows[start].device
        let end: Int = rows[start...].firstIndex { $0.device != device } ?? rows.count
        lines += OverviewLines.lines(of: rows[start..<end], level).map { Line(device: device, vertices: $0) }
        start = end
      }
    }
    let days = DirtyDays.day(of: times.lowerBound)...DirtyDays.day(of: times.upperBound)
    for entry in try dirty(days, ofDevice: device) {
      lines += try fresh(device: entry.device, day: entry.day, level).map { Line(device: entry.device, vertices: $0) }
    }
    let within = lines.map { Line(device: $0.device, vertices: $0.vertices.steps(in: times, time: \.time)) }
    return within.filter { !$0.vertices.isEmpty }
  }

  /// Returns the newest dirty days.
  private func dirty(_ days: ClosedRange<Int64>, ofDevice device: Int64?) throws -> [DirtyDays.Entry] {
    try DirtyDays.newest(days, ofDevice: device, limit: Self.maximumFresh, connection)
  }

  private func fresh(device: Int64, day: Int64, _ level: OverviewLevel) throws -> [[TrackVertex]] {
    OverviewLines.coarser(try Overview.track(device: device, day: day, connection), level)
  }

  /// Returns the parts of a line outside of some days.
  private static func without(_ days: Set<Int64>, _ line: [TrackVertex]) -> [[TrackVertex]] {
    if days.isEmpty { return [line] }
    return line.split { days.contains(DirtyDays.day(of: $0.time)) }.map(Array.init)
  }

  /// Divides a box that spans the antimeridian into two.
  private static func parts(of box: BoundingBox) -> [OverviewPiece.Box] {
    func scaled(_ degrees: Degrees) -> Int32 { Int32((max(-180, min(180, degrees)) * 1e7).rounded()) }
    func part(_ west: Degrees, _ east: Degrees) -> OverviewPiece.Box {
      OverviewPiece.Box(west: scaled(west), south: scaled(box.south), east: scaled(east), north: scaled(box.north))
    }
    return box.west <= box.east ? [part(box.west, box.east)] : [part(box.west, 180), part(-180, box.east)]
  }
}
