package import GodwitModel
package import GodwitStore

/// The modes of a device's trips by time. They determine the colours of its lines.
package struct TravelRuns: Sendable {
  /// A part of a trip with one mode.
  package struct Run: Sendable, Hashable {
    /// Milliseconds since 1970; both inclusive.
    package var start: Int64
    package var end: Int64
    package var mode: TravelMode
    /// The average speed in motion.
    package var speed: MetersPerSecond
  }

  /// Ordered by start.
  private let runs: [Run]

  package init(_ runs: [Run]) { self.runs = runs }

  /// Reads the trips of a device, with the corrections of users applied.
  package init(ofDevice device: Int64, _ db: any SQLConnection) throws {
    guard try CorrectionTable.countActive(ofDevice: device, db) == 0 else {
      let all = TimelineRows.Query(device: device, times: .min..<Int64.max)
      runs = try CorrectedTimeline(db).trips(all).flatMap(\.trip.segments).map { segment in
        let speed = segment.moving > 0 ? segment.distance / segment.moving : 0
        return Run(start: segment.start, end: segment.end, mode: segment.mode, speed: speed)
      }.sorted { $0.start < $1.start }
      return
    }
    // The database extracts the values from the JSON: for 20,000 trips, this is twenty times as fast as decoding them.
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

  /// The maximum number of runs that are compared for a step. A step with more runs spans many days.
  private static let maximumCompared = 16

  /// Returns the run that overlaps the time between two positions most; `nil` if none overlaps. A simplified line omits the end of
  /// a stay, so that a step of a trip may begin long before the trip.
  /// - Parameters:
  ///   - start: milliseconds since 1970.
  ///   - end: milliseconds since 1970, ≥ `start`.
  func run(from start: Int64, to end: Int64) -> Run? {
    // The index of the first run that begins after the step. The runs before it may overlap.
    let next = runs.partitioningIndex { $0.start > end }
    var found: (run: Run, overlap: Int64)?
    for run in runs[max(0, next - Self.maximumCompared)..<next].reversed() where run.end >= start {
      let overlap = min(run.end, end) - max(run.start, start)
      if overlap > found?.overlap ?? -1 { found = (run, overlap) }
    }
    return found?.run
  }
}

/// Classes of speeds, which determine the colours of lines.
package enum SpeedClass {
  /// The upper limits of all classes except the last, in km/h: walking, cycling, urban driving, rural roads, motorways, high-speed trains.
  package static let limits = [7.0, 25, 50, 90, 130, 250]

  /// Returns the class of a speed, 0…6.
  static func of(_ speed: MetersPerSecond) -> Int {
    let kilometersPerHour = speed * 3.6
    return limits.firstIndex { kilometersPerHour < $0 } ?? limits.count
  }
}
