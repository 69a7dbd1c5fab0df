import Foundation
import GodwitDBus
import TestBus
import TestParts
import Testing

@testable import CoreLocation

private let uuid = UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
/// The advertisement of the beacon with major 1 and minor 258, with −59 dBm at 1 m.
private let advertisement: [UInt8] =
  [0x02, 0x15, 0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0] + [0, 1, 1, 2]
  + [0xC5]

private func sighting(rssi: Int) throws -> Beacons.Sighting {
  Beacons.Sighting(uuid: try #require(uuid), major: 1, minor: 258, rssi: rssi, powerAtOneMeter: -59)
}

/// The manufacturer data of a device, as BlueZ reports them.
private func maker(_ company: UInt16, _ bytes: [UInt8]) -> DBusValue {
  .dictionary(of: "qv", [DBusValue.Entry(key: .uint16(company), value: .variant(.bytes(bytes)))])
}

@Suite("Advertisements of beacons")
struct BeaconAdvertisementTests {
  @Test("an advertisement is read")
  func read() throws {
    #expect(try Beacons.Sighting(advertisement: advertisement, rssi: -70) == sighting(rssi: -70))
  }

  @Test("an advertisement of any other length is rejected", arguments: 0...64)
  func lengths(_ length: Int) {
    let bytes = Array((advertisement + [UInt8](repeating: 0, count: 64)).prefix(length))
    #expect((Beacons.Sighting(advertisement: bytes, rssi: -70) != nil) == (length == 23))
  }

  @Test(
    "other advertisements of Apple's devices are rejected", arguments: [(0, 0x10), (0, 0x01), (0, 0xFF), (1, 0x14), (1, 0x16)])
  func others(_ place: Int, _ byte: UInt8) {
    var bytes = advertisement
    bytes[place] = byte
    #expect(Beacons.Sighting(advertisement: bytes, rssi: -70) == nil)
  }

  @Test(
    "an impossible signal strength is not measured",
    arguments: [(nil, 0), (-1, -1), (-126, -126), (-127, 0), (0, 0), (1, 0), (127, 0), (.min, 0), (.max, 0)]
      as [(Int?, Int)])
  func strengths(_ rssi: Int?, _ reported: Int) throws {
    #expect(try Beacons.Sighting(advertisement: advertisement, rssi: rssi) == sighting(rssi: reported))
  }

  @Test("numbers are big-endian, and the power has its sign", arguments: [(0x00, 0), (0x7F, 127), (0x80, -128), (0xFF, -1)])
  func numbers(_ byte: UInt8, _ power: Int) throws {
    let bytes = advertisement.prefix(18) + [0xFF, 0xFE, 0x80, 0x00, byte]
    let read = try #require(Beacons.Sighting(advertisement: Array(bytes), rssi: nil))
    #expect(read.major == 0xFFFE && read.minor == 0x8000 && read.powerAtOneMeter == power)
  }
}

@Suite("Signals of BlueZ")
struct BlueZListenerTests {
  private static let radio = "/org/bluez/hci0"
  private static let device = "/org/bluez/hci0/dev_1"

  private static func radio(isOn: Bool) -> DBusValue {
    .properties([BlueZListener.adapter: .properties(["Powered": .boolean(isOn)])])
  }
  private static func added(_ path: String, _ interfaces: DBusValue) -> DBusSignal {
    DBusSignal(
      sender: ":1.1", path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded",
      arguments: [.path(path), interfaces])
  }
  private static func removed(_ path: String, _ interface: String) -> DBusSignal {
    DBusSignal(
      sender: ":1.1", path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesRemoved",
      arguments: [.path(path), .strings([interface])])
  }
  private static func changed(
    _ path: String, _ interface: String, _ properties: [String: DBusValue], gone: [String] = []
  ) -> DBusSignal {
    DBusSignal(
      sender: ":1.1", path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
      arguments: [.string(interface), .properties(properties), .strings(gone)])
  }

  @Test("the first powered adapter scans, and another one takes over when it is removed or turned off")
  func radios() {
    var listener = BlueZListener()
    let other = "/org/bluez/hci1"
    #expect(
      listener.begin([other: Self.radio(isOn: true), Self.radio: Self.radio(isOn: true)]) == [.search(Self.radio)])
    #expect(listener.handle(Self.changed(Self.radio, BlueZListener.adapter, ["Discovering": .boolean(true)])) == [])
    #expect(listener.handle(Self.removed(Self.radio, BlueZListener.adapter)) == [.search(other)])
    // A scan that was ended by another program is started again.
    #expect(
      listener.handle(Self.changed(other, BlueZListener.adapter, ["Discovering": .boolean(false)])) == [.search(other)])
    guard case .lost(let off)? = listener.handle(Self.changed(other, BlueZListener.adapter, ["Powered": .boolean(false)])).first
    else {
      Issue.record("no reason was reported")
      return
    }
    #expect(off.contains("bluetoothctl power on"))
    #expect(
      listener.handle(Self.changed(other, BlueZListener.adapter, ["Powered": .boolean(true)])) == [.search(other)])
    guard case .lost(let none)? = listener.handle(Self.removed(other, BlueZListener.adapter)).first else {
      Issue.record("no reason was reported")
      return
    }
    #expect(none.contains("no Bluetooth radio"))
    #expect(listener.handle(Self.added(Self.radio, Self.radio(isOn: true))) == [.search(Self.radio)])
  }

  @Test("each advertisement is reported once; known, removed and other devices are not")
  func devices() throws {
    var listener = BlueZListener()
    let known = DBusValue.properties([
      BlueZListener.device: .properties([
        "ManufacturerData": maker(0x004C, advertisement), "RSSI": .int16(-50), "Name": .string("a"),
      ])
    ])
    #expect(
      listener.begin([Self.radio: Self.radio(isOn: true), Self.device: known]) == [.search(Self.radio)])
    func change(_ properties: [String: DBusValue], gone: [String] = []) -> [BlueZListener.Action] {
      listener.handle(Self.changed(Self.device, BlueZListener.device, properties, gone: gone))
    }
    #expect(try change(["RSSI": .int16(-60)]) == [.sighted(sighting(rssi: -60))])
    #expect(try change(["ManufacturerData": maker(0x004C, advertisement)]) == [.sighted(sighting(rssi: -60))])
    #expect(change(["Name": .string("b")]) == [])
    #expect(change([:], gone: ["RSSI"]) == [])
    #expect(try change(["ManufacturerData": maker(0x004C, advertisement)]) == [.sighted(sighting(rssi: 0))])
    // The device sends another advertisement. Its signal strength is not that of a beacon.
    #expect(change(["ManufacturerData": maker(0x004C, [0x10, 0x05, 1, 2, 3, 4, 5])]) == [])
    #expect(change(["RSSI": .int16(-60)]) == [])
    #expect(
      try change(["ManufacturerData": maker(0x004C, advertisement), "RSSI": .int16(-61)]) == [.sighted(sighting(rssi: -61))])
    #expect(listener.handle(Self.removed(Self.device, BlueZListener.device)) == [])
    #expect(change(["RSSI": .int16(-62)]) == [])
    #expect(change(["ManufacturerData": maker(0x0059, advertisement), "RSSI": .int16(-62)]) == [])
  }

  @Test(
    "signals with an unexpected form are ignored",
    arguments: [
      DBusSignal(sender: "", path: "/", interface: "", member: "InterfacesAdded", arguments: []),
      DBusSignal(sender: "", path: "/", interface: "", member: "InterfacesAdded", arguments: [.uint32(1), .uint32(2)]),
      DBusSignal(sender: "", path: "/", interface: "", member: "InterfacesRemoved", arguments: [.path("/a"), .uint32(2)]),
      DBusSignal(sender: "", path: "/", interface: "", member: "PropertiesChanged", arguments: [.string("org.bluez.Device1")]),
      changed("/a", "org.bluez.Device1", ["ManufacturerData": .string("x"), "RSSI": .string("y")]),
      changed("/a", "org.bluez.Adapter1", ["Discovering": .string("x")]),
    ])
  func malformed(_ signal: DBusSignal) {
    var listener = BlueZListener()
    _ = listener.begin(["/org/bluez/hci0": Self.radio(isOn: true)])
    #expect(listener.handle(signal) == [])
  }

  @Test("the memory is bounded with many devices")
  func crowd() {
    var listener = BlueZListener()
    _ = listener.begin([:])
    for number in 0..<(BlueZListener.maximum * 3) {
      let received = listener.handle(
        Self.changed("/d\(number)", BlueZListener.device, ["ManufacturerData": maker(0x004C, advertisement)]))
      #expect(received.count == 1)
      #expect(listener.remembered <= BlueZListener.maximum)
    }
  }
}

