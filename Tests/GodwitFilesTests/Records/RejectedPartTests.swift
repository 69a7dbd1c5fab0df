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
    reading.records.map { String(description(of: $0).split(separator: " ")[1].dropFirst(11).prefix(5)) }
  }

  @Test(
    "an unreadable point of a path is reported with its position, and the others are kept",
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

  @Test("the time of a point without one is estimated, and nothing is reported", arguments: ["", #", "time": null"#])
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

  @Test("unreadable points of the semantic history are reported too")
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

  @Test(
    "a visit or trip that ends before it begins is reported and not returned",
    arguments: [
      #"""
      {"semanticSegments": [{"startTime": "2024-06-01T09:00:00Z", "endTime": "2024-06-01T08:00:00Z",
        "visit": {"topCandidate": {"placeLocation": {"latLng": "45.46°, 14.01°"}}}}]}
      """#,
      #"""
      {"semanticSegments": [{"startTime": "2024-06-01T09:00:00Z", "endTime": "2024-06-01T08:00:00Z",
        "activity": {"start": {"latLng": "45.46°, 14.01°"}, "end": {"latLng": "45.50°, 14.05°"}}}]}
      """#,
      #"""
      {"timelineObjects": [{"placeVisit": {"centerLatE7": 454600000, "centerLngE7": 140100000,
        "duration": {"startTimestamp": "2024-06-01T09:00:00Z", "endTimestamp": "2024-06-01T08:00:00Z"}}}]}
      """#,
      """
      <kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><TimeSpan><begin>2024-06-01T09:00:00Z</begin>
      <end>2024-06-01T08:00:00Z</end></TimeSpan><Point><coordinates>14.0,45.4</coordinates></Point></Placemark></Document></kml>
      """,
      """
      <kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><TimeSpan><begin>2024-06-01T09:00:00Z</begin>
      <end>2024-06-01T08:00:00Z</end></TimeSpan><LineString><coordinates>14.0,45.4 14.1,45.4</coordinates></LineString>
      </Placemark></Document></kml>
      """,
    ])
  func reversed(_ text: String) {
    let reading = Reading(text)
    #expect(reading.error == nil && reading.records.isEmpty && reading.skips == 1)
    #expect(reading.skipped.first?.reason.hasSuffix("ends before it begins") == true, "\(reading.skipped)")
  }

  @Test("a visit of zero duration is returned; an inner visit that ends before it begins is reported")
  func innerVisit() {
    let reading = Reading(
      #"""
      {"timelineObjects": [{"placeVisit": {"centerLatE7": 454600000, "centerLngE7": 140100000,
        "duration": {"startTimestamp": "2024-06-01T09:00:00Z", "endTimestamp": "2024-06-01T09:00:00Z"},
        "childVisits": [{"centerLatE7": 454600000, "centerLngE7": 140100000,
          "duration": {"startTimestamp": "2024-06-01T09:00:00Z", "endTimestamp": "2024-06-01T08:00:00Z"}}]}}]}
      """#)
    #expect(reading.records.count == 1 && reading.skipped.map(\.reason) == ["the visit ends before it begins"])
  }
}
