internal import Foundation
internal import GodwitModel
internal import GodwitText

/// The members of a Colota location.
struct ColotaLocation {
  typealias Fault = JSONReader.Fault

  private enum Member: Int, KnownMember {
    case time, latitude, longitude
    case accuracy, altitude, speed, course, battery, batteryState

    static let names: [StaticString] = ["tst", "lat", "lon", "acc", "alt", "vel", "bear", "batt", "bs"]

    /// Whether the location is rejected if this member is invalid.
    var isNeeded: Bool { rawValue <= Member.longitude.rawValue }
  }

  /// The offset of the location in bytes.
  private let start: Int
  private var time: Int64?
  private var latitude, longitude: Double?
  private var accuracy, altitude, speed, course: Double?
  private var context = DeviceContext()
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

  /// Reads one member.
  /// - Returns: `false` if no member of a record can hold the value.
  private mutating func read(_ member: Member, from json: inout JSONReader) throws(Fault) -> Bool {
    switch member {
    case .time: time = try json.timestamp()
    case .latitude: latitude = try json.quantity(RegionValues.latitude)
    case .longitude: longitude = try json.quantity(RegionValues.longitude)
    case .accuracy: accuracy = try json.knownNumber()
    case .altitude: altitude = try json.finiteNumber()
    case .speed: speed = try json.knownNumber()
    case .course:
      let course = try json.knownNumber()
      guard course.map({ $0 <= 360 }) ?? true else { return false }
      self.course = course
    case .battery:
      let percent = try json.knownNumber()
      guard percent.map({ $0 <= 100 }) ?? true else { return false }
      context.batteryLevel = percent.map { $0 / 100 }
    case .batteryState:
      guard let value = try json.finiteNumber() else { return true }
      guard let number = UInt8(exactly: value), let state = BatteryState(rawValue: number) else { return false }
      context.batteryState = state
    }
    return true
  }

  /// Makes the record.
  /// - Throws: a fault if the time or the position is missing.
  consuming func record() throws(Fault) -> Record {
    guard let time else { throw missing("a location needs a time", ".\(Member.time.name)") }
    guard let latitude else { throw missing("a location needs a latitude", ".\(Member.latitude.name)") }
    guard let longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw missing("a location needs a longitude", ".\(Member.longitude.name)")
    }
    let fix = Fix(
      time: Date(millisecondsSince1970: time), coordinate: place, horizontalAccuracy: accuracy, altitude: altitude, speed: speed,
      course: course)
    return Record(kind: .fix(fix), context: context, extras: others.text)
  }

  private func missing(_ reason: String, _ path: String) -> Fault {
    Fault(offset: start, isSyntax: false, reason: reason, path: path)
  }
}
