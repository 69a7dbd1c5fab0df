public import Foundation
public import GodwitModel
public import GodwitText

/// A point of a track file, which may know less than a fix: not even its time.
public struct TrackPoint: Sendable, Hashable {
  public var coordinate: Coordinate
  public var time: Date?
  /// Metres above mean sea level.
  public var altitude: Meters?
  public var speed: MetersPerSecond?
  /// Degrees clockwise from true north.
  public var course: Degrees?
  /// Degrees clockwise from magnetic north that the device points to, where a compass was recorded (NMEA 0183).
  public var magneticHeading: Degrees?
  /// The same from true north.
  public var trueHeading: Degrees?
  public var horizontalAccuracy: Meters?
  public var verticalAccuracy: Meters?
  /// 0 (empty) to 1 (full).
  public var batteryLevel: Double?
  /// Beats a minute.
  public var heartRate: Double?
  /// Piece of the track that it belongs to, counted from 0 over the whole file.
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

  /// The same as a fix; `nil` without a time.
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
  ///   - place: where it is.
  ///   - reason: why, as a sentence without its full stop.
  public init(place: FormatError.Place, reason: String) {
    self.place = place
    self.reason = reason
  }
}

/// Reads a track format piece by piece. Pieces may be cut at any byte; memory does not grow with the file.
package protocol TrackParser {
  /// Takes the next bytes and appends the points that they complete.
  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into points: inout [TrackPoint]) throws(FormatError)
  /// There are no more bytes.
  mutating func finish(into points: inout [TrackPoint]) throws(FormatError)
  /// How many parts were skipped, and the first of them.
  var skipped: (count: Int, first: [TrackSkip]) { get }
  /// The parts that were skipped since this was last called.
  mutating func takeSkips() -> [TrackSkip]
  /// The waypoints and points of routes since this was last called.
  mutating func takeUnused() -> UnusedParts
  /// Where to go on after all points that were given so far; `nil`: only from the beginning of the file.
  var state: (any ParsingState)? { get }
}

extension TrackParser {
  package mutating func takeUnused() -> UnusedParts { UnusedParts() }
}
