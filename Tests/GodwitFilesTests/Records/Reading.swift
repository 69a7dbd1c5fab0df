import Foundation
import GodwitModel
import Testing

@testable import GodwitFiles
@testable import GodwitTracks

/// The results of reading a file with a `RecordStream`.
struct Reading {
  var records: [Record] = []
  var format: RecordFormat?
  var skipped: [TrackSkip] = []
  var skips = 0
  var withoutTime = 0
  /// The checkpoint after each piece.
  var checkpoints: [Checkpoint] = []
  var error: String?

  /// Reads some bytes in pieces.
  /// - Parameters:
  ///   - piece: number of bytes in each piece; `nil`: all of them.
  ///   - checkpoint: the position to begin at; `nil`: the start of the file.
  ///   - guess: number of bytes from which the format is detected.
  init(_ bytes: [UInt8], piece: Int? = nil, from checkpoint: Checkpoint? = nil, guess: Int = RecordFormat.guessSize) {
    let stream = RecordStream(name: "test", from: checkpoint, guessSize: guess)
    do {
      var start = checkpoint?.byte ?? 0
      while start < bytes.count {
        let end = min(bytes.count, start + (piece ?? bytes.count))
        do { try stream.feed(Array(bytes[start..<end])) } catch {
          read(stream)
          throw error
        }
        read(stream)
        if let checkpoint = stream.checkpoint { checkpoints.append(checkpoint) }
        start = end
      }
      try stream.finish()
    } catch { self.error = "\(error)" }
    read(stream)
    format = stream.format
    skipped = stream.skipped.first
    skips = stream.skipped.count
    withoutTime = stream.withoutTime
  }

  private mutating func read(_ stream: RecordStream) { while let some = stream.next() { records += some } }

  init(_ text: String, piece: Int? = nil) { self.init(Array(text.utf8), piece: piece) }
}

/// A small file of one format, for tests that hold for all formats.
struct Sample: Sendable, CustomTestStringConvertible {
  var format: RecordFormat
  var bytes: [UInt8]
  /// The number of records in it.
  var count: Int
  /// A number of bytes that is enough to detect the format.
  var guess: Int { min(300, bytes.count / 2) }
  var testDescription: String { format.name }

  /// Whether it is text in UTF-8.
  var isText: Bool { format != .fit }

  init(_ format: RecordFormat, _ count: Int, _ text: String) { self.init(format, count, Array(text.utf8)) }

  init(_ format: RecordFormat, _ count: Int, _ bytes: [UInt8]) {
    self.format = format
    self.count = count
    self.bytes = bytes
  }

