internal import GodwitModel

internal import struct Foundation.Date

/// What the device says of itself: battery, network, motion.
struct DeviceState: Sendable, Hashable, Codable {
  var context = DeviceContext()
  /// `nil`: not known.
  var isWifi: Bool?

  /// Whether the device is on wifi, as far as that is known.
  var isOnWifi: Bool { isWifi ?? (context.wifi != nil) }

  /// A new context. - Returns: whether it has a motion of its own; one without keeps the last.
  mutating func update(_ new: DeviceContext) -> Bool {
    let motion = context.motion
    context = new
    if new.motion.isEmpty { context.motion = motion }
    return !new.motion.isEmpty
  }

  /// The network is there again, or gone: without a network there is no wifi, whatever was the last one.
  mutating func networkChanged(isReachable: Bool, isWifi: Bool?) { self.isWifi = isReachable ? isWifi : false }

  /// The zone of the network that the device is connected to.
  func zone(_ settings: Settings) -> WifiZone? {
    guard let ssid = context.wifi else { return nil }
    return settings.wifiZones.first { $0.ssid == ssid }
  }

  /// In a zone a receiver's position is replaced by this one.
  func zoneFix(_ settings: Settings, at now: Date) -> Fix? {
    zone(settings).map { Fix(time: now, coordinate: $0.coordinate, horizontalAccuracy: 1, speed: 0) }
  }

  /// What goes with a record.
  func recorded(_ settings: Settings, uniqueID: String?, trip: RunningTrip?, _ authorization: Authorization, _ trigger: Trigger?)
    -> DeviceContext
  {
    var context = context
    context.deviceID = settings.deviceID.isEmpty ? nil : settings.deviceID
    context.uniqueID = settings.includesUniqueID ? uniqueID : nil
    context.tripID = trip?.id
    context.permission = authorization.permission
    context.trigger = trigger
    // Nothing that advertisers follow is kept where the person does not want to be followed.
    if context.advertising?.isOptedOut == true { context.advertising?.id = "" }
    return context
  }
}
