public import Foundation
internal import GodwitModel
public import GodwitText

extension OpenLocate {
  static let format = "OpenLocate"

  /// Reads a request's body: `{"locations":[…]}`, a bare array, or one location.
  ///
  /// Numbers and flags are taken as strings as well, as the documents and the Android SDK have them. A location with the context
  /// `visit_entry` or `visit_exit` is a visit. What has no place in a record is in its extras.
  /// - Parameters:
  ///   - body: the whole text.
  ///   - received: when it came; the time of what has none.
  ///   - maximumRecords: records after which the rest of it is not read.
  /// - Throws: `FormatError` where nothing of it can be read. Everything smaller is in the batch; what has no coordinates,
  ///   which an app may choose, is counted there.
  public static func read(
    _ body: [UInt8], received: Date, maximumRecords: Int = RecordBatch.maximumRecords
  ) throws(FormatError) -> RecordBatch {
    try RegionReader.run(body, format: format, maximumRecords: maximumRecords) { (reader) throws(JSONReader.Fault) in
      var batch = RecordBatch()
      try reader.lossy(format, &batch) { (reader, batch) throws(JSONReader.Fault) in
        try reader.openLocate(into: &batch, received: received)
      }
      return batch
    }
  }
}

extension RegionReader {
  fileprivate mutating func openLocate(into batch: inout RecordBatch, received: Date) throws(Fault) {
    switch json.peek() {
    case UInt8(ascii: "["):
      try records(path: "", into: &batch) { (reader) throws(Fault) in try reader.location(received: received) }
      return
    case UInt8(ascii: "{"): break
    default:
      throw json.syntax(
        json.position >= json.count
          ? "the body is empty; expected {\"locations\":[…]}" : "expected a JSON object: {\"locations\":[…]}")
    }
    let start = json.position
    var (hasLocations, isOne) = (false, false)
    json.position += 1
    if !json.isEmpty(closing: UInt8(ascii: "}")) {
      repeat {
        _ = json.peek()
        let key = try json.key()
        if json.matches(key, "locations") {
          guard json.peek() == UInt8(ascii: "[") else {
            throw json.unexpected("expected an array of locations", at: json.position, path: ".locations")
          }
          hasLocations = true
          try records(path: ".locations", into: &batch) { (reader) throws(Fault) in try reader.location(received: received) }
        } else {
          isOne = isOne || json.matches(key, "latitude") || json.matches(key, "utc_timestamp")
          try json.skipValue()
        }
      } while try json.hasMore(closing: UInt8(ascii: "}"))
    }
    if hasLocations { return }
    guard isOne else { throw json.unexpected("there is no member \"locations\"", at: start) }
    json.position = start
    try record(0, path: "", into: &batch) { (reader) throws(Fault) in try reader.location(received: received) }
  }

  private struct Location {
    var id: RecordID?
    var latitude, longitude: Double?
    var time, received: Int64?
    var accuracy, verticalAccuracy, altitude, course, speed: Double?
    /// The right spelling wins over the documents' wrong one.
    var hasVerticalAccuracy = false
    var context = DeviceContext()
    var advertising: (id: String?, isOptedOut: Bool?, type: String?)
  }

  private static let names: [StaticString] = [
    "latitude", "longitude", "utc_timestamp", "utc_timestamp_received", "horizontal_accuracy", "vertical_accuracy",
    "veritcal_accuracy", "altitude", "course", "speed", "is_charging", "device_model", "os_version", "carrier_name", "wifi_ssid",
    "wifi_bssid", "location_permission", "location_context", "ad_id", "ad_opt_out", "id_type", "id",
  ]

