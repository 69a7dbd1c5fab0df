import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitText
@testable import GodwitWire

private let now = Date(timeIntervalSince1970: 1_795_163_400)

private func read(_ text: String) throws -> RecordBatch { try OpenLocate.read(Array(text.utf8), received: now) }

@Suite("OpenLocate: decoding")
struct OpenLocateReadingTests {
  @Test("every member of the iOS SDK is decoded")
  func phone() throws {
    let batch = try read(
      #"{"locations":[{"ad_id":"6D92078A-8246-4BA4-AE5B-76104861E7DC","ad_opt_out":false,"id_type":"idfa","latitude":37.773972,"longitude":-122.431297,"utc_timestamp":1508356559,"utc_timestamp_received":1508356581,"horizontal_accuracy":12.3,"vertical_accuracy":5.3,"altitude":0.456,"course":175.0,"speed":11.032,"is_charging":true,"device_model":"iPhone 7","os_version":"iOS 11.0.3","carrier_name":"T-Mobile","wifi_ssid":"Jungle","wifi_bssid":"1a:2b","location_context":"regular","location_permission":"authorized_always","app":"mine"}]}"#
    )
    let record = try #require(batch.records.first)
    guard case .fix(let fix) = record.kind else { throw FormatError(format: "", place: .init(byte: 0), reason: "no fix") }
    #expect(
      fix
        == Fix(
          time: Date(timeIntervalSince1970: 1_508_356_559),
          coordinate: try #require(Coordinate(latitude: 37.773972, longitude: -122.431297)), horizontalAccuracy: 12.3,
          altitude: 0.456, verticalAccuracy: 5.3, speed: 11.032, course: 175))
    var context = DeviceContext(batteryState: .charging, wifi: "Jungle")
    (context.wifiBSSID, context.carrier, context.deviceModel) = ("1a:2b", "T-Mobile", "iPhone 7")
    (context.systemVersion, context.permission, context.trigger) = ("iOS 11.0.3", .always, .regular)
    context.advertising = AdvertisingID(id: "6d92078a-8246-4ba4-ae5b-76104861e7dc", isOptedOut: false)
    #expect(record.context == context && record.extras == #"{"app":"mine"}"#)
    #expect(record.received == Date(timeIntervalSince1970: 1_508_356_581))
  }

  @Test("the forms of the documentation and of the Android SDK are decoded: strings, a misspelt name, other names")
  func strings() throws {
    let batch = try read(
      #"{"locations":[{"latitude":"37.773972","longitude":"-122.431297","utc_timestamp":"1508356559","horizontal_accuracy":"23.67","course":"0.0","speed":"0.0","is_charging":"true","veritcal_accuracy":5.3,"altitude":12,"id_type":"aaid","location_context":"bground","wifi_ssid":"\"Jungle\"","location_method":"gps","connection_type":"wifi","device_manufacturer":"LG"}]}"#
    )
    let record = try #require(batch.records.first, "\(batch.rejected)")
    guard case .fix(let fix) = record.kind else { throw FormatError(format: "", place: .init(byte: 0), reason: "no fix") }
    #expect(
      fix.horizontalAccuracy == 23.67 && fix.verticalAccuracy == 5.3 && fix.course == 0 && fix.speed == 0 && fix.altitude == 12)
    #expect(record.context.wifi == "Jungle" && record.context.batteryState == .charging && record.context.trigger == nil)
    #expect(
      record.extras
        == #"{"location_context":"bground","location_method":"gps","connection_type":"wifi","device_manufacturer":"LG"}"#)
  }

  @Test("a visit is decoded as a visit, and negative values are unknown")
  func visits() throws {
    func visit(_ context: String) throws -> Visit {
      let batch = try read(
        #"{"locations":[{"location_context":"\#(context)","latitude":37.77,"longitude":-122.43,"utc_timestamp":1508356559,"utc_timestamp_received":1508356581,"horizontal_accuracy":12.3,"vertical_accuracy":-1,"altitude":0,"course":-1,"speed":-1}]}"#
      )
      guard case .visit(let visit)? = batch.records.first?.kind else {
        throw FormatError(format: "", place: .init(byte: 0), reason: "no visit")
      }
      return visit
    }
    let time = Date(timeIntervalSince1970: 1_508_356_559)
    let (entry, exit) = (try visit("visit_entry"), try visit("visit_exit"))
    #expect(entry.arrival == time && entry.departure == nil && entry.horizontalAccuracy == 12.3)
    #expect(exit.arrival == nil && exit.departure == time && exit.time == time.addingTimeInterval(22))
    let batch = try read(
      #"[{"latitude":1,"longitude":2,"utc_timestamp":1,"vertical_accuracy":-1,"altitude":0,"course":-1,"speed":-1}]"#)
    guard case .fix(let fix)? = batch.records.first?.kind else { return #expect(Bool(false), "\(batch.rejected)") }
    #expect(fix == Fix(time: Date(timeIntervalSince1970: 1), coordinate: fix.coordinate))
  }

  @Test("records round-trip", arguments: [OpenLocate.Numbers.numbers, .strings])
  func roundTrip(_ numbers: OpenLocate.Numbers) throws {
    let record = try fullRecord()
    let text = written { OpenLocate.write([record], numbers: numbers, into: &$0) }
    let again = try #require(try read(text).records.first)
    var expected = record
    expected.context.batteryLevel = nil
    expected.context.motion = []
    expected.context.advertising?.id = "6d92078a-8246-4ba4-ae5b-76104861e7dc"
    (expected.context.tripID, expected.context.deviceID, expected.context.uniqueID) = (nil, nil, nil)
    #expect(again.context == expected.context && again.id == record.id)
    #expect(written { OpenLocate.write([again], numbers: numbers, into: &$0) } == text)
  }

  @Test("large times are milliseconds, and a missing time is the time of receipt, marked in the extras")
  func times() throws {
    let batch = try read(
      #"{"locations":[{"latitude":1,"longitude":2,"utc_timestamp":1508356559250},{"latitude":1,"longitude":2,"utc_timestamp_received":7},{"latitude":1,"longitude":2}]}"#
    )
    #expect(batch.records.map(\.time.millisecondsSince1970) == [1_508_356_559_250, 7000, 1_795_163_400_000])
    #expect(batch.records.map(\.extras) == [nil, nil, #"{"time_source":"received"}"#])
  }

  @Test("one invalid location does not reject the others, and one without a position is counted")
  func partial() throws {
    let batch = try read(
      #"{"v":1,"locations":[{"latitude":1,"longitude":2,"utc_timestamp":1},{"latitude":91,"longitude":2},{"utc_timestamp":5},7,{"latitude":1}]}"#
    )
    #expect(batch.records.count == 1 && batch.placeless == 1)
    #expect(batch.rejected.map(\.index) == [1, 3, 4])
    #expect(batch.rejected.map(\.place.path) == ["locations[1].latitude", "locations[3]", "locations[4].longitude"])
    #expect(batch.rejected.first?.reason.contains("latitude 91 is outside") == true)
    #expect(try read(#"{"locations":[]}"#).records.isEmpty)
  }

  @Test("truncated input keeps the records before the cut, and other input is rejected")
  func broken() throws {
    let batch = try read(#"{"locations":[{"latitude":1,"longitude":2,"utc_timestamp":1},{"lat"#)
    #expect(batch.records.count == 1 && batch.broken != nil && batch.rejected.count == 1)
    for text in ["", "7", "{}", "{", #"{"locations":7}"#, #"{"locations":"#] {
      let error = #expect(throws: FormatError.self) { try read(text) }
      #expect(error?.format == "OpenLocate")
    }
  }

  @Test("random damage does not crash the decoder", arguments: [1, 2, 3, 4])
  func mutated(_ seed: UInt64) throws {
    let texts = [
      written { OpenLocate.write((try? [fullRecord()]) ?? [], into: &$0) },
      #"{"locations":[{"latitude":"37.7","longitude":"-122.4","utc_timestamp":"1508356559","is_charging":"true","location_context":"visit_exit","ad_id":"x"},{"utc_timestamp":5}]}"#,
    ].map { Array($0.utf8) }
    for text in texts {
      let accepted = acceptedMutations(text, changes: 3000, seed: seed) { body in
        for record in try OpenLocate.read(body, received: now).records {
          #expect(TimestampParser.validTimes.contains(record.time.millisecondsSince1970))
        }
      }
      #expect(accepted > 0)
    }
  }
}
