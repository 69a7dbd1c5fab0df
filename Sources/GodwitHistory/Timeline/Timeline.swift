internal import Foundation
internal import GodwitModel
package import GodwitStore

/// The timelines of devices. Dirty days are recomputed, and then the following days until the result is the same as before.
///
/// The state of ``TimelineBuilder`` at the end of each day is stored in `timeline_days`. A dirty day is computed from the state
/// before it. If its final state is unchanged, later days stay valid. Otherwise the next day with points is computed as well. The
/// result therefore equals a computation from all points, in any order of arrival.
package enum Timeline {
  /// The change of a device's timeline.
  package struct Change: Sendable {
    package var device: Int64
    /// The version of the timeline on which the change is based.
    package var version: Int64
    /// Ordered by time.
    package var days: [TimelineDay] = []
    /// The unfinished entries of the timeline, if they were computed.
    package var open: TimelineDay?
    /// The dirty days that were computed.
    package var done: Set<Int64> = []
    /// The day that must be computed next.
    package var next: Int64?

    /// Stores the change.
    /// - Throws: ``DirtyDays/AlreadyComputed`` if another server stored a change first.
    /// - Returns: the points that became flagged or unflagged.
    @discardableResult
    package func apply(_ db: any SQLConnection) throws -> FlagChange {
      var isNewest =
        try db.run("UPDATE timelines SET version = version + 1 WHERE device = ? AND version = ?", device, version) > 0
      if !isNewest, version == 0 {
        isNewest =
          try db.run("INSERT INTO timelines (device, version) VALUES (?, 1) ON CONFLICT DO NOTHING", device) > 0
      }
      guard isNewest else { throw DirtyDays.AlreadyComputed() }
      let before = try outliers(db)
      for day in days { try db.run("DELETE FROM outliers WHERE device = ? AND day = ? AND manual = 0", device, day.day) }
      for day in days {
        try day.replace(device: device, db)
        try day.writeOutliers(device: device, db)
      }
      if let open { try open.replace(device: device, db) }
      // Lines exclude flagged points. Days with changed flags need new lines.
      let after = try outliers(db)
      let changed = before.symmetricDifference(after).map(\.time)
      // The line of the next day begins with the last point before it, if that point is near.
      let touched = Set(changed.flatMap { [DirtyDays.day(of: $0), DirtyDays.day(of: $0 + TrackGap.seconds * 1000)] })
      for day in touched.subtracting(done).union(next.map { [$0] } ?? []).sorted() {
        try DirtyDays.record(device: device, day: day, since: day * DayLength.milliseconds, at: 0, db)
      }
      let flags = FlagChange(
        flagged: after.subtracting(before).sorted { $0.time < $1.time },
        unflagged: before.subtracting(after).sorted { $0.time < $1.time })
      if !flags.isEmpty { try NewestPosition.invalidate(device: device, db) }
      return flags
    }

    /// Returns the points that the server flagged on the days of the change.
    private func outliers(_ db: any SQLConnection) throws -> Set<PointKey> {
      guard let first = days.first?.day, let last = days.last?.day else { return [] }
      return Set(
        try db.all(
          """
          SELECT time, latitude, longitude FROM outliers WHERE device = ? AND day BETWEEN ? AND ? AND manual = 0 AND flagged = 1
          """, device, first, last
        ) { try PointKey($0) })
    }
  }

  /// The approximate maximum number of points that one change reads.
  package static let maximum = 200_000
  /// The approximate maximum number of flags that one change writes. It is limited because uploads wait for the transaction.
  private static let maximumOutliers = 5_000

  /// Recomputes days.
  /// - Parameters:
  ///   - dirty: the dirty days since 1970, UTC.
  ///   - device: the device.
  ///   - roads: the roads along which distances are measured; `nil`: distances are measured from position to position.
  ///   - db: the database.
  /// - Throws: errors of the store; `CancellationError` between two days.
  package static func change(
    of dirty: [Int64], ofDevice device: Int64, along roads: TripRoads?, _ db: any SQLConnection
  ) throws -> Change {
    let status = try db.first("SELECT version, zone FROM timelines WHERE device = ?", device) {
      try ($0.integer("version"), $0.optionalText("zone"))
    }
    var change = Change(device: device, version: status?.0 ?? 0)
    var local = LocalDays(status?.1.flatMap { TimeZone(identifier: $0) } ?? .gmt)
    let reader = TimelineReader(device: device, db)
    let initial = try TimelineCoding.text(TimelineBuilder())
    var left = Set(dirty).sorted()[...]
    var (looked, marked) = (0, 0)
    var current: (fold: TimelineBuilder, state: String)?
    var next = left.first
    while let day = next {
      try Task.checkCancellation()
      if looked > maximum || marked > maximumOutliers {
        change.next = left.first == day ? nil : day
        return change
      }
      if left.first == day {
        left.removeFirst()
        change.done.insert(day)
      }
      let before: (fold: TimelineBuilder, state: String)
      if let current {
        before = current
      } else {
        let state = try reader.state(before: day) ?? initial
        before = (try TimelineCoding.value(TimelineBuilder.self, state), state)
      }
      var made = TimelineDay(day: day)
      let elements = try reader.elements(of: day)
      looked += elements.count + 1
      var builder = before.fold
      for element in elements {
        var results = TimelineBuilder.Results()
        builder.add(element, &results)
        if case .point(let point) = element, !point.isReported { made.count(point.time, &local) }
        if case .trusted(let point) = element, !point.isReported { made.count(point.time, &local) }
        if !results.visits.isEmpty || !results.tracks.isEmpty || !results.outliers.isEmpty {
          made.add(results, &local, along: roads)
        }
      }
      let state = elements.isEmpty ? before.state : try TimelineCoding.text(builder)
      made.state = elements.isEmpty ? nil : state
      marked += made.outliers.count
      change.days.append(made)
      let isSame = try state == reader.state(before: day + 1) ?? initial
      let known = try reader.firstDay(after: day)
      if isSame {
        next = left.first
        // The days in between stay valid, and so do their final states.
        current = nil
        if next == nil, known != nil { return change }
      } else {
        next = [known, left.first].compactMap(\.self).min()
        current = (builder, state)
      }
      if next == nil {
        var open = TimelineDay(day: TimelineTables.openDay)
        var results = builder.open()
        // The outliers of open entries are not final before later points arrive.
        results.outliers = []
        open.add(results, &local, along: roads)
        change.open = open
      }
    }
    return change
  }
}

