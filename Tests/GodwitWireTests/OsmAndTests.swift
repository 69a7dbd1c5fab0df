import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitText
@testable import GodwitWire

private let now = Date(timeIntervalSince1970: 1_795_163_400)

private func read(_ text: String, speed: OsmAnd.Speed = .knots) throws -> OsmAnd.Request {
  try OsmAnd.read(Array(text.utf8), speed: speed, received: now)
}

private func fix(_ record: Record) throws -> Fix {
  guard case .fix(let fix) = record.kind else { throw FormatError(format: "", place: .init(byte: 0), reason: "no fix") }
  return fix
}

@Suite("OsmAnd, Traccar Client, GPSLogger")
struct OsmAndTests {
  @Test("requests of Traccar Client 8 are decoded: knots, percent, extra fields")
  func traccar() throws {
    let request = try read(
      "id=123456&timestamp=1795163400&lat=46.0569&lon=14.5058&speed=10.0&bearing=270.5&altitude=298.0&accuracy=4.5&batt=85.0&charge=true&mock=false"
    )
    #expect(request.device == "123456" && request.batch.rejected.isEmpty)
    let record = try #require(request.batch.records.first)
    #expect(
      try fix(record)
        == Fix(
          time: now, coordinate: try #require(Coordinate(latitude: 46.0569, longitude: 14.5058)), horizontalAccuracy: 4.5,
          altitude: 298, speed: 10.0 * 1852 / 3600, course: 270.5))
    #expect(
      record.context == DeviceContext(batteryLevel: 0.85, batteryState: .charging, deviceID: "123456")
        && record.extras == #"{"mock":"false"}"#)
  }

  @Test("requests of OsmAnd and GPSLogger are decoded: metres per second, milliseconds, time offsets, other names")
  func others() throws {
    let osmand = try read(
      "lat=46.0569&lon=14.5058&timestamp=1795163400250&hdop=4.3&altitude=298&speed=1.5&bearing=0.0&bat=77",
      speed: .metersPerSecond)
    let walker = try #require(osmand.batch.records.first)
    #expect(try fix(walker).time == now.addingTimeInterval(0.25) && fix(walker).speed == 1.5 && fix(walker).course == 0)
    #expect(walker.extras == #"{"hdop":"4.3"}"# && walker.context.batteryLevel == 0.77)
    let gpslogger = try read(
      "lat=46.0569&lon=14.5058&sat=9&desc=&alt=298.0&acc=12.0&dir=33.2&prov=gps&spd=2.25&timestamp=1795163400&time=2026-11-20T08%3A30%3A00.000Z&batt=56.0&ischarging=false&ser=ab12&act=WALKING&filename=20261120&profile=Default",
      speed: .metersPerSecond)
    let record = try #require(gpslogger.batch.records.first)
    #expect(try fix(record).speed == 2.25 && fix(record).horizontalAccuracy == 12 && fix(record).course == 33.2)
    #expect(record.context.batteryState == .unplugged && record.context.motion == .walking)
    #expect(
      record.extras
        == #"{"sat":"9","desc":"","prov":"gps","time":"2026-11-20T08:30:00.000Z","ser":"ab12","filename":"20261120","profile":"Default"}"#
    )
  }

  @Test(
    "all forms of times are decoded",
    arguments: [
      ("1795163400", 0), ("1795163400.5", 500), ("1795163400123", 123), ("2026-11-20T08:30:00Z", 0),
      ("2026-11-20T10:30:00%2B02:00", 0), ("2026-11-20T10:30:00+02:00", 0), ("2026-11-20T10:30:00.250+0200", 250),
      ("2026-11-20 08:30:00", 0), ("2026-11-20+08%3A30%3A00", 0), ("2026-11-20T08:30:00", 0),
    ])
  func times(_ text: String, _ milliseconds: Int64) throws {
    let request = try read("lat=1&lon=2&timestamp=\(text)")
    let record = try #require(request.batch.records.first, "\(request.batch.rejected)")
    #expect(record.time.millisecondsSince1970 == now.millisecondsSince1970 + milliseconds)
    #expect(record.extras == nil)
  }

  @Test("a missing time is the time of receipt, marked in the extras; a position may be one text; a repeated name is an array")
  func bare() throws {
    let record = try #require(try read("location=46.0569,14.5058&wifi=a,-50&wifi=b,-60&s=3&token=secret").batch.records.first)
    #expect(try fix(record).time == now && fix(record).coordinate.longitude == 14.5058 && fix(record).speed == 3)
    #expect(record.extras == #"{"wifi":["a,-50","b,-60"],"time_source":"received"}"#)
    #expect(try read("").batch.placeless == 1 && read("id=7").device == "7")
  }

  @Test(
    "invalid numbers and unknown values are kept in the extras, and placeholders for unknown values are dropped",
    arguments: [
      ("speed=-1&accuracy=-1&bearing=-1&batt=-1", nil), ("speed=fast", #"{"speed":"fast"}"#), ("acc=&alt=", nil),
      ("altitude=nan&accuracy=0x10", #"{"altitude":"nan","accuracy":"0x10"}"#), ("batt=%25BATT", #"{"batt":"%BATT"}"#),
      ("bearing=400&charge=maybe", #"{"bearing":"400","charge":"maybe"}"#), ("batt=50%25&x=%zz%", #"{"x":"%zz%"}"#),
      ("valid=false&speed=1e400", #"{"valid":"false","speed":"1e400"}"#),
      ("a=%C3%28&act=flying", "{\"a\":\"\u{FFFD}(\",\"act\":\"flying\"}"),
    ] as [(String, String?)])
  func unknown(_ text: String, _ extras: String?) throws {
    let record = try #require(try read("lat=1&lon=2&timestamp=1795163400&\(text)").batch.records.first)
    #expect(record.extras == extras)
    let fix = try fix(record)
    #expect(fix == Fix(time: now, coordinate: fix.coordinate))
  }

  @Test(
    "an invalid position is rejected with the name and byte of the value, and without the token",
    arguments: [
      ("token=abc&lat=91&lon=2", "lat", 10, "latitude 91 is outside"), ("lat=1&lon=x", "lon", 6, "\"x\" is not a number"),
      ("lat=1&timestamp=1", "lon", 0, "there is no lon"), ("timestamp=1", "lat", 0, "there is no lat"),
      ("location=7", "location", 0, "expected latitude,longitude"),
      ("lat=1&lon=2&timestamp=yesterday", "timestamp", 12, "is not a time"),
      ("lat=1&lon=2&time=-5", "time", 12, "is not a time"), ("lat=%LAT&lon=%LON", "lat", 0, "\"%LAT\" is not a number"),
    ])
  func rejected(_ text: String, _ path: String, _ byte: Int, _ reason: String) throws {
    let request = try read(text)
    #expect(request.batch.records.isEmpty)
    let part = try #require(request.batch.rejected.first)
    #expect(part.place == FormatError.Place(byte: byte, path: path) && part.reason.contains(reason), "\(part)")
    #expect(!String(decoding: part.raw, as: UTF8.self).contains("abc"))
  }

  @Test("requests of Traccar Client 9 are decoded, with unknown fields kept")
  func json() throws {
    let text =
      #"{"location":{"timestamp":"2026-11-20T08:30:00.000Z","coords":{"latitude":46.0569,"longitude":14.5058,"accuracy":5.2,"speed":1.4,"speed_accuracy":0.5,"heading":271.3,"heading_accuracy":-1,"altitude":301.1,"altitude_accuracy":3,"floor":2},"is_moving":true,"odometer":1234.5,"event":"motionchange","battery":{"level":0.83,"is_charging":true},"activity":{"type":"on_foot","confidence":100},"extras":{}},"device_id":"313373","token":"x"}"#
    let request = try read(text)
    #expect(request.device == "313373" && request.batch.rejected.isEmpty)
    let record = try #require(request.batch.records.first)
    #expect(
      try fix(record)
        == Fix(
          time: now, coordinate: try #require(Coordinate(latitude: 46.0569, longitude: 14.5058)), horizontalAccuracy: 5.2,
          altitude: 301.1, verticalAccuracy: 3, speed: 1.4, speedAccuracy: 0.5, course: 271.3))
    #expect(
      record.context
        == DeviceContext(batteryLevel: 0.83, batteryState: .charging, motion: .walking, deviceID: "313373"))
    #expect(
      record.extras
        == #"{"coords":{"floor":2},"is_moving":true,"odometer":1234.5,"event":"motionchange","activity":{"confidence":100},"extras":{}}"#
    )
  }

  @Test("secrets are removed from extras and from the bytes of a rejected location")
  func secrets() throws {
    let text =
      #"{"timestamp":"2026-11-20T08:30:00Z","coords":{"latitude":1,"longitude":2},"token":"abc","Password":"abc","floor":2}"#
    #expect(try read(text).batch.records.first?.extras == #"{"floor":2}"#)
    let wrong = #"[{"coords":{"latitude":91,"longitude":2},"token":"abc","list":[{"token":"abc"}]}]"#
    let rejected = try #require(try read(wrong).batch.rejected.first)
    #expect(String(decoding: rejected.raw, as: UTF8.self) == #"{"coords":{"latitude":91,"longitude":2},"list":[{}]}"#)
    let other = try #require(try read(#"[{"coords": {"latitude":91}}]"#).batch.rejected.first)
    #expect(String(decoding: other.raw, as: UTF8.self) == #"{"coords": {"latitude":91}}"#)
  }

  private static let small = #"{"timestamp":"2026-11-20T08:30:00Z","coords":{"latitude":1,"longitude":2}}"#

  @Test(
    "several records are an array, or a nested array, and each is independent",
    arguments: [
      #"{"device_id":"d","location":[\#(small),7,\#(small)]}"#, #"{"location":[\#(small),{},\#(small)],"device_id":"d"}"#,
      #"[{"location":\#(small),"device_id":"d"},{"device_id":"d","location":{"coords":{"latitude":91}}},{"device_id":"d","location":\#(small)}]"#,
    ])
  func several(_ text: String) throws {
    let request = try read(text)
    #expect(request.device == "d" && request.batch.records.count == 2 && request.batch.rejected.count == 1)
    #expect(request.batch.records.allSatisfy { $0.context.deviceID == "d" } && request.batch.rejected.first?.index == 1)
  }

  @Test("custom JSON templates have the names of queries, and a location without an envelope is valid")
  func template() throws {
    let request = try read(
      #"{"lat":46.0569,"lon":"14.5058","time":"2026-11-20T08:30:00Z","s":1.5,"sat":9,"note":null,"id":"me","tags":["a"]}"#)
    let record = try #require(request.batch.records.first, "\(request.batch.rejected)")
    #expect(try fix(record).speed == 1.5 && request.device == "me" && record.extras == #"{"sat":9,"tags":["a"]}"#)
    #expect(try read(Self.small).batch.records.count == 1)
    let rejected = try #require(try read(#"[{"lat":91,"lon":2}]"#).batch.rejected.first)
    #expect(rejected.place == FormatError.Place(byte: 8, path: "[0].lat"))
  }

  @Test("truncated input keeps the records before the cut")
  func broken() throws {
    #expect(throws: FormatError.self) { try read(#"{"device_id":"d","location":[\#(Self.small),{"times"#) }
    let array = try read(#"[{"location":\#(Self.small)},{"loc"#)
    #expect(array.batch.records.count == 1 && array.batch.broken != nil && array.batch.rejected.count == 1)
  }

  @Test("any other input has no records", arguments: ["{", "[", "[{", #"{"a":1}x"#, #"{"location":7}"#])
  func nothing(_ text: String) {
    let request = try? read(text)
    #expect(request?.batch.records.isEmpty ?? true)
  }

  @Test(
    "random damage does not crash the decoder, and decoded records have a valid time and valid extras", arguments: [1, 2, 3, 4])
  func mutated(_ seed: UInt64) {
    let texts = [
      "id=1&timestamp=2026-11-20%2008:30:00&lat=46.05&lon=14.5&speed=10&bearing=27&altitude=298&accuracy=4.5&batt=85&charge=true&x=%C3%A9",
      #"{"device_id":"d","location":[\#(Self.small),\#(Self.small)]}"#,
      #"{"location":{"timestamp":1795163400,"coords":{"latitude":46,"longitude":14,"speed":1},"battery":{"level":0.5},"activity":{"type":"still"}},"device_id":"313"}"#,
      #"{"lat":46.0569,"lon":"14.5058","time":"2026-11-20T08:30:00Z","s":1.5,"sat":9}"#,
    ].map { Array($0.utf8) }
    var mutations = Mutations(seed: seed)
    var accepted = 0
    for round in 0..<6000 {
      guard let request = try? OsmAnd.read(mutations.damaged(texts[round % texts.count]), speed: .knots, received: now) else {
        continue
      }
      accepted += 1
      for record in request.batch.records {
        #expect(TimestampParser.validTimes.contains(record.time.millisecondsSince1970))
        if let extras = record.extras {
          #expect((try? JSONSerialization.jsonObject(with: Data(extras.utf8))) != nil, "\(extras)")
        }
      }
    }
    #expect(accepted > 0)
  }

  @Test(
    "empty requests, and the sign-in and new track of µlogger, have no record; other requests without a position are rejected",
    arguments: [
      ("", nil), ("id=7", nil), ("action=auth&user=anna&pass=x", nil), ("action=addtrack&track=walk", nil), ("[]", nil),
      ("hello", "hello"), ("action=addpos&trackid=1", "action=addpos&trackid=1"), ("x=1&token=t", "x=1"), ("{}", "{}"),
      (#"{"a":[1]}"#, #"{"a":[1]}"#), (#"{"type":"register_app","data":{}}"#, #"{"type":"register_app","data":{}}"#),
      (#"{"points":[[46.05]]}"#, "[46.05]"), ("action=auth&lat=46", "action=auth&lat=46"),
    ] as [(String, String?)])
  func greetings(_ text: String, _ raw: String?) throws {
    let batch = try read(text).batch
    #expect(batch.records.isEmpty)
    #expect(batch.rejected.map { String(decoding: $0.raw, as: UTF8.self) } == [raw].compactMap(\.self), "\(batch.rejected)")
    #expect(raw == nil || batch.rejected[0].reason.contains("there is no "), "\(batch.rejected)")
  }

  @Test("rows of PhoneTrack are latitude, longitude, time, altitude, accuracy, battery, satellites, program, speed, course")
  func rows() throws {
    let request = try read(
      #"{"points":[[46.05,14.5,1795163400,300,5,80,9,"app",1.5,90],["46.06","14.6","1795163401",null,null,null],[91,0,1],{}],"device":"x"}"#
    )
    #expect(request.batch.records.count == 2 && request.device == "x")
    let first = try #require(request.batch.records.first)
    #expect(try fix(first).time == now && fix(first).speed == 1.5 && fix(first).course == 90 && fix(first).altitude == 300)
    #expect(first.context.batteryLevel == 0.8 && first.extras == #"{"sat":9,"useragent":"app"}"#)
    #expect(try fix(request.batch.records[1]).coordinate.longitude == 14.6)
    #expect(request.batch.rejected.map(\.place.path) == ["points[2].lat", "points[3]"], "\(request.batch.rejected)")
  }

  @Test("a location update of Home Assistant's app is a fix with the time of receipt")
  func homeAssistant() throws {
    let request = try read(
      #"{"type":"update_location","data":{"gps":[46.05, 14.5],"gps_accuracy":20,"battery":55,"speed":1.5,"altitude":300,"course":90,"vertical_accuracy":4,"location_name":"home"}}"#
    )
    let record = try #require(request.batch.records.first)
    #expect(
      try fix(record)
        == Fix(
          time: now, coordinate: try #require(Coordinate(latitude: 46.05, longitude: 14.5)), horizontalAccuracy: 20,
          altitude: 300, verticalAccuracy: 4, speed: 1.5, course: 90))
    #expect(record.context.batteryLevel == 0.55)
    #expect(record.extras == #"{"location_name":"home","time_source":"received"}"#)
    let wrong = try read(#"{"type":"update_location","data":{"gps":[146.05,14.5]}}"#).batch
    #expect(wrong.rejected.first?.reason.contains("latitude") == true, "\(wrong.rejected)")
  }

  @Test("Colota's names are decoded: metres per second, degrees, the state of the battery as a number")
  func colota() throws {
    let request = try read(
      #"{"lat":48.135,"lon":11.582,"acc":12,"alt":519,"vel":1.5,"batt":85,"bs":2,"tst":1795163400,"bear":180.5}"#)
    let record = try #require(request.batch.records.first)
    #expect(try fix(record).speed == 1.5 && fix(record).course == 180.5 && fix(record).altitude == 519)
    #expect(record.context == DeviceContext(batteryLevel: 0.85, batteryState: .charging) && record.extras == nil)
    #expect(try read("lat=1&lon=2&bs=9").batch.records.first?.extras?.contains(#""bs":"9""#) == true)
  }

  @Test("requests of Dawarich's app are decoded: a location without coords, with battery and activity beside it")
  func dawarich() throws {
    let request = try read(
      #"{"device_id":"iphone","location":{"timestamp":"2026-11-20T08:30:00Z","latitude":46.05,"longitude":14.5,"accuracy":5,"speed":1.5,"heading":90,"altitude":300},"battery":{"level":0.5,"is_charging":true},"activity":{"type":"walking"}}"#
    )
    let record = try #require(request.batch.records.first, "\(request.batch.rejected)")
    #expect(try fix(record).speed == 1.5 && fix(record).course == 90 && fix(record).horizontalAccuracy == 5)
    #expect(
      record.context
        == DeviceContext(
          batteryLevel: 0.5, batteryState: .charging, motion: .walking, deviceID: "iphone"))
    #expect(record.extras == nil)
  }
}
