import Foundation

/// Writes files of recorded days for tests.
enum RecordedDay {
  /// The folder of the files, which is removed when the process exits.
  private static let folder: URL = {
    atexit { try? FileManager.default.removeItem(at: RecordedDay.folder) }
    return FileManager.default.temporaryDirectory.appendingPathComponent("godwit-days-\(UUID().uuidString)")
  }()

  static let start = Date(timeIntervalSince1970: 1_780_000_000)

  /// Writes a GPX file with a point every five seconds at these metres north of the origin, without accuracies. Returns its path.
  static func gpx(north: [Double]) throws -> String {
    let points = north.enumerated().map { index, meters in
      let time = start.addingTimeInterval(Double(index) * 5).formatted(.iso8601)
      return "<trkpt lat=\"\(45 + meters / 111_195)\" lon=\"14\"><time>\(time)</time></trkpt>"
    }
    let text = "<gpx version=\"1.1\" creator=\"test\"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"
    return try write(text, "gpx")
  }

  /// Writes a GPX file of 990 points: a stay, a route of 2.1 km, a rest of 25 minutes, and the route back. Returns its path.
  static func withRest() throws -> String {
    let out = (0..<300).map { Double($0) * 7 }
    let rest = Array(repeating: 2100.0, count: 300)
    return try gpx(north: Array(repeating: 0, count: 90) + out + rest + out.reversed())
  }

  static func write(_ text: String, _ ending: String) throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("\(UUID().uuidString).\(ending)")
    try Data(text.utf8).write(to: file)
    return file.path
  }
}
