internal import GodwitDBus

/// A pure state machine for the signals of BlueZ. It decides which radio searches, and reports the received beacons.
///
/// Source: https://git.kernel.org/pub/scm/bluetooth/bluez.git/tree/doc (org.bluez.Adapter, org.bluez.Device)
struct BlueZListener: Sendable {
  static let service = "org.bluez"
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"

  /// An action for the caller.
  enum Action: Sendable, Hashable {
    /// Start discovery on the radio with this path.
    case search(String)
    case sighted(Beacons.Sighting)
    /// No beacon can be received; the text is a sentence for the user.
    case lost(String)
  }

  /// A device that advertises a beacon.
  private struct Device: Sendable {
    var advertisement: [UInt8]
    var rssi: Int?
  }

  /// Maximum known devices. BlueZ reports the removal of a device, but such a signal can be lost with very many devices.
  static let maximum = 1024

  /// Whether each radio is on.
  private var radios: [String: Bool] = [:]
  private var searching: String?
  private var devices: [String: Device] = [:]
  var remembered: Int { devices.count }

  /// Starts with all objects that BlueZ's object manager returned.
  mutating func begin(_ objects: [String: DBusValue]) -> [Action] {
    self = BlueZListener()
    for (path, interfaces) in objects {
      let interfaces = interfaces.properties ?? [:]
      if let properties = interfaces[Self.adapter]?.properties {
        radios[path] = properties["Powered"]?.boolean == true
      }
      // Known devices are stored, but not reported as received now.
      if let properties = interfaces[Self.device]?.properties { _ = change(path, properties, gone: []) }
    }
    return choose()
  }

  mutating func handle(_ signal: DBusSignal) -> [Action] {
    let arguments = signal.arguments
    guard arguments.count >= 2 else { return [] }
    switch signal.member {
    case "InterfacesAdded":
      guard let path = arguments[0].text, let interfaces = arguments[1].properties else { return [] }
      if let properties = interfaces[Self.adapter]?.properties {
        radios[path] = properties["Powered"]?.boolean == true
        return choose()
      }
      return interfaces[Self.device]?.properties.map { change(path, $0, gone: []) } ?? []
    case "InterfacesRemoved":
      guard let path = arguments[0].text else { return [] }
      let names = arguments[1].elements?.compactMap(\.text) ?? []
      if names.contains(Self.device) { devices[path] = nil }
      guard names.contains(Self.adapter), radios.removeValue(forKey: path) != nil, searching == path else { return [] }
      searching = nil
      return choose()
    case "PropertiesChanged":
      let gone = arguments.count > 2 ? arguments[2].elements?.compactMap(\.text) ?? [] : []
      let properties = arguments[1].properties ?? [:]
      switch arguments[0].text {
      case Self.device: return change(signal.path, properties, gone: gone)
      case Self.adapter: return changeRadio(signal.path, properties)
      default: return []
      }
    default: return []
    }
  }

  private mutating func changeRadio(_ path: String, _ properties: [String: DBusValue]) -> [Action] {
    let before = radios[path]
    if let isOn = properties["Powered"]?.boolean { radios[path] = isOn }
    let hasStopped = properties["Discovering"]?.boolean == false || radios[path] != true
    if searching == path, hasStopped {
      searching = nil
      return choose()
    }
    return searching == nil && before != radios[path] ? choose() : []
  }

  private mutating func change(_ path: String, _ properties: [String: DBusValue], gone: [String]) -> [Action] {
    if let advertisement = Self.advertisement(properties["ManufacturerData"]) {
      if devices.count >= Self.maximum, devices[path] == nil { devices = [:] }
      devices[path] = Device(advertisement: advertisement, rssi: devices[path]?.rssi)
    } else if properties["ManufacturerData"] != nil {
      // The device no longer advertises a beacon.
      devices[path] = nil
    }
    guard var device = devices[path] else { return [] }
    if let rssi = properties["RSSI"]?.whole { device.rssi = rssi }
    if gone.contains("RSSI") { device.rssi = nil }
    devices[path] = device
    // Each advertisement changes one of these properties. A removed RSSI means that nothing was received for a long time.
    guard properties["ManufacturerData"] != nil || properties["RSSI"] != nil,
      let sighting = Beacons.Sighting(advertisement: device.advertisement, rssi: device.rssi)
    else { return [] }
    return [.sighted(sighting)]
  }

  /// Returns Apple's manufacturer data if it is the advertisement of a beacon; otherwise `nil`.
  private static func advertisement(_ data: DBusValue?) -> [UInt8]? {
    guard case .dictionary(_, let entries)? = data?.inside else { return nil }
    let bytes = entries.first { $0.key.whole == Int(Beacons.Sighting.company) }?.value.bytes
    return bytes.flatMap { Beacons.Sighting(advertisement: $0, rssi: nil) == nil ? nil : $0 }
  }

  private mutating func choose() -> [Action] {
    guard searching == nil else { return [] }
    if let path = radios.filter(\.value).keys.min() {
      searching = path
      return [.search(path)]
    }
    return [
      .lost(
        radios.isEmpty
          ? "BlueZ finds no Bluetooth radio on this machine; beacons cannot be detected. Connect one."
          : "Bluetooth is turned off; beacons cannot be detected. Turn it on: bluetoothctl power on.")
    ]
  }
}
