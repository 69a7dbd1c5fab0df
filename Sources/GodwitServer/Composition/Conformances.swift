internal import GodwitAccess
internal import GodwitGeofencing
internal import GodwitRegions
package import GodwitStore

extension EventBroadcaster: RegionFeed {}

extension UserAdministration {
  /// Users of a store, for a program beside the server.
  package init(_ store: any StoreDatabase) { self.init(store, outbox: StoredOutbox()) }
}
