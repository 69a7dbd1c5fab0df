internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads KML as records: `gx:Track` with times, positions and arrays of values; points with a `TimeStamp`; and, from former
/// exports of Google's timeline, places with a `TimeSpan`, which become visits, and lines with a `TimeSpan`, which become
/// trips.
final class KMLTracks: XMLRecordHandler {
  static let format = "KML"
  var sink = RecordSink()

  private var text = XMLText(maximum: 16 << 20)
  private var parents: [String] = []
  private var placemark: Placemark?
  private var track: Track?
  /// The name of the open extended data or of the open array of a track.
  private var dataName: String?

  private struct Placemark {
    var place: FormatError.Place
    var part = GooglePart()
    var when: Int64?
    var name: String?
    var address: String?
    var data: [(name: String, value: String)] = []
    var points: [(place: Coordinate, altitude: Double?)] = []
    var lines: [[(place: Coordinate, altitude: Double?)]] = []
  }

  /// The arrays of a track. An array is empty, or has an element for each point.
  private struct Track {
    var place: FormatError.Place
    /// The numbers of points and of courses before those of this part of the track. The elements of `arrays` are counted
    /// from the beginning of the track.
    var pointsBefore = 0
    var coursesBefore = 0
    var times: [Int64?] = []
    var places: [Coordinate?] = []
    var altitudes: [Double?] = []
    var courses: [Double?] = []
    var arrays: [String: [Double?]] = [:]
  }

  /// Maximum number of points of a track that are held until its arrays have been read.
  var maximumTrack = 500_000

  init() {}

  static func recognizes(_ head: String) -> Bool { head.contains("<kml") || head.contains(":kml") }

  func start(_ name: String, _ attributes: [String: String], at place: FormatError.Place) {
    parents.append(name)
    text.close()
    switch name {
    case "Placemark": placemark = Placemark(place: place)
    case _ where placemark == nil: break
    case "Track": track = Track(place: place)
    case "Data", "SimpleData":
      dataName = attributes["name"]
      if name == "SimpleData" { text.open() }
    case "SimpleArrayData": dataName = attributes["name"]
    case "when", "coord", "angles", "coordinates", "begin", "end", "value": text.open()
    case "name", "address": if parents.dropLast().last == "Placemark" { text.open() }
    default: break
    }
  }

  func append(_ bytes: UnsafeBufferPointer<UInt8>) { text.append(bytes) }

