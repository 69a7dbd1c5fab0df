import Foundation
import GodwitModel
import GodwitWire
import TestTexts
import Testing

@Suite("OpenLocate: encoding")
struct OpenLocateTests {
  private func text(
    _ records: [Record], fields: CollectingFields = .all, numbers: OpenLocate.Numbers = .numbers
  ) -> String {
    written { OpenLocate.write(records, fields: fields, numbers: numbers, into: &$0) }
  }

  private func first(_ text: String) throws -> [String: Any] {
    try #require((try parsed(text)["locations"] as? [[String: Any]])?.first)
  }

  /// The keys of the SDK, and the id of a record.
  private static let tail =
    #""horizontal_accuracy":4.567,"vertical_accuracy":3.2,"altitude":753.329,"course":359.5,"speed":1.45,"carrier_name":"Mobi","wifi_ssid":"Ho\"me","wifi_bssid":"aa:bb:cc:dd:ee:ff","is_charging":true,"device_model":"iPhone 15","os_version":"iOS 18.1","location_permission":"authorized_always","ad_id":"6d92078a-8246-4ba4-ae5b-76104861e7dc","ad_opt_out":false,"id_type":"idfa","id":"9f86d081884c7d65-17""#

  @Test(
    "a fix is encoded byte for byte as by the SDK, or with positions and times as strings as documented",
    arguments: [
      (
        OpenLocate.Numbers.numbers,
        #""latitude":45.452595614,"longitude":-14.018194094,"utc_timestamp":1795163400,"utc_timestamp_received":1795163402,"#
      ),
      (
        .strings,
        #""latitude":"45.452595614","longitude":"-14.018194094","utc_timestamp":"1795163400","utc_timestamp_received":"1795163402","#
      ),
    ])
  func golden(_ numbers: OpenLocate.Numbers, _ places: String) throws {
    #expect(
      text([try fullRecord()], numbers: numbers)
        == #"{"locations":[{"location_context":"regular","# + places + Self.tail + "}]}")
  }

