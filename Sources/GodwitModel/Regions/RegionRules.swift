/// The limits of a region's members, and their descriptions.
public enum RegionRules {
  /// Length of an id in Unicode scalars, without control characters.
  public static let idLength = 1...128
  /// Length of a name in Unicode scalars.
  public static let nameLength = 0...256
  /// Number of tags.
  public static let tagCount = 0...64
  /// Length of a tag in Unicode scalars, without control characters.
  public static let tagLength = 1...64
  /// Maximum radius of a circle in metres. The radius must be more than 0.
  public static let greatestRadius: Meters = 1_000_000
  /// Number of corners of all polygons together.
  public static let cornerCount = 3...100_000
  /// Maximum seconds of a dwell (30 days). A dwell must be more than 0.
  public static let maximumDwell = 2_592_000.0
  /// Number of windows of a schedule.
  public static let windowCount = 1...64
  /// Length of a time zone's name in Unicode scalars.
  public static let timeZoneLength = 1...64
  /// Size of ``Region/extras`` in bytes.
  public static let extrasSize = 2...65_536

  /// A member of a region, by its JSON name.
  public enum Member: String, Sendable, Hashable, CaseIterable {
    case id, name, tags, radius, polygons, dwell
    case scheduleWindows = "schedule.windows"
    case scheduleTimeZone = "schedule.time_zone"
    case extras

    /// The permitted values, as the rest of a sentence that begins with "expected".
    public var expected: String {
      switch self {
      case .id: "\(RegionRules.words(idLength)) characters, none of them a control character"
      case .name: "at most \(nameLength.upperBound) characters"
      case .tags:
        "at most \(tagCount.upperBound) tags, none twice, of \(RegionRules.words(tagLength)) characters, "
          + "none of them a control character"
      case .radius: "metres more than 0, at most \(Int(greatestRadius))"
      case .polygons: "at most \(cornerCount.upperBound) corners, all polygons together"
      case .dwell: "seconds more than 0, at most \(Int(maximumDwell)) (30 days)"
      case .scheduleWindows:
        "\(RegionRules.words(windowCount)) windows, with at least one day each, from minute 0 to 1439 of the day, "
          + "to minute 1 to 1440"
      case .scheduleTimeZone: "a name of the IANA time zone database, such as Europe/Ljubljana"
      case .extras: "a JSON object of at most \(extrasSize.upperBound) bytes"
      }
    }
  }

  fileprivate static func words(_ range: ClosedRange<Int>) -> String { "\(range.lowerBound) to \(range.upperBound)" }
}

/// An invalid member of a region.
public struct RegionFault: Error, Sendable, Hashable, CustomStringConvertible {
  public var member: RegionRules.Member
  /// Index of the tag or window, from 0.
  public var index: Int?

  /// - Parameters:
  ///   - member: The invalid member.
  ///   - index: Index of the tag or window, from 0.
  public init(_ member: RegionRules.Member, at index: Int? = nil) {
    self.member = member
    self.index = index
  }

  /// The JSON path of the member: `radius`, `tags[3]`, `schedule.windows[0]`.
  public var path: String { member.rawValue + (index.map { "[\($0)]" } ?? "") }

  /// A sentence without its full stop: "expected metres more than 0, at most 1000000".
  public var reason: String { "expected \(member.expected)" }

  public var description: String { "\(path): \(reason)" }
}

extension Region {
  /// Checks all members. Impossible values (a coordinate out of range, a ring that crosses itself) cannot occur, because their
  /// initializers reject them.
  /// - Throws: The first ``RegionFault``.
  public func check() throws(RegionFault) {
    guard RegionRules.isWord(id, RegionRules.idLength) else { throw RegionFault(.id) }
    guard RegionRules.nameLength.contains(name.unicodeScalars.count) else { throw RegionFault(.name) }
    try checkTags()
    switch shape {
    case .circle(let circle):
      // NaN fails every comparison.
      guard circle.radius > 0, circle.radius <= RegionRules.greatestRadius else { throw RegionFault(.radius) }
    case .polygons(let area):
      guard RegionRules.cornerCount.contains(area.cornerCount) else { throw RegionFault(.polygons) }
    case .beacon: break
    }
    if let dwell {
      guard dwell > 0, dwell <= RegionRules.maximumDwell else { throw RegionFault(.dwell) }
    }
    try schedule?.check()
    if let extras {
      guard RegionRules.extrasSize.contains(extras.utf8.count) else { throw RegionFault(.extras) }
    }
  }

  private func checkTags() throws(RegionFault) {
    guard RegionRules.tagCount.contains(tags.count) else { throw RegionFault(.tags) }
    var seen: Set<String> = []
    for (index, tag) in tags.enumerated() {
      guard RegionRules.isWord(tag, RegionRules.tagLength), seen.insert(tag).inserted else {
        throw RegionFault(.tags, at: index)
      }
    }
  }
}

extension RegionSchedule {
  /// Checks all windows.
  /// - Throws: The first ``RegionFault``.
  public func check() throws(RegionFault) {
    guard RegionRules.windowCount.contains(windows.count) else { throw RegionFault(.scheduleWindows) }
    for (index, window) in windows.enumerated() {
      guard !window.days.isEmpty, (0..<1440).contains(window.from), (1...1440).contains(window.to) else {
        throw RegionFault(.scheduleWindows, at: index)
      }
    }
    if let timeZone {
      guard RegionRules.isWord(timeZone, RegionRules.timeZoneLength) else { throw RegionFault(.scheduleTimeZone) }
    }
  }
}

extension RegionRules {
  fileprivate static func isWord(_ text: String, _ length: ClosedRange<Int>) -> Bool {
    length.contains(text.unicodeScalars.count) && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
