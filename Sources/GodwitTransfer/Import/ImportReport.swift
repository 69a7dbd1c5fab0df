package import GodwitModel
package import GodwitTracks

/// What became of a file's records.
package struct ImportReport: Sendable, Hashable, Codable {
  /// The language, as people know it.
  package var format: String?
  /// Records that the file has.
  package var records = 0
  /// Records that are new.
  package var saved = 0
  /// Records that the store had already, or that came twice.
  package var duplicates = 0
  /// Points without a time, which cannot be stored.
  package var withoutTime = 0
  /// Records of devices that the import does not map.
  package var unmapped = 0
  /// Waypoints and points of routes, which are no positions in time; `nil`: counted by a version that did not know them.
  package var unused: UnusedParts?
  /// Parts that were skipped.
  package var skipped = 0
  /// Why they were, the reasons that are alike in one.
  package var reasons: [Reason] = []
  /// Records by what the file calls their devices; "" where it does not say.
  package var devices: [String: Int] = [:]

  package init() {}

  /// One kind of thing that was wrong.
  package struct Reason: Sendable, Hashable, Codable {
    /// With `#` for digits, and `…` for what stood in quotation marks.
    package var kind: String
    /// How often.
    package var count: Int
    /// The first times.
    package var first: [TrackSkip]
  }

  /// Most kinds of reasons that are distinguished, and most examples of each.
  private static let maximumKinds = 50
  private static let maximumExamples = 3
  /// Most devices that are counted by name.
  private static let maximumDevices = 100
  /// The kind of all further reasons.
  package static let other = "other reasons"

  /// Whether anything of the file could be used.
  package var isUsable: Bool { records > unmapped }

  /// How an import ends.
  package func endState(problem: String?) -> ImportJob.State { problem != nil ? .failed : isUsable ? .done : .nothingUsable }

  /// Why nothing of the file could be used. A sentence without its full stop.
  package var nothingUsable: String {
    if records > 0 { return "no usable records: all are from unmapped devices" }
    let left = leftOut
    return "no usable records: "
      + (left.isEmpty
        ? "the file contains no records" : "it has \(left.joined(separator: ", ")), and no record with a place and a time")
  }

  /// What could not be stored, counted.
  package var leftOut: [String] {
    func many(_ count: Int, _ one: String, _ more: String) -> String? { count > 0 ? "\(count) \(count == 1 ? one : more)" : nil }
    return [
      many(withoutTime, "point without a time", "points without a time"),
      many(unused?.waypoints ?? 0, "waypoint", "waypoints"),
      many(unused?.routePoints ?? 0, "point of a planned route", "points of planned routes"),
      many(skipped, "part that was skipped", "parts that were skipped"),
    ].compactMap(\.self)
  }

  /// Counts a part that was skipped. - Parameter skip: the part.
  package mutating func count(_ skip: TrackSkip) {
    skipped += 1
    var kind = Self.kind(of: skip.reason)
    if !reasons.contains(where: { $0.kind == kind }), reasons.count >= Self.maximumKinds - 1 { kind = Self.other }
    let index = reasons.firstIndex { $0.kind == kind } ?? reasons.count
    if index == reasons.count { reasons.append(Reason(kind: kind, count: 0, first: [])) }
    reasons[index].count += 1
    if reasons[index].first.count < Self.maximumExamples { reasons[index].first.append(skip) }
  }

  /// Counts records of a device, as the file calls it.
  package mutating func count(device: String?, records: Int = 1) {
    let name = device ?? ""
    if devices[name] == nil, devices.count >= Self.maximumDevices { return }
    devices[name, default: 0] += records
  }

  /// A reason without what is different each time.
  package static func kind(of reason: String) -> String {
    // What is expected stands there to be read.
    let end = reason.firstRange(of: "; expected")?.lowerBound ?? reason.endIndex
    // What stands in quotation marks is every second part.
    let parts = reason[..<end].split(separator: "\"", omittingEmptySubsequences: false).enumerated().map { index, part in
      index.isMultiple(of: 2) ? withoutNumbers(part) : "…"
    }
    return parts.joined(separator: "\"") + reason[end...]
  }

  private static func withoutNumbers(_ text: Substring) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      // A number, a time, a checksum.
      guard word.contains(where: { $0.isASCII && $0.isNumber }), !word.contains(where: { "$[(/".contains($0) }) else {
        return String(word)
      }
      return "#" + (word.last.map { ",;".contains($0) ? String($0) : "" } ?? "")
    }.joined(separator: " ")
  }
}

extension ImportReport {
  /// Counts records whose devices are not known yet, as an import would.
  /// - Parameters:
  ///   - found: the records.
  ///   - options: the devices that they would belong to.
  package mutating func count(_ found: [Record], _ options: ImportOptions) {
    for record in found {
      let called = SourceDevice.name(of: record)
      count(device: called)
      if options.devices.isEmpty { continue }
      if called.flatMap({ options.mapping[$0] }) ?? options.device == nil { unmapped += 1 }
    }
  }
}