  @Test(
    "a visit is encoded as its arrival or its departure, without fields that were not measured",
    arguments: [
      (nil, 7200.0, "visit_exit", 1_795_167_000), (0.0, nil, "visit_entry", 1_795_159_800),
      (0.0, 7200.0, "visit_exit", 1_795_167_000), (nil, nil, "visit_entry", 1_795_170_600),
    ] as [(Double?, Double?, String, Int)])
  func visit(_ arrival: Double?, _ departure: Double?, _ context: String, _ time: Int) throws {
    let begin = Date(timeIntervalSince1970: 1_795_159_800)
    let visit = Visit(
      time: begin.addingTimeInterval(10800), coordinate: try #require(Coordinate(latitude: 37.77, longitude: -122.43)),
      horizontalAccuracy: 12.3, arrival: arrival.map { begin.addingTimeInterval($0) },
      departure: departure.map { begin.addingTimeInterval($0) })
    var record = Record(kind: .visit(visit))
    record.received = visit.time
    #expect(
      text([record])
        == #"{"locations":[{"location_context":"\#(context)","latitude":37.77,"longitude":-122.43,"utc_timestamp":\#(time),"utc_timestamp_received":1795170600,"horizontal_accuracy":12.3}]}"#
    )
  }

  @Test("every context has OpenLocate's name", arguments: Trigger.allCases)
  func contexts(_ trigger: Trigger) throws {
    let words = [
      "unknown", "passive", "regular", "visit_entry", "visit_exit", "geofence_entry", "geofence_exit", "background_fetch",
    ]
    var record = try fullRecord()
    record.context.trigger = trigger
    let context = try #require(try first(text([record]))["location_context"] as? String)
    #expect(words.contains(context) && context == trigger.rawValue)
  }

  @Test(
    "each switch removes exactly its keys, which are absent and not null",
    arguments: [
      (CollectingFields.location, ["latitude", "longitude"]), (.timestamp, ["utc_timestamp"]),
      (.horizontalAccuracy, ["horizontal_accuracy"]), (.verticalAccuracy, ["vertical_accuracy"]),
      (.altitude, ["altitude"]), (.course, ["course"]), (.speed, ["speed"]),
      (.network, ["carrier_name", "wifi_ssid", "wifi_bssid"]), (.advertisingID, ["ad_id", "ad_opt_out", "id_type"]),
      (.battery, ["is_charging"]), (.deviceModel, ["device_model"]), (.systemVersion, ["os_version"]),
      (.permission, ["location_permission"]), (.motion, []),
    ] as [(CollectingFields, [String])])
  func switches(_ field: CollectingFields, _ keys: [String]) throws {
    let record = try fullRecord()
    let all = Set(try first(text([record])).keys)
    let less = try first(text([record], fields: .all.subtracting(field)))
    #expect(all.subtracting(less.keys) == Set(keys))
    #expect(!less.values.contains { $0 is NSNull })
  }

  @Test("a record without the time of measurement does not send it as the time of receipt")
  func hiddenTime() throws {
    var record = try fullRecord()
    record.received = nil
    let object = try first(text([record], fields: .all.subtracting(.timestamp)))
    #expect(object["utc_timestamp"] == nil && object["utc_timestamp_received"] == nil)
  }

  @Test("unknown values are omitted")
  func unknown() throws {
    let fix = Fix(
      time: Date(timeIntervalSince1970: 1_795_163_400), coordinate: try #require(Coordinate(latitude: 0, longitude: 0)))
    #expect(
      text([Record(kind: .fix(fix))])
        == #"{"locations":[{"location_context":"unknown","latitude":0,"longitude":0,"utc_timestamp":1795163400,"utc_timestamp_received":1795163400}]}"#
    )
  }

  @Test("without tracking permission no advertising identifier is sent")
  func optedOut() throws {
    var record = try fullRecord()
    record.context.advertising?.isOptedOut = true
    let object = try first(text([record]))
    #expect(object["ad_id"] == nil && object["ad_opt_out"] as? Bool == true && object["id_type"] as? String == "idfa")
  }

  @Test(
    "charging and full are charging; unknown is omitted",
    arguments: [(BatteryState.unknown, nil), (.unplugged, false), (.charging, true), (.full, true)] as [(BatteryState, Bool?)])
  func charging(_ state: BatteryState, _ expected: Bool?) throws {
    var record = try fullRecord()
    record.context.batteryState = state
    #expect(try first(text([record]))["is_charging"] as? Bool == expected)
  }

  @Test("trips and actions are not sent, and a batch of only these is empty")
  func carried() throws {
    let action = Record(kind: .action(Action(time: Date(timeIntervalSince1970: 0), name: "will_terminate")))
    let trip = Record(
      kind: .trip(
        Trip(
          start: Date(timeIntervalSince1970: 0), end: Date(timeIntervalSince1970: 60), mode: "bus", duration: 60, distance: 1)))
    #expect(!OpenLocate.carries(action) && !OpenLocate.carries(trip))
    #expect(text([action, trip]) == #"{"locations":[]}"#)
    let array = try #require(try parsed(text([action, try fullRecord(), trip, try fullRecord()]))["locations"] as? [Any])
    #expect(array.count == 2)
  }

  @Test("any text is valid JSON and round-trips", arguments: textsToEscape)
  func hostile(_ hostile: String) throws {
    var record = try fullRecord()
    record.context.wifi = hostile
    record.context.deviceModel = hostile
    let object = try first(text([record]))
    #expect(object["wifi_ssid"] as? String == hostile && object["device_model"] as? String == hostile)
  }

  @Test("a number that is not finite is omitted like an unknown one", arguments: invalidNumbers)
  func impossible(_ number: Double) throws {
    let object = try first(text([try fullRecord(altitude: number, speed: number)]))
    #expect(object["altitude"] == nil && object["speed"] == nil && object["course"] as? Double == 359.5)
  }

  @Test(
    "a time beyond the calendar is written as a number, without an error",
    arguments: [-62_135_769_600, 64_092_211_200, 1e18, .infinity, -.infinity, .nan] as [Double])
  func farTimes(_ seconds: Double) throws {
    let time = Date(timeIntervalSince1970: seconds)
    let fix = Fix(time: time, coordinate: try #require(Coordinate(latitude: 1, longitude: 2)))
    #expect(try first(text([Record(kind: .fix(fix))]))["utc_timestamp"] is Int)
  }
}