/// Reads the input of a timeline from the database.
private final class TimelineReader {
  let device: Int64
  let connection: any SQLConnection
  private var readMotions: [Int64: Int64]?

  init(device: Int64, _ db: any SQLConnection) {
    self.device = device
    self.connection = db
  }

  /// The maximum age in days, at the start of a day, of the arrivals of reported visits whose departures are searched. Of the earlier
  /// arrivals only the last one is searched: the departure of a longer visit is ignored if another visit began in between.
  private static let maximumVisit: Int64 = 62
  /// Returns the final state of the last day before a day.
  func state(before day: Int64) throws -> String? {
    try connection.text("SELECT state FROM timeline_days WHERE device = ? AND day < ? ORDER BY day DESC LIMIT 1", device, day)
  }

  func firstDay(after day: Int64) throws -> Int64? {
    try connection.integer("SELECT min(day) FROM timeline_days WHERE device = ? AND day > ?", device, day)
  }

  /// Returns the elements of a day in order, without points that a user flagged as outliers.
  func elements(of day: Int64) throws -> [TimelineElement] {
    let times = day * DayLength.milliseconds..<(day + 1) * DayLength.milliseconds
    let isManual = try manualFlags(times)
    var elements: [TimelineElement] = []
    try points(times) { point, delay in
      if !isManual.isEmpty, let isMarked = isManual[Key(point)] {
        if !isMarked { elements.append(.trusted(point)) }
      } else {
        elements.append(delay < -Plausibility.ahead / 1000 ? .early(point) : .point(point))
      }
    }
    let reports = try self.reports(times)
    if reports.isEmpty { return elements }
    return (reports + elements).enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  private struct Key: Hashable {
    var time: Int64
    var latitude: Int64
    var longitude: Int64

    init(_ point: TimelinePoint) {
      (time, latitude, longitude) = (point.time, Int64(point.latitude), Int64(point.longitude))
    }
    init(_ row: any SQLRow) throws {
      (time, latitude, longitude) = try (row.integer("time"), row.integer("latitude"), row.integer("longitude"))
    }
  }

  /// Returns the flags that users set.
  private func manualFlags(_ times: Range<Int64>) throws -> [Key: Bool] {
    var flags: [Key: Bool] = [:]
    try connection.forEach(
      "SELECT time, latitude, longitude, flagged FROM outliers WHERE device = ? AND time >= ? AND time < ? AND manual = 1",
      device, times.lowerBound, times.upperBound
    ) { flags[try Key($0)] = try $0.integer("flagged") != 0 }
    return flags
  }

  /// - Parameter body: receives each point, and the seconds from its time to its receipt.
  private func points(_ times: Range<Int64>, _ body: (TimelinePoint, Int64) -> Void) throws {
    let motions = connection.dialect == .sqlite ? try motions() : [:]
    let own: PointColumn = connection.dialect == .sqlite ? .context : .motion
    let columns: [PointColumn] = [.time, .latitude, .longitude, .horizontalAccuracy, own, .delay]
    try PointReader(columns, of: PointSpan(device: device, times), connection).readBatches { points in
      let (times, latitudes, longitudes) = (points.numbers(.time), points.numbers(.latitude), points.numbers(.longitude))
      let (accuracies, owns, delays) = (points.numbers(.horizontalAccuracy), points.numbers(own), points.numbers(.delay))
      for index in points.indices {
        guard let latitude = Int32(exactly: latitudes[index]), let longitude = Int32(exactly: longitudes[index]),
          latitude.magnitude <= 900_000_000, longitude.magnitude <= 1_800_000_000
        else { continue }
        let motion =
          switch connection.dialect {
          case .postgres: owns[index]
          case .sqlite: motions.isEmpty ? 0 : motions[owns[index]] ?? 0
          }
        let point = TimelinePoint(
          time: times[index], latitude: latitude, longitude: longitude, accuracy: Int32(clamping: accuracies[index] / 100),
          motion: UInt8(truncatingIfNeeded: motion))
        body(point, delays[index])
      }
    }
  }

  /// Returns the activities that motion chips detected, by the number of the context.
  private func motions() throws -> [Int64: Int64] {
    if let readMotions { return readMotions }
    var motions: [Int64: Int64] = [:]
    try connection.forEach(
      """
      SELECT contexts.id, motion FROM contexts LEFT JOIN journals ON journals.id = contexts.journal
      WHERE motion IS NOT NULL AND (journals.device IS NULL OR journals.device = ?)
      """, device
    ) { try motions[$0.integer("id")] = $0.integer("motion") }
    readMotions = motions
    return motions
  }

  /// Returns the ends of visits and the trips that the device reported.
  private func reports(_ times: Range<Int64>) throws -> [TimelineElement] {
    let records = try connection.all(
      """
      SELECT kind, time, discriminator, record FROM events
      WHERE device = ?1 AND kind IN ('visit', 'trip') AND time >= ?2 AND time < ?3
      UNION ALL
      SELECT kind, time, discriminator, record FROM events WHERE device = ?1 AND kind = 'visit'
        AND time = (SELECT max(time) FROM events WHERE device = ?1 AND kind = 'visit' AND time < ?2)
      ORDER BY kind, time, discriminator
      """, device, times.lowerBound - Self.maximumVisit * DayLength.milliseconds, times.upperBound
    ) { try EventRow.record(json: $0.text("record")) }
    var elements: [TimelineElement] = []
    for record in records {
      switch record.kind {
      case .visit(let visit):
        for (date, isDeparture) in [(visit.arrival, nil), (visit.departure, true)] as [(Date?, Bool?)] {
          guard let end = date?.millisecondsSince1970, times.contains(end) else { continue }
          let place = visit.coordinate
          let point = TimelinePoint(
            time: end, latitude: Int32((place.latitude * 1e7).rounded()), longitude: Int32((place.longitude * 1e7).rounded()),
            isReported: true, isDeparture: isDeparture)
          elements.append(.trusted(point))
        }
      case .trip(let trip) where times.contains(trip.start.millisecondsSince1970):
        let (start, end) = (trip.start.millisecondsSince1970, trip.end.millisecondsSince1970)
        elements.append(.trip(TripReport(start: start, end: end, mode: trip.mode)))
      default: break
      }
    }
    return elements
  }
}
