package import Foundation
package import GodwitModel
package import GodwitRoads

/// The railways, subways and trams of Helsinki, Espoo, Vantaa and Kauniainen from OpenStreetMap in November 2024 (© OpenStreetMap
/// contributors, ODbL).
///
/// The repository `PyryL/helsinki-stations` has them as lists of positions in scripts. The folder is its `src/data`. Its file of lines
/// contains the lines of both trains and subway. Here connected lines are one network, and a network is a subway if its stations are
/// stations of the subway.
package struct HelsinkiRails {
  package let graph: RoadGraph
  /// Kilometres of lines of each kind.
  package let lengths: [RoadKind: Double]
  package let files = ["lines.js", "stations.js", "tram-lines.js"]

  /// The maximum distance in metres between a station of the subway and its line.
  private static let reach = 60.0

  private struct RailStop: Decodable {
    var locations: [[Double]]
    var icon: String
  }

  /// - Throws: ``DatasetError`` for a file that cannot be read or has an invalid position.
  package init(folder: URL) throws(DatasetError) {
    func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
    let stations: [RailStop] = try Self.value(in: file("stations.js"))
    let subwayStations = try Self.line(stations.filter { $0.icon == "metro" }.flatMap(\.locations), file("stations.js"))
    // A line is listed once for each route over it.
    let lines = try Set(Self.lines(in: file("lines.js")))
    let trams = try Set(Self.lines(in: file("tram-lines.js")))
    var rails = RailNetwork()
    var lengths: [RoadKind: Double] = [:]
    for network in Self.networks(of: lines) {
      let isSubway = subwayStations.contains { station in
        network.contains { TrackLine($0).distance(to: station).map { $0 < Self.reach } ?? false }
      }
      for line in network { rails.add(line, isSubway ? .subway : .rail) }
      lengths[isSubway ? .subway : .rail, default: 0] += network.reduce(0) { $0 + TrackLine($1).length } / 1000
    }
    for line in trams { rails.add(line, .tram) }
    lengths[.tram] = trams.reduce(0) { $0 + TrackLine($1).length } / 1000
    self.lengths = lengths
    graph = rails.graph
  }

  // MARK: Files

  private static func lines(in file: URL) throws(DatasetError) -> [[Coordinate]] {
    let lists: [[[Double]]] = try value(in: file)
    var lines: [[Coordinate]] = []
    for list in lists { lines.append(try line(list, file)) }
    return lines
  }

  private static func line(_ list: [[Double]], _ file: URL) throws(DatasetError) -> [Coordinate] {
    var line: [Coordinate] = []
    for numbers in list {
      guard numbers.count == 2, let place = Coordinate(latitude: numbers[0], longitude: numbers[1]) else {
        throw DatasetError(path: file.path, reason: "\(numbers) is no position")
      }
      line.append(place)
    }
    return line
  }

  /// Reads the value of a script with one assignment.
  private static func value<Value: Decodable>(in file: URL) throws(DatasetError) -> Value {
    guard let data = FileManager.default.contents(atPath: file.path) else {
      throw DatasetError(path: file.path, reason: "it cannot be read")
    }
    let text = String(decoding: data, as: UTF8.self)
    guard let start = text.range(of: "export const "), let sign = text.range(of: "=", range: start.upperBound..<text.endIndex),
      let value = try? JSONDecoder().decode(Value.self, from: Data(text[sign.upperBound...].utf8))
    else { throw DatasetError(path: file.path, reason: "it has no export const with a list") }
    return value
  }

  // MARK: Networks

  /// Groups the lines that share positions, directly or through other lines.
  private static func networks(of lines: Set<[Coordinate]>) -> [[[Coordinate]]] {
    var byPlace: [RoadPoint: [[Coordinate]]] = [:]
    for line in lines { for place in line { byPlace[RoadPoint(place), default: []].append(line) } }
    var left = lines
    var networks: [[[Coordinate]]] = []
    while let first = left.popFirst() {
      var network = [first]
      var index = 0
      while index < network.count {
        for place in network[index] {
          for next in byPlace[RoadPoint(place)] ?? [] where left.remove(next) != nil { network.append(next) }
        }
        index += 1
      }
      networks.append(network)
    }
    return networks
  }
}

/// Builds a road graph of lines of rails. Lines that share a position are connected there.
package struct RailNetwork {
  private var builder = RoadGraphBuilder()
  private var numbers: [RoadPoint: UInt32] = [:]

  package init() {}

  package mutating func add(_ line: [Coordinate], _ kind: RoadKind) {
    var rail = RoadAttributes(kind: kind)
    rail.open(to: .rail, forward: true, backward: true)
    builder.addRoad(through: line.compactMap { number(of: RoadPoint($0)) }, rail)
  }

  private mutating func number(of point: RoadPoint) -> UInt32? {
    if let number = numbers[point] { return number }
    numbers[point] = builder.addPoint(point)
    return numbers[point]
  }

  package var graph: RoadGraph { builder.build().graph }
}
