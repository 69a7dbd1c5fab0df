internal import Foundation
package import GodwitModel
internal import GodwitText

extension OverlandReader {
  /// Reads a feature as a record.
  package mutating func record() throws(Fault) -> Record {
    _ = json.peek()
    let start = json.position
    guard json.base[start] == UInt8(ascii: "{") else {
      throw json.unexpected("expected a GeoJSON feature", at: start)
    }
    json.position += 1
    var builder = OverlandBuilder(start: start)
    if !json.isEmpty(closing: UInt8(ascii: "}")) {
      repeat {
        _ = json.peek()
        let member = json.position
        let key = try json.key()
        switch key.count {
        case 4 where json.matches(key, "type"): _ = try json.skipValue()
        case 8 where json.matches(key, "geometry"): try geometry(&builder)
        case 10 where json.matches(key, "properties"): try properties(&builder)
        case 2 where json.matches(key, "id"):
          let range = try json.skipValue()
          builder.id = identifier(in: range)
          if builder.id == nil { try builder.store(member..<json.position, in: json) }
        default:
          try json.skipValue()
          try builder.store(member..<json.position, in: json)
        }
      } while try json.hasMore(closing: UInt8(ascii: "}"))
    }
    return try builder.record(of: json)
  }

  private func identifier(in range: Range<Int>) -> RecordID? {
    guard range.count > 2, json.base[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
    return RecordID(utf8: UnsafeBufferPointer(start: json.base + range.lowerBound + 1, count: range.count - 2))
  }

  // MARK: Geometry

  private mutating func geometry(_ builder: inout OverlandBuilder) throws(Fault) {
    let start = json.position
    switch try json.kind() {
    case .null:
      try json.null()
      return
    case .object: json.position += 1
    default: throw json.unexpected("expected a GeoJSON point", at: start, path: ".geometry")
    }
    guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return }
    repeat {
      _ = json.peek()
      let key = try json.key()
      if json.matches(key, "coordinates") { try coordinates(&builder) } else { try json.skipValue() }
    } while try json.hasMore(closing: UInt8(ascii: "}"))
  }

  private mutating func coordinates(_ builder: inout OverlandBuilder) throws(Fault) {
    _ = json.peek()
    let start = json.position
    guard json.base[start] == UInt8(ascii: "[") else {
      throw json.unexpected("expected [longitude, latitude]", at: start, path: ".geometry.coordinates")
    }
    if builder.hasPlace {
      throw json.unexpected("\"coordinates\" is given twice", at: start, path: ".geometry.coordinates")
    }
    json.position += 1
    builder.placeOffset = start
    builder.longitude = try ordinate(0)
    guard try json.hasMore(closing: UInt8(ascii: "]")) else {
      throw json.unexpected("expected [longitude, latitude]", at: start, path: ".geometry.coordinates")
    }
    builder.latitude = try ordinate(1)
    builder.hasPlace = true
    var index = 2
    while try json.hasMore(closing: UInt8(ascii: "]")) {
      // The third number in GeoJSON is the altitude. The property `altitude`, which the app sends, takes precedence.
      let altitude = try ordinate(index)
      if index == 2, builder.altitude == nil, altitude.isFinite { builder.altitude = altitude }
      index += 1
    }
  }

  private mutating func ordinate(_ index: Int) throws(Fault) -> Double {
    let first = json.peek()
    if first &- 48 <= 9 || first == UInt8(ascii: "-") { return try json.number() }
    let start = json.position
    do throws(Fault) {
      if let number = try json.lossyNumber() { return number }
    } catch {
      if error.isSyntax { throw error }
    }
    throw json.unexpected("expected a number of degrees", at: start, path: ".geometry.coordinates[\(index)]")
  }

  // MARK: Properties

