public import Foundation
public import GodwitModel
public import GodwitText

/// A point of a track file. It can have less data than a fix, for example no time.
public struct TrackPoint: Sendable, Hashable {
  public var coordinate: Coordinate
  public var time: Date?
  /// Metres above mean sea level.
  public var altitude: Meters?
  public var speed: MetersPerSecond?
  /// Degrees clockwise from true north.
  public var course: Degrees?
  /// Heading of the device in degrees clockwise from magnetic north, if a compass was recorded (NMEA 0183).
  public var magneticHeading: Degrees?
  /// Heading of the device in degrees clockwise from true north.
  public var trueHeading: Degrees?
  public var horizontalAccuracy: Meters?
  public var verticalAccuracy: Meters?
  /// Battery level, 0…1.
  public var batteryLevel: Double?
  /// Heart rate in beats per minute.
  public var heartRate: Double?
  /// Index of the segment of the track, from 0 over the whole file.
  public var segment: Int

  public init(
    coordinate: Coordinate, time: Date? = nil, altitude: Meters? = nil, speed: MetersPerSecond? = nil,
    course: Degrees? = nil, horizontalAccuracy: Meters? = nil, verticalAccuracy: Meters? = nil, segment: Int = 0
  ) {
    self.coordinate = coordinate
    self.time = time
    self.altitude = altitude
    self.speed = speed
    self.course = course
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.segment = segment
  }

  /// The point as a fix; `nil` without a time.
  public var fix: Fix? {
    time.map {
      Fix(
        time: $0, coordinate: coordinate, horizontalAccuracy: horizontalAccuracy, altitude: altitude,
        verticalAccuracy: verticalAccuracy, speed: speed, course: course)
    }
  }
}

/// A part of a file that was skipped.
public struct TrackSkip: Sendable, Hashable, Codable {
  public var place: FormatError.Place
  public var reason: String

  /// - Parameters:
  ///   - place: Position in the file.
  ///   - reason: The reason, as a sentence without its full stop.
  public init(place: FormatError.Place, reason: String) {
    self.place = place
    self.reason = reason
  }
}

/// Parses a track format piece by piece. A piece can end at any byte, and memory does not grow with the file.
package protocol TrackParser {
  /// Parses the next bytes and appends the points that they complete.
  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into points: inout [TrackPoint]) throws(FormatError)
  /// Called after the last bytes.
  mutating func finish(into points: inout [TrackPoint]) throws(FormatError)
  /// Number of skipped parts, and the first of them.
  var skipped: (count: Int, first: [TrackSkip]) { get }
  /// Returns and clears the parts that were skipped since the last call.
  mutating func takeSkips() -> [TrackSkip]
  /// Returns and clears the numbers of waypoints and route points since the last call.
  mutating func takeUnused() -> UnusedParts
  /// Position at which to resume after the points returned so far; `nil` if the file can only be read from its start.
  var state: (any ParsingState)? { get }
}

extension TrackParser {
  package mutating func takeUnused() -> UnusedParts { UnusedParts() }
}
