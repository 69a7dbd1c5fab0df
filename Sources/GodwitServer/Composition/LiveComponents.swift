internal import GodwitAccess
internal import GodwitDeletion
internal import GodwitIntake
internal import GodwitRegions
internal import GodwitStore

/// The live feed, which sends changes to open pages and devices.
struct LiveComponents: Sendable {
  let feed = EventBroadcaster()
  /// Relays events of other servers that use the same database; `nil` with SQLite.
  let relay: ClusterEventRelay?
  let regionChanges: RegionChangeNotifier
  /// Turns commits into live events.
  let publisher: EventPublisher
  /// Detects deletions by other programs.
  private let deletions = DeletionWatch()
  private let stores: StoreComponents

  init(_ stores: StoreComponents) throws {
    let store = stores.store
    self.stores = stores
    regionChanges = try RegionChangeNotifier(
      store: stores.regions, feed: feed, clock: store.clock, isShared: store.dialect.isShared)
    relay = store.dialect.isShared ? ClusterEventRelay(store: store, feed: feed) : nil
    publisher = EventPublisher(feed: feed, shared: relay, work: stores.work)
  }

  /// Makes pages reload devices after a deletion by this or another program.
  func publishDeletion() {
    stores.friends.invalidate()
    feed.resync()
  }

  /// Publishes a deletion if another server or `godwit delete` deleted data or changed the owner of a device. Blocks the
  /// thread.
  func publishDeletionsOfOthers() {
    if deletions.hasChanged(in: stores.store) { publishDeletion() }
  }
}
