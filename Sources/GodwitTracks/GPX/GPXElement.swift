/// The elements of GPX that the parser uses, by their local names.
package enum GPXElement: UInt8, Sendable, Codable {
  case trackPoint, segment, track, waypoint, routePoint, elevation, time, speed, course, hdop, other
  // The raw values are stored in checkpoints, so new cases must be added at the end.
  case accuracy, battery, heartRate

  /// - Parameter name: Name of the element, with or without a prefix.
  @inline(__always)
  package init(_ name: UnsafeBufferPointer<UInt8>) {
    var local = name
    // Prefixes are rare and short.
    if let colon = name.firstIndex(of: UInt8(ascii: ":")) {
      local = UnsafeBufferPointer(rebasing: name[(colon + 1)...])
    }
    switch local.count {
    case 2 where Self.matches(local, "hr"): self = .heartRate
    case 3 where Self.matches(local, "ele"): self = .elevation
    case 3 where Self.matches(local, "trk"): self = .track
    case 3 where Self.matches(local, "wpt"): self = .waypoint
    case 4 where Self.matches(local, "time"): self = .time
    case 4 where Self.matches(local, "hdop"): self = .hdop
    case 5 where Self.matches(local, "trkpt"): self = .trackPoint
    case 5 where Self.matches(local, "speed"): self = .speed
    case 5 where Self.matches(local, "rtept"): self = .routePoint
    case 6 where Self.matches(local, "trkseg"): self = .segment
    case 6 where Self.matches(local, "course"): self = .course
    case 8 where Self.matches(local, "accuracy"): self = .accuracy
    case 12 where Self.matches(local, "batterylevel"): self = .battery
    default: self = .other
    }
  }

  @inline(__always)
  private static func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    for index in 0..<bytes.count where bytes[index] != word.utf8Start[index] { return false }
    return true
  }
}
