internal import Foundation

extension SimulationReport {
  /// As JSON, in the form that `Documentation/Reports.md` has: keys in snake case and in alphabetical order, times as RFC 3339
  /// in UTC, figures that there are none of left out.
  /// - Throws: What `JSONEncoder` throws, for a name that is no text. No report of real runs has one.
  public func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    return [UInt8](try encoder.encode(self)) + [0x0A]
  }

  /// Reads what ``json()`` wrote.
  /// - Throws: `DecodingError`, which names what is missing or of another kind.
  public init(json: [UInt8]) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(SimulationReport.self, from: Data(json))
  }

  /// How many columns the table has at most.
  static let tableWidth = 110

  /// For a terminal: what was run, a row for each policy, and the goals. At most 110 columns wide.
  public func table() -> String {
    guard !runs.isEmpty else { return "No simulation was run.\n" }
    var text = clip(conditions, Self.tableWidth) + "\n\n"
    var rows = [
      [
        "", "energy", "× of", "battery", "error, m", "", "", "covered", "stays", "times", "length", "notice", "points", "uploads",
      ],
      [
        "policy", "mWh/day", baseline == Self.alwaysBest ? "best" : "first", "%/day", "median", "95 %", "worst", "%", "found %",
        "off, s", "off, %", "median s", "/day", "/day",
      ],
    ]
    rows += policies.map(cells)
    // Names get what the figures leave; a policy's name is cut rather than a figure.
    let others = (1..<rows[0].count).map { column in rows.map { $0[column].count }.max() ?? 0 }
    let widest = rows.map { $0[0].count }.max() ?? 0
    let names = max(8, min(widest, Self.tableWidth - others.reduce(0) { $0 + $1 + 1 }))
    for row in rows {
      var line = clip(row[0], names).padded(to: names)
      for (column, cell) in row.dropFirst().enumerated() { line += " " + cell.padded(to: others[column], left: true) }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    text += "\n* no other policy has both less energy and a smaller error\n"
    if !goals.isEmpty {
      text += "\nGoals of adaptive\n"
      let name = goals.map(\.name.count).max() ?? 0
      let demand = goals.map(\.demand.count).max() ?? 0
      for goal in goals {
        let line = "\(goal.isMet ? "✓" : "✗") \(goal.name.padded(to: name))  \(goal.demand.padded(to: demand))  \(goal.reached)"
        text += clip(line, Self.tableWidth) + "\n"
      }
    }
    return text + optimumText()
  }

  private func optimumText() -> String {
    guard let optima, !optima.isEmpty else { return "" }
    let rows = optimumTable()
    guard let head = rows.first else { return "\nOffline optimum: no schedule meets the bounds on these days\n" }
    let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var text = "\nEnergy relative to the offline optimum, median of days\n"
    for row in rows {
      let cells = row.enumerated().map { $1.padded(to: widths[$0], left: $0 > 1) }
      text += clip(cells.joined(separator: "  "), Self.tableWidth) + "\n"
    }
    return text
  }

  /// "6 days on 2 routes, phone-2023 with ios18, seed 42, Godwit 0.1.0".
  var conditions: String {
    let days = runs.map { "\($0.route)\n\($0.day)" }.eachOnce.count
    let routes = runs.map(\.route).eachOnce.count
    return "\(days) \(days == 1 ? "day" : "days") on \(routes) \(routes == 1 ? "route" : "routes"), "
      + "\(phones.joined(separator: " and ")) with \(systems.joined(separator: " and ")), "
      + "seed \(seeds.map(String.init).joined(separator: " and ")), Godwit \(version)"
  }

  private func cells(_ row: PolicyRow) -> [String] {
    let m = row.measures
    let days = max(m.days, 1e-9)
    func percent(_ value: Double?) -> String { value.map { Self.text($0 * 100, digits: 1) } ?? "–" }
    func metres(_ value: Double?, isOnFront: Bool = false) -> String {
      (value.map { Self.text($0, digits: $0 < 99.95 ? 1 : 0) } ?? "–") + (isOnFront ? "*" : "")
    }
    func seconds(_ value: Double?) -> String { value.map { Self.text($0, digits: 0) } ?? "–" }
    return [
      row.policy, Self.text(m.energy.milliwattHoursPerDay, digits: m.energy.milliwattHoursPerDay < 99.95 ? 1 : 0),
      row.relativeEnergy.map { Self.text($0, digits: 3) } ?? "–", percent(m.energy.batteryPerDay),
      metres(m.track.median, isOnFront: row.isOnMedianFront), metres(m.track.percentile95, isOnFront: row.isOnPercentile95Front),
      metres(m.track.worst), percent(m.track.covered), percent(m.stays.recall), seconds(m.stays.worstDelay),
      m.distance.difference.map { ($0 > 0 ? "+" : "") + Self.text($0 * 100, digits: 1) } ?? "–",
      seconds(m.stays.noticeMedian), Self.text(Double(m.traffic.points) / days, digits: 0),
      Self.text(Double(m.traffic.uploads) / days, digits: 0),
    ]
  }

  private func clip(_ text: String, _ width: Int) -> String { text.count > width ? text.prefix(width - 1) + "…" : text }

  /// A number for people, with commas between thousands, the same in every language of a system. "–" for one that is not
  /// finite.
  static func text(_ value: Double, digits: Int) -> String {
    guard value.isFinite else { return "–" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (abs(value) * scale).rounded()
    guard scaled < 1e15 else { return "\(value)" }
    let whole = Int64(scaled)
    var number = String(whole / Int64(scale))
    var index = number.count - 3
    while index > 0 {
      number.insert(",", at: number.index(number.startIndex, offsetBy: index))
      index -= 3
    }
    if digits > 0 {
      let rest = String(whole % Int64(scale))
      number += "." + String(repeating: "0", count: digits - rest.count) + rest
    }
    return (value < 0 && whole != 0 ? "−" : "") + number
  }
}

extension String {
  fileprivate func padded(to width: Int, left: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - count))
    return left ? space + self : self + space
  }
}
