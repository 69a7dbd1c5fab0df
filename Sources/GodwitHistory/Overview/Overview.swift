internal import Foundation
internal import GodwitModel
package import GodwitStore

/// Computes the overviews of tracks for dirty days.
package enum Overview {
  /// The new content of a device's slots.
  package struct Change: Sendable {
    package var device: Int64
    var slots: [Slot] = []

    struct Slot: Sendable {
      package var level: OverviewLevel
      package var slot: Int64
      package var pieces: [OverviewPiece]
    }

    /// Stores the change.
    package func apply(_ db: any SQLConnection) throws {
      if !slots.isEmpty { try HistoryVersions.change(ofDevice: device, db) }
      for slot in slots {
        try OverviewTables.replace(device: device, slot.level, slot: slot.slot, with: slot.pieces, db)
      }
    }
  }

  /// Computes the slots of days.
  /// - Parameters:
  ///   - days: since 1970, UTC.
  ///   - device: the device.
  /// - Throws: errors of the store, or `CancellationError` between two days.
  package static func change(of days: [Int64], ofDevice device: Int64, _ db: any SQLConnection) throws -> Change {
    var change = Change(device: device)
    // The new lines of the days, at the coarsest level with one day per slot.
    var fresh: [Int64: [[TrackVertex]]] = [:]
    let fine = OverviewLevel.all.filter { $0.daysInSlot == 1 }
    for day in days {
      try Task.checkCancellation()
      var lines = try track(device: device, day: day, db)
      for level in fine {
        lines = OverviewLines.coarser(lines, level)
        change.slots.append(Change.Slot(level: level, slot: day, pieces: lines.flatMap { OverviewPiece.pieces(of: $0, level) }))
      }
      fresh[day] = lines
    }
    // Each coarser level is computed from the previous one.
    var finer = fine[fine.count - 1]
    for level in OverviewLevel.all.dropFirst(fine.count) {
      var made: [Int64: [[TrackVertex]]] = [:]
      for slot in Set(days.map { level.slot(ofDay: $0) }).sorted() {
        let firstDay = level.firstDay(ofSlot: slot)
        let slots = finer.slot(ofDay: firstDay)...finer.slot(ofDay: firstDay + level.daysInSlot - 1)
        let rows = try OverviewTables.rows(device: device, finer, slots: slots, db)
        let old = Dictionary(grouping: rows.filter { fresh[$0.slot] == nil }, by: \.slot)
        let lines = slots.flatMap { fresh[$0] ?? old[$0].map { OverviewLines.lines(of: $0, finer) } ?? [] }
        let coarse = OverviewLines.coarser(lines, level)
        made[slot] = coarse
        change.slots.append(Change.Slot(level: level, slot: slot, pieces: coarse.flatMap { OverviewPiece.pieces(of: $0, level) }))
      }
      fresh = made
      finer = level
    }
    return change
  }

  /// Returns the lines of a day. The first line begins with the last position before the day, if that position belongs to the same
  /// line. Each stay is reduced to one place.
  package static func track(device: Int64, day: Int64, _ db: any SQLConnection) throws -> [[TrackVertex]] {
    let start = day * DayLength.milliseconds
    let sightings = try sightings(
      device: device, start - OverviewLines.gap * 1000..<start + DayLength.milliseconds, db
    ).dropLeading { $0.vertex.time < start }
    return OverviewLines.ranges(of: sightings, time: \.vertex.time).map { OverviewStays.collapsed(Array(sightings[$0])) }
  }

  /// Returns a device's lines in a range of times, with all positions.
  package static func lines(device: Int64, _ times: Range<Int64>, _ db: any SQLConnection) throws -> [[TrackVertex]] {
    let sightings = try sightings(device: device, times, db)
    return OverviewLines.ranges(of: sightings, time: \.vertex.time).map { sightings[$0].map(\.vertex) }
  }

  /// Returns a device's positions in a range of times, in order, without flagged positions.
  private static func sightings(
    device: Int64, _ times: Range<Int64>, _ db: any SQLConnection
  ) throws -> [OverviewStays.Sighting] {
    var sightings: [OverviewStays.Sighting] = []
    let outliers = try OutlierTable.marked(ofDevice: device, times, db)
    let columns: [PointColumn] = [.time, .latitude, .longitude, .altitude, .horizontalAccuracy]
    try PointReader(columns, of: PointSpan(device: device, times), db).readBatches { points in
      let (times, latitudes, longitudes) = (points.numbers(.time), points.numbers(.latitude), points.numbers(.longitude))
      let (altitudes, hasAltitude) = (points.numbers(.altitude), points.present(.altitude))
      let (accuracies, hasAccuracy) = (points.numbers(.horizontalAccuracy), points.present(.horizontalAccuracy))
      for index in points.indices {
        let vertex = TrackVertex(
          time: times[index], latitude: latitudes[index], longitude: longitudes[index],
          centimetres: hasAltitude?[index] ?? true ? altitudes[index] : nil)
        guard let vertex, outliers.isEmpty || !outliers.contains(PointKey(vertex)) else { continue }
        sightings.append(OverviewStays.Sighting(vertex, accuracy: hasAccuracy?[index] ?? true ? accuracies[index] : nil))
      }
    }
    return sightings
  }
}

extension [OverviewStays.Sighting] {
  /// Drops all leading elements for which `isEarly` is true, except the last of them.
  fileprivate func dropLeading(_ isEarly: (OverviewStays.Sighting) -> Bool) -> [OverviewStays.Sighting] {
    let first = firstIndex { !isEarly($0) } ?? count
    // A day without positions of its own has no line.
    if first == count { return [] }
    return first > 1 ? Array(self[(first - 1)...]) : self
  }
}
