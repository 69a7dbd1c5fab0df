import Foundation
import GodwitFiles
import GodwitTracks
import GodwitWire

/// Reading GPX, compared with gpsbabel; decoding Overland, compared with JSONDecoder.
enum FormatBenchmarks {
  /// Writes a file like that of a recorded walk: place, elevation, time.
  static func writeGPX(points count: Int, to file: URL) throws {
    var text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"benchmark\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n<trk><trkseg>\n"
    for i in 0..<count {
      let latitude = 45.0 + Double(i % 100_000) * 0.0000137
      let longitude = 14.0 + Double(i % 77_777) * 0.0000191
      let time = Date(timeIntervalSince1970: 1_286_100_000 + Double(i)).ISO8601Format()
      text +=
        "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">\n  <ele>\(700 + i % 300).125</ele>\n<time>\(time)</time>\n</trkpt>\n"
    }
    text += "</trkseg></trk></gpx>\n"
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  static func gpx(in folder: URL) throws -> Measurement {
    let count = 500_000
    let file = folder.appendingPathComponent("large.gpx")
    try writeGPX(points: count, to: file)
    let seconds = try fastest(of: 3) {
      let track = try TrackFile(path: file.path)
      var points = 0
      while let some = try track.next() { points += some.count }
      precondition(points == count)
    }
    var result = Measurement(name: "GPX reading", value: Double(count) / seconds, unit: "points/s", goal: 1_000_000)
    if let gpsbabel = Programs.find("gpsbabel") {
      let other = try fastest(of: 2) { try Programs.run(gpsbabel, ["-i", "gpx", "-f", file.path]) }
      result.comparedTo = "gpsbabel, reading the same file: \(Int(Double(count) / other)) points/s"
      result.ratio = other / seconds
    }
    return result
  }

  static func overland() throws -> Measurement {
    let body = overlandBody(records: 200)
    let rounds = 200
    let seconds = try fastest(of: 5) {
      for _ in 0..<rounds { consume(try Overland.read(body).records.count) }
    }
    let decoder = JSONDecoder()
    let data = Data(body)
    let other = try fastest(of: 3) {
      for _ in 0..<10 { consume(try decoder.decode(CodableBatch.self, from: data).locations.count) }
    }
    let speed = Double(body.count * rounds) / seconds / 1e6
    let otherSpeed = Double(body.count * 10) / other / 1e6
    return Measurement(
      name: "Overland batch decoding, 200 points in \(body.count / 1000) kB", value: speed, unit: "MB/s", goal: 600,
      comparedTo: "JSONDecoder, the same batch: \(Int(otherSpeed)) MB/s", ratio: speed / otherSpeed)
  }

  /// Writes a `Records.json` in Google's format. Half of the places have guesses of an activity, and a quarter have scans of networks.
  static func writeGoogleRecords(places count: Int, to file: URL) throws {
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    var text = "{\n  \"locations\": ["
    for i in 0..<count {
      text += i > 0 ? ", {\n" : "{\n"
      text += "    \"latitudeE7\": \(450_000_000 + i % 9_999_999),\n    \"longitudeE7\": \(140_000_000 + i % 7_777_777),\n"
      text += "    \"accuracy\": \(3 + i % 50),\n"
      if i % 3 == 0 { text += "    \"velocity\": \(i % 30),\n    \"heading\": \(i % 360),\n    \"altitude\": \(i % 900),\n" }
      let time = Date(timeIntervalSince1970: 1_600_000_000 + Double(i) * 60).ISO8601Format().dropLast() + ".\(100 + i % 900)Z"
      if i % 2 == 0 {
        let kinds = ["STILL", "ON_FOOT", "WALKING", "IN_VEHICLE", "IN_ROAD_VEHICLE", "IN_RAIL_VEHICLE", "ON_BICYCLE", "UNKNOWN"]
        let guesses = kinds.enumerated().map {
          "{\n        \"type\": \"\($1)\",\n        \"confidence\": \((i * 7 + $0 * 31) % 100)\n      }"
        }
        text +=
          "    \"activity\": [{\n      \"activity\": [\(guesses.joined(separator: ", "))],\n      \"timestamp\": \"\(time)\"\n    }],\n"
      }
      if i % 4 == 0 {
        let scans = (0..<12).map {
          "{\n        \"mac\": \"\(146_000_000_000_000 + i * 12 + $0)\",\n        \"strength\": \(-30 - $0)\n      }"
        }
        text += "    \"activeWifiScan\": {\n      \"accessPoints\": [\(scans.joined(separator: ", "))]\n    },\n"
      }
      text +=
        "    \"source\": \"WIFI\",\n    \"deviceTag\": -1577888494,\n    \"platformType\": \"ANDROID\",\n    \"timestamp\": \"\(time)\"\n  }"
      if text.utf8.count > 1 << 20 {
        try handle.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
    try handle.write(contentsOf: Data((text + "]\n}\n").utf8))
    try handle.close()
  }

  static func googleRecords(in folder: URL) throws -> Measurement {
    let file = folder.appendingPathComponent("Records.json")
    let count = 200_000
    try writeGoogleRecords(places: count, to: file)
    var size = 0
    let seconds = try fastest(of: 3) {
      let records = try RecordFile(path: file.path)
      var found = 0
      while let some = try records.next() { found += some.count }
      precondition(found == count)
      size = records.size
    }
    let speed = Double(size) / seconds / 1e6
    var result = Measurement(
      name: "Google Records reading, \(count / 1000),000 places in \(size / 1_000_000) MB", value: speed, unit: "MB/s", goal: 200)
    if let python = Programs.find("python3") {
      let script = "import json, sys; print(len(json.load(open(sys.argv[1]))['locations']))"
      let other = try fastest(of: 1) { try Programs.run(python, ["-c", script, file.path]) }
      result.comparedTo = "Python's json, the same file as a whole in memory: \(Int(Double(size) / other / 1e6)) MB/s"
      result.ratio = other / seconds
    }
    return result
  }

  /// Returns a batch in the format of the iOS app.
  static func overlandBody(records: Int) -> [UInt8] {
    var text = "{\"locations\":["
    for i in 0..<records {
      if i > 0 { text += "," }
      let seconds = String(format: "%02d:%02d", i / 60, i % 60)
      text += """
        {"type":"Feature","geometry":{"type":"Point","coordinates":[\(String(format: "%.7f", 14 + Double(i) * 0.0001234)),\
        \(String(format: "%.7f", 45.4 + Double(i) * 0.0000987))]},"properties":{"timestamp":"2026-11-20T08:\(seconds)Z",\
        "altitude":\(700 + i % 50),"speed":\(1 + i % 3),"course":\(i % 360),"horizontal_accuracy":\(4 + i % 8),\
        "vertical_accuracy":\(3 + i % 4),"speed_accuracy":0.42,"course_accuracy":3.1,"motion":["walking"],\
        "battery_state":"unplugged","battery_level":0.81,"wifi":"","device_id":"walker",\
        "unique_id":"7F3A2C1E-9B4D-4E6F-8A1B-2C3D4E5F6A7B"}}
        """
    }
    return Array((text + "]}").utf8)
  }
}

/// The same batch for `JSONDecoder`. The names are those of the JSON, because JSONDecoder is fastest without a mapping of names.
// swift-format-ignore: AlwaysUseLowerCamelCase
private struct CodableBatch: Decodable {
  struct Feature: Decodable {
    struct Geometry: Decodable { var coordinates: [Double] }
    struct Properties: Decodable {
      var timestamp: String
      var altitude: Double?
      var speed: Double?
      var course: Double?
      var horizontal_accuracy: Double?
      var vertical_accuracy: Double?
      var speed_accuracy: Double?
      var course_accuracy: Double?
      var motion: [String]?
      var battery_state: String?
      var battery_level: Double?
      var wifi: String?
      var device_id: String?
      var unique_id: String?
    }
    var geometry: Geometry
    var properties: Properties
  }
  var locations: [Feature]
}
