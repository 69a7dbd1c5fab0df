internal import Foundation
internal import GodwitModel
internal import GodwitText

/// A report of Traccar Client, with the position in the object `location`.
struct TraccarReport {
  typealias Fault = JSONReader.Fault

  /// The record of the report; `nil` without a location.
  private(set) var record: Record?

  /// Reads the next report.
  /// - Parameters:
  ///   - json: the reader, before the report.
  ///   - device: the name of the device in the report.
  init(from json: inout JSONReader, device: String?) throws(Fault) {
    var (others, record): (UnmappedMembers, Record?) = (UnmappedMembers(), nil)
    var context = DeviceContext()
    try others.readObject(from: &json) { (json, key, others) throws(Fault) in
      if json.matches(key, "location"), try json.kind() == .object {
        record = try TraccarLocation(from: &json, others: &others).record(extras: nil)
        return true
      }
      // Dawarich's app sends these members next to the location.
      if try context.readTraccarState(key, from: &json, others: &others) { return true }
      let name = OsmAndKey(json.decoded(key))
      guard name == .secret || (name == .device && device != nil) else { return false }
      try json.skipValue()
      return true
    }
    record?.context.deviceID = device
    record?.extras = others.text
    if let level = context.batteryLevel { record?.context.batteryLevel = level }
    if let state = context.batteryState { record?.context.batteryState = state }
    if !context.motion.isEmpty { record?.context.motion = context.motion }
    self.record = record
  }
}

/// The object `location` of Traccar Client.
struct TraccarLocation {
  typealias Fault = JSONReader.Fault

  private enum Member: Int, KnownMember {
    case time, coordinates
    static let names: [StaticString] = ["timestamp", "coords"]
  }

  private enum Ordinate: Int, KnownMember {
    case latitude, longitude, accuracy, altitude, altitudeAccuracy, speed, speedAccuracy, course, courseAccuracy

    static let names: [StaticString] = [
      "latitude", "longitude", "accuracy", "altitude", "altitude_accuracy", "speed", "speed_accuracy", "heading",
      "heading_accuracy",
    ]

    /// Whether the location is rejected if this member is invalid.
    var isNeeded: Bool { self == .latitude || self == .longitude }
  }

  /// The offset of the location in bytes.
  private let start: Int
  private var time: Int64?
  private var latitude, longitude: Double?
  private var accuracy, altitude, altitudeAccuracy, speed, speedAccuracy, course, courseAccuracy: Double?
  private var context = DeviceContext()

  /// Reads the next location.
  /// - Parameters:
  ///   - json: the reader, before the location.
  ///   - others: gets the unknown members.
  init(from json: inout JSONReader, others: inout UnmappedMembers) throws(Fault) {
    _ = json.peek()
    start = json.position
    try others.readObject(from: &json) { (json, key, others) throws(Fault) in
      switch Member(key, in: json) {
      case .time: time = try json.timestamp()
      case .coordinates:
        try others.readObject(named: "coords", from: &json) { (json, key) throws(Fault) in try readOrdinate(key, from: &json) }
      case nil:
        if try context.readTraccarState(key, from: &json, others: &others) { return true }
        // Dawarich's app sends these members without the object `coords`.
        if try readOrdinate(key, from: &json) { return true }
        guard OsmAndKey(json.decoded(key)) == .secret else { return false }
        try json.skipValue()
      }
      return true
    }
  }

  /// Reads a member of `coords`. - Returns: `false` if it is unknown or has an invalid value.
  private mutating func readOrdinate(_ key: JSONReader.Text, from json: inout JSONReader) throws(Fault) -> Bool {
    guard let member = Ordinate(key, in: json) else { return false }
    do throws(Fault) { return try read(member, from: &json) } catch {
      if error.isSyntax || member.isNeeded { throw error }
      return false
    }
  }

  private mutating func read(_ member: Ordinate, from json: inout JSONReader) throws(Fault) -> Bool {
    switch member {
    case .latitude: latitude = try json.quantity(RegionValues.latitude)
    case .longitude: longitude = try json.quantity(RegionValues.longitude)
    case .accuracy: accuracy = try json.knownNumber()
    case .altitude: altitude = try json.finiteNumber()
    case .altitudeAccuracy: altitudeAccuracy = try json.knownNumber()
    case .speed: speed = try json.knownNumber()
    case .speedAccuracy: speedAccuracy = try json.knownNumber()
    case .course:
      let course = try json.knownNumber()
      guard course.map({ $0 <= 360 }) ?? true else { return false }
      self.course = course
    case .courseAccuracy: courseAccuracy = try json.knownNumber()
    }
    return true
  }

  /// Makes the record.
  /// - Parameter extras: the other members of the request.
  func record(extras: @autoclosure () -> String?) throws(Fault) -> Record {
    guard let time else { throw missing("there is no time", ".timestamp") }
    guard let latitude else { throw missing("there is no latitude", ".coords.latitude") }
    guard let longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw missing("there is no longitude", ".coords.longitude")
    }
    let fix = Fix(
      time: Date(millisecondsSince1970: time), coordinate: place, horizontalAccuracy: accuracy, altitude: altitude,
      verticalAccuracy: altitudeAccuracy, speed: speed, speedAccuracy: speedAccuracy, course: course,
      courseAccuracy: courseAccuracy)
    return Record(kind: .fix(fix), context: context, extras: extras())
  }

  private func missing(_ reason: String, _ path: String) -> Fault {
    Fault(offset: start, isSyntax: false, reason: reason, path: path)
  }
}

/// Objects with the state of the device.
private enum TraccarStateMember: Int, KnownMember {
  case battery, activity
  static let names: [StaticString] = ["battery", "activity"]
}

/// Members of the object `battery`.
private enum TraccarBatteryMember: Int, KnownMember {
  case level, isCharging
  static let names: [StaticString] = ["level", "is_charging"]
}

extension DeviceContext {
  /// Reads the member `battery` or `activity` if it is an object. - Returns: `false` for other members.
  fileprivate mutating func readTraccarState(
    _ key: JSONReader.Text, from json: inout JSONReader, others: inout UnmappedMembers
  ) throws(JSONReader.Fault) -> Bool {
    guard let member = TraccarStateMember(key, in: json), try json.kind() == .object else { return false }
    switch member {
    case .battery:
      try others.readObject(named: "battery", from: &json) { (json, key) throws(JSONReader.Fault) in
        try readTraccarBattery(key, from: &json)
      }
    case .activity:
      try others.readObject(named: "activity", from: &json) { (json, key) throws(JSONReader.Fault) in
        guard json.matches(key, "type"), try json.kind() == .string, let motion = MotionWord.read(json.decoded(try json.string()))
        else { return false }
        self.motion = motion
        return true
      }
    }
    return true
  }

  /// Reads a member of `battery`. - Returns: `false` if it is unknown or has an invalid value.
  private mutating func readTraccarBattery(
    _ key: JSONReader.Text, from json: inout JSONReader
  ) throws(JSONReader.Fault) -> Bool {
    do throws(JSONReader.Fault) {
      switch TraccarBatteryMember(key, in: json) {
      case .level:
        let level = try json.knownNumber()
        guard level.map({ $0 <= 1 }) ?? true else { return false }
        batteryLevel = level
      case .isCharging:
        guard let isCharging = try json.lossyFlag() else { return false }
        batteryState = isCharging ? .charging : .unplugged
      case nil: return false
      }
    } catch {
      if error.isSyntax { throw error }
      return false
    }
    return true
  }
}
