public import Foundation
public import GodwitModel
public import GodwitText

extension OsmAnd {
  /// The names and values of a query or a form, or the members of a flat JSON object.
  public struct Form: Sendable {
    struct Field: Sendable {
      var name: String
      var value: String
      /// The value as JSON; `nil` unless the value was received as JSON and is not a string.
      var json: String?
      /// The offset of the field in bytes.
      var byte: Int
    }

    private(set) var fields: [Field] = []
    /// The text as received, without secrets.
    let text: [UInt8]

    /// Maximum number of fields in a request.
    static let maximumFields = 256
    /// Maximum size of a request in bytes.
    static let maximumBytes = 64 << 10

    /// - Parameter text: `name=value&name=value` in the encoding of forms.
    /// - Throws: `FormatError` if the text is too long or has too many fields.
    public init(_ text: [UInt8]) throws(FormatError) {
      guard text.count <= Self.maximumBytes else {
        throw FormatError(
          format: OsmAnd.format, place: FormatError.Place(byte: Self.maximumBytes),
          reason: "expected at most \(Self.maximumBytes) bytes of a form", isLimit: true)
      }
      var start = 0
      var kept: [[UInt8]] = []
      for part in text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
        defer { start += part.count + 1 }
        guard !part.isEmpty else { continue }
        let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
        let name = Self.unescaped(part[..<equals])
        let field = Field(
          name: name, value: equals < part.endIndex ? Self.unescaped(part[(equals + 1)...]) : "", byte: start)
        guard fields.count < Self.maximumFields else {
          throw FormatError(
            format: OsmAnd.format, place: FormatError.Place(byte: start), reason: "expected at most \(Self.maximumFields) fields")
        }
        fields.append(field)
        if OsmAndKey(name) != .secret { kept.append(Array(part)) }
      }
      self.text = Array(kept.joined(separator: [UInt8(ascii: "&")]))
    }

    /// - Parameters:
    ///   - fields: the members of an object.
    ///   - text: the object as received.
    init(fields: [Field], text: [UInt8]) {
      self.fields = fields
      self.text = text
    }

    /// The name of the device; `nil` if it is missing or empty.
    public var device: String? { fields.first { OsmAndKey($0.name) == .device && !$0.value.isEmpty }?.value }

    /// Whether the request is a connection test without a position: only the device, or µlogger's sign-in or new track.
    var isGreeting: Bool {
      let said = fields.filter { ![.device, .secret].contains(OsmAndKey($0.name)) }
      if said.isEmpty { return true }
      let places: [OsmAndKey?] = [.latitude, .longitude, .place, .time]
      return said.contains { $0.name == "action" && ["auth", "addtrack"].contains($0.value) }
        && !said.contains { places.contains(OsmAndKey($0.name)) }
    }

    /// Decodes percent escapes. Incomplete escapes are kept, and invalid UTF-8 is repaired.
    private static func unescaped(_ part: some Collection<UInt8>) -> String {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(part.count)
      var pending: [UInt8] = []
      func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
        default: nil
        }
      }
      for byte in part {
        switch pending.count {
        case 1 where digit(byte) != nil: pending.append(byte)
        case 2:
          if let high = digit(pending[1]), let low = digit(byte) {
            bytes.append(high << 4 | low)
            pending = []
          } else {
            bytes += pending
            pending = byte == UInt8(ascii: "%") ? [byte] : []
            if pending.isEmpty { bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte) }
          }
        default:
          bytes += pending
          pending = byte == UInt8(ascii: "%") ? [byte] : []
          if pending.isEmpty { bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte) }
        }
      }
      return String(decoding: bytes + pending, as: UTF8.self)
    }

    // MARK: The record

    /// Makes the record.
    /// - Parameters:
    ///   - speed: the unit of `speed`.
    ///   - received: the time of receipt, which is used if the fields contain no time.
    /// - Throws: `FormatError` if the position is missing or invalid, or the time is invalid. Other invalid values are in
    ///   the extras.
    public func record(speed: Speed, received: Date) throws(FormatError) -> Record {
      var builder = FormBuilder()
      for field in fields {
        let value = field.value.trimmingCharacters(in: .whitespaces)
        // µlogger sends this action with every position.
        if field.name == "action", value == "addpos" { continue }
        // Empty values are unknown: the client had no value for its template.
        guard let key = OsmAndKey(field.name) else {
          builder.others.append(field)
          continue
        }
        if value.isEmpty || key == .secret { continue }
        guard builder.seen.insert(key).inserted, try builder.read(key, value, field, speed) else {
          builder.others.append(field)
          continue
        }
      }
      return try builder.record(received: received)
    }
  }
}

/// Collects the values of the fields.
private struct FormBuilder {
  typealias Field = OsmAnd.Form.Field

  var seen: Set<OsmAndKey> = []
  var time: Int64?
  var latitude, longitude: Double?
  var speed, course, altitude, accuracy, verticalAccuracy: Double?
  var context = DeviceContext()
  /// Unknown fields, and fields with an invalid value.
  var others: [Field] = []

