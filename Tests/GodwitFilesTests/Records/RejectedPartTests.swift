import Foundation
import GodwitModel
import GodwitText
import GodwitTracks
import Testing

@testable import GodwitFiles

@Suite("Parts of timelines that cannot be read")
struct RejectedPartTests {
  private static func segment(_ members: String) -> String {
    #"{"startTime": "2024-06-01T08:00:00Z", "endTime": "2024-06-01T10:00:00Z", \#(members)}"#
  }

  private static func times(_ reading: Reading) -> [String] {
    reading.records.map { String(shown($0).split(separator: " ")[1].dropFirst(11).prefix(5)) }
  }

  @Test(
    "a point of a path that cannot be read is reported with its place, and the others stay",
    arguments: [
      (#"{"point": "bad", "time": "2024-06-01T08:10:00Z"}"#, "the point has no valid position"),
      (#"{"point": "96.1°, 14.0°", "time": "2024-06-01T08:10:00Z"}"#, "the point has no valid position"),
      (#"{"time": "2024-06-01T08:10:00Z"}"#, "the point has no valid position"),
      (#"{"point": "46.1°, 14.0°", "time": "junk"}"#, "the point's time is not a time of the years 1970 to 2199"),
      (
        #"{"point": "46.1°, 14.0°", "durationMinutesOffsetFromStartTime": "junk"}"#,
        "the point's time is not a time of the years 1970 to 2199"
      ),
    ], [5, 4096])
  func path(_ point: (json: String, reason: String), _ piece: Int) throws {
    let path = """
      "timelinePath": [{"point": "46.0°, 14.0°", "time": "2024-06-01T08:05:00Z"}, \(point.json),
      {"point": "46.2°, 14.0°", "durationMinutesOffsetFromStartTime": 15}]
      """
    let text = #"{"semanticSegments": [\#(Self.segment(path)), \#(Self.segment(path))]}"#
    let reading = Reading(text, piece: piece)
    #expect(reading.error == nil && Self.times(reading) == ["08:05", "08:15", "08:05", "08:15"])
    #expect(reading.skips == 2 && reading.withoutTime == 0)
    let skip = try #require(reading.skipped.first)
    let start = try #require(text.range(of: point.json)).lowerBound
    #expect(skip.place.byte == text.utf8.distance(from: text.startIndex, to: start))
    #expect(skip.reason == point.reason && skip.place.path == "$.semanticSegments[0].timelinePath[1]")
  }

  @Test("a point without a time has one by its neighbours, and is not reported", arguments: ["", #", "time": null"#])
  func estimated(_ time: String) {
    let path = """
      "timelinePath": [{"point": "46.0°, 14.0°", "time": "2024-06-01T08:00:00Z"}, {"point": "46.1°, 14.0°"\(time)},
      {"point": "46.2°, 14.0°", "time": "2024-06-01T08:20:00Z"}]
      """
    let reading = Reading(#"{"semanticSegments": [\#(Self.segment(path))]}"#)
    let times = Self.times(reading)
    #expect(times.count == 3 && times.first == "08:00" && times.last == "08:20" && reading.skips == 0)
    #expect(reading.records.dropFirst().first?.extras == #"{"time":"estimated"}"#)
  }

  @Test("points of the semantic history are reported, too")
  func semantic() {
    let reading = Reading(
      #"""
      {"timelineObjects": [{"activitySegment": {
        "duration": {"startTimestamp": "2021-01-04T08:10:00Z", "endTimestamp": "2021-01-04T08:20:00Z"},
        "simplifiedRawPath": {"points": [{"latE7": 454600000, "lngE7": 140100000, "timestamp": "2021-01-04T08:11:00Z"},
          {"latE7": 454600000, "timestamp": "2021-01-04T08:12:00Z"}, {"latE7": 454600000, "lngE7": 140100000, "timestamp": "junk"},
          {"latE7": 454610000, "lngE7": 140110000, "timestamp": "2021-01-04T08:13:00Z"}]}}}]}
      """#)
    #expect(reading.records.count == 3)
    #expect(reading.skipped.map(\.place.path) == [1, 2].map { "$.timelineObjects[0].simplifiedRawPath.points[\($0)]" })
  }
}