@Suite("Beacons received through BlueZ", .enabled(if: TestPart.bus.isRun, "\(TestPart.bus.reason)"), .timeLimit(.minutes(20)))
struct BlueZTests {
  private static let mockInterface = "org.bluez.Mock"
  private static let device = "/org/bluez/hci0/dev_11_22_33_44_55_66"

  private func radio(_ mock: MockService, isOn: Bool = true) async throws {
    try await mock.callMock("/org/bluez", "AddAdapter", [.string("hci0"), .string("boat")], of: Self.mockInterface)
    if !isOn {
      try await mock.change("/org/bluez/hci0", BlueZListener.adapter, ["Powered": .boolean(false)])
    }
  }

  private func advertise(_ mock: MockService, rssi: Int16) async throws {
    try await mock.signal(
      Self.device, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      [
        .string(BlueZListener.device),
        .properties(["ManufacturerData": maker(0x004C, advertisement), "RSSI": .int16(rssi)]), .strings([]),
      ])
  }

  private func reason(_ event: BeaconEvent) -> String? {
    if case .unavailable(let reason) = event { reason } else { nil }
  }

  @Test("discovery is started for all low-energy advertisements, and each is reported")
  func received() async throws {
    let bus = try PrivateBus()
    let mock = try await bus.mock("bluez5")
    try await radio(mock)
    try await mock.callMock(
      "/org/bluez", "AddDevice", [.string("hci0"), .string("11:22:33:44:55:66"), .string("beacon")], of: Self.mockInterface)
    let reported = Reported<BeaconEvent>()
    let running = Task {
      try await BlueZSource(bus: bus.address, sleep: ManualSleep(returnsAtOnce: true).wait).run(reported.handle)
    }
    while try await mock.calls("/org/bluez/hci0", "StartDiscovery").isEmpty { await Task.yield() }
    let filter = try #require(try await mock.calls("/org/bluez/hci0", "SetDiscoveryFilter").first?.first?.properties)
    #expect(filter["Transport"]?.text == "le" && filter["DuplicateData"]?.boolean == true)
    for rssi in [Int16(-60), -60, -70] {
      try await advertise(mock, rssi: rssi)
      #expect(try await reported.next() == .sightings([sighting(rssi: Int(rssi))]))
    }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test("an adapter that is added later is used; the message for an adapter that is off has the command to turn it on")
  func later() async throws {
    let bus = try PrivateBus()
    let mock = try await bus.mock("bluez5")
    let reported = Reported<BeaconEvent>()
    let running = Task {
      try await BlueZSource(bus: bus.address, sleep: ManualSleep(returnsAtOnce: true).wait).run(reported.handle)
    }
    #expect(try await reported.first(reason).contains("no Bluetooth radio"))
    try await radio(mock)
    while try await mock.calls("/org/bluez/hci0", "StartDiscovery").isEmpty { await Task.yield() }
    try await mock.change("/org/bluez/hci0", BlueZListener.adapter, ["Powered": .boolean(false)])
    #expect(try await reported.first(reason).contains("bluetoothctl power on"))
    running.cancel()
  }

  @Test("the message for a missing BlueZ has the command to install it, and BlueZ is detected when it starts")
  func missing() async throws {
    let bus = try PrivateBus()
    let reported = Reported<BeaconEvent>()
    let running = Task {
      try await BlueZSource(bus: bus.address, sleep: ManualSleep(returnsAtOnce: true).wait).run(reported.handle)
    }
    #expect(try await reported.first(reason).contains("apt install bluez"))
    let mock = try await bus.mock("bluez5")
    #expect(try await reported.first { reason($0)?.contains("no Bluetooth radio") == true ? true : nil })
    mock.stop()
    #expect(try await reported.first { reason($0)?.contains("org.bluez has ended") == true ? true : nil })
    running.cancel()
  }

  @Test("the message for a missing permission to scan has the group to join")
  func denied() async throws {
    let bus = try PrivateBus()
    let mock = try await bus.mock("bluez5")
    try await radio(mock)
    let error = "raise dbus.exceptions.DBusException('no', name='org.freedesktop.DBus.Error.AccessDenied')"
    try await mock.callMock(
      "/org/bluez/hci0", "AddMethod", [BlueZListener.adapter, "StartDiscovery", "", "", error].map { .string($0) })
    let reported = Reported<BeaconEvent>()
    let running = Task {
      try await BlueZSource(bus: bus.address, sleep: ManualSleep(returnsAtOnce: false).wait).run(reported.handle)
    }
    #expect(try await reported.first(reason).contains("group bluetooth"))
    running.cancel()
  }

  @Test("the state of beacons and GeoClue is reported without starting anything")
  func looks() async throws {
    let bus = try PrivateBus()
    #expect(await GeoClueSource.check(bus: bus.address).text.contains("apt install geoclue-2.0"))
    #expect(await BlueZSource.check(bus: bus.address).text.contains("apt install bluez"))
    let geoclue = try await bus.mock(service: GeoClueSource.service, path: "/", interface: GeoClueSource.service)
    #expect(await GeoClueSource.check(bus: bus.address).isAvailable)
    let bluez = try await bus.mock("bluez5")
    #expect(await BlueZSource.check(bus: bus.address).text.contains("no Bluetooth radio"))
    try await radio(bluez)
    #expect(await BlueZSource.check(bus: bus.address).isAvailable)
    #expect(try await bluez.calls("/org/bluez/hci0", "StartDiscovery").isEmpty)
    geoclue.stop()
    bus.stop()
    #expect(await GeoClueSource.check(bus: bus.address).text.hasPrefix("does not answer: the bus at "))
    #expect(await BlueZSource.check(bus: bus.address).text.hasPrefix("does not answer: the bus at "))
  }

  /// A receiver of positions that reports none.
  private struct NoSource: PositionSource {
    var isSimulated: Bool { false }
    func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {}
  }

  /// A radio that logs the start and the end of each scan.
  private struct Radio: BeaconSource {
    let log: Reported<String>
    let events: [BeaconEvent]
    func run(_ tell: @escaping @Sendable (BeaconEvent) async -> Void) async throws {
      await log.handle("on")
      for event in events { await tell(event) }
      try? await ManualSleep(returnsAtOnce: false).wait(1)
      await log.handle("off")
      throw CancellationError()
    }
  }

  @Test("the daemon scans while a client needs beacons, and reports sightings and errors")
  func daemon() async throws {
    let log = Reported<String>()
    let radio = Radio(log: log, events: [.sightings([try sighting(rssi: -59)]), .unavailable("The radio is off.")])
    let daemon = LocationDaemon(source: NoSource(), beacons: radio, authorization: .authorizedAlways)
    let outputs = Reported<LocationServices.Output>()
    let id = daemon.connect(
      LocationDaemon.Listener(queue: DispatchQueue(label: "test")) { output in
        Task { await outputs.handle(output) }
      })
    let identity = Beacons.Identity(uuid: try #require(uuid))
    daemon.handle(.ranging(id, identity, true))
    #expect(try await log.next() == "on")
    let error = try await outputs.first { if case .rangingFailed(_, _, let error) = $0 { error } else { nil } }
    #expect(error.code == .rangingUnavailable && error.reason == "The radio is off.")
    let ranged = try await outputs.first { if case .ranged(_, _, let beacons) = $0 { beacons } else { nil } }
    #expect(ranged.map(\.minor) == [258])
    daemon.handle(.ranging(id, identity, false))
    #expect(try await log.next() == "off")
    // A scan can be started again after its end.
    daemon.handle(.ranging(id, identity, true))
    #expect(try await log.next() == "on")
    daemon.handle(.ranging(id, identity, false))
    #expect(try await log.next() == "off")
  }
}
