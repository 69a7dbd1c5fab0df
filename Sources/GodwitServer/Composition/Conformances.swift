internal import GodwitAccess
internal import GodwitGeofencing
internal import GodwitRegions
package import GodwitStore

extension EventBroadcaster: RegionFeed {}

extension UserAdministration {
  /// Creates the user administration for a program other than the server, such as a command.
  package init(_ store: any StoreDatabase) { self.init(store, outbox: StoredOutbox()) }
}
