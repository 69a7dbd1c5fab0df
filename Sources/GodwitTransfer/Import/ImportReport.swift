package import GodwitModel
package import GodwitTracks

/// The report of an import.
package struct ImportReport: Sendable, Hashable, Codable {
  /// The displayed name of the format.
  package var format: String?
  /// Records in the file.
  package var records = 0
  /// Records that were stored.
  package var saved = 0
  /// Records that were stored before, or occur twice in the file.
  package var duplicates = 0
  /// Points without a time, which cannot be stored.
  package var withoutTime = 0
  /// Records of devices that the import does not map.
  package var unmapped = 0
  /// Waypoints and points of routes, which are not positions in time; `nil`: not counted by an earlier version.
  package var unused: UnusedParts?
  /// Parts that were skipped.
  package var skipped = 0
  /// The reasons of skipped parts, with similar reasons combined.
  package var reasons: [Reason] = []
  /// The number of records by device name in the file; "" if the file has none.
  package var devices: [String: Int] = [:]

  package init() {}

  /// A group of similar reasons.
  package struct Reason: Sendable, Hashable, Codable {
    /// The reason with `#` instead of numbers and `…` instead of quoted text.
    package var kind: String
    /// The number of occurrences.
    package var count: Int
    /// The first occurrences.
    package var first: [TrackSkip]
  }

  /// Maximum kinds of reasons, and maximum examples of each.
  private static let maximumKinds = 50
  private static let maximumExamples = 3
  /// Maximum devices that are counted by name.
  private static let maximumDevices = 100
  /// The kind of all further reasons.
  package static let other = "other reasons"

  /// Whether the file has records that can be stored.
  package var isUsable: Bool { records > unmapped }

  /// Returns the final state of an import.
  package func endState(problem: String?) -> ImportJob.State { problem != nil ? .failed : isUsable ? .done : .nothingUsable }

  /// The reason why the file has no usable records: a sentence without its full stop.
  package var nothingUsable: String {
    if records > 0 { return "no usable records: all are from unmapped devices" }
    let left = leftOut
    return "no usable records: "
      + (left.isEmpty
        ? "the file contains no records" : "it has \(left.joined(separator: ", ")), and no record with a place and a time")
  }

  /// The numbers of parts that could not be stored, as text.
  package var leftOut: [String] {
    func many(_ count: Int, _ one: String, _ more: String) -> String? { count > 0 ? count.counted(one, more) : nil }
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

  /// Counts records of a device by its name in the file.
  package mutating func count(device: String?, records: Int = 1) {
    let name = device ?? ""
    if devices[name] == nil, devices.count >= Self.maximumDevices { return }
    devices[name, default: 0] += records
  }

  /// Returns a reason without its variable parts.
  package static func kind(of reason: String) -> String {
    // The expected value is the same for each occurrence and is kept.
    let end = reason.firstRange(of: "; expected")?.lowerBound ?? reason.endIndex
    // Every second part is quoted.
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
  /// Counts records in the same way as an import, without storing them.
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
