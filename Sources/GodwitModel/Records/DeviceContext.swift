/// The state of the device when a record was made.
///
/// A program reports the parts that it knows; a sensor reports the rest:
///
///     tracker.update { context in
///       context.batteryLevel = 0.8
///       context.wifi = "Home"
///     }
public struct DeviceContext: Sendable, Hashable, Codable {
  /// Battery level, 0…1; `nil` if unknown. 0 is an empty battery.
  public var batteryLevel: Double?
  public var batteryState: BatteryState?
  /// The motions that the motion chip reports. There can be several (a car at a traffic light: driving and stationary).
  public var motion: Motion
  /// Name (SSID) of the wifi network the device was connected to.
  public var wifi: String?
  /// Start time of the trip that the record belongs to, as text. It links fixes with their trip.
  public var tripID: String?
  /// The configured name of the device.
  public var deviceID: String?
  /// The identifier that the device's system assigned.
  public var uniqueID: String?
  /// Hardware address (BSSID) of the wifi network's access point.
  public var wifiBSSID: String?
  /// Name of the mobile network.
  public var carrier: String?
  /// Model, for example "iPhone 15" or "Raspberry Pi 4 Model B".
  public var deviceModel: String?
  /// System with its version, for example "iOS 18.1" or "Debian GNU/Linux 12".
  public var systemVersion: String?
  /// The location permission of the program.
  public var permission: LocationPermission?
  public var advertising: AdvertisingID?
  /// The cause of the record.
  public var trigger: Trigger?

  public init(
    batteryLevel: Double? = nil, batteryState: BatteryState? = nil, motion: Motion = [], wifi: String? = nil,
    tripID: String? = nil, deviceID: String? = nil, uniqueID: String? = nil
  ) {
    self.batteryLevel = batteryLevel
    self.batteryState = batteryState
    self.motion = motion
    self.wifi = wifi
    self.tripID = tripID
    self.deviceID = deviceID
    self.uniqueID = uniqueID
  }
}

/// The charge state of the battery. The raw values are those of the server's database.
public enum BatteryState: UInt8, Sendable, Hashable, CaseIterable, Codable {
  case unknown = 0
  case unplugged = 1
  case charging = 2
  case full = 3
}

/// The motions that a motion chip reports. Several can be set: a car at a traffic light is driving and stationary. The raw values
/// are those of the databases.
public struct Motion: OptionSet, Sendable, Hashable, Codable {
  /// One bit for each kind. The bits are stored in databases; their meaning never changes.
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let walking = Motion(rawValue: 1 << 0)
  public static let running = Motion(rawValue: 1 << 1)
  public static let cycling = Motion(rawValue: 1 << 2)
  public static let driving = Motion(rawValue: 1 << 3)
  public static let stationary = Motion(rawValue: 1 << 4)
}

/// The cause of a record: OpenLocate's `location_context`, with its values.
public enum Trigger: String, Sendable, Hashable, CaseIterable, Codable {
  case unknown
  /// A position that the system already had.
  case passive
  /// A requested update.
  case regular
  case visitEntry = "visit_entry"
  case visitExit = "visit_exit"
  case regionEntry = "geofence_entry"
  case regionExit = "geofence_exit"
  case backgroundFetch = "background_fetch"
}

/// The location permission of a program: OpenLocate's values.
public enum LocationPermission: String, Sendable, Hashable, CaseIterable, Codable {
  case notDetermined = "not_determined"
  case restricted
  case denied
  case whenInUse = "when_in_use"
  case always = "authorized_always"
}

/// The advertising identifier of a device. Never collected unless an app enables it.
public struct AdvertisingID: Sendable, Hashable, Codable {
  /// UUID in lowercase.
  public var id: String
  /// Whether the user opted out of tracking.
  public var isOptedOut: Bool
  /// Type of the identifier: `idfa` on Apple's systems.
  public var type: String

  public init(id: String, isOptedOut: Bool, type: String = "idfa") {
    self.id = id
    self.isOptedOut = isOptedOut
    self.type = type
  }
}
