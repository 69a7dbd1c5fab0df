public import struct Foundation.Date

/// The fields of a record that are collected. Other fields are removed before the record is stored. For an endpoint with fewer
/// fields, further fields are removed before the record is sent. The fields are OpenLocate's, and two of Godwit's.
public struct CollectingFields: OptionSet, Sendable, Hashable, Codable {
  /// One bit for each field. Stored settings contain the names of the fields and not these bits.
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Latitude and longitude, and the trigger.
  public static let location = CollectingFields(rawValue: 1 << 0)
  /// Time of the measurement. Without it, the record has only its own time. The start and the end of a trip and the time of an action
  /// are not measurements: they remain, and so does the trip's identifier in other records.
  public static let timestamp = CollectingFields(rawValue: 1 << 1)
  public static let horizontalAccuracy = CollectingFields(rawValue: 1 << 2)
  public static let verticalAccuracy = CollectingFields(rawValue: 1 << 3)
  public static let altitude = CollectingFields(rawValue: 1 << 4)
  public static let course = CollectingFields(rawValue: 1 << 5)
  public static let speed = CollectingFields(rawValue: 1 << 6)
  /// Name of the carrier, name and address of the wifi network.
  public static let network = CollectingFields(rawValue: 1 << 7)
  public static let advertisingID = CollectingFields(rawValue: 1 << 8)
  /// Charge state and level of the battery.
  public static let battery = CollectingFields(rawValue: 1 << 9)
  public static let deviceModel = CollectingFields(rawValue: 1 << 10)
  public static let systemVersion = CollectingFields(rawValue: 1 << 11)
  public static let permission = CollectingFields(rawValue: 1 << 12)
  /// Walking, driving and so on.
  public static let motion = CollectingFields(rawValue: 1 << 13)

  public static let all = CollectingFields(rawValue: (1 << 14) - 1)
  /// All fields except those that identify a person or a home: networks and the advertising identifier.
  public static let standard = all.subtracting([.network, .advertisingID])

  /// Names of the fields, in the order of their switches.
  public static let names: [(field: CollectingFields, name: String, summary: String)] = [
    (.location, "location", "Latitude and longitude."),
    (.timestamp, "timestamp", "Time of the measurement; off: only the time of the record."),
    (.horizontalAccuracy, "horizontal_accuracy", "Radius of uncertainty of the position."),
    (.verticalAccuracy, "vertical_accuracy", "Uncertainty of the altitude."),
    (.altitude, "altitude", "Metres above sea level."),
    (.course, "course", "Direction of travel."),
    (.speed, "speed", "Speed over ground."),
    (.network, "network", "Name of the carrier, name and address of the wifi network."),
    (.advertisingID, "advertising_id", "The advertising identifier; never if the user has refused tracking."),
    (.battery, "battery", "Charging or not, and the battery's level."),
    (.deviceModel, "device_model", "Model of the device."),
    (.systemVersion, "os_version", "Version of the operating system."),
    (.permission, "location_permission", "The program's permission for the location."),
    (.motion, "motion", "Walking, running, cycling, driving, stationary."),
  ]

  /// Returns a record without the fields that are off.
  /// - Parameters:
  ///   - record: The record.
  ///   - received: Time of the record. It replaces the time of the measurement if that is off.
  public func filtering(_ record: Record, received: Date) -> Record {
    guard self != .all else { return record }
    var record = record
    switch record.kind {
    case .fix(let fix):
      let filtered = filtering(fix, received: received)
      // A fix without its position becomes an action.
      record.kind =
        contains(.location) ? .fix(filtered) : .action(Action(time: filtered.time, name: "hidden_location"))
    case .visit(let visit):
      var visit = visit
      if !contains(.timestamp) {
        // The times are removed, but a visit that has ended keeps a departure.
        (visit.time, visit.arrival, visit.departure) = (received, nil, visit.departure.map { _ in received })
      }
      if contains(.location) {
        if !contains(.horizontalAccuracy) { visit.horizontalAccuracy = nil }
        record.kind = .visit(visit)
      } else {
        record.kind = .action(Action(time: visit.time, name: "hidden_visit"))
      }
    case .trip(var trip):
      trip.startFix = contains(.location) ? trip.startFix.map { filtering($0, received: trip.start) } : nil
      trip.endFix = contains(.location) ? trip.endFix.map { filtering($0, received: trip.end) } : nil
      record.kind = .trip(trip)
    case .region(var event):
      if !contains(.location) { (event.coordinate, event.region.center, event.region.radius) = (nil, nil, nil) }
      if !contains(.horizontalAccuracy) || !contains(.location) { event.horizontalAccuracy = nil }
      if !contains(.timestamp) { (event.time, event.entered) = (received, nil) }
      record.kind = .region(event)
    case .action(var action):
      if !contains(.location) { action.coordinate = nil }
      record.kind = .action(action)
    }
    record.context = filtering(record.context)
    return record
  }

  private func filtering(_ fix: Fix, received: Date) -> Fix {
    var fix = fix
    if !contains(.timestamp) { fix.time = received }
    if !contains(.horizontalAccuracy) { fix.horizontalAccuracy = nil }
    if !contains(.verticalAccuracy) { fix.verticalAccuracy = nil }
    if !contains(.altitude) { fix.altitude = nil }
    if !contains(.course) { (fix.course, fix.courseAccuracy) = (nil, nil) }
    if !contains(.speed) { (fix.speed, fix.speedAccuracy) = (nil, nil) }
    return fix
  }

  private func filtering(_ context: DeviceContext) -> DeviceContext {
    var context = context
    if !contains(.location) { context.trigger = nil }
    if !contains(.network) { (context.wifi, context.wifiBSSID, context.carrier) = (nil, nil, nil) }
    if !contains(.advertisingID) { context.advertising = nil }
    if !contains(.battery) { (context.batteryLevel, context.batteryState) = (nil, nil) }
    if !contains(.deviceModel) { context.deviceModel = nil }
    if !contains(.systemVersion) { context.systemVersion = nil }
    if !contains(.permission) { context.permission = nil }
    if !contains(.motion) { context.motion = [] }
    return context
  }
}
