internal import Foundation
internal import GodwitModel

/// Makes points out of the elements that a reader of XML tells.
struct GPXBuilder {
  var points: [TrackPoint] = []
  private(set) var skips = Skips()

  private var parents: [GPXElement] = []
  private var point: TrackPoint?
  private var isInPoint = false
  private var segment = -1
  private var field: GPXElement?
  private var text: [UInt8] = []

  /// Whether the text that comes now matters.
  var wantsText: Bool { field != nil }

  /// A start tag. The values of `lat` and `lon` are asked for by points only.
  @inline(__always)
  mutating func start(
    _ element: GPXElement, latitude: @autoclosure () -> Double?, longitude: @autoclosure () -> Double?, byte: Int,
    line: Int?
  ) {
    switch element {
    case .trackPoint:
      isInPoint = true
      let (north, east) = (latitude(), longitude())
      if let north, let east, let place = Coordinate(latitude: north, longitude: east) {
        // A point outside any segment belongs to one all the same.
        point = TrackPoint(coordinate: place, segment: max(0, segment))
      } else {
        point = nil
        skips.add(
          "lat=\(north.map { "\($0)" } ?? "?"), lon=\(east.map { "\($0)" } ?? "?") is no place; expected −90…90 and −180…180",
          byte: byte, line: line)
      }
    case .segment: segment += 1
    case .elevation, .time, .hdop:
      if isInPoint, parents.last == .trackPoint { beginField(element) }
    // In GPX 1.0 they are children of the point, in 1.1 they are somewhere in its extensions.
    case .speed, .course:
      if isInPoint { beginField(element) }
    case .track, .waypoint, .routePoint, .other: break
    }
    parents.append(element)
  }

  private mutating func beginField(_ element: GPXElement) {
    field = element
    text.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    // Longer than any number or time that is one.
    if field != nil, text.count < 256 { text.append(contentsOf: bytes) }
  }

  @inline(__always)
  mutating func end(byte: Int, line: Int?) {
    guard let element = parents.popLast() else { return }
    if element == .trackPoint {
      isInPoint = false
      if let point { points.append(point) }
      point = nil
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
          skips.add(
            "\"\(String(decoding: bytes.prefix(40), as: UTF8.self))\" is no time; the point is kept without one",
            byte: byte, line: line)
        }
      case .elevation: point?.altitude = DecimalParser.double(bytes)
      case .speed: point?.speed = DecimalParser.double(bytes).flatMap { $0 >= 0 ? $0 : nil }
      case .course: point?.course = DecimalParser.double(bytes).flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil }
      default: break
      }
    }
  }

  /// GPX asks for UTC; a time without a zone is taken as that.
  private static func date(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
    if let date = RFC3339.date(utf8: bytes) { return date }
    return bytes.count >= 19 ? RFC3339.date(String(decoding: bytes, as: UTF8.self) + "Z") : nil
  }
}
