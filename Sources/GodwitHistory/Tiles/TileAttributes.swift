internal import GodwitTiles

/// The properties of lines and points in a tile. They are ordered as they are drawn: the newest day is above the others.
struct TileAttributes: Hashable, Comparable {
  /// The index of the device among the sources of the tile.
  var source: Int
  /// `nil` if the step is on no trip, or the modes are not shown.
  var mode: TravelMode?
  /// The class of ``SpeedClass``; `nil` if unknown.
  var speed: Int?
  /// Days since 1970, UTC.
  var day: Int64

  static func < (a: Self, b: Self) -> Bool {
    (a.day, a.source, a.mode?.rawValue ?? "", a.speed ?? -1) < (b.day, b.source, b.mode?.rawValue ?? "", b.speed ?? -1)
  }

  /// Returns the attributes with the first day of the group instead of the day.
  func grouped(_ groups: DayGroups) -> Self {
    var attributes = self
    attributes.day = groups.first(of: day)
    return attributes
  }

  /// Returns the properties of a feature.
  /// - Parameter names: the names of the sources.
  func properties(_ names: [String]) -> [(name: String, value: VectorTileWriter.Value)] {
    var properties: [(name: String, value: VectorTileWriter.Value)] = [
      ("device", .text(names[source])), ("day", .integer(day)),
    ]
    if let mode { properties.append(("mode", .text(mode.rawValue))) }
    if let speed { properties.append(("speed", .integer(Int64(speed)))) }
    return properties
  }
}

extension VectorTileWriter.Point {
  /// Rounds a place to whole units. The place is within a tile and its margin.
  @inline(__always)
  init(_ place: TileFrame.Place) { self.init(x: Int32(place.x.rounded()), y: Int32(place.y.rounded())) }
}

/// Groups of days for the colours of a long time: at most 64 groups, because more colours look the same and need more bytes.
struct DayGroups {
  private let days: Int64

  init(_ all: some Sequence<Int64>) {
    var (first, last) = (Int64.max, Int64.min)
    for day in all { (first, last) = (min(first, day), max(last, day)) }
    days = first < last ? max(1, (last - first + 64) / 64) : 1
  }

  /// Returns the first day of the group that contains a day.
  func first(of day: Int64) -> Int64 { day - ((day % days) + days) % days }
}
