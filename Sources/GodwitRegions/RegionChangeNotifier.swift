internal import Foundation
internal import GodwitModel
internal import GodwitSQLite
package import GodwitServices
internal import GodwitStore
package import GodwitWire
internal import Synchronization

/// Publishes events to open pages.
package protocol RegionFeed: Sendable {
  /// Whether a page is connected.
  var hasSubscribers: Bool { get }
  /// Sends a server-sent event to every page.
  func publish(_ event: [UInt8])
}

/// Reports changes of regions: with a hint in the response to an upload, and with an event for open pages.
///
/// Other programs may change the regions, so the status of the store is read at most once a second, when a device or a page needs
/// it. Servers that share a store also share the syncs of devices.
package final class RegionChangeNotifier: Sendable {
  private let store: any RegionStore
  private let feed: any RegionFeed
  private let isShared: Bool
  private let clock: ServerClock
  private let state = Mutex(State())

  private struct State {
    /// The last sync of each device.
    var syncs: [Int64: RegionSync] = [:]
    /// The hints by device. They are valid while the status of the store is the same.
    var hints: [Int64: RegionDigest?] = [:]
    var status: RegionStatus?
    var looked = Date.distantPast
    /// The time of the newest sync in ``syncs``.
    var newestSync = Date.distantPast
    /// The status that was last published to open pages.
    var announced: RegionStatus?
  }

  /// Seconds for which a status of the store is valid.
  private static let freshness = 1.0
  /// Maximum difference between the clocks of servers, in seconds.
  private static let clockSlack = 60.0

  /// - Parameters:
  ///   - store: the regions.
  ///   - feed: publishes the events.
  ///   - clock: the clock of the server.
  ///   - isShared: whether other servers use the same store.
  /// - Throws: an error of the store.
  package init(store: any RegionStore, feed: any RegionFeed, clock: ServerClock, isShared: Bool = false) throws {
    self.store = store
    self.clock = clock
    self.feed = feed
    self.isShared = isShared
    let status = try store.regionStatus()
    let syncs = try store.regionSyncs(since: nil)
    state.withLock { state in
      state.announced = status
      Self.adopt(syncs, into: &state)
    }
  }

  private static func adopt(_ syncs: [RegionSync], into state: inout State) {
    for sync in syncs where state.syncs[sync.device].map({ $0.time < sync.time }) ?? true {
      state.syncs[sync.device] = sync
      state.hints[sync.device] = nil
    }
    state.newestSync = max(state.newestSync, syncs.map(\.time).max() ?? .distantPast)
  }

  /// Returns the last sync of a device, with this or another server; `nil`: the device has never synced.
  private func sync(of device: Int64) -> RegionSync? {
    if isShared { _ = status() }
    return state.withLock { $0.syncs[device] }
  }

  /// Returns the digest of the regions of a device if it differs from the last sync. `nil`: it does not differ, or the device has
  /// never synced; the store is not queried in that case.
  package func hint(device: Int64) -> RegionDigest? {
    guard let sync = sync(of: device) else { return nil }
    return changes(of: device, since: sync)
  }

  /// Whether the regions of a device differ from its last sync, or the device has regions and no sync.
  package func isBehind(_ device: Int64) -> Bool { changes(of: device, since: sync(of: device)) != nil }

  private func changes(of device: Int64, since sync: RegionSync?) -> RegionDigest? {
    guard let status = status() else { return nil }
    if let known = state.withLock({ $0.hints[device] }) { return known }
    // A hint is optional. If the store cannot be read, the response to the upload itself reports the error.
    guard let total = try? store.regionDigest(device: device, filter: sync?.filter ?? RegionFilter()) else { return nil }
    let hint = total.digest == sync?.total.digest ?? .empty ? nil : total.digest
    state.withLock { state in
      if state.status == status, state.syncs[device] == sync { state.hints[device] = .some(hint) }
    }
    return hint
  }

  /// Whether a device has regions and has never synced.
  package func isNew(_ device: Int64) -> Bool { sync(of: device) == nil && isBehind(device) }

  /// Records an empty sync of a device that accepts pushed regions. From then on the device monitors its regions itself, and the
  /// server does not evaluate its positions.
  /// - Parameters:
  ///   - device: the device.
  ///   - maximum: maximum regions of the device. If it has more, nothing is recorded.
  package func begin(_ device: Int64, maximum: Int) {
    guard isNew(device), let update = try? store.regionUpdate(device: device, since: nil, maximum: maximum, at: clock.now) else {
      return
    }
    var sync = update.sync
    (sync.revision, sync.total) = (0, .empty)
    let isFirst = state.withLock { state in
      guard state.syncs[device] == nil else { return false }
      state.syncs[device] = sync
      state.hints[device] = nil
      return true
    }
    if isFirst { _ = try? store.recordRegionSync(sync) }
  }

  /// Returns the update to push to a device that does not poll; `nil`: there is none. The update is recorded as sent, so that it
  /// is sent once.
  /// - Parameters:
  ///   - device: the device.
  ///   - known: ids of the regions that the device itself has just reported.
  ///   - maximum: maximum regions of the device. If it has more, nothing is sent.
  package func takeUpdate(device: Int64, knowing known: Set<String>, maximum: Int) -> RegionUpdate? {
    let reported = sync(of: device)
    guard var update = try? store.regionUpdate(device: device, since: reported, maximum: maximum, at: clock.now),
      update.sync.total.digest != reported?.total.digest ?? .empty
    else { return nil }
    let isFirst = state.withLock { state in
      // A concurrent request of the device has sent the update already.
      guard state.syncs[device] == reported else { return false }
      state.syncs[device] = update.sync
      state.hints[device] = nil
      return true
    }
    guard isFirst else { return nil }
    // If this write fails, the update is sent again after a restart, which is harmless.
    _ = try? store.recordRegionSync(update.sync)
    if !update.isFull { update.regions.removeAll { known.contains($0.id) } }
    return update
  }

  /// Stores a device's sync in memory and in the store.
  package func record(_ sync: RegionSync) {
    let isChanged = state.withLock { state in
      state.hints[sync.device] = nil
      guard var known = state.syncs.updateValue(sync, forKey: sync.device) else { return true }
      let isLongAgo = sync.time.timeIntervalSince(known.time) > 60
      known.time = sync.time
      return isLongAgo || known != sync
    }
    // If this write fails, the device still has its regions and syncs again later.
    if isChanged { _ = try? store.recordRegionSync(sync) }
  }

  /// Reads the status of the store and publishes an event if the status has changed.
  package func refresh() {
    state.withLock { $0.looked = .distantPast }
    guard let status = status() else { return }
    let isChanged = state.withLock { state in
      defer { state.announced = status }
      return state.announced != status
    }
    guard isChanged, feed.hasSubscribers else { return }
    let text =
      #"{"revision":\#(status.revision),"count":\#(status.total.count),"digest":"\#(status.total.digest)","rules":\#(status.rules)}"#
    feed.publish(Array("event: regions\ndata: \(text)\n\n".utf8))
  }

  private func status() -> RegionStatus? {
    let now = clock.now
    let known = state.withLock { abs(now.timeIntervalSince($0.looked)) < Self.freshness ? $0.status : nil }
    if let known { return known }
    if isShared {
      let since = state.withLock { $0.newestSync }.addingTimeInterval(-Self.clockSlack)
      // If this fails, the next call reads the same syncs again.
      let syncs = (try? store.regionSyncs(since: since)) ?? []
      state.withLock { Self.adopt(syncs, into: &$0) }
    }
    guard let status = try? store.regionStatus() else { return nil }
    state.withLock { state in
      if state.status != status { state.hints.removeAll(keepingCapacity: true) }
      state.status = status
      state.looked = now
    }
    return status
  }
}
