internal import Foundation
internal import GodwitModel
internal import GodwitText

/// The members of a location.
struct OpenLocateLocation {
  typealias Fault = JSONReader.Fault

  private enum Member: Int, KnownMember {
    case latitude, longitude, time
    case received, accuracy, verticalAccuracy, misspelledVerticalAccuracy, altitude, course, speed, isCharging, deviceModel
    case systemVersion, carrier, wifi, wifiBSSID, permission, trigger, advertisingID, isOptedOut, advertisingType, id

    static let names: [StaticString] = [
      "latitude", "longitude", "utc_timestamp", "utc_timestamp_received", "horizontal_accuracy", "vertical_accuracy",
      "veritcal_accuracy", "altitude", "course", "speed", "is_charging", "device_model", "os_version", "carrier_name",
      "wifi_ssid", "wifi_bssid", "location_permission", "location_context", "ad_id", "ad_opt_out", "id_type", "id",
    ]

    /// Whether the location is rejected if this member is invalid.
    var isNeeded: Bool { rawValue <= Member.time.rawValue }
  }

  /// The offset of the location in bytes.
  private let start: Int
  private var id: RecordID?
  private var latitude, longitude: Double?
  private var time, received: Int64?
  private var accuracy, verticalAccuracy, altitude, course, speed: Double?
  /// Whether the correctly spelled member was read. It takes precedence over the misspelled one.
  private var hasVerticalAccuracy = false
  private var context = DeviceContext()
  private var advertising: (id: String?, isOptedOut: Bool?, type: String?)
  private var others = UnmappedMembers()

  /// Reads the next location.
  init(from json: inout JSONReader) throws(Fault) {
    _ = json.peek()
    start = json.position
    guard try json.kind() == .object else { throw json.unexpected("expected a location: an object", at: start) }
    var others = UnmappedMembers()
    try others.readObject(from: &json) { (json, key, _) throws(Fault) in
      guard let member = Member(key, in: json) else { return false }
      do throws(Fault) { return try read(member, from: &json) } catch {
        if error.isSyntax || member.isNeeded { throw error }
        return false
      }
    }
    self.others = others
  }

  /// Reads a member. - Returns: `false` if no member of a record can hold the value.
  private mutating func read(_ member: Member, from json: inout JSONReader) throws(Fault) -> Bool {
    if json.peek() == UInt8(ascii: "n") {
      try json.null()
      return true
    }
    switch member {
    case .latitude: latitude = try json.quantity(RegionValues.latitude)
    case .longitude: longitude = try json.quantity(RegionValues.longitude)
    case .time: time = try json.timestamp()
    case .received: received = try json.timestamp()
    case .accuracy: accuracy = try json.knownNumber()
    case .verticalAccuracy:
      verticalAccuracy = try json.finiteNumber()
      hasVerticalAccuracy = true
    case .misspelledVerticalAccuracy:
      let value = try json.finiteNumber()
      if !hasVerticalAccuracy { verticalAccuracy = value }
    case .altitude: altitude = try json.finiteNumber()
    case .course:
      let course = try json.knownNumber()
      guard course.map({ $0 <= 360 }) ?? true else { return false }
      self.course = course
    case .speed: speed = try json.knownNumber()
    case .isCharging:
      guard let isCharging = try json.lossyFlag() else { return false }
      context.batteryState = isCharging ? .charging : .unplugged
    case .isOptedOut: advertising.isOptedOut = try json.lossyFlag()
    case .deviceModel, .systemVersion, .carrier, .wifi, .wifiBSSID, .permission, .trigger, .advertisingID, .advertisingType, .id:
      let text = try json.text { _ in nil }
      return text.isEmpty || read(member, text: text)
    }
    return true
  }

  /// Stores a string. - Returns: `false` if no member of a record can hold it.
  private mutating func read(_ member: Member, text: String) -> Bool {
    switch member {
    case .deviceModel: context.deviceModel = text
    case .systemVersion: context.systemVersion = text
    case .carrier: context.carrier = text
    // Android encloses the name in quotation marks.
    case .wifi:
      let isQuoted = text.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
      context.wifi = isQuoted ? String(text.dropFirst().dropLast()) : text
    case .wifiBSSID: context.wifiBSSID = text
    case .permission:
      guard let permission = LocationPermission(rawValue: text) else { return false }
      context.permission = permission
    case .trigger:
      guard let trigger = Trigger(rawValue: text) else { return false }
      context.trigger = trigger
    case .advertisingID: advertising.id = text.lowercased()
    case .advertisingType: advertising.type = text
    case .id:
      guard let id = RecordID(text) else { return false }
      self.id = id
    default: return false
    }
    return true
  }

  /// Makes the record; `nil` if the location has no coordinates.
  /// - Parameter received: the time of receipt of the request, which is used for a location without a time.
  consuming func record(received request: Date) throws(Fault) -> Record? {
    guard latitude != nil || longitude != nil else { return nil }
    guard let latitude else {
      throw Fault(offset: start, isSyntax: false, reason: "there is no latitude", path: ".latitude")
    }
    guard let longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw Fault(offset: start, isSyntax: false, reason: "there is no longitude", path: ".longitude")
    }
    if time == nil, received == nil { others.store("time_source", text: "received") }
    let known = received.map { Date(millisecondsSince1970: $0) }
    let time = time.map { Date(millisecondsSince1970: $0) } ?? known ?? request
    if advertising.id != nil || advertising.isOptedOut != nil {
      context.advertising = AdvertisingID(
        id: advertising.id ?? "", isOptedOut: advertising.isOptedOut ?? false, type: advertising.type ?? "idfa")
    }
    var record = Record(id: id, kind: kind(time: time, received: known, at: place), context: context, extras: others.text)
    record.received = known
    return record
  }

  private func kind(time: Date, received: Date?, at place: Coordinate) -> Record.Kind {
    switch context.trigger {
    case .visitEntry, .visitExit:
      let isEntry = context.trigger == .visitEntry
      return .visit(
        Visit(
          time: received ?? time, coordinate: place, horizontalAccuracy: accuracy, arrival: isEntry ? time : nil,
          departure: isEntry ? nil : time))
    default:
      // A negative accuracy means that the altitude is unknown.
      let isAltitudeKnown = verticalAccuracy.map { $0 >= 0 } ?? true
      return .fix(
        Fix(
          time: time, coordinate: place, horizontalAccuracy: accuracy, altitude: isAltitudeKnown ? altitude : nil,
          verticalAccuracy: isAltitudeKnown ? verticalAccuracy : nil, speed: speed, course: course))
    }
  }
}
