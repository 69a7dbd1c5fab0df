internal import Foundation
internal import GodwitModel

/// Applies corrections to a computed timeline: `computed + corrections = shown`.
///
/// The corrections are applied in the order of their creation, each to the result of the previous ones. Computed entries have no
/// identity, because points that arrive later change their ends, divide and join them. Therefore time determines the entries to
/// which a correction applies:
///
/// 1. A correction applies to all entries of its kind whose duration is at least half within the correction's time.
/// 2. If there are none, it applies to the entry that contains at least half of the correction's time, because the entry has become
///    longer. A deletion does not apply in this case, unless the visit had not ended.
/// 3. Otherwise the correction has no effect until such an entry exists.
package struct CorrectionRules {
  /// The entries, in the order of their times.
  package private(set) var entries: [TimelineEntry]
  /// The numbers of the corrections that were applied.
  package private(set) var applied: Set<Int64> = []

  package init(_ entries: [TimelineEntry]) { self.entries = entries }

  /// Returns the corrected entries of a timeline.
  /// - Parameters:
  ///   - corrections: the corrections, in the order of their creation.
  ///   - entries: the computed entries, in the order of their times.
  package static func applied(_ corrections: [TimelineCorrection], to entries: [TimelineEntry]) -> CorrectionRules {
    var rules = CorrectionRules(entries)
    for correction in corrections where correction.undone == nil { rules.apply(correction) }
    return rules
  }

  /// Returns the entries to which a correction applies.
  package func matches(_ body: TimelineCorrection.Body) -> [TimelineEntry] {
    indices(body.target, isDeletion: body.action == .delete).map { entries[$0] }
  }

  package mutating func apply(_ correction: TimelineCorrection) {
    let found = indices(correction.body.target, isDeletion: correction.body.action == .delete)
    if case .mode(let mode) = correction.body.action { return setMode(mode, correction) }
    guard let first = found.first, let last = found.last else { return }
    applied.insert(correction.id)
    switch correction.body.action {
    case .confirm: for index in found { entries[index] = entries[index].noted(correction) }
    case .rename(let name): for index in found { rename(index, name, correction) }
    case .merge: merge(first, last, correction)
    case .split(let time, let place):
      if let index = found.first(where: { entries[$0].start < time && time < entries[$0].end }) {
        split(index, at: time, place, correction)
      } else {
        applied.remove(correction.id)
      }
    case .delete: for index in found.reversed() { entries.remove(at: index) }
    case .move(let move): self.move(found, move, correction)
    case .mode: break
    }
  }

  // MARK: Selection

  private func indices(_ target: TimelineCorrection.Target, isDeletion: Bool) -> [Int] {
    let times = target.start...max(target.start, target.end)
    let length = times.upperBound - times.lowerBound
    var inside: [Int] = []
    var best: (index: Int, common: Int64)?
    for (index, entry) in entries.enumerated() where entry.kind == target.kind {
      if entry.start > times.upperBound { break }
      let common = entry.common(times)
      // An entry without duration has no time in common with any other entry.
      guard common > 0 || (common == 0 && (entry.start == entry.end || length == 0)) else { continue }
      if 2 * common >= entry.end - entry.start { inside.append(index) }
      if 2 * common >= length, common > best?.common ?? -1 { best = (index, common) }
    }
    if !inside.isEmpty { return inside }
    return isDeletion && !target.isOpen ? [] : best.map { [$0.index] } ?? []
  }

  // MARK: Changes of one entry

  private mutating func rename(_ index: Int, _ name: TimelineCorrection.VisitName, _ correction: TimelineCorrection) {
    guard case .visit(var shown) = entries[index] else { return }
    switch name {
    case .text(let text): (shown.name, shown.placeID) = (text, nil)
    case .place(let id): (shown.name, shown.placeID) = (nil, id)
    }
    entries[index] = TimelineEntry.visit(shown).noted(correction)
  }

  private mutating func setMode(_ mode: TravelMode, _ correction: TimelineCorrection) {
    for (index, part) in parts(in: correction.body.reach) {
      guard case .trip(var shown) = entries[index] else { continue }
      shown.trip.segments[part].mode = mode
      shown.trip.segments[part].confidence = 1
      shown.trip.segments[part].isLearned = false
      entries[index] = TimelineEntry.trip(shown).noted(correction)
      applied.insert(correction.id)
    }
  }

  /// Returns the parts of trips to which a correction of the mode applies: those whose duration is at least half within the
  /// correction's time; if there are none, the part that contains at least half of that time.
  /// - Returns: the indices of entries, and of the parts in their trips.
  func parts(in times: ClosedRange<Int64>) -> [(entry: Int, part: Int)] {
    var inside: [(entry: Int, part: Int)] = []
    var best: (place: (entry: Int, part: Int), common: Int64)?
    for (index, entry) in entries.enumerated() {
      guard case .trip(let shown) = entry, entry.common(times) > 0 else { continue }
      for (part, segment) in shown.trip.segments.enumerated() {
        let common = min(segment.end, times.upperBound) - max(segment.start, times.lowerBound)
        if common > 0, 2 * common >= segment.end - segment.start { inside.append((index, part)) }
        if common > 0, 2 * common >= times.upperBound - times.lowerBound, common > best?.common ?? 0 {
          best = ((index, part), common)
        }
      }
    }
    return inside.isEmpty ? best.map { [$0.place] } ?? [] : inside
  }

  private mutating func split(_ index: Int, at time: Int64, _ place: FixedPosition?, _ correction: TimelineCorrection) {
    let entry = entries[index]
    guard var before = entry.cut(to: entry.start, time), var after = entry.cut(to: time, entry.end) else { return }
    if let place {
      if case .trip(var shown) = before {
        shown.trip.to = [place.latitude, place.longitude]
        before = .trip(shown)
      }
      if case .trip(var shown) = after {
        shown.trip.from = [place.latitude, place.longitude]
        after = .trip(shown)
      }
    }
    entries.replaceSubrange(
      index...index, with: [before.noted(correction, isConfirmed: false), after.noted(correction, isConfirmed: false)])
  }

  // MARK: Changes of neighbours

  /// Joins the entries of one kind between two entries. The entries between them are removed.
  private mutating func merge(_ first: Int, _ last: Int, _ correction: TimelineCorrection) {
    guard last > first else {
      entries[first] = entries[first].noted(correction)
      return
    }
    let parts = Array(entries[first...last])
    let merged =
      correction.body.target.kind == .visit ? Self.merged(parts.compactMap(\.visit)) : Self.merged(parts.compactMap(\.trip))
    if let merged { entries.replaceSubrange(first...last, with: [merged.noted(correction)]) }
  }

  private static func merged(_ visits: [ShownVisit]) -> TimelineEntry? {
    guard var whole = visits.first else { return nil }
    var length = whole.visit.end - whole.visit.arrival
    var namedLength = length
    for next in visits.dropFirst() {
      let part = next.visit.end - next.visit.arrival
      whole.visit = StayRules.joined(
        whole.visit, next.visit, share: Double(part) / Double(max(1, length + part)), maximum: .greatestFiniteMagnitude)
      length += part
      // The name is that of the longest visit with a name.
      if next.name != nil || next.placeID != nil, part > namedLength || (whole.name == nil && whole.placeID == nil) {
        (whole.name, whole.placeID, namedLength) = (next.name, next.placeID, part)
      }
      whole.corrections += next.corrections.filter { !whole.corrections.contains($0) }
    }
    return .visit(whole)
  }

  private static func merged(_ trips: [ShownTrip]) -> TimelineEntry? {
    guard var whole = trips.first else { return nil }
    for next in trips.dropFirst() {
      whole.trip.end = next.trip.end
      whole.trip.to = next.trip.to
      whole.trip.segments += next.trip.segments
      whole.corrections += next.corrections.filter { !whole.corrections.contains($0) }
    }
    return .trip(whole)
  }

  private mutating func move(_ found: [Int], _ move: TimelineCorrection.Move, _ correction: TimelineCorrection) {
    var index = found[0]
    if move.start != nil || move.end != nil, let last = found.last, last > index {
      // A visit whose times were corrected is a single visit, even if it was computed as several.
      merge(index, last, correction)
    } else if found.count > 1 {
      for index in found { place(index, move.place, correction) }
      return
    }
    place(index, move.place, correction)
    guard move.start != nil || move.end != nil else { return }
    let former = entries[index]
    guard let moved = former.stretched(start: move.start, end: move.end) else { return }
    entries.remove(at: index)
    index = makeRoom(for: moved, former: former, at: index)
    entries.insert(moved, at: index)
  }

  private mutating func place(_ index: Int, _ place: FixedPosition?, _ correction: TimelineCorrection) {
    if let place, case .visit(var shown) = entries[index] {
      (shown.visit.latitude, shown.visit.longitude) = (place.latitude, place.longitude)
      entries[index] = .visit(shown)
      if index > 0, case .trip(var before) = entries[index - 1] {
        before.trip.to = [place.latitude, place.longitude]
        entries[index - 1] = .trip(before)
      }
      if index + 1 < entries.count, case .trip(var after) = entries[index + 1] {
        after.trip.from = [place.latitude, place.longitude]
        entries[index + 1] = .trip(after)
      }
    }
    entries[index] = entries[index].noted(correction)
  }

  /// Shortens or removes entries that overlap a moved entry, and extends its former neighbours up to it.
  /// - Parameters:
  ///   - moved: the entry with its new times.
  ///   - former: the entry with its former times.
  ///   - index: the former index of the entry.
  /// - Returns: the new index of the entry.
  private mutating func makeRoom(for moved: TimelineEntry, former: TimelineEntry, at index: Int) -> Int {
    if index > 0, entries[index - 1].end == former.start, moved.start > former.start {
      entries[index - 1] = entries[index - 1].stretched(end: moved.start) ?? entries[index - 1]
    }
    if index < entries.count, entries[index].start == former.end, moved.end < former.end {
      entries[index] = entries[index].stretched(start: moved.end) ?? entries[index]
    }
    var left: [TimelineEntry] = []
    for entry in entries {
      guard entry.end > moved.start, entry.start < moved.end else {
        left.append(entry)
        continue
      }
      for part in [
        entry.cut(to: entry.start, min(entry.end, moved.start)), entry.cut(to: max(entry.start, moved.end), entry.end),
      ] {
        // A trip of less than a minute is dropped.
        guard let part, part.kind == .visit || part.end - part.start >= TripMaker.minimumDuration else { continue }
        left.append(part)
      }
    }
    entries = left.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    return entries.firstIndex { ($0.start, $0.end) > (moved.start, moved.end) } ?? entries.count
  }
}
