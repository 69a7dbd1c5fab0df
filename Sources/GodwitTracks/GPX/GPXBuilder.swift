internal import Foundation
internal import GodwitModel
internal import GodwitText

/// Makes points out of the elements that a reader of XML reports.
package struct GPXBuilder {
  package var points: [TrackPoint] = []
  package var skips = Skips()
  package var unused = UnusedParts()

  private(set) var parents: [GPXElement]
  private var point: TrackPoint?
  private(set) var isInPoint = false
  private(set) var segment: Int
  /// Where the point begins that is being read, and in how many elements it is.
  private(set) var pointStart = (byte: 0, line: 1, depth: 0)
  private var field: GPXElement?
  private var text: [UInt8] = []
  /// What is wrong with the point that is being read. It is counted when the point is over, so that reading which goes on
  /// at its beginning counts it once.
  private var faults: [(reason: String, byte: Int, line: Int?)] = []

  /// Waypoints are read as points of a track.
  private let readsWaypoints: Bool

  /// - Parameters:
  ///   - parents: the elements that are open already.
  ///   - segment: pieces of the track so far, less one.
  ///   - readsWaypoints: whether waypoints are read as points of a track.
  package init(parents: [GPXElement] = [], segment: Int = -1, readsWaypoints: Bool = false) {
    self.readsWaypoints = readsWaypoints
    self.parents = parents
    self.segment = segment
  }

  /// Whether the text that comes now matters.
  package var wantsText: Bool { field != nil }

  /// A start tag. The values of `lat` and `lon` are asked for by points only.
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
        // A point outside any segment gets the number 0.
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
    // In GPX 1.0 they are children of the point, in 1.1 they are somewhere in its extensions.
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
    // Longer than any number or time that is one.
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
      // PhoneTrack writes percent.
      case .battery: point?.batteryLevel = DecimalParser.double(bytes).flatMap { $0 >= 0 && $0 <= 100 ? $0 / 100 : nil }
      case .heartRate: point?.heartRate = DecimalParser.double(bytes).flatMap { $0 > 0 && $0 < 1000 ? $0 : nil }
      default: break
      }
    }
  }

  /// GPX asks for UTC; a time without a zone is taken as that.
  private static func date(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
    let date =
      RFC3339.date(utf8: bytes)
      ?? (bytes.count >= 19 ? RFC3339.date(String(decoding: bytes, as: UTF8.self) + "Z") : nil)
    // A time that no store takes is none.
    return date.flatMap { TimestampParser.validTimes.contains($0.millisecondsSince1970) ? $0 : nil }
  }
}
