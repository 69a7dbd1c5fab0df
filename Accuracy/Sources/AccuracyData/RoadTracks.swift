package import Foundation
internal import GodwitModel
package import GodwitRoads

/// The worldwide set for map matching of Kubicka, Cela, Moulin, Mounier and Niculescu (Dataset for testing and training of map-matching
/// algorithms, 2015): a hundred tracks, each with the roads around it and the true route over them.
///
/// The folder has a folder for each track with `NAME.nodes` (longitude and latitude), `NAME.arcs` (two nodes), `NAME.route` (arcs) and
/// `NAME.track` (longitude, latitude, seconds), as in `Datasets` of the repository `caochuntu/GMM`. Nodes and arcs are from
/// OpenStreetMap.
package struct RoadTracks {
  /// A track with its roads and its true route.
  package struct Track {
    package var name: String
    package var fixes: [RoadFix]
    package var roads: RoadArcs
    /// The true arcs.
    package var route: [Int]

    init(folder: URL) throws {
      name = folder.lastPathComponent
      let points = try Self.numbers(folder, "nodes", 2).map { line in
        guard let point = Coordinate(latitude: line[1], longitude: line[0]) else {
          throw DatasetError(path: folder.path, reason: "a node is no position")
        }
        return point
      }
      fixes = try Self.numbers(folder, "track", 3).map { line in
        guard let place = Coordinate(latitude: line[1], longitude: line[0]) else {
          throw DatasetError(path: folder.path, reason: "a point of the track is no position")
        }
        return RoadFix(place, time: line[2])
      }
      let arcs = try Self.numbers(folder, "arcs", 2).map { line in
        guard let from = UInt32(exactly: line[0]), let to = UInt32(exactly: line[1]), Int(from) < points.count,
          Int(to) < points.count
        else {
          throw DatasetError(path: folder.path, reason: "an arc has no node")
        }
        return (from: from, to: to)
      }
      route = try Self.numbers(folder, "route", 1).map { line in
        guard let arc = Int(exactly: line[0]), arcs.indices.contains(arc) else {
          throw DatasetError(path: folder.path, reason: "the route has an arc that is not there")
        }
        return arc
      }
      roads = RoadArcs(points, arcs)
    }

    /// Reads the lines of a file, each with at least a number of values.
    private static func numbers(_ folder: URL, _ ending: String, _ count: Int) throws -> [[Double]] {
      let path = folder.appendingPathComponent("\(folder.lastPathComponent).\(ending)").path
      guard let data = FileManager.default.contents(atPath: path) else {
        throw DatasetError(path: path, reason: "it cannot be read")
      }
      return try String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).enumerated().map { index, line in
        let numbers = line.split(whereSeparator: { $0 == "\t" || $0 == " " }).compactMap { Double($0) }
        guard numbers.count >= count else { throw DatasetError(path: path, reason: "line \(index + 1) has not \(count) numbers") }
        return numbers
      }
    }
  }

  /// The names of the tracks, sorted.
  package let names: [String]
  private let folder: URL
  /// The names of all files that are read, relative to the folder.
  package var files: [String] {
    names.flatMap { name in ["track", "nodes", "arcs", "route"].map { "\(name)/\(name).\($0)" } }
  }

  /// - Throws: ``DatasetError`` if the folder has no track.
  package init(folder: URL) throws {
    self.folder = folder
    names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted().filter {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent("\($0)/\($0).track").path)
    }
    guard !names.isEmpty else {
      throw DatasetError(path: folder.path, reason: "it has no NAME/NAME.track; it must be the folder Datasets")
    }
  }

  /// Reads a track with its roads.
  package func track(_ name: String) throws -> Track { try Track(folder: folder.appendingPathComponent(name)) }
}