  /// - Returns: `false` if the value is invalid for its name.
  mutating func read(_ key: OsmAndKey, _ value: String, _ field: Field, _ speed: OsmAnd.Speed) throws(FormatError) -> Bool {
    switch key {
    case .device: context.deviceID = field.value
    case .secret: break
    case .latitude: latitude = try degrees(value, field, RegionValues.latitude)
    case .longitude: longitude = try degrees(value, field, RegionValues.longitude)
    case .place:
      let parts = value.split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count >= 2 else {
        throw rejected("\(shown(value)) is not a valid position; expected latitude,longitude", field)
      }
      latitude = try degrees(parts[0].trimmingCharacters(in: .whitespaces), field, RegionValues.latitude)
      longitude = try degrees(parts[1].trimmingCharacters(in: .whitespaces), field, RegionValues.longitude)
    case .time:
      guard let timestamp = DeviceTimestamp.milliseconds(value) else {
        throw rejected("\(shown(value)) is not a time; \(DeviceTimestamp.expected)", field)
      }
      time = timestamp
    case .speed: return set(\.speed, number(value).map { speed.metersPerSecond($0) })
    case .metersPerSecond:
      // Apps that send both members send `speed` in another unit.
      return set(\.speed, number(value))
    case .course:
      guard let degrees = number(value), degrees <= 360 else { return false }
      return set(\.course, degrees)
    case .altitude:
      guard let metres = number(value) else { return false }
      altitude = metres
    case .accuracy: return set(\.accuracy, number(value))
    case .verticalAccuracy: return set(\.verticalAccuracy, number(value))
    case .battery:
      guard let percent = number(value.hasSuffix("%") ? String(value.dropLast()) : value), percent <= 100 else { return false }
      if percent >= 0 { context.batteryLevel = percent / 100 }
    case .charging:
      guard let isCharging = BooleanText.read(value) else { return false }
      context.batteryState = isCharging ? .charging : .unplugged
    case .batteryState:
      // Colota uses the numbers of OwnTracks.
      guard let state = UInt8(value).flatMap({ BatteryState(rawValue: $0) }) else { return false }
      context.batteryState = state
    case .wifi: context.wifi = value
    case .motion:
      guard let motion = MotionWord.read(value) else { return false }
      context.motion = motion
    }
    return true
  }

  /// - Returns: `false` without a number. Clients send a negative number for an unknown value.
  private mutating func set(_ path: WritableKeyPath<FormBuilder, Double?>, _ value: Double?) -> Bool {
    guard let value else { return false }
    if value >= 0 { self[keyPath: path] = value }
    return true
  }

  private func number(_ text: String) -> Double? { NumberText.read(text).flatMap { abs($0) <= 1e9 ? $0 : nil } }

  private func degrees(
    _ text: String, _ field: Field, _ rule: (Double, _ shown: String) -> String?
  ) throws(FormatError) -> Double {
    guard let value = NumberText.read(text) else {
      throw rejected("\(shown(text)) is not a number; expected degrees such as 46.0569", field)
    }
    if let reason = rule(value, String(text.prefix(40))) { throw rejected(reason, field) }
    return value
  }

  private func shown(_ text: String) -> String { String(text.prefix(40)).debugDescription }

  private func rejected(_ reason: String, _ field: Field) -> FormatError {
    FormatError(format: OsmAnd.format, place: FormatError.Place(byte: field.byte, path: field.name), reason: reason)
  }

  private func missing(_ name: String, _ expected: String) -> FormatError {
    FormatError(
      format: OsmAnd.format, place: FormatError.Place(byte: 0, path: name), reason: "there is no \(name); expected \(expected)")
  }

  consuming func record(received: Date) throws(FormatError) -> Record {
    guard let latitude else { throw missing("lat", "lat and lon, or location=latitude,longitude") }
    guard let longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw missing("lon", "lat and lon, or location=latitude,longitude")
    }
    let fix = Fix(
      time: time.map { Date(millisecondsSince1970: $0) } ?? received, coordinate: place, horizontalAccuracy: accuracy,
      altitude: altitude, verticalAccuracy: verticalAccuracy, speed: speed, course: course)
    var extras = Self.extras(others)
    if time == nil { extras.append(Array(#""time_source":"received""#.utf8)) }
    let text = extras.isEmpty ? nil : "{" + String(decoding: Array(extras.joined(separator: [0x2C])), as: UTF8.self) + "}"
    return Record(kind: .fix(fix), context: context, extras: text)
  }

  /// The values of a name that occurs several times become an array.
  private static func extras(_ fields: [Field]) -> [[UInt8]] {
    var names: [String] = []
    var values: [String: [[UInt8]]] = [:]
    for field in fields {
      var text: [UInt8] = []
      if let json = field.json { text = Array(json.utf8) } else { JSONWriter.string(field.value, to: &text) }
      if values[field.name] == nil { names.append(field.name) }
      values[field.name, default: []].append(text)
    }
    return names.map { name in
      var member: [UInt8] = []
      JSONWriter.string(name, to: &member)
      member.append(UInt8(ascii: ":"))
      let all = values[name] ?? []
      member += all.count == 1 ? all[0] : [0x5B] + all.joined(separator: [0x2C]) + [0x5D]
      return member
    }
  }
}
