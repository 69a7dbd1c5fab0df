internal import GodwitStore
internal import Synchronization

/// Caches the trips, the visits and the lines of dirty days of each device for the requests of a map: some hundreds of kilobytes
/// for ten years.
package final class HistoryTileCache: Sendable {
  private struct Known: Sendable {
    var version: String
    var runs: TravelRuns
    var stays: StayList
  }

  private struct Fresh: Sendable {
    var entry: DirtyDays.Entry
    var version: String
    var lines: [[TrackVertex]]
  }

  private let known = Mutex<[Int64: Known]>([:])
  private let fresh = Mutex<[Fresh]>([])

  package init() {}

  /// The maximum number of devices, and of days.
  private static let maximum = 64

  /// Returns the trips and visits of a device.
  func timeline(ofDevice device: Int64, _ db: any SQLConnection) throws -> (runs: TravelRuns, stays: StayList) {
    let version = try HistoryVersions.timeline(ofDevice: device, db)
    if let found = known.withLock({ $0[device] }), found.version == version { return (found.runs, found.stays) }
    let made = try Known(version: version, runs: TravelRuns(ofDevice: device, db), stays: StayList(ofDevice: device, db))
    known.withLock { known in
      if known.count >= Self.maximum { known.removeAll() }
      known[device] = made
    }
    return (made.runs, made.stays)
  }

  /// Returns the lines of a dirty day, without simplification.
  func lines(of entry: DirtyDays.Entry, _ db: any SQLConnection) throws -> [[TrackVertex]] {
    // Another version of the timeline has other flagged points.
    let version = try HistoryVersions.timeline(ofDevice: entry.device, db)
    let found = fresh.withLock { $0.first { $0.entry == entry && $0.version == version }?.lines }
    if let found { return found }
    let lines = OverviewLines.coarser(try Overview.track(device: entry.device, day: entry.day, db), OverviewLevel.all[0])
    fresh.withLock { fresh in
      fresh.removeAll { $0.entry.device == entry.device && $0.entry.day == entry.day }
      if fresh.count >= Self.maximum { fresh.removeFirst() }
      fresh.append(Fresh(entry: entry, version: version, lines: lines))
    }
    return lines
  }
}
