package import Foundation
package import GodwitModel
package import GodwitRoads

/// Sparse positions of taxis in Beijing in 2009, with routes that people determined by hand (Li, Huang, Kerber, Zhang, Guibas:
/// Large-scale joint map matching of GPS traces, SIGSPATIAL 2013).
///
/// The repository `yangli-learning/SparseTaxi` has it without a licence. The folder is the repository's: `map`, `manual_matched` and
/// `sparse_trajectories`. Its positions are x = 85.276 (longitude − 116°) and y = 119.4 (latitude − 39°): with these factors all
/// recorded positions are whole multiples of 1e-5 degrees, and the roads are at their positions in Beijing.
///
/// The contents of the files differ from the README of the set. The numbers of a route are nodes, not edges, and those of three sets
/// belong to another network. The lines of all routes are also in the set, and match the roads to the metre. Therefore a position of
/// `manual_matched` is a part of the true line, and the recorded positions are in `sparse_trajectories`, in the same order.
package struct SparseTaxi {
  /// The tracks of one file.
  package struct Collection: Sendable {
    /// "60", "120", "300", "other" or "sparse": the interval of most positions in seconds, if the set specifies it.
    package var name: String
    package var tracks: [Track]
    /// Whether times are placeholders of one minute. They are read as ``SparseTaxi/placeholder`` seconds.
    package var hasPlaceholders: Bool
  }

  /// A recorded track with its true route.
  package struct Track: Sendable {
    package var fixes: [RoadFix]
    package var positions: [Coordinate]
    /// The true line.
    package var line: [Coordinate]
    /// The true arcs; `nil` if they are of another network.
    package var route: [Int]?
  }

  /// Seconds between two positions of the collection whose times are placeholders. With one minute, as in the file, some speeds would
  /// be 85 m/s.
  package static let placeholder = 300.0

  /// The roads. Their lengths are those of straight lines between nodes, because the set's column of lengths has negative numbers.
  package let roads: RoadArcs
  package let collections: [Collection]
  /// The names of all files that were read, relative to the folder.
  package let files: [String]

  /// - Throws: ``DatasetError`` for a file that is missing or has an invalid line.
  package init(folder: URL) throws(DatasetError) {
    var files = ["map/adjacentList.txt", "map/vertexMap.txt"]
    let nodes = try Self.nodes(NumberLines(folder, "map/vertexMap.txt"))
    let arcs = try Self.arcs(NumberLines(folder, "map/adjacentList.txt"), nodes.count)
    let roads = RoadArcs(nodes, arcs)
    var collections: [Collection] = []
    for (name, file, hasRoutes) in [
      ("60", "set60", true), ("120", "set120", false), ("300", "set300", false), ("other", "setOther", false),
      ("sparse", "sparse", true),
    ] {
      let paths = ["sparse_trajectories/heavyTraj_\(file).coor.txt", "manual_matched/beijing_\(file).coor.txt"]
      files += paths
      let recorded = try Self.tracks(NumberLines(folder, paths[0]))
      let lines = try Self.tracks(NumberLines(folder, paths[1]))
      guard recorded.count == lines.count else {
        throw DatasetError(path: paths[0], reason: "it has \(recorded.count) tracks, and \(paths[1]) has \(lines.count)")
      }
      var routes: [[Int]]?
      if hasRoutes {
        let path = "manual_matched/beijing_\(file).txt"
        files.append(path)
        routes = try Self.routes(NumberLines(folder, path), roads, nodes.count)
        guard routes?.count == lines.count else {
          throw DatasetError(path: path, reason: "it has not one route for each of \(lines.count) tracks")
        }
      }
      let hasPlaceholders = name == "sparse"
      let tracks = recorded.indices.map { index in
        Track(
          fixes: recorded[index].enumerated().map { number, point in
            RoadFix(point.place, time: hasPlaceholders ? Double(number) * Self.placeholder : point.time)
          },
          positions: recorded[index].map(\.place), line: lines[index].map(\.place), route: routes?[index])
      }
      collections.append(Collection(name: name, tracks: tracks, hasPlaceholders: hasPlaceholders))
    }
    (self.roads, self.collections, self.files) = (roads, collections, files)
  }

  /// The non-empty lines of a file with their numbers.
  private struct NumberLines {
    struct Line {
      /// From 1.
      var number: Int
      var words: [Substring]
      var values: [Double]
    }
    let lines: [Line]
    private let path: String

    init(_ folder: URL, _ name: String) throws(DatasetError) {
      path = folder.appendingPathComponent(name).path
      guard let data = FileManager.default.contents(atPath: path) else {
        throw DatasetError(path: path, reason: "it cannot be read; the folder must be that of the repository SparseTaxi")
      }
      let text = String(decoding: data, as: UTF8.self)
      var lines: [Line] = []
      for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
        let words = line.split { $0 == " " || $0 == "\t" }
        guard !words.isEmpty else { continue }
        lines.append(Line(number: index + 1, words: words, values: words.compactMap { Double($0) }))
      }
      self.lines = lines
    }

    func error(_ line: Line, _ reason: String) -> DatasetError {
      DatasetError(path: path, reason: "line \(line.number) \(reason)")
    }
  }

  private static func place(_ x: Double, _ y: Double) -> Coordinate? {
    Coordinate(latitude: 39 + y / 119.4, longitude: 116 + x / 85.276)
  }

  private static func nodes(_ file: NumberLines) throws(DatasetError) -> [Coordinate] {
    var nodes: [Coordinate] = []
    for line in file.lines {
      guard line.values.count == 4, line.values[0] == Double(nodes.count), let place = place(line.values[2], line.values[3])
      else {
        throw file.error(line, "is not node \(nodes.count) with its number in OpenStreetMap, x and y")
      }
      nodes.append(place)
    }
    return nodes
  }

  private static func arcs(_ file: NumberLines, _ count: Int) throws(DatasetError) -> [(from: UInt32, to: UInt32)] {
    var arcs: [(from: UInt32, to: UInt32)] = []
    // The first line has the number of nodes; according to the README it is the number of edges.
    for line in file.lines.dropFirst() {
      guard line.values.count == 3, let from = UInt32(exactly: line.values[0]), let to = UInt32(exactly: line.values[1]),
        Int(from) < count, Int(to) < count
      else { throw file.error(line, "is not two nodes and a length") }
      if from != to { arcs.append((from, to)) }
    }
    return arcs
  }

  /// Reads the tracks of a file. A line of three integers begins a track. Its number of positions is ignored, because three are wrong.
  private static func tracks(_ file: NumberLines) throws(DatasetError) -> [[(time: Double, place: Coordinate)]] {
    var tracks: [[(time: Double, place: Coordinate)]] = []
    for line in file.lines.dropFirst() {
      guard line.values.count == 3, abs(line.values[0]) < 1e11 else {
        throw file.error(line, "is not a time, x and y, and begins no track")
      }
      if line.words.allSatisfy({ Int($0) != nil }) {
        tracks.append([])
        continue
      }
      guard !tracks.isEmpty, let place = place(line.values[1], line.values[2]) else {
        throw file.error(line, "is no position of a track")
      }
      tracks[tracks.count - 1].append((line.values[0], place))
    }
    return tracks
  }

  /// Reads the arcs of routes. Pairs of nodes without an arc between them and lines with a single number are skipped.
  private static func routes(_ file: NumberLines, _ roads: RoadArcs, _ count: Int) throws(DatasetError) -> [[Int]] {
    var routes: [[Int]] = []
    for line in file.lines {
      let nodes = line.values.compactMap { UInt32(exactly: $0) }
      guard nodes.count == line.words.count, nodes.allSatisfy({ Int($0) < count }) else {
        throw file.error(line, "has a number that is no node")
      }
      if nodes.count > 1 { routes.append(zip(nodes, nodes.dropFirst()).compactMap(roads.arc(from:to:))) }
    }
    return routes
  }
}
