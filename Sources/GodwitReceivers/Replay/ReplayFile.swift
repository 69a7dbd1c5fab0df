internal import Foundation
package import GodwitModel
internal import GodwitTracks

/// Reads the fixes of a recorded file in pieces: the points of its tracks. A GPX file without track points is a walk from
/// waypoint to waypoint, as Xcode simulates it: at the times of the waypoints, or one waypoint each second if a waypoint has no
/// time.
package final class ReplayFile {
  private let file: TrackFile
  private var first: [Fix]?
  /// Whether the times are those of the file.
  package let isTimed: Bool
  private let isWalk: Bool
  /// The headings at the fixes of the last piece, oldest first.
  package private(set) var headings: [CompassReading] = []

  /// - Parameters:
  ///   - path: the path of the file.
  ///   - now: the present time, seconds since 1970. It is the time of the last waypoint of a walk without times that is reported
  ///     at once.
  ///   - factor: the factor by which the replay is faster than the recording; `nil`: without pauses.
  /// - Throws: an error if the file cannot be read.
  package init(path: String, now: Double, factor: Double? = nil) throws {
    let tracks = try TrackFile(path: path)
    if let points = try tracks.next() {
      (file, isTimed, isWalk) = (tracks, true, false)
      first = read(points)
      return
    }
    file = try TrackFile(path: path, readsWaypoints: true)
    isWalk = file.format == .gpx
    var points: [TrackPoint] = []
    while let more = try file.next() { points += more }
    isTimed = points.allSatisfy { $0.time != nil }
    guard isWalk else { return }
    if !isTimed {
      // No fix is in the future when it is reported.
      let ahead = Double(points.count) * max(0, 1 - (factor.map { 1 / $0 } ?? 0))
      let beginning = Date(timeIntervalSince1970: now - ahead)
      for index in points.indices { points[index].time = beginning.addingTimeInterval(Double(index)) }
    }
    first = read(points)
  }

  private func read(_ points: [TrackPoint]) -> [Fix] {
    headings = points.compactMap { point in
      guard let time = point.time, point.magneticHeading ?? point.trueHeading != nil else { return nil }
      return CompassReading(time: time, magnetic: point.magneticHeading, geographic: point.trueHeading)
    }
    return points.compactMap(\.fix)
  }

  /// Returns the next fixes; `nil` at the end.
  package func next() throws -> [Fix]? {
    if let first {
      self.first = nil
      return first
    }
    return isWalk ? nil : try file.next().map(read)
  }

  /// The number of track points without a time so far.
  package var withoutTime: Int { isWalk ? 0 : file.withoutTime }
  /// The number of parts that were skipped so far, and the first of them as sentences.
  package var skipped: (count: Int, first: [String]) {
    (file.skipped.count, file.skipped.first.map { "\($0.place): \($0.reason)" })
  }
}

/// Stores the position of a replay in its file, for a consumer that continues after a restart.
package protocol ReplayPositions: Sendable {
  /// Returns the number of fixes of the file that were reported before, and the place of the last of them.
  /// - Parameters:
  ///   - first: the first fix of the file.
  ///   - isTimed: whether its time is the one of the file.
  func replayedBefore(first: Fix, isTimed: Bool) -> (count: Int, last: Coordinate?)
  /// Called before fixes are reported.
  /// - Parameter position: the index of the first of them in the file, from 0.
  func willReport(_ fixes: [Fix], from position: Int)
}
