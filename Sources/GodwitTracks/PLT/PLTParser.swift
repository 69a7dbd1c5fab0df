internal import Foundation
internal import GodwitModel
package import GodwitText

/// Parser of GeoLife's PLT format (GeoLife GPS Trajectories 1.3, user guide): six header lines, then `latitude,longitude,0,altitude
/// in feet,days since 1899-12-30,date,time`, all in UTC. An altitude of −777 means unknown.
package struct PLTParser: TrackParser {
  private var lines: LineSplitter
  private var skips = Skips()
  package static let headingLines = 6

  package init(from state: LineState = LineState()) { lines = LineSplitter(from: state) }

  package var state: (any ParsingState)? { lines.state }

  package static func recognizes(_ head: [UInt8]) -> Bool { head.starts(with: "Geolife trajectory".utf8) }

  package mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into points: inout [TrackPoint]) throws(FormatError) {
    var skips = skips
    lines.feed(bytes) { Self.read($0, $1, $2, &points, &skips) }
    self.skips = skips
  }

  package mutating func finish(into points: inout [TrackPoint]) throws(FormatError) {
    var skips = skips
    lines.finish { Self.read($0, $1, $2, &points, &skips) }
    self.skips = skips
  }

  package var skipped: (count: Int, first: [TrackSkip]) { (skips.count, skips.first) }

  package mutating func takeSkips() -> [TrackSkip] { skips.takeFresh() }

  private static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ byte: Int, _ points: inout [TrackPoint], _ skips: inout Skips
  ) {
    guard line > headingLines, !bytes.isEmpty else { return }
    let fields = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard fields.count >= 7 else {
      return skips.add("expected 7 fields, found \(fields.count)", byte: byte, line: line)
    }
    func number(_ index: Int) -> Double? { DecimalParser.double(UnsafeBufferPointer(rebasing: fields[index])) }
    guard let latitude = number(0), let longitude = number(1),
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { return skips.add("the first two fields are not a latitude and a longitude", byte: byte, line: line) }
    let text = String(decoding: fields[5], as: UTF8.self) + "T" + String(decoding: fields[6], as: UTF8.self) + "Z"
    guard let time = RFC3339.date(text) else {
      return skips.add("\"\(text)\" is not a date and time", byte: byte, line: line)
    }
    guard TimestampParser.validTimes.contains(time.millisecondsSince1970) else {
      return skips.add("\"\(text)\" is outside the years 1970 to 2199", byte: byte, line: line)
    }
    // Metres of an international foot.
    let altitude = number(3).flatMap { $0 == -777 ? nil : $0 * 0.3048 }
    points.append(TrackPoint(coordinate: place, time: time, altitude: altitude))
  }
}
