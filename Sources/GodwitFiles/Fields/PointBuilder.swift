internal import Foundation
internal import GodwitModel
internal import GodwitText

/// Collects the columns or members of a point and makes the record.
struct PointBuilder {
  private var latitude: Double?
  private var longitude: Double?
  /// The hemispheres from separate columns.
  private var northSouth: Hemisphere?
  private var eastWest: Hemisphere?
  /// The reason for which the record is rejected; `nil` if there is none.
  private var rejection: String?
  private var place: Coordinate?
  private var time: (milliseconds: Int64, rank: Int)?
  /// The time of day in milliseconds since midnight, if the date is in another column.
  private var timeOfDay: Int64?
  /// A text in a time column that is not a time.
  private var wrongTime: String?
  private var fix = Fix(time: Date(millisecondsSince1970: 0), coordinate: Self.nullIsland)
  private var context = DeviceContext()
  private var id: RecordID?
  private(set) var wrapped: String?

  // Both values are in their ranges.
  private static let nullIsland = Coordinate(latitude: 0, longitude: 0)!

  init() {}

  /// Sets the position from a geometry. A separate latitude and longitude take precedence.
  mutating func set(_ place: Coordinate?, altitude: Double? = nil) {
    self.place = place
    if fix.altitude == nil { fix.altitude = altitude }
  }

  /// Sets a time, which takes precedence over all other times.
  mutating func set(milliseconds: Int64) { time = (milliseconds, -1) }

  /// Sets a value from a text.
  /// - Returns: `false` if the value is invalid for its field, or a better value is known. The caller then stores the value
  ///   in the extras.
  mutating func set(_ field: PointField, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // An empty text means unknown.
    guard bytes.contains(where: { $0 > 0x20 }) else { return true }
    func text() -> String { String(decoding: bytes, as: UTF8.self) }
    switch field.kind {
    case .time: return parseTime(field, bytes)
    case .timeOfDay:
      timeOfDay = Self.timeOfDay(bytes)
      return timeOfDay != nil
    case .latitude, .longitude, .altitude, .horizontalAccuracy, .verticalAccuracy, .speed, .speedAccuracy, .course,
      .courseAccuracy, .batteryLevel:
      guard let value = DecimalParser.double(bytes) else {
        if field.kind == .latitude { latitude = nil }
        if field.kind == .longitude { longitude = nil }
        return field.kind == .latitude || field.kind == .longitude
      }
      return set(field, number: value * field.factor)
    case .northSouth, .eastWest: return parseHemisphere(field, text())
    case .place:
      guard place == nil, let point = Self.wellKnownText(bytes) else { return false }
      place = point
    case .batteryState:
      guard let state = Self.batteryState(text().lowercased()) else { return false }
      context.batteryState = state
    case .motion:
      let all = text().lowercased().split { !$0.isLetter && $0 != "_" }.map { Self.motions[String($0)] }
      guard !all.contains(nil) else { return false }
      for case let motion? in all { context.motion.insert(motion) }
    case .wifi: context.wifi = text()
    case .wifiBSSID: context.wifiBSSID = text()
    case .device:
      if context.deviceID != nil { return false }
      context.deviceID = text()
    case .uniqueID: context.uniqueID = text()
    case .tripID: context.tripID = text()
    case .id:
      id = RecordID(utf8: bytes)
      return id != nil
    case .extras:
      guard let object = JSONObjectText.compacted(text()) else { return false }
      wrapped = String(decoding: object, as: UTF8.self)
    }
    return true
  }

  /// Sets a number in the unit of a record: degrees, metres, metres per second, 1 for a full battery.
  /// - Returns: `false` if the number is invalid for its field.
  mutating func set(_ field: PointField, number value: Double) -> Bool {
    func magnitude(_ old: inout Double?) -> Bool {
      guard value <= 1e9 else { return false }
      // A negative number means unknown.
      if value >= 0 { old = value }
      return true
    }
    switch field.kind {
    case .latitude: latitude = value
    case .longitude: longitude = value
    case .altitude:
      guard abs(value) < 1e9 else { return false }
      fix.altitude = value
    case .horizontalAccuracy: return magnitude(&fix.horizontalAccuracy)
    case .verticalAccuracy: return magnitude(&fix.verticalAccuracy)
    case .speed: return magnitude(&fix.speed)
    case .speedAccuracy: return magnitude(&fix.speedAccuracy)
    case .course:
      guard value <= 360 else { return false }
      if value >= 0 { fix.course = value }
    case .courseAccuracy: return magnitude(&fix.courseAccuracy)
    case .batteryLevel:
      guard value <= 1 else { return false }
      if value >= 0 { context.batteryLevel = value }
    default: return false
    }
    return true
  }

  /// Sets a time.
  /// - Returns: `false` if a time of a better field is known.
  mutating func set(_ field: PointField, milliseconds: Int64) -> Bool {
    if let time, time.rank <= field.rank { return false }
    time = (milliseconds, field.rank)
    return true
  }

  /// Sets the time of day in milliseconds since midnight.
  mutating func set(timeOfDay milliseconds: Int64) { timeOfDay = milliseconds }

