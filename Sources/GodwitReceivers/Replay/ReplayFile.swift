internal import Foundation
package import GodwitModel
internal import GodwitTracks

/// The fixes of a recorded file, piece by piece: the points of its tracks. GPX without any track point is a walk from waypoint
/// to waypoint, as Xcode simulates it: by their times, or one a second where one of them has no time.
package final class ReplayFile {
  private let file: TrackFile
  private var first: [Fix]?
  /// Whether the times are the file's own.
  package let isTimed: Bool
  private let isWalk: Bool
  /// Which way the device pointed at the fixes that were given last, oldest first.
  package private(set) var headings: [CompassReading] = []

  /// - Parameters:
  ///   - path: of the file.
  ///   - now: seconds since 1970: the time of the last waypoint of a walk without times that is reported at once.
  ///   - factor: how many times faster than it happened it is reported; `nil`: at once.
  /// - Throws: when the file cannot be read.
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
      // None of them is in the future when it is reported.
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

  /// The next fixes; `nil` at the end.
  package func next() throws -> [Fix]? {
    if let first {
      self.first = nil
      return first
    }
    return isWalk ? nil : try file.next().map(read)
  }

  /// Points of tracks without a time so far.
  package var withoutTime: Int { isWalk ? 0 : file.withoutTime }
  /// Parts that were skipped so far, and the first of them, as sentences.
  package var skipped: (count: Int, first: [String]) {
    (file.skipped.count, file.skipped.first.map { "\($0.place): \($0.reason)" })
  }
}

/// Where a replay of a file is, for a listener that goes on there after a restart.
package protocol ReplayPositions: Sendable {
  /// How many fixes of the file were reported before, and the place of the last of them.
  /// - Parameters:
  ///   - first: the file's first fix.
  ///   - isTimed: whether its time is the file's own.
  func replayedBefore(first: Fix, isTimed: Bool) -> (count: Int, last: Coordinate?)
  /// These are reported now.
  /// - Parameter position: of the first of them, from 0.
  func willReport(_ fixes: [Fix], from position: Int)
}
