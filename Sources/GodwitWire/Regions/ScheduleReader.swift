internal import GodwitModel
internal import GodwitText

/// Reads the schedules of a document.
struct ScheduleReader {
  typealias Fault = JSONReader.Fault

  private enum Member: Int, KnownMember {
    case windows, timeZone
    static let names: [StaticString] = ["windows", "time_zone"]
  }

  /// The last valid time zone. Most regions of a document have the same time zone, so it is checked once.
  private var knownZone: String?

  /// Reads `{"windows":[…],"time_zone":…}`.
  mutating func schedule(
    from json: inout JSONReader, _ unknown: inout UnknownMembers
  ) throws(Fault) -> RegionSchedule {
    var windows: [RegionSchedule.Window]?
    var timeZone: String?
    _ = json.peek()
    let start = json.position
    var members = try MemberCursor<Member>(of: &json, expected: "{\"windows\":[…]}")
    do throws(Fault) {
      while let member = try members.next(in: &json, &unknown) {
        switch member {
        case .windows: windows = try Self.windows(from: &json, &unknown)
        case .timeZone:
          // A device may know fewer time zones than the server. It does not check the name, because it would lose the
          // region.
          if !members.isNull { timeZone = try self.timeZone(from: &json, isChecked: unknown.areFaults) }
        }
      }
    } catch { throw members.located(error) }
    guard let windows, !windows.isEmpty else {
      throw json.unexpected("a schedule needs at least one window", at: start, path: ".windows")
    }
    return RegionSchedule(windows: windows, timeZone: timeZone)
  }

  private mutating func timeZone(from json: inout JSONReader, isChecked: Bool) throws(Fault) -> String {
    let known = knownZone
    let zone = try json.text { name in isChecked && name != known ? RegionValues.timeZone(name) : nil }
    knownZone = zone
    return zone
  }

  private static func windows(
    from json: inout JSONReader, _ unknown: inout UnknownMembers
  ) throws(Fault) -> [RegionSchedule.Window] {
    var windows: [RegionSchedule.Window] = []
    try json.forEachElement { (json, index) throws(Fault) in
      guard index < RegionRules.windowCount.upperBound else {
        throw json.unexpected(
          "there are too many; expected \(RegionRules.Member.scheduleWindows.expected)", at: json.position)
      }
      windows.append(try RegionSchedule.Window(from: &json, &unknown))
    }
    return windows
  }
}

extension RegionSchedule.Window {
  private enum Member: Int, KnownMember {
    case days, from, to
    static let names: [StaticString] = ["days", "from", "to"]
  }

  /// Reads `{"days":[…],"from":"09:00","to":"17:00"}`.
  fileprivate init(from json: inout JSONReader, _ unknown: inout UnknownMembers) throws(JSONReader.Fault) {
    var days = Set(RegionSchedule.Weekday.allCases)
    var (from, to): (Int?, Int?)
    _ = json.peek()
    let start = json.position
    var members = try MemberCursor<Member>(of: &json, expected: "{\"days\":[…],\"from\":\"09:00\",\"to\":\"17:00\"}")
    do throws(JSONReader.Fault) {
      while let member = try members.next(in: &json, &unknown) {
        switch member {
        case .days: if !members.isNull { days = try json.weekdays() }
        case .from: from = try json.minuteOfDay { $0 < 1440 }
        // Midnight as the end of a window means the end of the day.
        case .to: to = try json.minuteOfDay { _ in true }.map { $0 == 0 ? 1440 : $0 }
        }
      }
    } catch { throw members.located(error) }
    guard let from, let to else { throw json.unexpected("a window needs from and to", at: start) }
    self.init(days: days, from: from, to: to)
  }
}

extension JSONReader {
  fileprivate mutating func minuteOfDay(_ isGood: (Int) -> Bool) throws(Fault) -> Int? {
    let read = try text { text in
      RegionValues.minutes(text).map(isGood) == true
        ? nil : "\(text.prefix(20).debugDescription) is not a time of the day; expected one such as \"09:30\""
    }
    return RegionValues.minutes(read)
  }

  fileprivate mutating func weekdays() throws(Fault) -> Set<RegionSchedule.Weekday> {
    var days: Set<RegionSchedule.Weekday> = []
    _ = peek()
    let start = position
    try forEachElement { (json, _) throws(Fault) in
      let place = json.position
      let name = try json.string()
      guard let day = RegionSchedule.Weekday.allCases.first(where: { json.matches(name, $0.name) }) else {
        let shown = json.shown(name)
        throw json.unexpected(
          "\"\(shown)\" is not a day of the week"
            + NearestName.hint(shown, among: RegionSchedule.Weekday.allCases.map(\.name)), at: place)
      }
      days.insert(day)
    }
    guard !days.isEmpty else { throw unexpected("a window needs at least one day; without days it is every day", at: start) }
    return days
  }
}