  /// Stores a text in a time column that is not a time, for the fault.
  mutating func reject(time text: String) { wrongTime = String(text.prefix(40)) }

  /// Rejects the record. - Parameter reason: a sentence without its full stop. Only the first reason is stored.
  mutating func reject(_ reason: String) { if rejection == nil { rejection = reason } }

  private mutating func parseHemisphere(_ field: PointField, _ text: String) -> Bool {
    let word = text.split(whereSeparator: \.isWhitespace).joined()
    let isLatitude = field.kind == .northSouth
    guard let found = Hemisphere(word), found.isLatitude == isLatitude else {
      reject("\(word.debugDescription) is not a hemisphere; expected \(isLatitude ? "N or S" : "E or W")")
      return true
    }
    if isLatitude { northSouth = found } else { eastWest = found }
    return true
  }

  /// Combines a latitude or longitude with the hemisphere of another column. - Returns: `nil` if they contradict each
  /// other.
  private static func signed(_ value: Double?, _ hemisphere: Hemisphere?) -> Double?? {
    guard let value, let hemisphere else { return .some(value) }
    if hemisphere.isNegative { return -abs(value) }
    return value < 0 ? nil : .some(value)
  }

  private mutating func parseTime(_ field: PointField, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if let found = TimestampParser.milliseconds(bytes) {
      if let time, time.rank <= field.rank { return false }
      time = (found, field.rank)
    } else if let found = Self.timeOfDay(bytes) {
      timeOfDay = found
    } else {
      wrongTime = String(decoding: bytes.prefix(40), as: UTF8.self)
      return false
    }
    return true
  }

  /// The reason for which the values make no record; `nil` if they make a record.
  var fault: String? {
    if let rejection { return rejection }
    if Self.signed(latitude, northSouth) == nil || Self.signed(longitude, eastWest) == nil {
      return "latitude \(latitude ?? 0), longitude \(longitude ?? 0): the sign and the hemisphere contradict each other"
    }
    if latitude == nil || longitude == nil, place == nil { return "there is no latitude and longitude" }
    if coordinate == nil { return "latitude \(latitude ?? 0), longitude \(longitude ?? 0) is not a valid position" }
    if time == nil {
      return wrongTime.map { "\($0.debugDescription) is not a time; expected one such as 2026-11-20T08:30:00Z" }
        ?? "there is no time"
    }
    return nil
  }

  /// Whether only the time is missing.
  var isWithoutTime: Bool { rejection == nil && coordinate != nil && time == nil && wrongTime == nil }

  private var coordinate: Coordinate? {
    guard let latitude = Self.signed(latitude, northSouth) ?? nil, let longitude = Self.signed(longitude, eastWest) ?? nil else {
      return latitude == nil || longitude == nil ? place : nil
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// Makes the record; `nil` if there is a fault.
  /// - Parameter extras: the members that the record cannot hold, as the text of an object.
  func record(extras: String?) -> Record? {
    guard rejection == nil, let coordinate, var time = time?.milliseconds else { return nil }
    // The date and the time of day are in different columns.
    if let timeOfDay, time % DayLength.milliseconds == 0 { time += timeOfDay }
    var fix = fix
    fix.time = Date(millisecondsSince1970: time)
    fix.coordinate = coordinate
    var record = Record(id: id, kind: .fix(fix), context: context)
    record.extras = wrapped ?? extras
    return record
  }

  // MARK: Words

  /// Parses `08:30:00`, with or without a fraction and a Z.
  /// - Returns: milliseconds since midnight.
  private static func timeOfDay(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    var text = Array("1970-01-01T".utf8) + bytes
    guard bytes.count >= 5, bytes.count <= 16 else { return nil }
    if bytes.count == 5 { text += Array(":00".utf8) }
    if text.last != UInt8(ascii: "Z") { text.append(UInt8(ascii: "Z")) }
    return text.withUnsafeBufferPointer { RFC3339.milliseconds(utf8: $0) }
  }

  /// Parses `POINT (14.0 45.4)` or `POINT(14.0 45.4)`: longitude, latitude.
  private static func wellKnownText(_ bytes: UnsafeBufferPointer<UInt8>) -> Coordinate? {
    let text = String(decoding: bytes.prefix(100), as: UTF8.self)
    guard text.uppercased().hasPrefix("POINT"), let open = text.firstIndex(of: "("), let close = text.firstIndex(of: ")"),
      open < close
    else { return nil }
    let numbers = text[text.index(after: open)..<close].split { $0 == " " || $0 == "," }.map { DecimalParser.double($0) }
    guard numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1] else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func batteryState(_ word: String) -> BatteryState? {
    switch word {
    case "unplugged", "discharging", "false", "not charging", "1": .unplugged
    case "charging", "connected_not_charging", "true", "2": .charging
    case "full", "3": .full
    case "unknown", "0": .unknown
    default: nil
    }
  }

  private static let motions: [String: Motion] = [
    "walking": .walking, "running": .running, "cycling": .cycling, "driving": .driving, "stationary": .stationary,
    "automotive": .driving, "still": .stationary, "on_foot": .walking, "in_vehicle": .driving, "on_bicycle": .cycling,
  ]
}
