import Foundation
import GodwitDBus
import GodwitModel
import TestBus
import TestParts
import Testing

@testable import CoreLocation
@testable import GodwitReceivers

/// A GeoClue service of dbusmock: a manager with one client.
private struct MockGeoClue {
  static let client = "/org/freedesktop/GeoClue2/Client/1"
  private static let location = "/org/freedesktop/GeoClue2/Location/"
  private static let service = GeoClueSource.service
  let mock: MockService

  /// - Parameters:
  ///   - start: The Python code of the client's method `Start`.
  ///   - level: The available accuracy level; 0 if there is no source of positions.
  init(on bus: PrivateBus, start: String = "", level: UInt32 = 8) async throws {
    mock = try await bus.mock(
      service: Self.service, path: GeoClueSource.manager, interface: Self.service + ".Manager")
    try await mock.add(GeoClueSource.manager, Self.service + ".Manager", ["AvailableAccuracyLevel": .uint32(level)])
    let manager = Self.service + ".Manager"
    try await mock.object(
      Self.client, Self.service + ".Client",
      [
        "DesktopId": .string(""), "RequestedAccuracyLevel": .uint32(0), "DistanceThreshold": .uint32(100),
        "TimeThreshold": .uint32(100), "Location": .path("/"), "Active": .boolean(false),
      ], methods: [("Start", "", "", start)])
    // This method is added last, so that a client that can call it finds a complete service.
    try await mock.callMock(
      GeoClueSource.manager, "AddMethod",
      [manager, "GetClient", "", "o", "ret = '\(Self.client)'"].map { .string($0) })
  }

  func place(_ number: Int, _ properties: [String: DBusValue]) async throws {
    try await mock.object(Self.location + "\(number)", Self.service + ".Location", properties)
  }

  func announce(_ number: Int) async throws {
    try await mock.signal(
      Self.client, Self.service + ".Client", "LocationUpdated",
      [.path(number > 1 ? Self.location + "\(number - 1)" : "/"), .path(Self.location + "\(number)")])
  }
}

private let harbour: [String: DBusValue] = [
  "Latitude": .double(45.1), "Longitude": .double(14.2), "Accuracy": .double(25), "Altitude": .double(3),
  "Speed": .double(1.5), "Heading": .double(90), "Timestamp": .structure([.uint64(1_800_000_000), .uint64(250_000)]),
]

private func reason(_ event: PositionEvent) -> String? {
  if case .unavailable(let reason) = event { reason } else { nil }
}

private func fix(_ event: PositionEvent) -> Fix? {
  if case .positions(let fixes) = event { fixes.first } else { nil }
}

@Suite("Positions from GeoClue", .enabled(if: TestPart.bus.isRun, "\(TestPart.bus.reason)"), .timeLimit(.minutes(20)))
struct GeoClueTests {
  @Test("positions of GeoClue are reported as they arrive, at the highest accuracy level")
  func places() async throws {
    let bus = try PrivateBus()
    let geoclue = try await MockGeoClue(on: bus)
    let reported = Reported<PositionEvent>()
    let source = GeoClueSource(desktopID: "boat", bus: bus.address, sleep: ManualSleep(returnsAtOnce: false).wait)
    let running = Task { try await source.run(reported.handle) }
    #expect(try await reported.first(reason) == "GeoClue has no position yet.")
    let client = try await DBusConnection(bus.address).properties(
      of: GeoClueSource.service + ".Client", service: GeoClueSource.service, path: MockGeoClue.client)
    #expect(client["DesktopId"]?.text == "boat" && client["RequestedAccuracyLevel"]?.whole == 8)
    #expect(client["DistanceThreshold"]?.whole == 0 && client["TimeThreshold"]?.whole == 0)

    try await geoclue.place(1, harbour)
    try await geoclue.announce(1)
    #expect(
      try await reported.first(fix)
        == Fix(
          time: Date(timeIntervalSince1970: 1_800_000_000.25),
          coordinate: try #require(Coordinate(latitude: 45.1, longitude: 14.2)),
          horizontalAccuracy: 25, altitude: 3, speed: 1.5, course: 90))
    // A repeated position is not reported; an object that no longer exists is skipped.
    try await geoclue.announce(1)
    try await geoclue.announce(9)
    var bad = harbour
    bad["Latitude"] = .double(91)
    try await geoclue.place(2, bad)
    try await geoclue.announce(2)
    #expect(try await reason(reported.next())?.contains("an invalid position") == true)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test("a position that is known at the start is reported at once")
  func known() async throws {
    let bus = try PrivateBus()
    let geoclue = try await MockGeoClue(on: bus)
    try await geoclue.place(1, harbour)
    try await geoclue.mock.change(
      MockGeoClue.client, GeoClueSource.service + ".Client", ["Location": .path("/org/freedesktop/GeoClue2/Location/1")])
    let reported = Reported<PositionEvent>()
    let running = Task { try await GeoClueSource(bus: bus.address).run(reported.handle) }
    #expect(try await fix(reported.next())?.coordinate.latitude == 45.1)
    running.cancel()
  }