  /// One location; `nil` where it legally has no place.
  private mutating func location(received: Date) throws(Fault) -> Record? {
    _ = json.peek()
    let start = json.position
    guard try json.kind() == .object else { throw json.unexpected("expected a location: an object", at: start) }
    var found = Location()
    var foreign = RegionImporter()
    try members(of: &foreign) { (reader, key, _) throws(Fault) in
      guard let index = reader.find(key, in: Self.names) else { return false }
      let name = Self.names[index].description
      do throws(Fault) { return try reader.take(name, into: &found) } catch {
        if error.isSyntax || ["latitude", "longitude", "utc_timestamp"].contains(name) { throw error }
        return false
      }
    }
    guard found.latitude != nil || found.longitude != nil else { return nil }
    guard let latitude = found.latitude else { throw json.unexpected("there is no latitude", at: start, path: ".latitude") }
    guard let longitude = found.longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw json.unexpected("there is no longitude", at: start, path: ".longitude")
    }
    if found.time == nil, found.received == nil { foreign.keep("time_source", text: "received") }
    return record(found, at: place, extras: foreign.othersText, received)
  }

  private func record(_ found: Location, at place: Coordinate, extras: String?, _ received: Date) -> Record {
    let known = found.received.map { Date(millisecondsSince1970: $0) }
    let time = found.time.map { Date(millisecondsSince1970: $0) } ?? known ?? received
    var context = found.context
    if found.advertising.id != nil || found.advertising.isOptedOut != nil {
      context.advertising = AdvertisingID(
        id: found.advertising.id ?? "", isOptedOut: found.advertising.isOptedOut ?? false, type: found.advertising.type ?? "idfa")
    }
    let kind: Record.Kind
    switch context.trigger {
    case .visitEntry, .visitExit:
      let isEntry = context.trigger == .visitEntry
      kind = .visit(
        Visit(
          time: known ?? time, coordinate: place, horizontalAccuracy: found.accuracy, arrival: isEntry ? time : nil,
          departure: isEntry ? nil : time))
    default:
      // The accuracy of an altitude that is not known is below zero.
      let isAltitudeKnown = found.verticalAccuracy.map { $0 >= 0 } ?? true
      kind = .fix(
        Fix(
          time: time, coordinate: place, horizontalAccuracy: found.accuracy, altitude: isAltitudeKnown ? found.altitude : nil,
          verticalAccuracy: isAltitudeKnown ? found.verticalAccuracy : nil, speed: found.speed, course: found.course))
    }
    var record = Record(id: found.id, kind: kind, context: context, extras: extras)
    record.received = known
    return record
  }

  /// One member. - Returns: `false` when its value has no place in a record.
  private mutating func take(_ name: String, into found: inout Location) throws(Fault) -> Bool {
    if json.peek() == UInt8(ascii: "n") {
      try json.null()
      return true
    }
    switch name {
    case "latitude": found.latitude = try degrees(RegionValues.latitude)
    case "longitude": found.longitude = try degrees(RegionValues.longitude)
    case "utc_timestamp": found.time = try moment()
    case "utc_timestamp_received": found.received = try moment()
    case "horizontal_accuracy": found.accuracy = try knownNumber()
    case "vertical_accuracy":
      found.verticalAccuracy = try finiteNumber()
      found.hasVerticalAccuracy = true
    case "veritcal_accuracy":
      let value = try finiteNumber()
      if !found.hasVerticalAccuracy { found.verticalAccuracy = value }
    case "altitude": found.altitude = try finiteNumber()
    case "course":
      let course = try knownNumber()
      guard course.map({ $0 <= 360 }) ?? true else { return false }
      found.course = course
    case "speed": found.speed = try knownNumber()
    case "is_charging":
      guard let isCharging = try lossyFlag() else { return false }
      found.context.batteryState = isCharging ? .charging : .unplugged
    case "ad_opt_out": found.advertising.isOptedOut = try lossyFlag()
    default: return try takeText(name, into: &found)
    }
    return true
  }

  private mutating func takeText(_ name: String, into found: inout Location) throws(Fault) -> Bool {
    let value = try text { _ in nil }
    guard !value.isEmpty else { return true }
    switch name {
    case "device_model": found.context.deviceModel = value
    case "os_version": found.context.systemVersion = value
    case "carrier_name": found.context.carrier = value
    // Android's system writes the name with quotation marks round it.
    case "wifi_ssid":
      let isQuoted = value.count > 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
      found.context.wifi = isQuoted ? String(value.dropFirst().dropLast()) : value
    case "wifi_bssid": found.context.wifiBSSID = value
    case "location_permission":
      guard let permission = LocationPermission(rawValue: value) else { return false }
      found.context.permission = permission
    case "location_context":
      guard let trigger = Trigger(rawValue: value) else { return false }
      found.context.trigger = trigger
    case "ad_id": found.advertising.id = value.lowercased()
    case "id_type": found.advertising.type = value
    default:
      guard let id = RecordID(value) else { return false }
      found.id = id
    }
    return true
  }
}
