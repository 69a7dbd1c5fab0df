internal import Foundation
package import GodwitModel
package import GodwitStore

/// Flags implausible points in the transaction that stores them, withholds single jumps until they are confirmed, and stores the
/// live position of each device.
///
/// Withheld points are in ``SubmissionResult/withheld``, and confirmed points in ``SubmissionResult/confirmed``. Geofences,
/// webhooks and streams use both.
///
/// `@unchecked Sendable`: used only on the store's thread.
package final class LivePositions: CommitParticipant, @unchecked Sendable {
  package init() {}

  private var gates: [Int64: LiveGate] = [:]
  /// Devices whose live position changed in this transaction.
  private var changed: Set<Int64> = []
  /// Maximum cached devices. A larger cache is cleared.
  private static let maximumGates = 50_000

  package func begin(_ group: [Submission], _ db: any SQLConnection) throws {
    changed.removeAll(keepingCapacity: true)
    if db.dialect.isShared || gates.count > Self.maximumGates { gates.removeAll(keepingCapacity: true) }
    let devices = Set(group.lazy.filter { !$0.records.isEmpty }.map(\.device.id)).sorted()
    // Flags, deletions, merges and their undo delete the row of a device, and other programs change it.
    let stored = try gates.isEmpty ? [:] : LivePositionTable.points(ofDevices: devices, db)
    let missing = devices.filter { device in
      guard let last = gates[device]?.last else { return true }
      return stored[device] != PointKey(last.point)
    }
    guard !missing.isEmpty else { return }
    let received = group.map(\.received.millisecondsSince1970).max() ?? 0
    gates.merge(try LivePositionTable.gates(ofDevices: missing, received: received, db)) { $1 }
  }

  /// A new point of a submission.
  private struct Arrival {
    var index: Int
    var key: PointKey
    var point: TimelinePoint
    var rank: LiveRank
  }

  package func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {
    guard stored.savedPoints > 0 else { return }
    let device = submission.device.id
    let received = submission.received.millisecondsSince1970
    var flags: [Int: OutlierFilter.Reason] = [:]
    var arrivals = Self.arrivals(submission, stored.known)
    arrivals.removeAll { arrival in
      let reason = Plausibility.reason(
        time: arrival.key.time, latitude: arrival.key.latitude, longitude: arrival.key.longitude, received: received)
      if let reason { flags[arrival.index] = reason }
      return reason != nil
    }
    var gate = gates[device] ?? LiveGate()
    let before = gate
    if submission.isHistory {
      for arrival in arrivals { gate.addHistory(arrival.point, arrival.rank) }
    } else {
      // Of two points with the same time, the first is added first, as if they were in separate requests.
      arrivals.sort { ($0.rank, $0.index) < ($1.rank, $1.index) }
      try advance(arrivals, through: &gate, &flags, &stored, submission, db)
    }
    try LivePositionTable.flag(
      flags.sorted { $0.key < $1.key }.compactMap { index, reason in
        PointKey(submission.records[index]).map { ($0, reason) }
      }, ofDevice: device, db)
    stored.withheld = flags.keys.sorted()
    gates[device] = gate
    if gate.last != before.last { changed.insert(device) }
  }

  private func advance(
    _ arrivals: [Arrival], through gate: inout LiveGate, _ flags: inout [Int: OutlierFilter.Reason],
    _ stored: inout SubmissionResult, _ submission: Submission, _ db: any SQLConnection
  ) throws {
    let device = submission.device.id
    /// The index of the point of this submission that is unconfirmed; `nil` if there is none.
    var waiting: Int?
    for arrival in arrivals {
      let outcome = gate.add(arrival.point, arrival.rank)
      if let resolved = outcome.resolved {
        if let index = waiting {
          flags[index] = outcome.isConfirmed ? nil : .teleport
        } else {
          let key = PointKey(resolved.point)
          let stillWaited = try LivePositionTable.resolve(
            key, ofDevice: device, isConfirmed: outcome.isConfirmed, at: submission.received.millisecondsSince1970, db)
          if stillWaited, outcome.isConfirmed, let record = try LivePositionTable.record(of: key, device: device, db) {
            stored.confirmed.append(record)
          }
        }
        waiting = nil
      }
      switch outcome.decision {
      case .waits:
        flags[arrival.index] = .unconfirmed
        waiting = arrival.index
      case .impossible: flags[arrival.index] = .teleport
      case .live, .late: break
      }
    }
  }

  package func end(_ db: any SQLConnection) throws {
    // A fixed order avoids deadlocks between two servers on one database.
    try LivePositionTable.store(changed.sorted().compactMap { device in gates[device]?.last.map { (device, $0) } }, db)
    changed.removeAll(keepingCapacity: true)
  }

  package func discardState() {
    gates.removeAll()
    changed.removeAll()
  }

  // MARK: Points

  private static func arrivals(_ submission: Submission, _ known: [Int]) -> [Arrival] {
    let received = submission.received.millisecondsSince1970
    var rest = known[...]
    var arrivals: [Arrival] = []
    arrivals.reserveCapacity(submission.records.count)
    for index in submission.records.indices {
      if rest.first == index {
        rest.removeFirst()
        continue
      }
      guard let key = PointKey(submission.records[index]), case .fix(let fix) = submission.records[index].kind else { continue }
      let point = TimelinePoint(
        time: key.time, latitude: Int32(clamping: key.latitude), longitude: Int32(clamping: key.longitude),
        // Rounded as the store does, in centimetres.
        accuracy: Int32(clamping: PointRow.exact(max(0, fix.horizontalAccuracy ?? 0), by: 100) / 100))
      arrivals.append(Arrival(index: index, key: key, point: point, rank: LiveRank(time: key.time, received: received)))
    }
    return arrivals
  }
}

extension PointKey {
  /// Returns `nil` for a record that is not a fix.
  package init?(_ record: Record) {
    guard case .fix(let fix) = record.kind else { return nil }
    self.init(
      time: fix.time.millisecondsSince1970, latitude: PointRow.exact(fix.coordinate.latitude, by: 1e7),
      longitude: PointRow.exact(fix.coordinate.longitude, by: 1e7))
  }

  package init(_ point: TimelinePoint) {
    self.init(time: point.time, latitude: Int64(point.latitude), longitude: Int64(point.longitude))
  }
}

extension Submission {
  /// Returns the live records: the records without the withheld ones, and the records that they confirmed.
  package func live(_ stored: SubmissionResult) -> [Record] {
    if stored.withheld.isEmpty, stored.confirmed.isEmpty { return records }
    let withheld = Set(stored.withheld)
    return stored.confirmed + records.enumerated().filter { !withheld.contains($0.offset) }.map(\.element)
  }
}
