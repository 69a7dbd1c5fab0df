internal import Foundation
internal import GodwitModel
package import GodwitStore

/// Marks the days that get new points, or visits and trips that a device reports, in the transactions that store them.
///
/// `@unchecked Sendable`: used only on the store's thread.
package final class DirtyDayRecorder: CommitParticipant, @unchecked Sendable {
  package init() {}

  private struct Key: Hashable {
    var device: Int64
    var day: Int64
  }
  /// The earliest new point of each day in the transaction.
  private var earliest: [Key: Int64] = [:]
  private var received: Int64 = 0

  package func begin(_ group: [Submission], _ db: any SQLConnection) throws { earliest.removeAll(keepingCapacity: true) }

  package func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {
    guard stored.saved > 0 else { return }
    received = submission.received.millisecondsSince1970
    var known = stored.known[...]
    for index in submission.records.indices {
      if known.first == index {
        known.removeFirst()
        continue
      }
      for time in DirtyDays.times(of: submission.records[index].kind) { record(time.millisecondsSince1970, submission.device.id) }
    }
  }

  private func record(_ time: Int64, _ device: Int64) {
    let day = DirtyDays.day(of: time)
    if let known = earliest[Key(device: device, day: day)], known <= time { return }
    earliest[Key(device: device, day: day)] = time
    // The line of the next day begins with the last point before the day, if that point is near.
    let next = (day + 1) * DayLength.milliseconds
    if next - time <= TrackGap.seconds * 1000, earliest[Key(device: device, day: day + 1)] == nil {
      earliest[Key(device: device, day: day + 1)] = next
    }
  }

  package func end(_ db: any SQLConnection) throws {
    // A fixed order avoids deadlocks between two servers on one database.
    for (key, time) in earliest.sorted(by: { ($0.key.device, $0.key.day) < ($1.key.device, $1.key.day) }) {
      try DirtyDays.record(device: key.device, day: key.day, since: time, at: received, db)
    }
  }

  package func discardState() { earliest.removeAll() }
}
