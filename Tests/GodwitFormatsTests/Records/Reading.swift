import Foundation
import GodwitModel
import Testing

@testable import GodwitFormats

/// What a stream made of a file, and how it ended.
struct Reading {
  var records: [Record] = []
  var format: RecordFormat?
  var skipped: [TrackSkip] = []
  var skips = 0
  var withoutTime = 0
  /// After each piece.
  var checkpoints: [Checkpoint] = []
  var error: String?

  /// Reads some bytes in pieces.
  /// - Parameters:
  ///   - piece: bytes at once; `nil`: all of them.
  ///   - checkpoint: where to begin.
  ///   - guess: bytes by which the language is found out.
  init(_ bytes: [UInt8], piece: Int? = nil, from checkpoint: Checkpoint? = nil, guess: Int = RecordFormat.guessSize) {
    let stream = RecordStream(name: "test", from: checkpoint, guessSize: guess)
    do {
      var start = checkpoint?.byte ?? 0
      while start < bytes.count {
        let end = min(bytes.count, start + (piece ?? bytes.count))
        do { try stream.feed(Array(bytes[start..<end])) } catch {
          take(stream)
          throw error
        }
        take(stream)
        if let checkpoint = stream.checkpoint { checkpoints.append(checkpoint) }
        start = end
      }
      try stream.finish()
    } catch { self.error = "\(error)" }
    take(stream)
    format = stream.format
    skipped = stream.skipped.first
    skips = stream.skipped.count
    withoutTime = stream.withoutTime
  }

  private mutating func take(_ stream: RecordStream) { while let some = stream.next() { records += some } }

  init(_ text: String, piece: Int? = nil) { self.init(Array(text.utf8), piece: piece) }
}

/// A small file of each language, for what holds of all of them.
struct Sample: Sendable, CustomTestStringConvertible {
  var format: RecordFormat
  var bytes: [UInt8]
  /// Records in it.
  var count: Int
  /// Bytes that are enough to know the language.
  var guess: Int { min(300, bytes.count / 2) }
  var testDescription: String { format.name }

  init(_ format: RecordFormat, _ count: Int, _ text: String) {
    self.format = format
    self.count = count
    bytes = Array(text.utf8)
  }

  static let all: [Sample] = [
    Sample(
      .gpx, 3,
      """
      <?xml version="1.0"?>
      <gpx version="1.1" creator="x"><metadata><time>2026-01-01T00:00:00Z</time></metadata>
      <wpt lat="1" lon="1"><time>2026-01-01T00:00:00Z</time></wpt>
      <trk><name>a &amp; ü</name><trkseg>
      <trkpt lat="45.1" lon="14.1"><ele>700.5</ele><time>2026-11-20T08:30:00Z</time></trkpt>
      <trkpt lat="45.2" lon="14.2"><time>2026-11-20T08:30:05Z</time><extensions><speed>1.5</speed></extensions></trkpt>
      <trkpt lat="95.2" lon="14.2"><time>2026-11-20T08:30:06Z</time></trkpt>
      </trkseg><trkseg><trkpt lat="45.3" lon="14.3"><time>2026-11-20T08:40:05Z</time></trkpt>
      <trkpt lat="45.3" lon="14.3"/></trkseg></trk></gpx>
      """),
    Sample(
      .nmea, 4,
      """
      $GPGGA,235957.000,4527.0000,N,01400.0000,E,1,08,1.2,700.0,M,,M,,
      $GPGGA,235958.000,4527.0000,N,01400.0000,E,1,08,1.2,700.0,M,,M,,*4F
      $GPRMC,235959.000,A,4527.0000,N,01400.0000,E,1.0,90.0,201126,,,A
      $GPVTG,90.0,T,,M,1.0,N,1.8,K
      garbage
      $GPGGA,000002.000,4527.0000,S,01400.0000,W,1,08,1.2,700.0,M,,M,,

      """),
    Sample(
      .plt, 2,
      """
      Geolife trajectory
      WGS 84
      Altitude is in Feet
      Reserved 3
      0,2,255,My Track,0,0,2,8421376
      0
      39.984702,116.318417,0,492,39744.1201851852,2008-10-23,02:53:04
      39.984683,116.31845,0,-777,39744.1202546296,2008-10-23,02:53:10
      95,116.31845,0,492,39744.1202546296,2008-10-23,02:53:10

      """),
    Sample(
      .overland, 4,
      #"""
      {"note": [1, {"a": "]}\"", "b": -1.5e3}], "locations": [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [14.01, 45.4]}, "properties": {
          "timestamp": "2026-11-20T08:30:00Z", "altitude": 700, "wifi": "caf\u00e9 \ud83d\ude00 }]", "mine": {"a": [1, 2]}}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [14.01, 95.4]}, "properties": {"timestamp": 1}},
        7,
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [14.02, 45.4]}, "properties": {
          "timestamp": "2026-11-20T08:31:00.250Z", "action": "visit", "arrival_date": "2026-11-20T08:00:00Z"}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [14.02, 45.4]}, "properties": {
          "timestamp": "2026-11-20T08:32:00Z", "type": "trip", "mode": "walk", "start": "2026-11-20T08:30:00Z",
          "end": "2026-11-20T08:32:00Z", "distance": 120.5}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [14.02, 45.4]}, "properties": {
          "timestamp": "2026-11-20T08:33:00Z"}}
      ], "current": null }

      """#),
  ]
}