  func end(_ name: String, at place: FormatError.Place) {
    parents.removeLast()
    let isText = text.isOpen
    text.close()
    switch name {
    case "Placemark": finish()
    case "Track": giveTrack()
    case "Data", "SimpleArrayData": dataName = nil
    case _ where !isText || placemark == nil: break
    case "when":
      if track != nil { track?.times.append(text.time) } else { placemark?.when = text.time }
    case "begin": placemark?.part.start = text.time
    case "end": placemark?.part.end = text.time
    case "coord": coord()
    case "angles": track?.courses.append(firstNumber.flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil })
    case "value", "SimpleData": value(name)
    case "name": placemark?.name = text.words
    case "address": placemark?.address = text.words
    case "coordinates": coordinates(at: place)
    default: break
    }
  }

  private var firstNumber: Double? {
    text.words.split(separator: " ").first.flatMap { DecimalParser.double($0) }
  }

  /// Reads `longitude latitude altitude`, separated by spaces.
  private func coord() {
    guard track != nil else { return }
    let numbers = text.words.split { $0 == " " || $0 == "\t" || $0 == "\n" }.map { DecimalParser.double($0) }
    var place: Coordinate?
    if numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1] {
      place = Coordinate(latitude: latitude, longitude: longitude)
    }
    track?.places.append(place)
    track?.altitudes.append(numbers.count > 2 ? numbers[2] : nil)
    if (track?.places.count ?? 0) >= maximumTrack, track?.times.count == track?.places.count { giveTrack(continues: true) }
  }

  private func value(_ element: String) {
    guard let name = dataName else { return }
    if track != nil, element == "value", parents.last == "SimpleArrayData" {
      track?.arrays[name, default: []].append(text.isEmpty ? nil : text.number)
    } else if !text.isEmpty {
      placemark?.data.append((name, text.words))
    }
    if element == "SimpleData" { dataName = nil }
  }

  private func coordinates(at place: FormatError.Place) {
    let isPoint = parents.last == "Point"
    guard isPoint || parents.last == "LineString" else { return }
    var line: [(place: Coordinate, altitude: Double?)] = []
    text.forEachTuple { numbers in
      guard numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1],
        let corner = Coordinate(latitude: latitude, longitude: longitude)
      else { return sink.skips.add("coordinates that are not a valid position; expected longitude,latitude", at: place) }
      line.append((corner, numbers.count > 2 ? numbers[2] : nil))
    }
    if isPoint {
      placemark?.points += line
    } else if !line.isEmpty {
      placemark?.lines.append(line)
    }
  }

  private func giveTrack(continues: Bool = false) {
    guard let full = track else { return }
    track = nil
    if continues {
      var rest = Track(place: full.place)
      rest.pointsBefore = full.pointsBefore + full.places.count
      rest.coursesBefore = full.coursesBefore + full.courses.count
      rest.arrays = full.arrays
      track = rest
    }
    func at(_ index: Int, _ values: [Double?]?, after count: Int = 0) -> Double? {
      let index = full.pointsBefore + index - count
      guard let values, values.indices.contains(index) else { return nil }
      return values[index]
    }
    func array(_ names: [String]) -> [Double?]? { names.lazy.compactMap { full.arrays[$0] }.first }
    let accuracies = array(["accuracy", "horizontal_accuracy", "hacc"])
    let verticals = array(["vertical_accuracy", "vacc"])
    let speeds = array(["speed", "velocity"])
    let courses = array(["course", "bearing", "heading"])
    func course(_ index: Int) -> Double? {
      courses.map { at(index, $0) } ?? at(index, full.courses, after: full.coursesBefore)
    }
    for index in full.places.indices {
      guard let place = full.places[index] else {
        sink.skips.add("a gx:coord that is not a valid position; expected longitude latitude altitude", at: full.place)
        continue
      }
      guard index < full.times.count, let time = full.times[index] else {
        sink.withoutTime += 1
        continue
      }
      let positive = { (value: Double?) in value.flatMap { $0 >= 0 ? $0 : nil } }
      sink.records.append(
        Record(
          kind: .fix(
            Fix(
              time: Date(millisecondsSince1970: time), coordinate: place, horizontalAccuracy: positive(at(index, accuracies)),
              altitude: full.altitudes[index], verticalAccuracy: positive(at(index, verticals)),
              speed: positive(at(index, speeds)), course: positive(course(index))))))
    }
  }

  private func finish() {
    guard var found = placemark else { return }
    placemark = nil
    dataName = nil
    found.part.extras.add("name", found.name)
    found.part.extras.add("address", found.address)
    let category = found.data.first { $0.name == "Category" }?.value
    for (name, value) in found.data where !["name", "address"].contains(name) { found.part.extras.add(name, value) }
    var reason: String?
    let isSpan = found.part.start != nil || found.part.end != nil
    var pointsLeft = found.points[...]
    if let line = found.lines.first {
      var linesLeft = found.lines[...]
      if found.part.start != nil, found.part.end != nil {
        linesLeft.removeFirst()
        found.part.isActivity = true
        found.part.mode = (category ?? found.name).map(GoogleActivity.mode)
        (found.part.from, found.part.to) = (line.first?.place, line.last?.place)
        found.part.path = line.map { ($0.place, nil, nil) }
        // Lines exported by Google have the altitude 0 at every point.
        if line.contains(where: { $0.altitude.map { $0 != 0 } ?? false }) { found.part.altitudes = line.map(\.altitude) }
        for index in line.indices.dropFirst() {
          found.part.distance = (found.part.distance ?? 0) + GreatCircle.distance(line[index - 1].place, line[index].place)
        }
        reason = found.part.give(to: &sink)
      }
      sink.withoutTime += linesLeft.reduce(0) { $0 + $1.count }
    } else if isSpan, found.when == nil, let point = pointsLeft.popFirst() {
      found.part.isVisit = true
      found.part.place = point.place
      reason = found.part.give(to: &sink)
    }
    if let when = found.when {
      for point in pointsLeft {
        var record = Record(
          kind: .fix(Fix(time: Date(millisecondsSince1970: when), coordinate: point.place, altitude: point.altitude)))
        record.extras = found.part.extras.text
        sink.records.append(record)
      }
    } else {
      sink.withoutTime += pointsLeft.count
    }
    if let reason { sink.skips.add(reason, at: found.place) }
  }
}
