import Foundation
import GodwitModel
import GodwitTracks
import Testing

@testable import GodwitFiles
@testable import GodwitText

/// A record as one line of text: kind, time, coordinates and all other values that are set.
func description(of record: Record) -> String {
  func decimal(_ value: Double) -> String {
    var bytes: [UInt8] = []
    DecimalWriter.append(value, decimals: 7, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
  func at(_ place: Coordinate?) -> String { place.map { "\(decimal($0.latitude)),\(decimal($0.longitude))" } ?? "-" }
  func time(_ date: Date?) -> String { date.map { RFC3339.string($0) } ?? "-" }
  var words: [String] = []
  switch record.kind {
  case .fix(let fix):
    words = ["fix", time(fix.time), at(fix.coordinate)]
    for (name, value) in [
      ("acc", fix.horizontalAccuracy), ("alt", fix.altitude), ("vac", fix.verticalAccuracy), ("speed", fix.speed),
      ("course", fix.course),
    ] { if let value { words.append("\(name)=\(decimal(value))") } }
  case .visit(let visit): words = ["visit", time(visit.arrival), time(visit.departure), at(visit.coordinate)]
  case .trip(let trip):
    words = [
      "trip", trip.mode, time(trip.start), time(trip.end), at(trip.startFix?.coordinate), at(trip.endFix?.coordinate),
      decimal((trip.distance * 10).rounded() / 10),
    ]
  case .region(let event): words = ["region", event.kind.rawValue, event.region.name, time(event.time)]
  case .action(let action): words = ["action", action.name]
  }
  let context = record.context
  if !context.motion.isEmpty { words.append("motion=\(context.motion.rawValue)") }
  if let level = context.batteryLevel { words.append("battery=\(decimal(level))") }
  if let state = context.batteryState { words.append("state=\(state)") }
  if let wifi = context.wifi { words.append("wifi=\(wifi)") }
  if let device = context.deviceID { words.append("device=\(device)") }
  if let extras = record.extras { words.append(extras) }
  return words.joined(separator: " ")
}

private func lines(_ format: RecordFormat, _ index: Int = 0) -> [String] {
  Reading(Sample.all.filter { $0.format == format }[index].bytes).records.map(description(of:))
}

private func skips(_ format: RecordFormat) -> [String] {
  Reading(Sample.all.first { $0.format == format }?.bytes ?? []).skipped.map { skip in
    "\(skip.place.path ?? skip.place.line.map { "line \($0)" } ?? ""): \(skip.reason)"
  }
}

@Suite("Files of other programs")
struct OtherProgramsFilesTests {
  @Test("Records.json of Google: sensors, detected activities, numbers too large by 2³²")
  func googleRecords() {
    #expect(
      lines(.googleRecords) == [
        "fix 2021-04-15T06:34:32.478Z 45.4525956,14.018194 acc=25 alt=700 vac=4 speed=3 course=271 motion=1 state=charging "
          + #"{"source": "GPS","deviceTag": 335552189,"platformType": "ANDROID"}"#,
        "fix 2013-04-15T06:32:31.475Z -12.5294336,-117.5294336 acc=30", "fix 2021-04-15T06:34:35Z -45.4525956,-179.9999999",
        "fix 2021-04-15T04:34:36Z 0.0000001,0.0000002",
      ])
    #expect(
      skips(.googleRecords) == [
        "$.locations[2]: the latitude or longitude is not a valid position",
        "$.locations[3]: there is no latitudeE7 and longitudeE7",
      ])
  }

  @Test("Google's monthly files: trips with their paths, nested visits, interpolated times")
  func googleSemantic() {
    let visit = #"{"placeId":"ChIJ-made-up","name":"Café étranger","address":"Trg 1\n6000 Koper","semanticType":"TYPE_WORK"}"#
    #expect(
      lines(.googleSemantic) == [
        "fix 2021-01-04T07:00:00Z 45.45,14", #"fix 2021-01-04T07:05:00.004Z 45.455,14.005 {"time":"estimated"}"#,
        "fix 2021-01-04T07:10:00Z 45.46,14.01",
        "trip car 2021-01-04T07:00:00Z 2021-01-04T07:10:00Z 45.45,14 45.46,14.01 1500 "
          + #"{"activityType":"IN_PASSENGER_VEHICLE","confidence":"HIGH"}"#,
        "visit 2021-01-04T07:10:00Z 2021-01-04T08:10:00Z 45.46,14.01 \(visit)",
        "visit 2021-01-04T07:20:00Z 2021-01-04T07:30:00Z 45.46001,14.01001",
        "fix 2021-01-04T08:11:00Z 45.46,14.01 acc=12", "fix 2021-01-04T08:15:00Z 45.461,14.011 acc=8",
        #"trip walk 2021-01-04T08:10:00Z 2021-01-04T08:20:00Z - - 0 {"activityType":"WALKING"}"#,
        "visit 2021-01-04T09:00:00Z 2021-01-04T10:00:00Z 45.46,14.01", "fix 2021-01-04T10:00:00Z 45.45,14",
        "trip unknown 2021-01-04T10:00:00Z 2021-01-04T10:10:00Z 45.45,14 - 0",
      ])
    #expect(skips(.googleSemantic) == ["$.timelineObjects[3]: the trip has no start and end"])
  }

  @Test("the timelines that Android and iOS export")
  func googleTimeline() {
    #expect(
      lines(.googleTimeline) == [
        "fix 2024-06-01T06:05:00Z 45.45,14", "fix 2024-06-01T06:10:00Z 45.46,-14.01",
        "visit 2024-06-01T06:20:00Z 2024-06-01T07:00:00Z 45.46,14.01 "
          + #"{"hierarchyLevel":0,"probability":0.91,"placeId":"ChIJ-made-up","semanticType":"HOME"}"#,
        "fix 2024-06-01T07:00:00Z 45.46,14.01", "fix 2024-06-01T07:30:00Z 45.5,14.05",
        #"trip bicycle 2024-06-01T07:00:00Z 2024-06-01T07:30:00Z 45.46,14.01 45.5,14.05 5432.1 {"activityType":"CYCLING"}"#,
        #"fix 2024-06-01T06:20:00Z 45.4612345,14.0112345 acc=13 alt=702.5 speed=0.5 {"source":"WIFI"}"#,
        "fix 2024-06-01T06:22:00Z 45.4612345,14.0112345",
      ])
    #expect(
      skips(.googleTimeline) == [
        "$.semanticSegments[4]: the visit has no place", "$.rawSignals[2]: the position has no place",
      ])
    #expect(
      lines(.googleTimeline, 1) == [
        "fix 2024-12-27T12:32:18Z 45.496349,14.540514", "fix 2024-12-27T12:39:37Z 45.505487,14.564872",
        "trip car 2024-12-27T12:32:18Z 2024-12-27T12:39:37Z 45.496349,14.540514 45.505487,14.564872 1881 "
          + #"{"activityType":"in passenger vehicle"}"#,
        "visit 2024-12-27T12:39:37Z 2024-12-28T04:43:23Z 45.505843,14.56471 "
          + #"{"hierarchyLevel":0,"semanticType":"Home","placeId":"ChIJ-made-up","probability":0.95}"#,
        "fix 2024-12-28T05:12:00Z 45.505,14.564",
      ])
  }

  @Test("timelineEdits of Google's older export are positions")
  func timelineEdits() {
    let text = #"""
      {"timelineEdits": [{"deviceId": "1", "rawSignal": {"signal": {"position": {"point": {"latE7": 454500000, "lngE7": 140000000},
        "accuracyMm": 13000, "timestamp": "2024-06-01T08:20:00Z"}}}}, {"deviceId": "1", "placeAggregates": {"a": 1}}]}
      """#
    #expect(Reading(text).records.map(description(of:)) == ["fix 2024-06-01T08:20:00Z 45.45,14 acc=13"])
  }

  @Test("tables: columns by their headings, units, quotation marks, decimal commas")
  func csv() {
    #expect(
      lines(.csv) == [
        "fix 2026-11-20T08:30:00Z 45.4525956,14.018194 acc=5 alt=304.8 speed=10 course=90 battery=0.81 "
          + #"{"id":"1","Height \"above\" sea":"1","note":"a;b\nand \"more\""}"#,
        #"fix 2026-11-20T07:30:05.250Z 45.4525956,14.018194 {"id":"2"}"#,
        #"fix 2026-11-20T08:30:05Z -45.4,-14 {"id":"6","Bearing":"361","note":"x"}"#,
        // A date with periods begins with the day.
        #"fix 2026-11-20T00:00:00Z 45.4,14 {"id":"7"}"#, #"fix 2026-11-20T08:31:00Z 45.4,14 {"id":"8"}"#,
      ])
    #expect(
      skips(.csv) == [
        "line 5: \"yesterday\" is not a time; expected one such as 2026-11-20T08:30:00Z",
        "line 6: latitude 95.4, longitude 14.0 is not a valid position",
      ])
  }

  @Test(
    "headings of other programs are recognized",
    arguments: [
      (
        "id,deviceId,protocol,serverTime,deviceTime,fixTime,valid,latitude,longitude,altitude,speed,course,address,accuracy,ignition",
        "1,7,osmand,2026-11-20 08:30:03,2026-11-20 08:30:01,2026-11-20 08:30:00,true,45.4,14.0,700.0,10.0,90.0,,5.0,true",
        "fix 2026-11-20T08:30:00Z 45.4,14 acc=5 alt=700 speed=5.1444444 course=90 device=7"
      ),
      (
        "id,accuracy_meters,activity_provided,timestamp,user_id,geom",
        "157224,10,,2025-06-01 13:02:03.000000 +00:00,1,POINT (10.70340326 53.86314754)",
        "fix 2025-06-01T13:02:03Z 53.8631475,10.7034033 acc=10"
      ),
      ("date,time,lat,lng,ele", "2026-11-20,08:30:01.5,45.4,14,7", "fix 2026-11-20T08:30:01.500Z 45.4,14 alt=7"),
      ("Latitude\tLongitude\tUnix time\tAlt (m)", "45.4\t14\t1795163400\t7", "fix 2026-11-20T08:30:00Z 45.4,14 alt=7"),
      ("x,y,timestamp_ms,speed_mph", "14,45.4,1795163400250,10", "fix 2026-11-20T08:30:00.250Z 45.4,14 speed=4.4704"),
      ("lon,lat,when,height_ft", "14,45.4,2026/11/20 08:30,10", "fix 2026-11-20T08:30:00Z 45.4,14 alt=3.048"),
    ])
  func headings(_ heading: String, _ line: String, _ expected: String) {
    let found = Reading("\(heading)\n\(line)\n").records.first.map(description(of:))
    #expect(found?.hasPrefix(expected) == true, "\(found ?? "nothing")")
  }

  @Test("points and visits of Dawarich")
  func dawarich() {
    #expect(
      lines(.dawarichLines)
        == [
          "fix 2024-03-01T18:28:30Z 52.229,13.336 acc=5 alt=36 speed=1.5 course=38 battery=0.81 state=charging wifi=Home device=phone "
            + #"{"topic":"owntracks/a/b","lonlat":"POINT (13.336 52.229)","created_at":"2024-03-01T18:28:40Z"}"#,
          #"fix 2024-03-01T18:28:40Z 52.229,13.336 {"import_reference":{"name":"a"}}"#,
          #"visit 2024-03-01T18:00:00Z 2024-03-01T19:00:00Z 52.2,13.3 {"name":"Work","status":"confirmed"}"#,
        ].map { $0.replacing(#""lonlat":"POINT (13.336 52.229)","#, with: "") })
    #expect(skips(.dawarichLines).count == 2)
    #expect(
      lines(.dawarich) == [
        "fix 2024-03-01T18:28:30Z 52.2,13.3", #"visit 2024-03-01T18:00:00Z - 52.2,13.3 {"name":"Park"}"#,
      ])
  }

  @Test("speeds of Traccar are in knots; GeoJSON properties of many programs are recognized")
  func traccarAndGeoJSON() {
    #expect(
      lines(.traccar).map { String($0.prefix(88)) } == [
        "fix 2026-11-20T08:30:00Z 45.4,14 acc=5 alt=700 speed=5.1444444 course=90 device=7 {\"id\":",
        "fix 2026-11-20T08:31:00Z 45.5,14 speed=0 device=7 {\"id\": 2}",
      ])
    #expect(lines(.traccar).first?.contains(#""attributes":{"batteryLevel":80,"motion":true}"#) == true)
    #expect(
      lines(.geoJSON) == [
        "fix 2021-01-01T00:00:01Z 45.4,14.01 acc=5 alt=700 vac=4 speed=1.5 battery=0.81 state=unplugged wifi=café device=phone "
          + #"{"geodata":{"a":{"b":1}},"ping": "x"}"#,
        "fix 2026-11-20T08:30:00Z 45.4,14.01 alt=700.5", "fix 2026-11-20T08:30:05Z 45.5,14.02",
        "fix 2026-11-20T08:40:00Z 45.4,14.01", "fix 2026-11-20T09:00:00Z 45.4,14.01 alt=12.5 speed=10 course=90",
        "fix 2026-11-20T09:30:00Z 45.4,14.01 acc=5 speed=1",
      ])
  }

  @Test("recordings of OwnTracks, KML and TCX")
  func others() {
    #expect(
      lines(.ownTracksLines).map { $0.prefix { $0 != "{" } } == [
        "fix 2024-03-01T09:03:09Z 52.225,13.332 acc=10 alt=36 vac=4 speed=1.3888889 battery=0.94 state=charging wifi=Home ",
        "region exited home 2024-03-01T18:26:55Z ", "fix 2024-03-01T18:28:30Z 52.229,13.336 acc=5 course=38 battery=0.85 ",
      ])
    #expect(skips(.ownTracksLines).count == 3)
    #expect(
      lines(.kml) == [
        "fix 2026-11-20T08:30:00Z 45.4,14 acc=5 alt=700", "fix 2026-11-20T08:30:05Z 45.41,14.01",
        "fix 2026-11-20T08:40:00Z 45.42,14.02 alt=12",
        #"visit 2026-11-20T09:00:00Z 2026-11-20T10:00:00Z 45.43,14.03 {"name":"Café & Bar","address":"Trg 1"}"#,
        "fix 2026-11-20T10:00:00Z 45.43,14.03", "fix 2026-11-20T10:30:00Z 45.44,14.04",
        "trip car 2026-11-20T10:00:00Z 2026-11-20T10:30:00Z 45.43,14.03 45.44,14.04 1358.4"
          + #" {"name":"Driving","Category":"Driving"}"#,
      ])
    #expect(
      lines(.tcx) == [
        "fix 2026-11-20T08:30:00Z 45.4,14 alt=700.2 speed=5.5 motion=4 "
          + #"{"total_distance":12.5,"heart_rate":121,"cadence":80,"watts":210}"#,
        "fix 2026-11-20T08:30:02.500Z 45.41,14.01 motion=4",
      ])
  }
  @Test("values of the arrays of a long KML track belong to the right points, also after the first points were returned")
  func longTrack() throws {
    let handler = KMLTracks()
    handler.maximumTrack = 3
    let place = FormatError.Place(byte: 0)
    func element(_ name: String, _ text: String) {
      handler.start(name, [:], at: place)
      Array(text.utf8).withUnsafeBufferPointer { handler.append($0) }
      handler.end(name, at: place)
    }
    for name in ["Placemark", "Track"] { handler.start(name, [:], at: place) }
    for number in 0..<5 {
      element("when", "2026-11-20T08:30:0\(number)Z")
      element("coord", "14.0\(number) 45.4")
      element("angles", "\(number * 10) 0 0")
    }
    handler.start("SimpleArrayData", ["name": "accuracy"], at: place)
    for number in 0..<5 { element("value", "\(number + 1)") }
    for name in ["SimpleArrayData", "Track", "Placemark"] { handler.end(name, at: place) }
    #expect(
      handler.sink.records.map(description(of:)) == [
        "fix 2026-11-20T08:30:00Z 45.4,14 course=0", "fix 2026-11-20T08:30:01Z 45.4,14.01 course=10",
        // This point was returned before its course was read.
        "fix 2026-11-20T08:30:02Z 45.4,14.02", "fix 2026-11-20T08:30:03Z 45.4,14.03 acc=4 course=30",
        "fix 2026-11-20T08:30:04Z 45.4,14.04 acc=5 course=40",
      ])
  }
}
