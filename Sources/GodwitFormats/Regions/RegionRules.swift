internal import Foundation
internal import GodwitModel

/// What each value of a region must be, whatever language it came in. A rule gives the reason of its refusal, or nothing.
enum RegionRules {
  /// Seconds: 30 days.
  static let longestDwell = 2_592_000.0
  /// Metres: more is no fence any more but a continent.
  static let largestRadius: Meters = 1_000_000

  static func id(_ text: String) -> String? {
    if text.isEmpty { return "an id must not be empty" }
    // Bytes first: to count the characters of every id would be slow, and most have fewer bytes than they may have characters.
    if text.utf8.count > 128, text.unicodeScalars.count > 128 { return "an id has at most 128 characters" }
    if hasControl(text) { return "an id has no control characters" }
    return nil
  }

  static func name(_ text: String) -> String? {
    text.utf8.count > 1024 ? "a name has at most 1024 bytes" : nil
  }

  static func tag(_ text: String) -> String? {
    if text.isEmpty { return "a tag must not be empty" }
    if text.utf8.count > 64, text.unicodeScalars.count > 64 { return "a tag has at most 64 characters" }
    return hasControl(text) ? "a tag has no control characters" : nil
  }

  static let mostTags = 64
  static let mostWindows = 64

  /// - Parameter shown: the number as it was written.
  static func radius(_ value: Double, shown: String) -> String? {
    value > 0 && value <= largestRadius ? nil : "\(shown) is no radius; expected metres, more than 0 and at most 1000000"
  }

  static func dwell(_ value: Double, shown: String) -> String? {
    value > 0 && value <= longestDwell
      ? nil : "\(shown) is no dwell time; expected seconds, more than 0 and at most 2592000 (30 days)"
  }

  static func latitude(_ value: Double, shown: String) -> String? {
    value >= -90 && value <= 90 ? nil : "latitude \(shown) is outside −90…90"
  }

  static func longitude(_ value: Double, shown: String) -> String? {
    value >= -180 && value <= 180 ? nil : "longitude \(shown) is outside −180…180"
  }

  /// Minutes of a time of the day such as `09:30`; `24:00` is the end of the day. `nil` for anything else.
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
    name.utf8.count <= 64 && TimeZone(identifier: name) != nil
      ? nil : "\(name.prefix(64).debugDescription) is no time zone; expected a name such as \"Europe/Ljubljana\""
  }

  private static func hasControl(_ text: String) -> Bool {
    // Everything below the space, and U+007F to U+009F, whose first byte in UTF-8 is 0xC2.
    var before: UInt8 = 0
    for byte in text.utf8 {
      if byte < 0x20 || byte == 0x7F || before == 0xC2 && byte < 0xA0 { return true }
      before = byte
    }
    return false
  }
}

extension RegionSchedule.Weekday {
  /// As the wire writes it.
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

/// Finds the name that somebody probably meant.
enum NearestName {
  /// `; did you mean "radius"?`, or nothing where no name is near.
  static func hint(_ word: String, among names: [StaticString]) -> String {
    let typed = Array(word.lowercased().utf8.prefix(32))
    let best = names.map { name in (name, distance(typed, Array(name.description.utf8))) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= 2 || typed.count >= 3 && best.0.description.hasPrefix(word.lowercased()) else { return "" }
    return "; did you mean \"\(best.0)\"?"
  }

  /// Letters to change, to put in or to leave out.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (line, one) in a.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, other) in b.enumerated() {
        let changed = diagonal + (one == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
      }
    }
    return row[b.count]
  }
}