  private mutating func properties(_ builder: inout OverlandBuilder) throws(Fault) {
    let start = json.position
    guard json.peek() == UInt8(ascii: "{") else {
      throw json.unexpected("expected an object", at: start, path: ".properties")
    }
    json.position += 1
    builder.hasProperties = true
    guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return }
    var place = 0
    repeat {
      _ = json.peek()
      let member = json.position
      let name = try json.key()
      if let key = keys.key(name, in: json, place: place) {
        let bit: UInt32 = 1 << UInt32(key.rawValue)
        if builder.seen & bit != 0 {
          throw json.unexpected("\"\(key.name)\" is given twice", at: member, path: ".properties.\(key.name)")
        }
        builder.seen |= bit
        // An invalid value of a known property is stored unchanged in the extras. The record stays valid.
        let value = json.position
        do throws(Fault) {
          if try !readMember(key, &builder) {
            try builder.store(member..<json.position, in: json)
          } else if key.tellsEvents {
            builder.eventMembers.append((key: key, member: member..<json.position))
          }
        } catch {
          if error.isSyntax || key == .timestamp { throw error }
          json.position = value
          try json.skipValue()
          try builder.store(member..<json.position, in: json)
        }
      } else {
        try json.skipValue()
        try builder.store(member..<json.position, in: json)
      }
      place &+= 1
    } while try json.hasMore(closing: UInt8(ascii: "}"))
  }

  /// Reads a known property. - Returns: `false` if the value is valid, but no property of a record can hold it.
  @inline(__always)
  private mutating func readMember(_ key: OverlandKey, _ builder: inout OverlandBuilder) throws(Fault) -> Bool {
    switch key {
    case .timestamp: builder.time = try timestamp()
    case .altitude:
      // The app has no value for an unknown altitude. Only its accuracy is negative.
      guard let value = try quantity() else { return true }
      builder.altitude = value
    case .speed: builder.speed = try nonNegative()
    case .course: builder.course = try nonNegative()
    case .horizontalAccuracy: builder.horizontalAccuracy = try nonNegative()
    case .verticalAccuracy: builder.verticalAccuracy = try nonNegative()
    case .speedAccuracy: builder.speedAccuracy = try nonNegative()
    case .courseAccuracy: builder.courseAccuracy = try nonNegative()
    case .motion: return try motion(&builder)
    case .batteryLevel:
      guard let level = try nonNegative() else { return true }
      guard level <= 1 else { throw json.unexpected("expected 0…1", at: json.position) }
      builder.context.batteryLevel = level
    case .batteryState: return try batteryState(&builder)
    case .wifi: builder.context.wifi = try name(slot: 0)
    case .deviceID: builder.context.deviceID = try name(slot: 1)
    case .uniqueID: builder.context.uniqueID = try name(slot: 2)
    case .tripID: builder.context.tripID = try name(slot: 3)
    case .action: builder.action = try name(slot: 4)
    case .type:
      // A value that is not a string does not mark a trip and is stored unchanged in the extras.
      guard json.peek() == UInt8(ascii: "\"") else { throw json.unexpected("expected a string", at: json.position) }
      builder.isTrip = json.matches(try json.string(), "trip")
      return builder.isTrip
    case .arrivalDate: builder.arrival = try optionalDate()
    case .departureDate: builder.departure = try optionalDate()
    case .region:
      builder.region = OverlandRegion(Array(json.verbatim(try json.skipValue()).utf8))
      return false
    default: return try readTripProperty(key, &builder)
    }
    return true
  }

  /// Reads a number of at most 1e9 in magnitude; `nil` for `null`. Larger numbers are not plausible measurements.
  @inline(__always)
  private mutating func quantity() throws(Fault) -> Double? {
    let first = json.peek()
    let value: Double?
    if first &- 48 <= 9 || first == UInt8(ascii: "-") {
      value = try json.number()
    } else {
      value = try json.lossyNumber()
    }
    guard let value else { return nil }
    guard abs(value) <= 1e9 else { throw json.unexpected("the number is too large", at: json.position) }
    return value
  }

  /// Reads a number; `nil` for a negative number, which means unknown.
  @inline(__always)
  private mutating func nonNegative() throws(Fault) -> Double? {
    guard let value = try quantity(), value >= 0 else { return nil }
    return value
  }

  /// Reads a string that many records share; `nil` for an empty string, which means unknown.
  @inline(__always)
  private mutating func name(slot: Int) throws(Fault) -> String? {
    if json.peek() == UInt8(ascii: "n") {
      try json.null()
      return nil
    }
    guard json.peek() == UInt8(ascii: "\"") else { throw json.unexpected("expected a string", at: json.position) }
    let text = try json.string()
    return text.count == 0 ? nil : strings.string(text, in: json, slot: slot)
  }

  private mutating func timestamp() throws(Fault) -> Int64 {
    let start = json.position
    let milliseconds: Int64?
    switch json.peek() {
    case UInt8(ascii: "\""):
      let text = try json.string()
      milliseconds = RFC3339.milliseconds(
        utf8: UnsafeBufferPointer(start: json.base + text.start, count: text.count))
      if milliseconds == nil {
        throw json.unexpected(
          "\"\(String(json.decoded(text).prefix(40)))\" is not a time; expected one such as 2026-11-20T08:30:00Z",
          at: start, path: ".properties.timestamp")
      }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      // Unix time, in seconds or in milliseconds.
      let number = try json.number()
      milliseconds = abs(number) < 1e11 ? Int64((number * 1000).rounded()) : abs(number) < 1e15 ? Int64(number) : nil
    default:
      throw json.unexpected("expected a time such as 2026-11-20T08:30:00Z", at: start, path: ".properties.timestamp")
    }
    guard let milliseconds, TimestampParser.validTimes.contains(milliseconds) else {
      throw json.unexpected(
        "the time is outside the years 1970 to 2199", at: start, path: ".properties.timestamp")
    }
    return milliseconds
  }

  private mutating func optionalDate() throws(Fault) -> Date? {
    if json.peek() == UInt8(ascii: "n") {
      try json.null()
      return nil
    }
    return Date(millisecondsSince1970: try timestamp())
  }

  @inline(__always)
  private mutating func motion(_ builder: inout OverlandBuilder) throws(Fault) -> Bool {
    let start = json.peek()
    if start == UInt8(ascii: "\"") {
      return builder.context.motion.insert(try json.string(), of: json)
    }
    guard start == UInt8(ascii: "[") else { throw json.unexpected("expected an array", at: json.position) }
    json.position += 1
    guard !json.isEmpty(closing: UInt8(ascii: "]")) else { return true }
    var isKnown = true
    repeat {
      guard json.peek() == UInt8(ascii: "\"") else { throw json.unexpected("expected a string", at: json.position) }
      if !builder.context.motion.insert(try json.string(), of: json) { isKnown = false }
    } while try json.hasMore(closing: UInt8(ascii: "]"))
    return isKnown
  }

  private mutating func batteryState(_ builder: inout OverlandBuilder) throws(Fault) -> Bool {
    switch try json.kind() {
    case .null: try json.null()
    // The Android app sends whether the battery is charging.
    case .boolean: builder.context.batteryState = try json.boolean() ? .charging : .unplugged
    case .string:
      guard let state = BatteryState(try json.string(), of: json) else { return false }
      builder.context.batteryState = state
    default: throw json.unexpected("expected a string", at: json.position)
    }
    return true
  }

  private mutating func readTripProperty(_ key: OverlandKey, _ builder: inout OverlandBuilder) throws(Fault) -> Bool {
    var trip = builder.trip ?? OverlandTrip()
    switch key {
    case .start: trip.start = try timestamp()
    case .end: trip.end = try timestamp()
    case .mode: trip.mode = try name(slot: 5) ?? ""
    case .startLocation:
      let range = try json.skipValue()
      trip.startFix = nestedFix(in: range)
      guard trip.startFix != nil || isNull(range) else { return false }
    case .endLocation:
      let range = try json.skipValue()
      trip.endFix = nestedFix(in: range)
      guard trip.endFix != nil || isNull(range) else { return false }
    case .duration: trip.duration = try nonNegative()
    case .distance: trip.distance = try nonNegative()
    case .stoppedAutomatically: trip.stoppedAutomatically = try json.boolean()
    case .steps: trip.steps = try nonNegative().map { Int($0) }
    default: return false
    }
    builder.trip = trip
    return true
  }

  private func isNull(_ value: Range<Int>) -> Bool { json.base[value.lowerBound] == UInt8(ascii: "n") }

  private mutating func nestedFix(in range: Range<Int>) -> Fix? {
    guard case .fix(let fix)? = feature(in: range)?.kind else { return nil }
    return fix
  }
}
