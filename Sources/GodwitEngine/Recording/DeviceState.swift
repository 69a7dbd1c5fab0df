internal import GodwitModel

internal import struct Foundation.Date

/// The state of the device: battery, network, motion.
struct DeviceState: Sendable, Hashable, Codable {
  var context = DeviceContext()
  /// Whether the network is wifi; `nil`: unknown.
  var isWifi: Bool?

  /// Whether the device is on wifi, as far as that is known.
  var isOnWifi: Bool { isWifi ?? (context.wifi != nil) }

  /// Sets a new context. - Returns: whether the context contains a motion; otherwise the last motion is kept.
  mutating func update(_ new: DeviceContext) -> Bool {
    let motion = context.motion
    context = new
    if new.motion.isEmpty { context.motion = motion }
    return !new.motion.isEmpty
  }

  /// Records a change of the network. Without a network there is no wifi.
  mutating func networkChanged(isReachable: Bool, isWifi: Bool?) { self.isWifi = isReachable ? isWifi : false }

  /// Returns the zone of the network that the device is connected to; `nil`: none.
  func zone(_ settings: Settings) -> WifiZone? {
    guard let ssid = context.wifi else { return nil }
    return settings.wifiZones.first { $0.ssid == ssid }
  }

  /// Returns the fix of the present zone, which replaces the positions of the receiver; `nil`: the device is in no zone. Its time is
  /// the present, or that of a later position: the clock of a machine may be behind until it is set.
  func zoneFix(_ settings: Settings, instead fixes: [Fix], at now: Date) -> Fix? {
    zone(settings).map { zone in
      Fix(time: fixes.reduce(now) { max($0, $1.time) }, coordinate: zone.coordinate, horizontalAccuracy: 1, speed: 0)
    }
  }

  /// Returns the context of a record.
  func recorded(_ settings: Settings, uniqueID: String?, trip: RunningTrip?, _ authorization: Authorization, _ trigger: Trigger?)
    -> DeviceContext
  {
    var context = context
    context.deviceID = settings.deviceID.isEmpty ? nil : settings.deviceID
    context.uniqueID = settings.includesUniqueID ? uniqueID : nil
    context.tripID = trip?.id
    context.permission = authorization.permission
    context.trigger = trigger
    // The advertising identifier is removed if the user opted out.
    if context.advertising?.isOptedOut == true { context.advertising?.id = "" }
    return context
  }
}