  static let all: [Sample] = [
    Sample(.fit, 3, FITWriter.sample),
    Sample(
      .igc, 5,
      """
      AXYZ001 made up
      HFDTEDATE:201126,01
      HFPLTPILOTINCHARGE:nobody
      I023638FXA3940SIU
      B2359504524000N01400000EA0070000750004
      LXYZ a remark
      B2359555924000S01400000WV00700000000120
      B2359566024000N01400000EA0070000750004
      B2359570000000N00000000EV0070000000999
      B0000054524060N01400060EA-001000750005
      HFDTE221126
      B0100004524000N01400000EA0070000750004

      """),
    Sample(
      .points, 2,
      #"""
      {"locations": [{"lat": 45.4, "lon": 14.01, "time": 1795163400.25}, {"lat": 45.5, "lon": 14.02, "time": 1795163460.5},
        {"lat": 95.5, "lon": 14.02, "time": 1795163461}, {"lat": 45.5, "lon": 14.02}]}
      """#),
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
    Sample(
      .googleRecords, 4,
      #"""
      {
        "locations": [{
          "latitudeE7": 454525956, "longitudeE7": 140181940, "accuracy": 25, "velocity": 3, "heading": 271, "altitude": 700,
          "verticalAccuracy": 4, "activity": [{"activity": [{"type": "STILL", "confidence": 10}, {"type": "WALKING",
          "confidence": 82}], "timestamp": "2021-04-15T06:34:36.153Z"}, {"activity": [{"type": "STILL", "confidence": 99}]}],
          "activeWifiScan": {"accessPoints": [{"mac": "1", "strength": -61}]},
          "source": "GPS", "deviceTag": 335552189, "platformType": "ANDROID", "batteryCharging": true,
          "timestamp": "2021-04-15T06:34:32.478Z"
        }, {
          "latitudeE7": 4169672960, "longitudeE7": 3119672960, "accuracy": 30, "timestampMs": "1366007551475"
        }, {
          "latitudeE7": 945256000, "longitudeE7": 140181940, "timestamp": "2021-04-15T06:34:33Z"
        }, {
          "timestamp": "2021-04-15T06:34:34Z", "source": "CELL"
        }, {
          "latitudeE7": -454525956, "longitudeE7": -1799999999, "timestamp": "2021-04-15T06:34:35Z"
        }, {
          "latitudeE7": 1, "longitudeE7": 2, "timestamp": "2021-04-15T06:34:36+02:00"
        }]
      }
      """#),
    Sample(
      .googleSemantic, 12,
      #"""
      {"timelineObjects": [
        {"activitySegment": {"startLocation": {"latitudeE7": 454500000, "longitudeE7": 140000000},
          "endLocation": {"latitudeE7": 454600000, "longitudeE7": 140100000, "sourceInfo": {"deviceTag": 1}},
          "duration": {"startTimestamp": "2021-01-04T07:00:00Z", "endTimestamp": "2021-01-04T07:10:00Z"},
          "distance": 1500, "activityType": "IN_PASSENGER_VEHICLE", "confidence": "HIGH",
          "waypointPath": {"waypoints": [{"latE7": 454500000, "lngE7": 140000000}, {"latE7": 454550000, "lngE7": 140050000},
            {"latE7": 454600000, "lngE7": 140100000}]}}},
        {"placeVisit": {"location": {"latitudeE7": 454600000, "longitudeE7": 140100000, "placeId": "ChIJ-made-up",
            "name": "Café \u00e9tranger", "address": "Trg 1\n6000 Koper", "semanticType": "TYPE_WORK"},
          "duration": {"startTimestampMs": "1609744200000", "endTimestampMs": "1609747800000"},
          "childVisits": [{"location": {"latitudeE7": 454600100, "longitudeE7": 140100100},
            "duration": {"startTimestamp": "2021-01-04T07:20:00Z", "endTimestamp": "2021-01-04T07:30:00Z"}}],
          "otherCandidateLocations": [{"latitudeE7": 1, "longitudeE7": 1}]}},
        {"activitySegment": {"startLocation": {}, "endLocation": {},
          "duration": {"startTimestamp": "2021-01-04T08:10:00Z", "endTimestamp": "2021-01-04T08:20:00Z"},
          "activityType": "WALKING", "simplifiedRawPath": {"points": [
            {"latE7": 454600000, "lngE7": 140100000, "accuracyMeters": 12, "timestamp": "2021-01-04T08:11:00Z"},
            {"latE7": 454610000, "lngE7": 140110000, "accuracyMeters": 8, "timestampMs": "1609748100000"}]}}},
        {"activitySegment": {"duration": {"startTimestamp": "2021-01-04T09:00:00Z"}}},
        {"placeVisit": {"centerLatE7": 454600000, "centerLngE7": 140100000,
          "duration": {"startTimestamp": "2021-01-04T09:00:00Z", "endTimestamp": "2021-01-04T10:00:00Z"}}},
        {"activitySegment": {"startLocation": {"latitudeE7": 454500000, "longitudeE7": 140000000},
          "duration": {"startTimestamp": "2021-01-04T10:00:00Z", "endTimestamp": "2021-01-04T10:10:00Z"}}}
      ]}
      """#),
    Sample(
      .googleTimeline, 8,
      #"""
      {"semanticSegments": [
        {"startTime": "2024-06-01T08:00:00.000+02:00", "endTime": "2024-06-01T10:00:00.000+02:00",
          "timelinePath": [{"point": "45.4500000°, 14.0000000°", "time": "2024-06-01T08:05:00.000+02:00"},
            {"point": "45.4600000\u00b0, -14.0100000\u00b0", "time": "2024-06-01T08:10:00.000+02:00"}]},
        {"startTime": "2024-06-01T08:20:00.000+02:00", "endTime": "2024-06-01T09:00:00.000+02:00",
          "startTimeTimezoneUtcOffsetMinutes": 120, "visit": {"hierarchyLevel": 0, "probability": 0.91, "topCandidate": {
            "placeId": "ChIJ-made-up", "semanticType": "HOME", "probability": 0.8,
            "placeLocation": {"latLng": "45.4600000°, 14.0100000°"}}}},
        {"startTime": "2024-06-01T09:00:00.000+02:00", "endTime": "2024-06-01T09:30:00.000+02:00", "activity": {
          "start": {"latLng": "45.46°, 14.01°"}, "end": {"latLng": "45.50°, 14.05°"}, "distanceMeters": 5432.1,
          "topCandidate": {"type": "CYCLING", "probability": 0.7}}},
        {"startTime": "2024-06-01T09:00:00.000+02:00", "endTime": "2024-06-01T09:30:00.000+02:00",
          "timelineMemory": {"trip": {"distanceFromOriginKms": 3}}},
        {"startTime": "2024-06-01T09:00:00.000+02:00", "endTime": "2024-06-01T09:30:00.000+02:00", "visit": {}}
      ], "rawSignals": [
        {"position": {"LatLng": "45.4612345°, 14.0112345°", "accuracyMeters": 13, "altitudeMeters": 702.5, "source": "WIFI",
          "timestamp": "2024-06-01T08:20:00.000+02:00", "speedMetersPerSecond": 0.5}},
        {"wifiScan": {"deliveryTime": "2024-06-01T08:20:00.000+02:00", "devicesRecords": [{"mac": 1, "rawRssi": -60}]}},
        {"position": {"LatLng": "nowhere", "timestamp": "2024-06-01T08:20:00.000+02:00"}},
        {"position": {"LatLng": "45.4612345°, 14.0112345°", "timestamp": "2024-06-01T08:22:00.000+02:00"}}
      ], "userLocationProfile": {"frequentPlaces": [{"placeId": "a"}]}}
      """#),
    Sample(
      .googleTimeline, 5,
      #"""
      [ {
        "endTime" : "2024-12-27T13:39:37+01:00", "startTime" : "2024-12-27T13:32:18+01:00", "activity" : {
          "end" : "geo:45.505487,14.564872", "topCandidate" : {"type" : "in passenger vehicle", "probability" : "0.000000"},
          "distanceMeters" : "1881.000000", "start" : "geo:45.496349,14.540514" }
      }, {
        "endTime" : "2024-12-28T05:43:23+01:00", "startTime" : "2024-12-27T13:39:37+01:00", "visit" : {
          "hierarchyLevel" : "0", "topCandidate" : {"probability" : "0.950077", "semanticType" : "Home",
            "placeID" : "ChIJ-made-up", "placeLocation" : "geo:45.505843,14.564710"}, "probability" : "0.950000" }
      }, {
        "timelinePath" : [ {"point" : "geo:45.505,14.564", "durationMinutesOffsetFromStartTime" : "12"} ],
        "endTime" : "2024-12-28T07:00:00+01:00", "startTime" : "2024-12-28T06:00:00+01:00"
      } ]
      """#),
    Sample(
      .geoJSON, 6,
      #"""
      {"type": "FeatureCollection", "name": "walk", "features": [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": ["14.01", "45.4", 700]}, "properties": {
          "battery_status": "unplugged", "battery": 81, "tracker_id": "phone", "velocity": "1.5", "accuracy": 5, "altitude": null,
          "vertical_accuracy": 4, "timestamp": 1609459201, "latitude": "45.4", "longitude": "14.01", "ssid": "caf\u00e9",
          "inrids": [], "geodata": {"a": {"b": 1}}, "city": null, "ping": "x"}},
        {"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[14.01, 45.4, 700.5], [14.02, 45.5], [14.03, 45.6]]},
          "properties": {"name": "a", "coordTimes": ["2026-11-20T08:30:00Z", 1795163405000, null]}},
        {"type": "Feature", "geometry": {"type": "MultiLineString", "coordinates": [[[14.01, 45.4]], [[14.02, 195.4]]]},
          "properties": {"coordinateProperties": {"times": [["2026-11-20T08:40:00Z"], ["2026-11-20T08:50:00Z"]]}}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [14.01, 95.4]}, "properties": {"time": "2026-11-20T08:30:00Z"}},
        {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[1, 1], [2, 2], [3, 1], [1, 1]]]}, "properties": {}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [14.01, 45.4]}, "properties": {"name": "no time"}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [14.01, 45.4]}, "properties": {
          "time": "2026/11/20 09:00:00", "ele": "12.5", "heading": 90, "speed_kmh": 36}},
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [14.01, 45.4]}, "properties": {
          "timestamp": "2026-11-20T09:30:00Z", "speed": 1, "horizontal_accuracy": 5}}
      ]}
      """#),
    Sample(
      .ownTracksLines, 3,
      """
      2024-03-01T09:03:09Z\t*                 \t{"bs":2,"p":100.266,"batt":94,"_type":"location","tid":"RO","alt":36,"lon":13.332,"vel":5,"t":"p","SSID":"Home","vac":4,"acc":10,"tst":1709283789,"lat":52.225,"inregions":["home"],"_http":true}
      2024-03-01T18:26:55Z\t*                 \t{"lon":13.334,"acc":5,"wtst":1696359532,"event":"leave","rid":"5f1d1b","desc":"home","lat":52.227,"t":"c","tst":1709317615,"tid":"RO","_type":"transition"}
      2024-03-01T18:27:00Z\tlwt               \t{"tst":1709317615,"_type":"lwt"}
      2024-03-01T18:27:01Z\twaypoint          \t{"_type":"waypoint","desc":"home","lat":52.2,"lon":13.3,"rad":50,"tst":1696359532}
      2024-03-01T18:27:02Z\t*                 \t{"_type":"location","lat":52.2,"tst":1709317615}
      2024-03-01T18:27:03Z\t*                 \t{"_type":"location","lat":
      2024-03-01T18:28:30Z\t*                 \t{"cog":38,"batt":85,"lon":13.336,"acc":5,"lat":52.229,"tst":1709317710,"_type":"location","topic":"owntracks/a/b"}

      """),
    Sample(
      .ownTracks, 2,
      #"""
      {"count": 2, "data": [{"_type": "location", "lat": 52.1, "lon": 13.1, "tst": 1709317710, "acc": 5, "isotst": "2024-03-01T18:28:30Z"},
        {"_type": "location", "lat": 52.2, "lon": 13.2, "tst": 1709317720, "vel": 36}, {"_type": "card", "tid": "x"}], "status": 200}
      """#),
    Sample(
      .csv, 5,
      #"""
      id;Time (UTC);Lat;Long;"Height ""above"" sea";Altitude [ft];Speed (km/h);Bearing;hAcc;Battery (%);note
      1;2026-11-20 08:30:00;45,4525956;14,018194;1;1000;36;90;5;81;"a;b
      and ""more"""
      2;2026-11-20T08:30:05.250+01:00;45.4525956;14.018194;;;;;;;
      3;yesterday;45.4;14.0;;;;;;;
      4;2026-11-20 08:30:10;95.4;14.0;;;;;;;
      5;;45.4;14.0;;;;;;;

      6;1795163405;-45.4;-14.0;;;-1;361;;;x
      7;20.11.2026;45.4;14.0
      8;2026-11-20 08:31:00 UTC;45.4;14.0

      """#),
    Sample(
      .dawarichLines, 3,
      #"""
      {"battery_status":"charging","battery":81,"timestamp":1709317710,"altitude":36,"velocity":"1.5","accuracy":5,"tracker_id":"phone","topic":"owntracks/a/b","ssid":"Home","inrids":[],"geodata":{},"course":"38.0","lonlat":"POINT (13.336 52.229)","longitude":"13.336","latitude":"52.229","created_at":"2024-03-01T18:28:40Z"}
      {"timestamp":1709317720,"lonlat":"POINT (13.336 52.229)","import_reference":{"name":"a"}}
      {"started_at":"2024-03-01T18:00:00.000Z","ended_at":"2024-03-01T19:00:00.000Z","duration":60,"name":"Work","status":"confirmed","place_reference":{"name":"Work","latitude":"52.2","longitude":"13.3","source":"manual"}}
      {"timestamp":1709317720,"lonlat":"POINT (13.336"}
      {"broken":

      """#),
    Sample(
      .dawarich, 2,
      #"""
      {"counts": {"points": 1}, "settings": {"a": [1]}, "points": [{"timestamp": 1709317710, "longitude": "13.3", "latitude": "52.2"},
        {"timestamp": "soon", "longitude": "13.3", "latitude": "52.2"}],
        "visits": [{"started_at": "2024-03-01T18:00:00Z", "ended_at": null, "name": "Park", "place_reference":
        {"name": "Park", "latitude": 52.2, "longitude": 13.3}}]}
      """#),
    Sample(
      .traccar, 2,
      #"""
      [{"id": 1, "attributes": {"batteryLevel": 80, "motion": true}, "deviceId": 7, "protocol": "osmand", "serverTime":
        "2026-11-20T08:30:03.000+00:00", "deviceTime": "2026-11-20T08:30:01.000+00:00", "fixTime": "2026-11-20T08:30:00.000+00:00",
        "outdated": false, "valid": true, "latitude": 45.4, "longitude": 14.0, "altitude": 700, "speed": 10, "course": 90,
        "address": null, "accuracy": 5, "network": null},
       {"id": 2, "deviceId": 7, "fixTime": "2026-11-20T08:31:00.000+00:00", "latitude": 45.5, "longitude": 14.0, "speed": 0},
       {"id": 3, "deviceId": 7, "fixTime": "2026-11-20T08:31:00.000+00:00", "latitude": 145.5, "longitude": 14.0}]
      """#),
    Sample(
      .kml, 7,
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document><name>x</name>
      <Placemark><gx:Track><altitudeMode>absolute</altitudeMode>
      <when>2026-11-20T08:30:00Z</when><when>2026-11-20T08:30:05Z</when><when>now</when>
      <gx:coord>14.0 45.4 700</gx:coord><gx:coord>14.01 45.41</gx:coord><gx:coord>14.01 45.41 1</gx:coord><gx:coord>14.01 95.41 1</gx:coord>
      <ExtendedData><SchemaData><gx:SimpleArrayData name="accuracy"><gx:value>5</gx:value><gx:value/></gx:SimpleArrayData>
      </SchemaData></ExtendedData></gx:Track></Placemark>
      <Placemark><TimeStamp><when>2026-11-20T08:40:00Z</when></TimeStamp><Point><coordinates>14.02,45.42,12</coordinates></Point></Placemark>
      <Placemark><name>Café &amp; Bar</name><address>Trg 1</address><ExtendedData><Data name="Category"><value></value></Data></ExtendedData>
      <TimeSpan><begin>2026-11-20T09:00:00Z</begin><end>2026-11-20T10:00:00Z</end></TimeSpan>
      <Point><coordinates>14.03,45.43</coordinates></Point></Placemark>
      <Placemark><name>Driving</name><ExtendedData><Data name="Category"><value>Driving</value></Data></ExtendedData>
      <LineString><coordinates>14.03,45.43,0 14.04,45.44,0</coordinates></LineString>
      <TimeSpan><begin>2026-11-20T10:00:00Z</begin><end>2026-11-20T10:30:00Z</end></TimeSpan></Placemark>
      <Placemark><LineString><coordinates>14.03,45.43,0
        14.04,45.44,0 200,0</coordinates></LineString></Placemark>
      </Document></kml>
      """),
    Sample(
      .tcx, 2,
      """
      <?xml version="1.0"?>
      <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities>
      <Activity Sport="Biking"><Id>2026-11-20T08:30:00Z</Id><Lap StartTime="2026-11-20T08:30:00Z"><DistanceMeters>100</DistanceMeters><Track>
      <Trackpoint><Time>2026-11-20T08:30:00Z</Time><Position><LatitudeDegrees>45.4</LatitudeDegrees><LongitudeDegrees>14.0</LongitudeDegrees></Position>
      <AltitudeMeters>700.2</AltitudeMeters><DistanceMeters>12.5</DistanceMeters><HeartRateBpm><Value>121</Value></HeartRateBpm><Cadence>80</Cadence>
      <Extensions><ns3:TPX xmlns:ns3="x"><ns3:Speed>5.5</ns3:Speed><ns3:Watts>210</ns3:Watts></ns3:TPX></Extensions></Trackpoint>
      <Trackpoint><Time>2026-11-20T08:30:01Z</Time><HeartRateBpm><Value>122</Value></HeartRateBpm></Trackpoint>
      <Trackpoint><Time>2026-11-20T08:30:02.500Z</Time><Position><LatitudeDegrees>45.41</LatitudeDegrees><LongitudeDegrees>14.01</LongitudeDegrees></Position></Trackpoint>
      <Trackpoint><Position><LatitudeDegrees>45.41</LatitudeDegrees><LongitudeDegrees>14.01</LongitudeDegrees></Position></Trackpoint>
      </Track></Lap></Activity></Activities></TrainingCenterDatabase>
      """),
  ]
}
