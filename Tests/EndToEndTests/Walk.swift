import Foundation
import GodwitModel
import Testing

/// The recorded walk of the acceptance tests, read by a parser that is independent of the tested one.
enum Walk {
  struct Point: Equatable {
    var latitude: Double
    var longitude: Double
    var time: Date
  }

  static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }

  static var file: URL { root.appendingPathComponent("Tests/GodwitFilesTests/Fixtures/korita-zbevnica.gpx") }

  /// The points of the walk that have a time.
  static func points() throws -> [Point] { points(of: try String(contentsOf: file, encoding: .utf8)) }

  static func points(of gpx: String) -> [Point] {
    gpx.components(separatedBy: "<trkpt").dropFirst().compactMap { part in
      let element = part.components(separatedBy: "</trkpt>")[0]
      guard let latitude = element.firstMatch(of: #/lat="([^"]*)"/#).flatMap({ Double($0.1) }),
        let longitude = element.firstMatch(of: #/lon="([^"]*)"/#).flatMap({ Double($0.1) }),
        let time = element.firstMatch(of: #/<time>([^<]*)<\/time>/#).flatMap({ parse(String($0.1)) })
      else { return nil }
      return Point(latitude: latitude, longitude: longitude, time: time)
    }
  }

  private static func parse(_ text: String) -> Date? {
    let formatter = ISO8601DateFormatter()
    if let date = formatter.date(from: text) { return date }
    formatter.formatOptions.insert(.withFractionalSeconds)
    return formatter.date(from: text)
  }

  /// Expects that both lists have the same points, to 1e-7 degrees and one second.
  static func expectSame(_ found: [Point], _ expected: [Point], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(found.count == expected.count, sourceLocation: sourceLocation)
    for (one, other) in zip(found.sorted { $0.time < $1.time }, expected.sorted { $0.time < $1.time }) {
      // Slightly more than 1e-7, which has no exact binary representation.
      let isSame =
        abs(one.latitude - other.latitude) <= 1.000001e-7 && abs(one.longitude - other.longitude) <= 1.000001e-7
        && abs(one.time.timeIntervalSince(other.time)) <= 1
      #expect(isSame, "\(one) is not \(other)", sourceLocation: sourceLocation)
      if !isSame { return }
    }
  }

  /// Returns the crossings of a geofence of 100 m. An exit needs 120 m, because the walk has no accuracies.
  static func crossings(of walk: [Point], _ center: Coordinate) -> [String] {
    var isInside = false
    var events: [String] = []
    for point in walk {
      guard let place = Coordinate(latitude: point.latitude, longitude: point.longitude) else { continue }
      let distance = GreatCircle.distance(center, place)
      if isInside ? distance > 120 : distance <= 100 {
        isInside.toggle()
        events.append("geofence.\(isInside ? "entered" : "exited") \(RFC3339.string(point.time))")
      }
    }
    return events
  }

  /// Writes a GPX file with these points.
  static func write(_ points: some Sequence<Point>, to path: String) throws {
    var text = "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" creator=\"test\"><trk><trkseg>\n"
    for point in points {
      text += "<trkpt lat=\"\(point.latitude)\" lon=\"\(point.longitude)\"><time>\(RFC3339.string(point.time))</time></trkpt>\n"
    }
    text += "</trkseg></trk></gpx>\n"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
