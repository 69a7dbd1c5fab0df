internal import GodwitModel

/// The points of one device that a read selects.
package struct PointSpan {
  /// The number of the device.
  package var device: Int64
  /// Milliseconds since 1970; the end is excluded.
  package var times: Range<Int64>
  /// Only points after this key.
  package var after: PointKey?
  var box: FixedBox?
  /// Whether flagged points are excluded.
  package var leavesOutFlagged = false
  /// Maximum number of points.
  package var limit = Int.max

  package init(device: Int64, _ times: Range<Int64>) { (self.device, self.times) = (device, times) }

  /// A box in 1e-7 degrees.
  struct FixedBox {
    var latitudes: ClosedRange<Int64>
    /// One range, or two at the antimeridian. Empty: any longitude.
    var longitudes: [ClosedRange<Int64>]

    init(latitudes: ClosedRange<Int64>, longitudes: [ClosedRange<Int64>]) {
      (self.latitudes, self.longitudes) = (latitudes, longitudes)
    }

    /// - Returns: `nil` if the box contains no latitude.
    init?(_ box: BoundingBox) {
      // The clamp prevents a trap.
      func fixed(_ degrees: Degrees) -> Int64 { Int64(max(-9e15, min(9e15, (degrees * 1e7).rounded()))) }
      let (south, north, west, east) = (fixed(box.south), fixed(box.north), fixed(box.west), fixed(box.east))
      guard south <= north else { return nil }
      latitudes = south...north
      longitudes = west <= east ? [west...east] : [west...max(west, 1_800_000_000), min(east, -1_800_000_000)...east]
    }

    func contains(_ key: PointKey) -> Bool {
      latitudes.contains(key.latitude) && (longitudes.isEmpty || longitudes.contains { $0.contains(key.longitude) })
    }

    /// Whether points of a block may be in the box.
    func touches(_ header: BlockTable.Header) -> Bool {
      latitudes.overlaps(header.latitudes) && (longitudes.isEmpty || longitudes.contains { $0.overlaps(header.longitudes) })
    }
  }

  /// Selects only points in a box, 1e-7 degrees.
  /// - Parameters:
  ///   - latitudes: the latitudes of the points.
  ///   - longitudes: their longitudes; `nil`: any.
  package mutating func restrict(latitudes: ClosedRange<Int64>, longitudes: ClosedRange<Int64>?) {
    box = FixedBox(latitudes: latitudes, longitudes: longitudes.map { [$0] } ?? [])
  }

  /// The part of a query that concerns one device; `nil` if it selects no points.
  init?(_ query: PointQuery, device: Int64) {
    let (first, end) = (query.from?.millisecondsSince1970 ?? .min, query.to?.millisecondsSince1970 ?? .max)
    guard first < end, query.limit > 0 else { return nil }
    self.init(device: device, first..<end)
    if let box = query.box {
      guard let fixed = FixedBox(box) else { return nil }
      self.box = fixed
    }
    if let after = query.after {
      guard after.device.value <= device else { return nil }
      if after.device.value == device {
        self.after = PointKey(time: after.time.value, latitude: after.latitude.value, longitude: after.longitude.value)
      }
    }
    (leavesOutFlagged, limit) = (query.leavesOutMarked, query.limit)
  }

  /// The spans of a query, in the order of its points.
  /// - Parameter devices: the numbers of all devices, in order. Ignored if the query names a device.
  static func all(of query: PointQuery, devices: [Int64]) -> [PointSpan] {
    (query.device.map { [$0] } ?? devices).compactMap { PointSpan(query, device: $0) }
  }

  /// The first time from which points are read.
  var beginning: Int64 { max(times.lowerBound, after?.time ?? .min) }

  /// Returns the SQL that selects those points that are rows, and its arguments. The text depends only on the conditions in use.
  /// - Parameter select: `SELECT … FROM points …`.
  func sql(_ select: String) -> (text: String, arguments: [SQLArgument]) {
    var conditions = "points.device = ? AND points.time >= ? AND points.time < ?"
    var arguments = [device, beginning, times.upperBound].map(\.argument)
    if let box {
      conditions += " AND points.latitude BETWEEN ? AND ?"
      if !box.longitudes.isEmpty {
        conditions += " AND (\(box.longitudes.map { _ in "points.longitude BETWEEN ? AND ?" }.joined(separator: " OR ")))"
      }
      for range in [box.latitudes] + box.longitudes { arguments += [range.lowerBound.argument, range.upperBound.argument] }
    }
    if let after {
      conditions += " AND (points.time, points.latitude, points.longitude) > (?, ?, ?)"
      arguments += [after.time, after.latitude, after.longitude].map(\.argument)
    }
    if leavesOutFlagged { conditions += " AND \(PointFlags.isUnflagged)" }
    var text = "\(select) WHERE \(conditions) ORDER BY points.device, points.time, points.latitude, points.longitude"
    if limit < .max {
      text += " LIMIT ?"
      arguments.append(limit.argument)
    }
    return (text, arguments)
  }
}

extension Range<Int64> {
  /// A half-open range of times. The last time is excluded only if it is the greatest integer.
  package init(upTo times: ClosedRange<Int64>) {
    let last = times.upperBound
    self = times.lowerBound..<(last == .max ? last : last + 1)
  }
}
