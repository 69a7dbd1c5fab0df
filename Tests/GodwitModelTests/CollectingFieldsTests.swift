import Foundation
import GodwitModel
import Testing

@Suite("Collected fields")
struct CollectingFieldsTests {
  private static let measured = Date(timeIntervalSince1970: 1_800_000_000)
  private static let received = Date(timeIntervalSince1970: 1_800_000_600)

  /// Returns a record with a value for every field.
  private static func full(_ kind: Record.Kind) -> Record {
    var context = DeviceContext(
      batteryLevel: 0.5, batteryState: .charging, motion: [.walking], wifi: "the-ssid", tripID: "the-trip",
      deviceID: "the-device", uniqueID: "the-unique-id")
    context.wifiBSSID = "the-bssid"
    context.carrier = "the-carrier"
    context.deviceModel = "the-model"
    context.systemVersion = "the-system"
    context.permission = .whenInUse
    context.advertising = AdvertisingID(id: "the-advertising-id", isOptedOut: false)
    context.trigger = .backgroundFetch
    return Record(kind: kind, context: context)
  }

  private static func fix() throws -> Fix {
    Fix(
      time: measured, coordinate: try #require(Coordinate(latitude: 52.125, longitude: 13.0625)),
      horizontalAccuracy: 11.25, altitude: 312.75, verticalAccuracy: 3.375, speed: 4.625, speedAccuracy: 0.1875,
      course: 91.875, courseAccuracy: 2.5625)
  }

  private static func text(_ record: Record) throws -> String {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    return String(decoding: try encoder.encode(record), as: UTF8.self)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var field: CollectingFields
    var testDescription: String
    /// Texts that the encoded record contains if and only if the field is collected.
    var traces: [String]
  }

  static let cases: [Case] = [
    Case(field: .location, testDescription: "location", traces: ["52.125", "13.0625", #""background_fetch""#]),
    Case(field: .timestamp, testDescription: "timestamp", traces: ["1800000000"]),
    Case(field: .horizontalAccuracy, testDescription: "horizontal_accuracy", traces: ["11.25"]),
    Case(field: .verticalAccuracy, testDescription: "vertical_accuracy", traces: ["3.375"]),
    Case(field: .altitude, testDescription: "altitude", traces: ["312.75"]),
    Case(field: .course, testDescription: "course", traces: ["91.875", "2.5625"]),
    Case(field: .speed, testDescription: "speed", traces: ["4.625", "0.1875"]),
    Case(field: .network, testDescription: "network", traces: ["the-ssid", "the-bssid", "the-carrier"]),
    Case(field: .advertisingID, testDescription: "advertising_id", traces: ["the-advertising-id", "idfa"]),
    Case(field: .battery, testDescription: "battery", traces: [#""batteryLevel":0.5"#, #""batteryState":2"#]),
    Case(field: .deviceModel, testDescription: "device_model", traces: ["the-model"]),
    Case(field: .systemVersion, testDescription: "os_version", traces: ["the-system"]),
    Case(field: .permission, testDescription: "location_permission", traces: ["when_in_use"]),
    Case(field: .motion, testDescription: "motion", traces: [#""motion":1"#]),
  ]

  @Test("the table has every field once, with the name of its setting")
  func table() {
    #expect(Self.cases.map(\.testDescription) == CollectingFields.names.map(\.name))
    #expect(Self.cases.map(\.field) == CollectingFields.names.map(\.field))
    #expect(CollectingFields(Self.cases.map(\.field)) == .all)
    for (_, name, _) in CollectingFields.names { #expect(Settings.entry("fields." + name) != nil) }
  }

  @Test("a field that is off is absent from the encoded record, and removes no other field", arguments: cases)
  func off(_ example: Case) throws {
    let record = Self.full(.fix(try Self.fix()))
    let encoded = try Self.text(CollectingFields.all.subtracting(example.field).filtering(record, received: Self.received))
    for trace in example.traces { #expect(!encoded.contains(trace), "\(trace) in \(encoded)") }
    // Without the position there is no fix and none of its other values.
    guard example.field != .location else { return }
    for other in Self.cases where other.field != example.field {
      for trace in other.traces { #expect(encoded.contains(trace), "\(trace) not in \(encoded)") }
    }
  }

  @Test("with a single field on, the record has that field only", arguments: cases.filter { $0.field != .location })
  func alone(_ example: Case) throws {
    // The other values of a fix are not reported without its position.
    let fields = example.field.union(.location)
    let encoded = try Self.text(fields.filtering(Self.full(.fix(try Self.fix())), received: Self.received))
    for other in Self.cases where !fields.contains(other.field) {
      for trace in other.traces { #expect(!encoded.contains(trace), "\(trace) in \(encoded)") }
    }
    for trace in example.traces { #expect(encoded.contains(trace), "\(trace) not in \(encoded)") }
  }

  @Test("with all fields off, a record has only the identifiers of the device and the trip")
  func nothing() throws {
    let fix = try Self.fix()
    let kinds: [Record.Kind] = [
      .fix(fix),
      .visit(
        Visit(
          time: Self.measured, coordinate: fix.coordinate, horizontalAccuracy: 11.25, arrival: Self.measured,
          departure: Self.measured)),
      .trip(
        Trip(
          start: Self.received, end: Self.received, mode: "walk", startFix: fix, endFix: fix, duration: 1, distance: 2)),
      .action(Action(time: Self.received, name: "will_terminate", coordinate: fix.coordinate)),
    ]
    for kind in kinds {
      let encoded = try Self.text(CollectingFields([]).filtering(Self.full(kind), received: Self.received))
      for example in Self.cases {
        for trace in example.traces { #expect(!encoded.contains(trace), "\(trace) in \(encoded)") }
      }
      for name in ["the-device", "the-unique-id", "the-trip"] { #expect(encoded.contains(name)) }
    }
  }

  @Test("a fix or a visit without its position is an action with its time")
  func hidden() throws {
    let fields = CollectingFields.all.subtracting(.location)
    let fix = try Self.fix()
    let visit = Visit(time: Self.measured, coordinate: fix.coordinate)
    #expect(
      fields.filtering(Record(kind: .fix(fix)), received: Self.received).kind
        == .action(Action(time: Self.measured, name: "hidden_location")))
    #expect(
      fields.filtering(Record(kind: .visit(visit)), received: Self.received).kind
        == .action(Action(time: Self.measured, name: "hidden_visit")))
  }

  @Test("without times a finished visit remains finished, and an open visit remains open", arguments: [true, false])
  func visitTimes(_ isOver: Bool) throws {
    let visit = Visit(
      time: Self.measured, coordinate: try Self.fix().coordinate, arrival: Self.measured,
      departure: isOver ? Self.measured : nil)
    let filtered = CollectingFields.all.subtracting(.timestamp).filtering(Record(kind: .visit(visit)), received: Self.received)
    guard case .visit(let reported) = filtered.kind else { throw CancellationError() }
    #expect(reported.time == Self.received && reported.arrival == nil)
    #expect(reported.departure == (isOver ? Self.received : nil))
  }

  @Test("with all fields on nothing is removed")
  func all() throws {
    let record = Self.full(.fix(try Self.fix()))
    #expect(CollectingFields.all.filtering(record, received: Self.received) == record)
  }

  @Test("networks and the advertising identifier are off until an app turns them on")
  func standard() {
    #expect(Settings().fields == .standard)
    #expect(CollectingFields.all.subtracting(.standard) == [.network, .advertisingID])
  }
}
