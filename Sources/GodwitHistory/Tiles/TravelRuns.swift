package import GodwitModel
package import GodwitStore

/// The modes of a device's trips by time: what colours its lines.
package struct TravelRuns: Sendable {
  /// A part of a trip with one mode.
  package struct Run: Sendable, Hashable {
    /// Milliseconds since 1970; both inclusive.
    package var start: Int64
    package var end: Int64
    package var mode: TravelMode
    /// Average speed in motion.
    package var speed: MetersPerSecond
  }

  /// Ordered by start.
  private let runs: [Run]

  package init(_ runs: [Run]) { self.runs = runs }

  /// Reads the trips of a device, with the corrections of users.
  package init(ofDevice device: Int64, _ db: any SQLConnection) throws {
    guard try CorrectionTable.countActive(ofDevice: device, db) == 0 else {
      let all = TimelineRows.Query(device: device, times: .min..<Int64.max)
      runs = try CorrectedTimeline(db).trips(all).flatMap(\.trip.segments).map { segment in
        let speed = segment.moving > 0 ? segment.distance / segment.moving : 0
        return Run(start: segment.start, end: segment.end, mode: segment.mode, speed: speed)
      }.sorted { $0.start < $1.start }
      return
    }
    // JSON is read by the database: for twenty thousand trips twenty times as fast as by decoders.
    let segments =
      switch db.dialect {
      case .sqlite:
        """
        SELECT json_extract(value, '$.mode') AS mode, json_extract(value, '$.start') AS segment_start,
          json_extract(value, '$.end') AS segment_end, json_extract(value, '$.distance') AS distance,
          json_extract(value, '$.moving') AS moving
        FROM trips, json_each(trips.body, '$.segments') WHERE device = ? ORDER BY segment_start
        """
      case .postgres:
        """
        SELECT value ->> 'mode' AS mode, CAST(value ->> 'start' AS BIGINT) AS segment_start,
          CAST(value ->> 'end' AS BIGINT) AS segment_end, CAST(value ->> 'distance' AS DOUBLE PRECISION) AS distance,
          CAST(value ->> 'moving' AS DOUBLE PRECISION) AS moving
        FROM trips CROSS JOIN LATERAL jsonb_array_elements(CAST(body AS jsonb) -> 'segments') AS segments (value)
        WHERE device = ? ORDER BY segment_start
        """
      }
    runs = try db.all(segments, device) { row in
      let (distance, moving) = (try row.double("distance"), try row.double("moving"))
      return try Run(
        start: row.integer("segment_start"), end: row.integer("segment_end"),
        mode: TravelMode(rawValue: row.text("mode")) ?? .unknown, speed: moving > 0 ? distance / moving : 0)
    }
  }

  /// Runs that are compared for one step; one that has more is of many days.
  private static let maximumCompared = 16

  /// The run that has most of the time between two positions; `nil`: none has any. A simplified line leaves out the end of a stay, so
  /// that a step of a trip may begin long before it.
  /// - Parameters:
  ///   - start: milliseconds since 1970.
  ///   - end: the same, ≥ start.
  func run(from start: Int64, to end: Int64) -> Run? {
    // The first run that begins after the step; the ones before it may overlap.
    let next = runs.partitioningIndex { $0.start > end }
    var found: (run: Run, overlap: Int64)?
    for run in runs[max(0, next - Self.maximumCompared)..<next].reversed() where run.end >= start {
      let overlap = min(run.end, end) - max(run.start, start)
      if overlap > found?.overlap ?? -1 { found = (run, overlap) }
    }
    return found?.run
  }
}

/// Classes of speeds, by which lines are coloured.
package enum SpeedClass {
  /// The upper limits of all classes but the last: kilometres an hour of a walk, a bicycle, a town, a road, a motorway and a fast train.
  package static let limits = [7.0, 25, 50, 90, 130, 250]

  /// The class of a speed, 0…6.
  static func of(_ speed: MetersPerSecond) -> Int {
    let kilometersPerHour = speed * 3.6
    return limits.firstIndex { kilometersPerHour < $0 } ?? limits.count
  }
}
