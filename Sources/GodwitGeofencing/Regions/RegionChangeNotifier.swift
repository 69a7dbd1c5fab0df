internal import Foundation
internal import GodwitModel
package import GodwitSQLite
internal import GodwitStore
internal import Synchronization

/// Takes events for open pages.
package protocol RegionFeed: Sendable {
  /// Whether a page listens.
  var hasSubscribers: Bool { get }
  /// Sends a server-sent event to every page.
  func publish(_ event: [UInt8])
}

/// Tells devices and pages that the regions have changed: the hint in an upload's answer, and an event for open pages.
///
/// Another program may change the regions beside the server, so the store is asked where it is, once a second at most, and only
/// when a device or a page needs it. Where several servers share the store, so is what they have told devices.
package final class RegionChangeNotifier: Sendable {
  /// Where many devices' syncs are, the newest are asked for once a second.
  package static let postgres = Migrations.Step(
    "what devices were told of regions lately", "CREATE INDEX region_syncs_by_time ON region_syncs (time);")

  private let store: any RegionStore
  private let feed: any RegionFeed
  private let isShared: Bool
  private let state = Mutex(State())

  private struct State {
    /// What devices were told last.
    var syncs: [Int64: RegionSync] = [:]
    /// What is told to a device, as long as the store stays where it is.
    var hints: [Int64: RegionDigest?] = [:]
    var status: RegionStatus?
    var looked = Date.distantPast
    /// When the newest of ``syncs`` was.
    var newestSync = Date.distantPast
    /// The state that open pages were told of.
    var announced: RegionStatus?
  }

  /// Seconds for which an answer of the store is good.
  private static let freshness = 1.0
  /// Seconds by which the clocks of servers may differ.
  private static let clockSlack = 60.0

  /// - Parameters:
  ///   - store: the regions.
  ///   - feed: where events go.
  ///   - isShared: whether other servers have the same store.
  /// - Throws: what the store cannot read.
  package init(store: any RegionStore, feed: any RegionFeed, isShared: Bool = false) throws {
    self.store = store
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

  /// What a device was told last, here or by another server.
  private func sync(of device: Int64) -> RegionSync? {
    if isShared { _ = status() }
    return state.withLock { $0.syncs[device] }
  }

  /// The digest of what the device gets now, where that is something else than what it was told last; `nil` for a device that
  /// has never asked, at no cost.
  package func hint(device: Int64) -> RegionDigest? {
    guard let sync = sync(of: device) else { return nil }
    return news(of: device, since: sync)
  }

  /// Whether what the device gets is something else than what it was told, also where it was never told anything.
  package func isBehind(_ device: Int64) -> Bool { news(of: device, since: sync(of: device)) != nil }

  private func news(of device: Int64, since sync: RegionSync?) -> RegionDigest? {
    guard let status = status() else { return nil }
    if let known = state.withLock({ $0.hints[device] }) { return known }
    // A hint is a courtesy: where the store cannot be read, the upload's own answer says so.
    guard let total = try? store.regionDigest(device: device, wish: sync?.wish ?? RegionFilter()) else { return nil }
    let hint = total.digest == sync?.total.digest ?? .empty ? nil : total.digest
    state.withLock { state in
      if state.status == status, state.syncs[device] == sync { state.hints[device] = .some(hint) }
    }
    return hint
  }

  /// Whether the device gets regions and was never told anything.
  package func isNew(_ device: Int64) -> Bool { sync(of: device) == nil && isBehind(device) }

  /// Notes that a device takes what it is told, and that nothing was told yet: from here on it watches its regions itself, and the
  /// server does not look which of them its positions are in.
  /// - Parameters:
  ///   - device: the device.
  ///   - most: regions that it may get; nothing is noted where it gets more.
  package func begin(_ device: Int64, most: Int) {
    guard isNew(device), let update = try? store.regionUpdate(device: device, since: nil, most: most, at: Date()) else { return }
    var sync = update.sync
    (sync.revision, sync.total) = (0, .empty)
    let isFirst = state.withLock { state in
      guard state.syncs[device] == nil else { return false }
      state.syncs[device] = sync
      state.hints[device] = nil
      return true
    }
    if isFirst { _ = try? store.noteRegionSync(sync) }
  }

  /// What a device that does not ask is to be told now; it counts as told from here on, so that it is told once.
  /// - Parameters:
  ///   - device: the device.
  ///   - known: regions that it has itself just told us of.
  ///   - most: regions that it may get; nothing is told where it gets more.
  package func takeUpdate(device: Int64, knowing known: Set<String>, most: Int) -> RegionUpdate? {
    let told = sync(of: device)
    guard var update = try? store.regionUpdate(device: device, since: told, most: most, at: Date()),
      update.sync.total.digest != told?.total.digest ?? .empty
    else { return nil }
    let isFirst = state.withLock { state in
      // Another request of the device was faster.
      guard state.syncs[device] == told else { return false }
      state.syncs[device] = update.sync
      state.hints[device] = nil
      return true
    }
    guard isFirst else { return nil }
    // Where it cannot be written the device is told once more after a restart, which changes nothing in it.
    _ = try? store.noteRegionSync(update.sync)
    if !update.isAnew { update.regions.removeAll { known.contains($0.id) } }
    return update
  }

  /// Keeps what a device was told, in memory and in the store.
  package func note(_ sync: RegionSync) {
    let isChanged = state.withLock { state in
      state.hints[sync.device] = nil
      guard var known = state.syncs.updateValue(sync, forKey: sync.device) else { return true }
      let isLongAgo = sync.time.timeIntervalSince(known.time) > 60
      known.time = sync.time
      return isLongAgo || known != sync
    }
    // The device has its regions whether or not this can be written; it asks again some time.
    if isChanged { _ = try? store.noteRegionSync(sync) }
  }

  /// Looks where the store is and tells who is looking on, if it is somewhere else.
  package func look() {
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
    let now = Date()
    let known = state.withLock { abs(now.timeIntervalSince($0.looked)) < Self.freshness ? $0.status : nil }
    if let known { return known }
    if isShared {
      let since = state.withLock { $0.newestSync }.addingTimeInterval(-Self.clockSlack)
      // Where this fails the next look finds as much.
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
