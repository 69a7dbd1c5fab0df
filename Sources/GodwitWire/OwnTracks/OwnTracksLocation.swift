internal import Foundation
internal import GodwitModel
internal import GodwitText

/// The members of a message `location`.
struct OwnTracksLocation {
  typealias Fault = JSONReader.Fault

  private enum Member: Int, KnownMember {
    case type, time, latitude, longitude
    case accuracy, altitude, verticalAccuracy, speed, course, battery, batteryState, wifi, motion, id, image

    static let names: [StaticString] = [
      "_type", "tst", "lat", "lon", "acc", "alt", "vac", "vel", "cog", "batt", "bs", "SSID", "motionactivities", "_id", "image",
    ]

    /// Whether the message is rejected if this member is invalid.
    var isNeeded: Bool { rawValue <= Member.longitude.rawValue }
  }

  /// The offset of the message in bytes.
  private let start: Int
  private var isLocation = false
  private var id: RecordID?
  private var time: Date?
  private var latitude, longitude: Double?
  private var accuracy, altitude, verticalAccuracy, speed, course: Double?
  private var isAltitudeKnown = true
  private var context = DeviceContext()
  /// The number of characters of a picture that is too large to be stored.
  private var imageLeftOut: Int?
  private var others = UnmappedMembers()

  /// Reads the next message.
  init(from json: inout JSONReader) throws(Fault) {
    _ = json.peek()
    start = json.position
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
    switch member {
    case .type: isLocation = try json.text { _ in nil } == "location"
    case .time:
      time = try json.quantity(OwnTracks.refuseSeconds).map { Date(millisecondsSince1970: Int64(($0 * 1000).rounded())) }
    case .latitude: latitude = try json.quantity(RegionValues.latitude)
    case .longitude: longitude = try json.quantity(RegionValues.longitude)
    case .accuracy: accuracy = try json.positive(Self.finite)
    case .altitude: altitude = try json.quantity(Self.finite)
    case .verticalAccuracy:
      // A negative accuracy means that the altitude is unknown.
      let value = try json.quantity(Self.finite)
      isAltitudeKnown = value.map { $0 >= 0 } ?? true
      verticalAccuracy = isAltitudeKnown ? value : nil
    case .speed: speed = try json.positive(Self.finite).map { $0 / 3.6 }
    case .course: course = try json.positive { value, _ in value <= 360 ? nil : "expected degrees" }
    case .battery:
      context.batteryLevel = try json.positive { value, _ in value <= 100 ? nil : "expected percent" }.map { $0 / 100 }
    case .batteryState:
      guard let value = try json.quantity(Self.finite) else { return true }
      guard let number = UInt8(exactly: value), let state = BatteryState(rawValue: number) else { return false }
      context.batteryState = state
    case .wifi:
      let name = try json.text { _ in nil }
      if !name.isEmpty { context.wifi = name }
    case .motion: return try readMotion(from: &json)
    case .id:
      guard let id = RecordID(try json.text { _ in nil }) else { return false }
      self.id = id
    case .image:
      let size = try json.skipValue().count - 2
      guard size > OwnTracks.largestImage else { return false }
      imageLeftOut = size
    }
    return true
  }

  private static func finite(_ value: Double, _ shown: String) -> String? { value.isFinite ? nil : "\(shown) is too large" }

  /// - Returns: `false` if there are unknown words.
  private mutating func readMotion(from json: inout JSONReader) throws(Fault) -> Bool {
    var motion: Motion = []
    var isKnown = true
    try json.forEachElement { (json, _) throws(Fault) in
      switch try json.text({ _ in nil }) {
      case "stationary": motion.insert(.stationary)
      case "walking": motion.insert(.walking)
      case "running": motion.insert(.running)
      case "automotive": motion.insert(.driving)
      case "cycling": motion.insert(.cycling)
      default: isKnown = false
      }
    }
    context.motion = motion
    return isKnown
  }

  /// Makes the record.
  /// - Parameter received: the time of receipt; `nil`: times are not reinterpreted as seconds since 2001.
  consuming func record(received: Date?) throws(Fault) -> Record {
    guard isLocation else { throw missing("expected a location", ".\(Member.type.name)") }
    guard var time else { throw missing("a location needs a time", ".\(Member.time.name)") }
    if let received, let repaired = Self.repaired(time, received) {
      time = repaired
      others.store("time_repaired", text: "2001")
    }
    if let imageLeftOut { others.store("image_left_out", text: "\(imageLeftOut) characters") }
    guard let latitude else { throw missing("a location needs a latitude", ".\(Member.latitude.name)") }
    guard let longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw missing("a location needs a longitude", ".\(Member.longitude.name)")
    }
    let fix = Fix(
      time: time, coordinate: place, horizontalAccuracy: accuracy, altitude: isAltitudeKnown ? altitude : nil,
      verticalAccuracy: verticalAccuracy, speed: speed, course: course)
    return Record(id: id, kind: .fix(fix), context: context, extras: others.text)
  }

  private func missing(_ reason: String, _ path: String) -> Fault {
    Fault(offset: start, isSyntax: false, reason: reason, path: path)
  }

  /// Returns the corrected time of a time in seconds since 2001; `nil` for other times.
  private static func repaired(_ time: Date, _ received: Date) -> Date? {
    let year2010 = Date(timeIntervalSince1970: 1_262_304_000)
    guard time < year2010 else { return nil }
    let moved = time.addingTimeInterval(Date.timeIntervalBetween1970AndReferenceDate)
    return moved >= year2010 && moved <= received.addingTimeInterval(DayLength.seconds) ? moved : nil
  }
}

extension JSONReader {
  /// Reads a number that a rule accepts; `nil` for a negative number, which means unknown.
  fileprivate mutating func positive(_ rule: (Double, _ shown: String) -> String?) throws(Fault) -> Double? {
    try quantity(rule).flatMap { $0 >= 0 ? $0 : nil }
  }
}
