package import Foundation
package import GodwitHistory
internal import GodwitModel
package import GodwitStore

/// Adds and undoes corrections. A correction is accepted only if it applies to an entry that is currently shown.
package struct CorrectionEditor {
  private let device: Int64
  private let db: any SQLConnection

  /// - Parameter db: A connection in a transaction.
  package init(device: Int64, _ db: any SQLConnection) {
    self.device = device
    self.db = db
  }

  /// The reason why a correction is rejected.
  package struct Rejection: Error, CustomStringConvertible {
    package enum Reason: Sendable, Equatable {
      /// There is no entry at that time, or no correction with that number.
      case unknown
      /// The content is invalid.
      case invalid
      /// The state does not permit it: there are too many corrections, or it is too late, or the correction is already undone.
      case conflict
    }
    package var reason: Reason
    /// The affected member of the request.
    package var member: String
    package var description: String
  }

  /// Maximum milliseconds by which an end can be moved.
  package static let maximumMove: Int64 = 31 * DayLength.milliseconds

  // MARK: Adding

  /// - Parameters:
  ///   - action: The correction.
  ///   - kind: Visit or trip.
  ///   - times: Time range of the entry, or of all entries to merge, in milliseconds since 1970. A single time selects the entry at
  ///     that time.
  ///   - now: The current time.
  /// - Throws: ``Rejection``, or an error of the store.
  package func add(
    _ action: TimelineCorrection.Action, to kind: TimelineCorrection.Target.Kind, _ times: ClosedRange<Int64>, at now: Date
  ) throws -> TimelineCorrection {
    guard try CorrectionTable.countActive(ofDevice: device, db) < CorrectionTable.maximum else {
      throw Rejection(
        reason: .conflict, member: "device", description: "The limit is \(CorrectionTable.maximum) corrections. Undo one first.")
    }
    let shown = try CorrectedTimeline(db).entries(ofDevice: device, times.lowerBound..<times.upperBound + 1)
    let times = Self.completed(times, action, kind, shown.entries)
    let body = TimelineCorrection.Body(
      action, of: TimelineCorrection.Target(kind, start: times.lowerBound, end: times.upperBound))
    let found = shown.matches(body)
    guard let first = found.first, let last = found.last else {
      throw Rejection(reason: .unknown, member: "start", description: "There is no \(kind.rawValue) at that time.")
    }
    try check(action, found, now)
    var target = body.target
    // A mode can apply to a part of a trip, so its times are not changed to those of the entry.
    if action.name != .mode { (target.start, target.end) = (first.start, found.map(\.end).max() ?? last.end) }
    target.isOpen = last.visit.map { $0.visit.departure == nil } ?? false
    target.place = found.compactMap { $0.visit?.visit }.max { $0.end - $0.arrival < $1.end - $1.arrival }.map {
      FixedPosition(latitude: $0.latitude, longitude: $0.longitude)
    }
    var complete = TimelineCorrection.Body(action, of: target)
    if case .split(let time, nil) = action, kind == .trip { complete.action = .split(at: time, place: try place(at: time)) }
    guard let correction = try CorrectionTable.add(complete, of: device, at: now, db) else { throw StoreError.closed }
    return correction
  }

  /// Completes times: a single time becomes the range of the entry that contains it, and a merge starts and ends with whole
  /// entries.
  private static func completed(
    _ times: ClosedRange<Int64>, _ action: TimelineCorrection.Action, _ kind: TimelineCorrection.Target.Kind,
    _ entries: [TimelineEntry]
  ) -> ClosedRange<Int64> {
    guard times.lowerBound == times.upperBound || action == .merge else { return times }
    let (start, end) = (times.lowerBound, times.upperBound)
    let own = entries.filter { $0.kind == kind }
    let first = own.first { $0.start <= start && (start < $0.end || $0.start == $0.end) } ?? own.first { $0.end == start }
    let last = own.last { $0.start < end && end <= $0.end }
    if start == end { return first.map { $0.start...$0.end } ?? times }
    return min(first?.start ?? start, start)...max(last?.end ?? end, end)
  }

  private func check(_ action: TimelineCorrection.Action, _ found: [TimelineEntry], _ now: Date) throws {
    guard let first = found.first, let last = found.last else { return }
    func invalid(_ member: String, _ text: String) -> Rejection { Rejection(reason: .invalid, member: member, description: text) }
    switch action {
    case .merge where found.count < 2:
      throw invalid("end", "Only one \(first.kind.rawValue) lies between these times. Select two or more.")
    case .split(let time, _) where !(first.start < time && time < last.end):
      throw invalid("at", "Expected a time inside of the \(first.kind.rawValue).")
    case .move(let move):
      let (start, end) = (move.start ?? first.start, move.end ?? last.end)
      guard start < end else { throw invalid("new_end", "Expected an end after the start.") }
      guard abs(start - first.start) <= Self.maximumMove, abs(end - last.end) <= Self.maximumMove else {
        throw invalid("new_start", "Expected times at most 31 days from the present ones.")
      }
      guard end <= now.millisecondsSince1970 + DayLength.milliseconds else {
        throw invalid("new_end", "Expected a time that is not in the future.")
      }
    case .rename(.place(let id)):
      guard let place = try PlaceTables.place(id, db), try place.account == TrackTables.owner(of: device, db) else {
        throw invalid("place", "There is no such place. /api/v1/places lists the existing ones.")
      }
    case .confirm, .rename, .merge, .split, .mode, .delete: break
    }
  }

  /// Returns the position of the device at a time; `nil` if there is no point before it.
  private func place(at time: Int64) throws -> FixedPosition? {
    try PointLookup.newest([], ofDevice: device, atOrBefore: time, leavesOutFlagged: false, db) {
      try FixedPosition(latitude: Int32(clamping: $0.integer("latitude")), longitude: Int32(clamping: $0.integer("longitude")))
    }
  }

  // MARK: Undoing

  /// Undoes a correction of the last week.
  /// - Throws: ``Rejection``, or an error of the store.
  package func undo(_ id: Int64, at now: Date) throws -> TimelineCorrection {
    guard var correction = try CorrectionTable.correction(id, db), correction.device == device else {
      throw Rejection(reason: .unknown, member: "id", description: "The device has no such correction.")
    }
    guard correction.undone == nil else {
      throw Rejection(reason: .conflict, member: "id", description: "It was undone before.")
    }
    guard now.timeIntervalSince(correction.created) <= TimelineCorrection.undoPeriod else {
      throw Rejection(
        reason: .conflict, member: "id", description: "It is older than a week and cannot be undone. Make another correction.")
    }
    try CorrectionTable.undo(id, at: now, db)
    correction.undone = now
    return correction
  }

  // MARK: Listing

  /// Returns the ids of the corrections that apply to an entry that is shown.
  package func applied(_ corrections: [TimelineCorrection]) throws -> Set<Int64> {
    let timeline = CorrectedTimeline(db)
    let reaches = corrections.filter { $0.undone == nil }.map(\.body.reach).sorted { $0.lowerBound < $1.lowerBound }
    var applied: Set<Int64> = []
    var rest = reaches[...]
    while let first = rest.popFirst() {
      // Corrections of nearby times are looked up together.
      var end = first.upperBound
      while let next = rest.first, next.lowerBound - DayLength.milliseconds <= end {
        end = max(end, next.upperBound)
        rest.removeFirst()
      }
      applied.formUnion(try timeline.applied(ofDevice: device, first.lowerBound..<end + 1))
    }
    return applied.intersection(corrections.map(\.id))
  }
}
