package import Foundation
internal import GodwitModel
package import GodwitModes
internal import GodwitText
package import GodwitTracks

/// GeoLife GPS Trajectories 1.3 (Microsoft Research Asia, 2012): tracks of people, and the means of transport that 69 of them labelled.
///
/// The licence is for research; this repository contains no data of the set. The folder is the set's `Data`: a folder for each person,
/// with `labels.txt` and `Trajectory/*.plt`.
package struct GeoLife {
  /// A labelled period of one person, with its positions.
  package struct Segment {
    package var person: String
    /// The label in the set.
    package var label: String
    package var start: Date
    package var end: Date
    package var positions: ArraySlice<TrackPoint>
  }

  /// The folders of the people with labels, sorted.
  package let people: [String]
  private let folder: URL

  /// - Throws: ``DatasetError`` if the folder has no labels.
  package init(folder: URL) throws(DatasetError) {
    self.folder = folder
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    people = names.filter {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent("\($0)/labels.txt").path)
    }.sorted()
    guard !people.isEmpty else {
      throw DatasetError(
        path: folder.path, reason: "no folder in it has a labels.txt; it must be the folder Data of GeoLife GPS Trajectories 1.3")
    }
  }

  /// The names of the files of people with labels, relative to the folder.
  package var files: [String] {
    people.flatMap { person in
      ["\(person)/labels.txt"] + trackNames(of: person).map { "\(person)/Trajectory/\($0)" }
    }
  }

  private func trackNames(of person: String) -> [String] {
    let tracks = folder.appendingPathComponent("\(person)/Trajectory")
    return ((try? FileManager.default.contentsOfDirectory(atPath: tracks.path)) ?? []).filter { $0.hasSuffix(".plt") }.sorted()
  }

  /// Returns the kind of transport of a label; `nil` for labels with too few segments: airplane, boat, run, motorcycle.
  package static func kind(of label: String) -> TransportKind? {
    switch label {
    case "walk": .walk
    case "bike": .bicycle
    case "bus": .bus
    case "car", "taxi": .car
    case "train": .train
    case "subway": .subway
    default: nil
    }
  }

  /// Returns the labelled periods of a person with at least two positions, in order of time.
  package func segments(of person: String) throws -> [Segment] {
    let positions = try positions(of: person)
    return try labels(of: person).compactMap { label in
      let from = positions.partitioningIndex { ($0.time ?? .distantPast) >= label.start }
      let end = positions.partitioningIndex { ($0.time ?? .distantPast) > label.end }
      guard end - from >= 2 else { return nil }
      return Segment(
        person: person, label: label.word, start: label.start, end: label.end, positions: positions[from..<end])
    }
  }

  /// Returns all positions of a person, in order of time.
  package func positions(of person: String) throws -> [TrackPoint] {
    let tracks = folder.appendingPathComponent("\(person)/Trajectory")
    let names = try FileManager.default.contentsOfDirectory(atPath: tracks.path).filter { $0.hasSuffix(".plt") }.sorted()
    var positions: [TrackPoint] = []
    for name in names {
      let file = try TrackFile(path: tracks.appendingPathComponent(name).path)
      while let points = try file.next() { positions += points.filter { $0.time != nil } }
    }
    // Files of one person overlap in a few places. The sort is stable, so that equal times keep their order.
    return positions.sorted { ($0.time ?? .distantPast) < ($1.time ?? .distantPast) }
  }

  private func labels(of person: String) throws -> [(word: String, start: Date, end: Date)] {
    let path = folder.appendingPathComponent("\(person)/labels.txt").path
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var labels: [(word: String, start: Date, end: Date)] = []
    for (index, line) in text.split(whereSeparator: \.isNewline).enumerated().dropFirst() {
      let fields = line.split(separator: "\t").map(String.init)
      guard fields.count == 3, let start = Self.time(fields[0]), let end = Self.time(fields[1]) else {
        throw DatasetError(path: path, reason: "line \(index + 1) is not a start, an end and a label")
      }
      labels.append((fields[2], start, end))
    }
    return labels.sorted { $0.start < $1.start }
  }

  private static func time(_ text: String) -> Date? {
    RFC3339.date(text.replacingOccurrences(of: "/", with: "-").replacingOccurrences(of: " ", with: "T") + "Z")
  }
}

/// An error: a data set does not have the format that its loader reads.
package struct DatasetError: Error, CustomStringConvertible {
  package let path: String
  package let reason: String
  package var description: String { "\(path): \(reason)." }

  package init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }
}
