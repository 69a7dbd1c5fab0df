internal import Foundation
internal import GodwitModel

/// The rules for the values of a region in all formats: ``GodwitModel/RegionRules``, with the rejected value in the reason.
/// A rule returns the reason of a rejection, or `nil` for a valid value.
package enum RegionValues {
  package static func id(_ text: String) -> String? { word(text, RegionRules.idLength, .id, "id") }

  package static func name(_ text: String) -> String? {
    // Bytes are counted first, because counting the characters of every name would be slow, and a text never has more
    // characters than bytes.
    text.utf8.count > RegionRules.nameLength.upperBound
      && !RegionRules.nameLength.contains(text.unicodeScalars.count)
      ? rejection("this", "name", .name) : nil
  }

  static func tag(_ text: String) -> String? { word(text, RegionRules.tagLength, .tags, "tag") }

  /// - Parameter shown: the text of the number.
  static func radius(_ value: Double, shown: String) -> String? {
    value > 0 && value <= RegionRules.greatestRadius ? nil : rejection(shown, "radius", .radius)
  }

  static func dwell(_ value: Double, shown: String) -> String? {
    value > 0 && value <= RegionRules.maximumDwell ? nil : rejection(shown, "dwell time", .dwell)
  }

  package static func latitude(_ value: Double, shown: String) -> String? {
    value >= -90 && value <= 90 ? nil : "latitude \(shown) is outside −90…90"
  }

  package static func longitude(_ value: Double, shown: String) -> String? {
    value >= -180 && value <= 180 ? nil : "longitude \(shown) is outside −180…180"
  }

  /// Returns the minutes since midnight of a time of day such as `09:30`; `24:00` is the end of the day. `nil` for other
  /// texts.
  static func minutes(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
    var digits: [Int] = []
    for index in [0, 1, 3, 4] {
      let digit = bytes[index] &- 48
      guard digit <= 9 else { return nil }
      digits.append(Int(digit))
    }
    let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
    guard minutes < 60, hours < 24 || hours == 24 && minutes == 0 else { return nil }
    return hours * 60 + minutes
  }

  static func timeZone(_ name: String) -> String? {
    RegionRules.timeZoneLength.contains(name.unicodeScalars.count) && TimeZone(identifier: name) != nil
      ? nil : rejection(name.prefix(64).debugDescription, "time zone", .scheduleTimeZone)
  }

  private static func word(
    _ text: String, _ length: ClosedRange<Int>, _ member: RegionRules.Member, _ name: String
  ) -> String? {
    var count = 0
    // Control characters are below the space, and U+007F to U+009F.
    for scalar in text.unicodeScalars {
      count += 1
      if scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) { return rejection("this", name, member) }
    }
    return length.contains(count) ? nil : rejection("this", name, member)
  }

  private static func rejection(_ shown: String, _ name: String, _ member: RegionRules.Member) -> String {
    "\(shown) is not a valid \(name); expected \(member.expected)"
  }
}

extension RegionSchedule.Weekday {
  /// The name in the format of Godwit's API.
  var name: StaticString {
    switch self {
    case .monday: "monday"
    case .tuesday: "tuesday"
    case .wednesday: "wednesday"
    case .thursday: "thursday"
    case .friday: "friday"
    case .saturday: "saturday"
    case .sunday: "sunday"
    }
  }
}
