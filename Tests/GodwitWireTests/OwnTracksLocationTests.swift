import Foundation
import GodwitModel
import GodwitText
import GodwitWire
import TestTexts
import Testing

@Suite("OwnTracks: decoding of locations")
struct OwnTracksLocationTests {
  private static func fix(_ record: Record) throws -> Fix {
    guard case .fix(let fix) = record.kind else { throw FormatError(format: "", place: .init(byte: 0), reason: "no fix") }
    return fix
  }

  @Test("every member of the iOS app is decoded or kept")
  func phone() throws {
    let text =
      #"{"_type":"location","BSSID":"b0:f2:8:45:94:33","SSID":"Home Wifi","acc":5,"alt":154,"batt":85,"bs":2,"conn":"w","created_at":1700000003,"inregions":["Home"],"inrids":["6da9cf"],"lat":51.5,"lon":-0.1,"m":1,"motionactivities":["stationary","automotive"],"p":98.7,"t":"t","tid":"ne","topic":"owntracks/jane/phone","tst":1700000000,"vac":3,"vel":36,"cog":270,"_id":"6da9cf01"}"#
    let record = try OwnTracks.readLocation(Array(text.utf8))
    let fix = try Self.fix(record)
    #expect(
      fix
        == Fix(
          time: Date(timeIntervalSince1970: 1_700_000_000), coordinate: try #require(Coordinate(latitude: 51.5, longitude: -0.1)),
          horizontalAccuracy: 5, altitude: 154, verticalAccuracy: 3, speed: 10, course: 270))
    #expect(
      record.context
        == DeviceContext(batteryLevel: 0.85, batteryState: .charging, motion: [.stationary, .driving], wifi: "Home Wifi"))
    #expect(
      record.extras
        == #"{"BSSID":"b0:f2:8:45:94:33","conn":"w","created_at":1700000003,"inregions":["Home"],"inrids":["6da9cf"],"m":1,"p":98.7,"t":"t","tid":"ne","topic":"owntracks/jane/phone","_id":"6da9cf01"}"#
    )
  }

  @Test("a location of the Android app is decoded")
  func android() throws {
    let text =
      #"{"_type":"location","_id":"83b8a6e1","acc":12,"alt":300,"batt":100,"bs":3,"cog":0,"conn":"m","created_at":1700000001,"lat":46.0501234,"lon":14.5,"m":2,"source":"fused","t":"p","tid":"x1","topic":"owntracks/u/pixel","tst":1700000000,"vac":0,"vel":0}"#
    let record = try OwnTracks.readLocation(Array(text.utf8))
    let fix = try Self.fix(record)
    #expect(fix.speed == 0 && fix.course == 0 && fix.altitude == 300 && fix.verticalAccuracy == 0)
    #expect(record.context.batteryState == .full && record.context.batteryLevel == 1 && record.context.wifi == nil)
    #expect(record.extras?.contains(#""source":"fused""#) == true)
  }

  @Test("an encoded record round-trips")
  func own() throws {
    let place = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    let fix = Fix(
      time: Date(timeIntervalSince1970: 1_700_000_000), coordinate: place, horizontalAccuracy: 8, altitude: 300, speed: 10,
      course: 90)
    let record = Record(
      id: RecordID(journal: 0x9f86_d081_884c_7d65, sequence: 17), kind: .fix(fix),
      context: DeviceContext(batteryLevel: 0.5, batteryState: .unplugged, motion: [.walking], wifi: "w"))
    let text = written { OwnTracks.write(record, topic: "owntracks/a/b", into: &$0) }
    let again = try OwnTracks.readLocation(Array(text.utf8))
    #expect(again.id == record.id && again.kind == record.kind && again.context == record.context)
    #expect(again.extras == #"{"tid":"ab","conn":"w","topic":"owntracks/a/b"}"#)
  }

  @Test(
    "times have fractions, also as text; negative values are unknown; invalid values are kept",
    arguments: [
      (#""tst":1700000000.123"#, 1_700_000_000_123, nil), (#""tst":"1700000000""#, 1_700_000_000_000, nil),
      (#""tst":1,"acc":-1,"vel":-1,"cog":-1,"batt":-1"#, 1000, nil), (#""tst":1,"alt":5,"vac":-1"#, 1000, nil),
      (#""tst":1,"batt":200"#, 1000, #"{"batt":200}"#), (#""tst":1,"bs":7,"cog":400"#, 1000, #"{"bs":7,"cog":400}"#),
      (#""tst":1,"vel":"fast","SSID":7"#, 1000, #"{"vel":"fast","SSID":7}"#),
      (#""tst":1,"motionactivities":["skiing"]"#, 1000, #"{"motionactivities":["skiing"]}"#),
      (#""tst":1,"acc":null,"alt":1e999"#, 1000, #"{"alt":1e999}"#),
    ] as [(String, Int64, String?)])
  func values(_ members: String, _ milliseconds: Int64, _ extras: String?) throws {
    let record = try OwnTracks.readLocation(Array(#"{"_type":"location","lat":"1","lon":2,\#(members)}"#.utf8))
    let fix = try Self.fix(record)
    #expect(fix == Fix(time: Date(millisecondsSince1970: milliseconds), coordinate: fix.coordinate), "only a time and a place")
    #expect(record.context == DeviceContext() && record.extras == extras)
  }

  @Test(
    "an invalid location is rejected with its position",
    arguments: [
      (#"{"_type":"card","lat":1,"lon":2,"tst":1}"#, "_type", "expected a location"),
      (#"{"lat":1,"lon":2,"tst":1}"#, "_type", "expected a location"),
      (#"{"_type":"location","lat":1,"lon":2}"#, "tst", "needs a time"),
      (#"{"_type":"location","lat":1,"lon":2,"tst":null}"#, "tst", "needs a time"),
      (#"{"_type":"location","lat":1,"lon":2,"tst":-1}"#, "tst", "-1 is not a time"),
      (#"{"_type":"location","lat":1,"lon":2,"tst":1e300}"#, "tst", "1e300 is not a time"),
      (#"{"_type":"location","lat":91,"lon":2,"tst":1}"#, "lat", "latitude 91 is outside"),
      (#"{"_type":"location","lat":1,"lon":181,"tst":1}"#, "lon", "longitude 181 is outside"),
      (#"{"_type":"location","lat":1,"tst":1}"#, "lon", "needs a longitude"),
      (#"{"_type":"location","lat":[],"lon":1,"tst":1}"#, "lat", "expected a number"), ("[]", nil, "expected an object"),
      (#"{"_type":"location","lat":1"#, nil, "the text ends"),
    ] as [(String, String?, String)])
  func rejected(_ text: String, _ path: String?, _ reason: String) throws {
    let error = try #require(throws: FormatError.self) { try OwnTracks.readLocation(Array(text.utf8)) }
    #expect(error.format == "OwnTracks" && error.place.path == path && error.reason.contains(reason), "\(error)")
  }

  @Test("a request is one message or several, each kept unchanged")
  func messages() throws {
    let one = try OwnTracks.messages(Array(#" {"a":[{"_type":"x"}],"_type":"lwt"} "#.utf8))
    #expect(one.map(\.type) == ["lwt"] && one.first?.bytes == Array(#"{"a":[{"_type":"x"}],"_type":"lwt"}"#.utf8))
    let several = try OwnTracks.messages(Array(#"[{"_type":"lwt"}, {}, 7, {"_type":1}, {"_type":"card"}]"#.utf8))
    #expect(several.map(\.type) == ["lwt", nil, nil, nil, "card"])
    #expect(several[4].place == FormatError.Place(byte: 38, path: "[4]"))
    #expect(several[4].place(of: FormatError.Place(byte: 3, path: "tst")) == FormatError.Place(byte: 41, path: "[4].tst"))
    #expect(try OwnTracks.messages(Array("[]".utf8)).isEmpty)
  }

  @Test("input that is not a message is rejected", arguments: ["", " ", "7", "nil", "{", "[{}", #"{"_type":"lwt"}x"#])
  func broken(_ text: String) {
    #expect(throws: FormatError.self) { try OwnTracks.messages(Array(text.utf8)) }
  }
}
