internal import Foundation
internal import GodwitModel
internal import GodwitText

/// Builds track points from the elements that an XML reader reports.
package struct GPXBuilder {
  package var points: [TrackPoint] = []
  package var skips = Skips()
  package var unused = UnusedParts()

  private(set) var parents: [GPXElement]
  private var point: TrackPoint?
  private(set) var isInPoint = false
  private(set) var segment: Int
  /// Start of the current point, and the number of elements that contain it.
  private(set) var pointStart = (byte: 0, line: 1, depth: 0)
  private var field: GPXElement?
  private var text: [UInt8] = []
  /// Faults of the current point. They are counted at the end of the point, so that a parser which resumes at the start of the
  /// point counts them once.
  private var faults: [(reason: String, byte: Int, line: Int?)] = []

  /// Whether waypoints are read as points of a track.
  private let readsWaypoints: Bool

  /// - Parameters:
  ///   - parents: Elements that are already open.
  ///   - segment: Number of segments so far, minus one.
  ///   - readsWaypoints: Whether waypoints are read as points of a track.
  package init(parents: [GPXElement] = [], segment: Int = -1, readsWaypoints: Bool = false) {
    self.readsWaypoints = readsWaypoints
    self.parents = parents
    self.segment = segment
  }

  /// Whether the next text is needed.
  package var wantsText: Bool { field != nil }

  /// Handles a start tag. The values of `lat` and `lon` are evaluated only for points.
  @inline(__always)
  package mutating func start(
    _ element: GPXElement, latitude: @autoclosure () -> Double?, longitude: @autoclosure () -> Double?, byte: Int,
    line: Int?
  ) {
    let element = readsWaypoints && element == .waypoint ? GPXElement.trackPoint : element
    switch element {
    case .trackPoint:
      isInPoint = true
      pointStart = (byte, line ?? 1, parents.count)
      let (north, east) = (latitude(), longitude())
      if let north, let east, let place = Coordinate(latitude: north, longitude: east) {
        // A point outside a segment gets the number 0.
        point = TrackPoint(coordinate: place, segment: max(0, segment))
      } else {
        point = nil
        faults.append(
          (
            "lat=\(north.map { "\($0)" } ?? "?"), lon=\(east.map { "\($0)" } ?? "?") is not a valid position; expected −90…90 and −180…180",
            byte, line
          ))
      }
    case .segment: segment += 1
    case .elevation, .time, .hdop:
      if isInPoint, parents.last == .trackPoint { beginField(element) }
    // In GPX 1.0 these elements are children of the point, in 1.1 they are in its extensions.
    case .speed, .course, .accuracy, .battery, .heartRate:
      if isInPoint { beginField(element) }
    case .waypoint: unused.waypoints += 1
    case .routePoint: unused.routePoints += 1
    case .track, .other: break
    }
    parents.append(element)
  }

  private mutating func beginField(_ element: GPXElement) {
    field = element
    text.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    // Longer than any valid number or time.
    if field != nil, text.count < 256 { text.append(contentsOf: bytes) }
  }

  @inline(__always)
  package mutating func end(byte: Int, line: Int?) {
    guard let element = parents.popLast() else { return }
    if element == .trackPoint {
      isInPoint = false
      if let point { points.append(point) }
      point = nil
      if !faults.isEmpty {
        for fault in faults { skips.add(fault.reason, byte: fault.byte, line: fault.line) }
        faults.removeAll()
      }
      return
    }
    guard let field, field == element else { return }
    self.field = nil
    guard point != nil else { return }
    text.withUnsafeBufferPointer { bytes in
      switch field {
      case .time:
        var first = 0
        var last = bytes.count
        while first < last, bytes[first] <= 0x20 { first += 1 }
        while last > first, bytes[last - 1] <= 0x20 { last -= 1 }
        point?.time = Self.date(UnsafeBufferPointer(rebasing: bytes[first..<last]))
        if point?.time == nil, first < last {
          faults.append(
            ("\"\(String(decoding: bytes.prefix(40), as: UTF8.self))\" is not a time; the point is read without one", byte, line))
        }
      case .elevation: point?.altitude = DecimalParser.double(bytes)
      case .speed: point?.speed = DecimalParser.double(bytes).flatMap { $0 >= 0 ? $0 : nil }
      case .course: point?.course = DecimalParser.double(bytes).flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil }
      case .accuracy: point?.horizontalAccuracy = DecimalParser.double(bytes).flatMap { $0 >= 0 && $0 < 1e9 ? $0 : nil }
      // PhoneTrack writes a percentage.
      case .battery: point?.batteryLevel = DecimalParser.double(bytes).flatMap { $0 >= 0 && $0 <= 100 ? $0 / 100 : nil }
      case .heartRate: point?.heartRate = DecimalParser.double(bytes).flatMap { $0 > 0 && $0 < 1000 ? $0 : nil }
      default: break
      }
    }
  }

  /// Parses a time. GPX requires UTC, so a time without a zone is in UTC.
  private static func date(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
    let date =
      RFC3339.date(utf8: bytes)
      ?? (bytes.count >= 19 ? RFC3339.date(String(decoding: bytes, as: UTF8.self) + "Z") : nil)
    // A time that the store does not accept counts as missing.
    return date.flatMap { TimestampParser.validTimes.contains($0.millisecondsSince1970) ? $0 : nil }
  }
}
