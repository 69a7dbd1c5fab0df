public import Foundation
public import Godwit
internal import GodwitTracks

/// A completed ride: its time, distance, top speed and positions.
public struct Ride: Sendable, Codable, Identifiable {
  public var start: Date
  public var end: Date
  /// Metres.
  public var distance: Double
  /// Metres per second; speeds that no bicycle reaches are ignored.
  public var topSpeed: Double
  /// In order of time.
  public var fixes: [Fix]

  /// A trip below one of these values (metres, seconds, metres per second) is not a ride: a bicycle that was pushed, for example.
  static let minimum = (distance: 500.0, duration: 120.0, averageSpeed: 1.8)
  /// Metres per second (90 km/h): a higher speed comes from a wrong position.
  static let fastest = 25.0

  /// - Parameters:
  ///   - trip: the trip that the tracker recorded.
  ///   - fixes: the fixes that were recorded during the trip.
  /// - Returns: `nil` for a trip that was too short or too slow to be a ride.
  public init?(_ trip: Trip, fixes: [Fix]) {
    guard trip.distance >= Self.minimum.distance, trip.duration >= Self.minimum.duration,
      trip.distance / trip.duration >= Self.minimum.averageSpeed
    else { return nil }
    start = trip.start
    end = trip.end
    distance = trip.distance
    self.fixes = fixes.filter { $0.time >= trip.start && $0.time <= trip.end }
    let speeds = self.fixes.compactMap(\.speed) + Self.steps(self.fixes)
    topSpeed = speeds.filter { $0 <= Self.fastest }.max() ?? trip.distance / trip.duration
  }

  /// Returns the speeds between consecutive fixes in metres per second, for receivers that report no speed; otherwise none.
  private static func steps(_ fixes: [Fix]) -> [Double] {
    guard fixes.allSatisfy({ ($0.speed ?? 0) == 0 }) else { return [] }
    return zip(fixes, fixes.dropFirst()).compactMap { before, after in
      let seconds = after.time.timeIntervalSince(before.time)
      return seconds > 0 ? before.coordinate.distance(to: after.coordinate) / seconds : nil
    }
  }

  /// The base name of the ride's files.
  public var id: String { start.formatted(.iso8601).replacing(":", with: "-") }
  /// Seconds.
  public var duration: Double { end.timeIntervalSince(start) }
  /// Metres per second, including stops.
  public var averageSpeed: Double { distance / duration }

  /// "8.1 km in 32 min, 15.2 km/h on average, 31.0 km/h at most".
  public var summary: String {
    "\(Self.decimal(distance / 1000)) km in \(Int((duration / 60).rounded())) min, "
      + "\(Self.decimal(averageSpeed * 3.6)) km/h on average, \(Self.decimal(topSpeed * 3.6)) km/h at most"
  }

  static func decimal(_ value: Double) -> String { String(format: "%.1f", value) }

  /// The track as a GPX file.
  public var gpx: [UInt8] {
    var writer = GPXWriter()
    var bytes: [UInt8] = []
    writer.header(name: "Ride of \(start.formatted(.iso8601))", into: &bytes)
    for fix in fixes {
      writer.append(
        TrackPoint(
          coordinate: fix.coordinate, time: fix.time, altitude: fix.altitude, speed: fix.speed, course: fix.course),
        into: &bytes)
    }
    writer.footer(into: &bytes)
    return bytes
  }
}
