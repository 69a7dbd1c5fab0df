internal import Foundation
internal import GodwitResources

extension SimulationReport {
  /// One page with everything in it: tables, charts and maps, for any browser. It loads nothing and sends nothing.
  /// - Parameter drawings: what to draw of the runs; those of runs that are not in the report are left out.
  public func html(drawings: [RunDrawing]) -> [UInt8] {
    let files = Resources.simulator.files(in: "GodwitSimulator/Reports/Page")
    func part(_ name: String) -> String { String(decoding: files[name] ?? [], as: UTF8.self) }
    let pieces: [String: String] = [
      "style": part("report.css"),
      "script": part("report.js"),
      "charts": part("charts.js"),
      "map": part("map.js"),
      "circumstances": conditions.inMarkup, "goals": goalsMarkup, "policies": policiesMarkup,
      "optimum": optimumMarkup,
      "data": PageData(self, drawings: drawings).json(),
    ]
    var page = ""
    var rest = part("report.html")[...]
    while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
      page += rest[..<start.lowerBound]
      page += pieces[String(rest[start.upperBound..<end.lowerBound])] ?? ""
      rest = rest[end.upperBound...]
    }
    return [UInt8]((page + rest).utf8)
  }

  private var goalsMarkup: String {
    guard !goals.isEmpty else { return "" }
    let met = goals.count { $0.isMet }
    let items = goals.map { goal in
      """
      <li class="\(goal.isMet ? "met" : "missed")"><i aria-hidden="true">\(goal.isMet ? "✓" : "✗")</i>
      <div><b>\(goal.reached.inMarkup)</b><span>\(goal.name.inMarkup)</span><small>\(goal.demand.inMarkup): \
      \(goal.isMet ? "met" : "not met")</small></div></li>
      """
    }
    return """
      <section class="card" id="goals" aria-labelledby="goals-title">
      <header><h2 id="goals-title">Goals of adaptive</h2><p class="note">\(met) of \(goals.count) met</p></header>
      <ul>\(items.joined(separator: "\n"))</ul>
      </section>
      """
  }

  private var policiesMarkup: String {
    guard !policies.isEmpty else { return "<p class=\"none\">No simulation was run.</p>" }
    let maximum = policies.map(\.measures.energy.milliwattHoursPerDay).max() ?? 0
    let rows = policies.enumerated().map { index, row in
      let m = row.measures
      let days = max(m.days, 1e-9)
      func cell(_ text: String, _ note: String = "", isOnFront: Bool = false) -> String {
        "<td\(isOnFront ? " class=\"front\"" : "")>\(text)\(isOnFront ? "<i title=\"on the Pareto front\">★</i>" : "")"
          + (note.isEmpty ? "" : "<small>\(note)</small>") + "</td>"
      }
      let width = maximum > 0 ? Self.text(m.energy.milliwattHoursPerDay / maximum * 100, digits: 1) : "0"
      return """
        <tr><th scope="row"><i class="dot" data-policy="\(index)"></i>\(row.policy.inMarkup)\
        <small>\(row.runs) \(row.runs == 1 ? "day" : "days")</small></th>
        <td class="energy"><b>\(Self.text(m.energy.milliwattHoursPerDay, digits: m.energy.milliwattHoursPerDay < 100 ? 1 : 0))</b>\
        <span class="bar" aria-hidden="true"><i data-policy="\(index)" style="width:\(width)%"></i></span></td>
        \(cell(percent(row.relativeEnergy), "\(percent(m.energy.batteryPerDay)) of battery"))
        \(cell(metres(m.track.median), isOnFront: row.isOnMedianFront))\
        \(cell(metres(m.track.percentile95), "worst \(metres(m.track.worst))", isOnFront: row.isOnPercentile95Front))
        \(cell(percent(m.track.covered)))\
        \(cell(percent(m.stays.recall), "\(percent(m.stays.precision)) right"))\
        \(cell(seconds(m.stays.worstDelay), "median \(seconds(medianDelay(m.stays)))"))
        \(cell(m.distance.difference.map { ($0 > 0 ? "+" : "") + percent($0) } ?? "–"))\
        \(cell(seconds(m.stays.noticeMedian), "worst \(seconds(m.stays.noticeWorst))"))
        \(cell(Self.text(Double(m.traffic.points) / days, digits: 0), "\(Self.text(Double(m.traffic.waiting), digits: 0)) waiting"))\
        \(cell(Self.text(Double(m.traffic.uploads) / days, digits: 0), bytes(Double(m.traffic.bytesUp + m.traffic.bytesDown) / days)))\
        \(cell(Self.text(Double(m.traffic.launches + m.traffic.wakes) / days, digits: 0), "\(m.traffic.launches) launches"))</tr>
        """
    }
    let heads = [
      ("Energy", "mWh a day"), ("Relative", "of \(baseline ?? "the first")"), ("Error", "median"), ("Error", "95 %"),
      ("Covered", "of the path"), ("Stays", "found"), ("Stay times", "largest error"), ("Length", "of the path"),
      ("Leaving", "detected after"), ("Points", "a day"), ("Uploads", "a day"), ("Wakes", "a day"),
    ].map { "<th scope=\"col\">\($0.inMarkup)<small>\($1.inMarkup)</small></th>" }
    return """
      <div class="scroll" tabindex="0" role="region" aria-labelledby="policies-title"><table id="policies">
      <thead><tr><th scope="col">Policy</th>\(heads.joined())</tr></thead>
      <tbody>\(rows.joined(separator: "\n"))</tbody></table></div>
      """
  }

  private var optimumMarkup: String {
    let table = optimumTable()
    guard let head = table.first else { return "" }
    let rows = table.dropFirst().map { row in
      "<tr><th scope=\"row\">\(row[0].inMarkup)</th>"
        + row.dropFirst().map { "<td>\($0.inMarkup)</td>" }.joined() + "</tr>"
    }
    return """
      <section class="card" id="optimum" aria-labelledby="optimum-title">
      <header><h2 id="optimum-title">Energy relative to the offline optimum</h2><p class="note">median of days</p></header>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="optimum-title"><table>
      <thead><tr>\(head.map { "<th scope=\"col\">\($0.inMarkup)</th>" }.joined())</tr></thead>
      <tbody>\(rows.joined(separator: "\n"))</tbody></table></div>
      </section>
      """
  }

  private func percent(_ value: Double?) -> String { value.map { Self.text($0 * 100, digits: 1) + " %" } ?? "–" }
  private func seconds(_ value: Double?) -> String { value.map { Self.text($0, digits: 0) + " s" } ?? "–" }
  private func metres(_ value: Double?) -> String { value.map { Self.text($0, digits: $0 < 99.95 ? 1 : 0) + " m" } ?? "–" }
  private func medianDelay(_ stays: RunMeasures.StayMeasures) -> Double? {
    [stays.arrivalDelay?.absoluteMedian, stays.departureDelay?.absoluteMedian].compactMap { $0 }.max()
  }
  private func bytes(_ count: Double) -> String {
    count < 1e6 ? "\(Self.text(count / 1e3, digits: 0)) kB" : "\(Self.text(count / 1e6, digits: 1)) MB"
  }
}

extension String {
  /// As text of a page or in an attribute of it. Control characters, which no page may have, become blanks.
  var inMarkup: String {
    String(map { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0xFFFE && $0.value != 0xFFFF } ? $0 : " " })
      .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }
}
