import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitTracks

/// Real tracks that must not be copied into the project. They are optional, in a folder beside the checkout.
enum SharedTracks {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/data")
  static let areAvailable = FileManager.default.fileExists(atPath: folder.path)
  static let skipReason: Comment = "the shared tracks are not beside this checkout"

  /// Returns all fixes of a file, or of the files of a folder with this suffix, sorted by time.
  static func fixes(_ name: String, _ suffix: String = "") throws -> [Fix] {
    let place = folder.appendingPathComponent(name)
    let names = FileManager.default.enumerator(atPath: place.path)?.allObjects as? [String] ?? []
    let paths = suffix.isEmpty ? [place.path] : names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(place.path)/\($0)" }
    var fixes: [Fix] = []
    for path in paths {
      let file = try TrackFile(path: path)
      while let points = try file.next() { fixes += points.compactMap(\.fix) }
    }
    try #require(!fixes.isEmpty)
    return fixes.sorted { $0.time < $1.time }
  }

  /// Returns the coordinate of two columns of a table.
  static func place(_ latitude: String, _ longitude: String) throws -> Coordinate {
    let (north, east) = (try #require(Double(latitude)), try #require(Double(longitude)))
    return try #require(Coordinate(latitude: north, longitude: east))
  }

  /// Returns the rows of a table without its header line, with any line endings.
  static func rows(_ name: String, _ separator: Character) throws -> [[String]] {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst()
      .map { $0.split(separator: separator, omittingEmptySubsequences: false).map(String.init) }
  }
}

extension SeededNumbers {
  /// Returns a random track from `start` with walks, stops, turns, returns, gaps and jumps.
  mutating func wander(from start: Coordinate, count: Int) -> [Coordinate] {
    var (place, course, stride) = (start, Double.random(in: 0..<360, using: &self), 2.0)
    return (0..<count).map { _ in
      switch Int.random(in: 0..<40, using: &self) {
      case 0: stride = 0
      case 1: stride = .random(in: 0.5...3, using: &self)
      case 2: stride = .random(in: 5...30, using: &self)
      case 3: course += 180
      case 4: return GreatCircle.destination(from: place, course: course, distance: .random(in: 100...5000, using: &self))
      default: course += .random(in: -20...20, using: &self)
      }
      place = GreatCircle.destination(from: place, course: course, distance: stride)
      let noise = Double.random(in: 0...4, using: &self)
      return GreatCircle.destination(from: place, course: .random(in: 0..<360, using: &self), distance: noise)
    }
  }
}

/// Positions for edge cases of geometry: the two poles, the antimeridian, the equator, and an ordinary position.
let awkwardPlaces: [(latitude: Double, longitude: Double)] = [
  (45.4, 14.0), (0, 0), (-16.5, 179.9999), (65.1, -179.9999), (89.9995, 77), (90, 0), (-90, 123),
]