  static let unknown = -Double.greatestFiniteMagnitude
  @Test(
    "fields that GeoClue does not know are absent",
    arguments: [
      (harbour.merging(["Altitude": .double(unknown), "Speed": .double(-1), "Heading": .double(-1)]) { $1 }, 25, nil),
      (harbour.merging(["Accuracy": .double(-1), "Altitude": .double(.nan)]) { $1 }, nil, nil),
      (harbour.merging(["Timestamp": .variant(.structure([.uint64(0), .uint64(0)]))]) { $1 }, 25, 3),
      (harbour.merging(["Timestamp": .string("now")]) { $1 }, 25, 3),
      (["Latitude": .double(45.1), "Longitude": .double(14.2)], nil, nil),
    ] as [([String: DBusValue], Double?, Double?)])
  func partly(_ properties: [String: DBusValue], _ accuracy: Double?, _ altitude: Double?) throws {
    let now = Date(timeIntervalSince1970: 1_900_000_000)
    let fix = try #require(GeoClueSource.fix(properties, now: now))
    #expect(fix.horizontalAccuracy == accuracy && fix.altitude == altitude)
    let isDated = properties["Timestamp"] == harbour["Timestamp"]
    #expect(fix.time == (isDated ? Date(timeIntervalSince1970: 1_800_000_000.25) : now))
    let moves = properties["Speed"] == harbour["Speed"]
    #expect(fix.speed == (moves ? 1.5 : nil) && fix.course == (moves ? 90 : nil))
  }

  @Test(
    "an invalid position is dropped",
    arguments: [
      [:], ["Latitude": .double(45)], ["Latitude": .double(.nan), "Longitude": .double(14)],
      ["Latitude": .double(45), "Longitude": .double(181)], ["Latitude": .string("45"), "Longitude": .double(14)],
    ] as [[String: DBusValue]])
  func unreachable(_ properties: [String: DBusValue]) {
    #expect(GeoClueSource.fix(properties, now: .distantPast) == nil)
  }

  @Test("if the agent denies access, the message has the setting that grants it")
  func denied() async throws {
    let bus = try PrivateBus()
    let error = "raise dbus.exceptions.DBusException('boat disallowed', name='org.freedesktop.DBus.Error.AccessDenied')"
    let geoclue = try await MockGeoClue(on: bus, start: error)
    let reported = Reported<PositionEvent>()
    let source = GeoClueSource(desktopID: "boat", bus: bus.address, sleep: ManualSleep(returnsAtOnce: false).wait)
    let running = Task { try await source.run(reported.handle) }
    let text = try await reported.first(reason)
    #expect(text.contains("does not allow boat") && text.contains("boat disallowed") && text.contains("[boat]"))
    #expect(text.contains("/etc/geoclue/geoclue.conf"))
    running.cancel()
    geoclue.mock.stop()
  }

  @Test("the message for a missing GeoClue is reported once, and retries have growing intervals")
  func missing() async throws {
    let bus = try PrivateBus()
    let reported = Reported<PositionEvent>()
    let waits = ManualSleep(returnsAtOnce: true)
    let running = Task { try await GeoClueSource(bus: bus.address, sleep: waits.wait).run(reported.handle) }
    #expect(try await reported.first(reason).contains("apt install geoclue-2.0"))
    while waits.seconds.count < 8 { await Task.yield() }
    #expect(waits.seconds.prefix(8) == [1, 2, 4, 8, 16, 30, 30, 30])
    bus.stop()
    // The next message has another reason, so it is reported.
    #expect(try await reported.first(reason).contains("bus"))
    running.cancel()
  }

  @Test("the end of GeoClue is reported, and its return is detected")
  func lost() async throws {
    let bus = try PrivateBus()
    let first = try await MockGeoClue(on: bus)
    let reported = Reported<PositionEvent>()
    let running = Task {
      try await GeoClueSource(bus: bus.address, sleep: ManualSleep(returnsAtOnce: true).wait).run(reported.handle)
    }
    #expect(try await reported.first(reason).contains("no position yet"))
    first.mock.stop()
    #expect(try await reported.first(reason).contains("org.freedesktop.GeoClue2 has ended."))
    let second = try await MockGeoClue(on: bus, level: 0)
    // The mock is on the bus before it has its methods. The messages until then are skipped.
    try await reported.first { reason($0)?.contains("no source of positions") == true ? () : nil }
    running.cancel()
    second.mock.stop()
  }

  @Test("a message is reported if location services are off in the desktop's settings")
  func turnedOff() async throws {
    let bus = try PrivateBus()
    let geoclue = try await MockGeoClue(on: bus)
    let reported = Reported<PositionEvent>()
    let running = Task { try await GeoClueSource(bus: bus.address).run(reported.handle) }
    #expect(try await reported.first(reason).contains("no position yet"))
    try await geoclue.mock.change(
      MockGeoClue.client, GeoClueSource.service + ".Client", ["Active": .boolean(true)])
    try await geoclue.mock.change(
      MockGeoClue.client, GeoClueSource.service + ".Client", ["Active": .boolean(false)])
    #expect(try await reported.first(reason).contains("turned off in the desktop's settings"))
    running.cancel()
  }

  @Test(
    "an address selects a receiver",
    arguments: [
      ("geoclue:", true, true), ("none:", true, true), ("none:x", true, false), ("gpsd://127.0.0.1", true, true),
      ("geoclue:x", true, false), ("gpsd:", true, false),
      ("walk.gpx", false, false), ("", false, false),
    ])
  func addresses(_ text: String, _ isMeant: Bool, _ isSource: Bool) {
    #expect(Receivers.isMeant(by: text) == isMeant)
    #expect((Receivers.source(text) != nil) == isSource)
  }

  @Test("an invalid GODWIT_LOCATION_SOURCE is reported as an error")
  func environment() async throws {
    #expect(Receivers.source(in: [:]) is GpsdSource)
    #expect(Receivers.source(in: ["GODWIT_LOCATION_SOURCE": "geoclue:"]) is GeoClueSource)
    let reported = Reported<PositionEvent>()
    try await Receivers.source(in: ["GODWIT_LOCATION_SOURCE": "nonsense"]).run(reported.handle)
    #expect(try await reason(reported.next())?.hasPrefix("GODWIT_LOCATION_SOURCE is nonsense; expected gpsd://HOST") == true)
    #expect(try await reported.next() == .finished)
  }
}
