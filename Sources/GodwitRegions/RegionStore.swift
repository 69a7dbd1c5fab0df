public import Foundation
public import GodwitModel
public import GodwitStore
package import GodwitWire

/// Stores the regions, the rules of devices, and the last syncs of devices. SQLite and PostgreSQL are supported.
///
/// - Every change of a region gives it a new, higher revision. A reader of the changes after a revision misses no change: a
/// change during the read appears again later.
/// - Tombstones are stored for ``RegionHistory/age`` and then purged.
/// - The functions may be called on any thread. A call sees one state of the store, and writes everything or nothing.
public protocol RegionStore: Sendable {
  /// Returns the state of the store. This takes microseconds.
  func regionStatus() throws -> RegionStatus

  /// Returns the changes after a cursor for one reader.
  func regionPage(_ query: RegionPageQuery) throws -> StoredRegionPage
  /// Returns a region; `nil`: it does not exist.
  func region(id: String) throws -> StoredRegion?
  /// Returns a region if the rules assign it to a device; otherwise `nil`.
  func region(id: String, device: Int64) throws -> StoredRegion?

  /// Creates or replaces regions. The revision of an identical region does not change.
  /// - Parameters:
  ///   - regions: valid regions with distinct ids.
  ///   - condition: the precondition for each of them.
  ///   - now: the time of the change.
  /// - Throws: ``RegionConflict`` if the precondition fails; nothing is stored then.
  func save(_ regions: [Region], if condition: RegionCondition, at now: Date) throws -> RegionChange
  /// Deletes regions.
  /// - Parameters:
  ///   - selection: the regions.
  ///   - condition: the precondition for each of them.
  ///   - now: the time of the change.
  /// - Returns: the ids of the regions that were deleted.
  /// - Throws: ``RegionConflict`` if the precondition fails; nothing is deleted then.
  func deleteRegions(_ selection: RegionDeletion, if condition: RegionCondition, at now: Date) throws -> [String]

  /// Returns the settings of the regions of a device; `nil`: none.
  func regionRule(device: Int64) throws -> DeviceRegionRule?
  /// Sets the rule of a device.
  /// - Parameters:
  ///   - rule: the rule; `nil` removes it.
  ///   - device: the device.
  ///   - now: the time.
  ///   - check: receives the former rule in the same transaction; if it throws, nothing changes.
  func setRegionRule(
    _ rule: DeviceRegionRule?, device: Int64, at now: Date, check: @escaping @Sendable (DeviceRegionRule?) throws -> Void) throws
  /// Returns the rules of the groups of devices, by name.
  func regionGroups() throws -> [String: RegionRule]
  /// Sets the rule of a group; `nil` removes the group.
  func setRegionGroup(_ rule: RegionRule?, named name: String, at now: Date) throws

  /// Returns the digest and the number of the regions of a device.
  func regionDigest(device: Int64?, filter: RegionFilter) throws -> RegionTotal
  /// Returns the changes since the last sync of a device that accepts pushed regions.
  /// - Parameters:
  ///   - device: the device.
  ///   - reported: the last sync; `nil`: there is none, and all regions are new.
  ///   - maximum: maximum regions of the device.
  ///   - now: the time of the sync.
  /// - Returns: the update; `nil`: the device would get more than `maximum` regions.
  func regionUpdate(device: Int64, since reported: RegionSync?, maximum: Int, at now: Date) throws -> RegionUpdate?
  /// Stores a sync of a device.
  func recordRegionSync(_ sync: RegionSync) throws
  /// Returns the last syncs of devices.
  /// - Parameter since: only syncs at or after this time; `nil`: all.
  func regionSyncs(since: Date?) throws -> [RegionSync]
  /// Returns the regions that each device should have and has, by the name of the device. Devices without a rule and a sync are
  /// included.
  func regionDevices() throws -> [RegionDeviceSummary]
}

/// How long tombstones are stored. A device whose last sync is older syncs again from the start.
public enum RegionHistory {
  /// Minimum age, in seconds, of a purged tombstone.
  public static let age = 90 * DayLength.seconds
  /// The number of newest changes that are never purged.
  public static let changes = 256
}

/// The state of the store.
public struct RegionStatus: Sendable, Hashable {
  /// The random identifier of the store.
  public var epoch: String
  /// The highest revision; 0: no region was ever stored.
  public var revision: Int64
  /// The number of changes of the rules of devices and groups.
  public var rules: Int64
  /// The total of all regions.
  public var total: RegionTotal
}

/// The number and the digest of regions.
public struct RegionTotal: Sendable, Hashable {
  package var digest: RegionDigest
  public var count: Int

  public static let empty = RegionTotal(digest: .empty, count: 0)
}

/// A stored region.
public struct StoredRegion: Sendable, Hashable {
  public var id: String
  public var revision: Int64
  /// The time of its last change.
  public var changed: Date
  /// The JSON of the API, without the revision.
  public var json: [UInt8]
}

/// A query for a page of regions.
public struct RegionPageQuery: Sendable {
  /// `nil`: the administrator, which gets all regions.
  public var device: Int64?
  public var filter: RegionFilter
  /// The ``StoredRegionPage/endCursor`` of the previous page; `nil`: the first page.
  public var after: String?
  /// Only regions that intersect the box; `nil`: all. With a box, deletions are omitted.
  public var box: BoundingBox?
  /// Maximum nodes.
  public var first: Int

  public init(
    device: Int64? = nil, filter: RegionFilter = RegionFilter(), after: String? = nil, box: BoundingBox? = nil, first: Int
  ) {
    self.device = device
    self.filter = filter
    self.after = after
    self.box = box
    self.first = first
  }
}

/// The changes after a cursor.
public struct StoredRegionPage: Sendable {
  public enum Node: Sendable, Hashable {
    case region(StoredRegion)
    /// The region is deleted, or no longer in the reader's scope.
    case gone(id: String, revision: Int64)

    /// Whether the node is not a deletion.
    package var isThere: Bool { if case .region = self { true } else { false } }
  }

  public var epoch: String
  /// Ordered by revision.
  public var nodes: [Node]
  public var endCursor: String
  public var hasNextPage: Bool
  /// The total of the reader's regions when the page was read.
  public var total: RegionTotal
  /// Whether the cursor of the query was no longer valid. This is the first page then; regions that are in no page from here on
  /// do not exist.
  public var isReset: Bool
  /// The scope and the revision of the cursor.
  package var scope: String
  package var revision: Int64
}

/// The precondition of a change.
public enum RegionCondition: Sendable, Hashable {
  case none
  /// The region exists with this revision.
  case revision(Int64)
  /// The region exists.
  case exists
  /// The region does not exist.
  case absent
}

/// A precondition that failed.
public struct RegionConflict: Error, Sendable, CustomStringConvertible {
  public var id: String
  /// The region's revision; `nil`: it does not exist.
  public var revision: Int64?

  public var description: String {
    revision.map { "The region \"\(id)\" has revision \($0)." } ?? "There is no region \"\(id)\"."
  }
}

/// The result of saving regions.
public struct RegionChange: Sendable, Hashable {
  public var created = 0
  public var changed = 0
  /// Identical regions, which were not changed.
  public var unchanged = 0
  /// The store's revision after the change.
  public var revision: Int64 = 0

  package init(created: Int = 0, changed: Int = 0, unchanged: Int = 0, revision: Int64 = 0) {
    self.created = created
    self.changed = changed
    self.unchanged = unchanged
    self.revision = revision
  }
}

/// The regions to delete.
public enum RegionDeletion: Sendable, Hashable {
  case ids([String])
  /// Regions with this tag.
  case tag(String)
  case all
}

/// The last sync of a device.
public struct RegionSync: Sendable, Hashable {
  public var device: Int64
  public var time: Date
  /// ``StoredRegionPage/scope`` and ``StoredRegionPage/revision`` of the last page.
  package var scope: String
  package var revision: Int64
  public var total: RegionTotal
  /// The filter of the device.
  public var filter: RegionFilter

  package init(device: Int64, time: Date, scope: String, revision: Int64, total: RegionTotal, filter: RegionFilter) {
    self.device = device
    self.time = time
    self.scope = scope
    self.revision = revision
    self.total = total
    self.filter = filter
  }
}

/// A device, the regions that it should have, and those that it has.
public struct RegionDeviceSummary: Sendable {
  public var device: Device
  /// `nil`: no rule.
  public var rule: DeviceRegionRule?
  /// Whether it belongs to a user who is not an administrator. Without a rule it gets only the regions of its own app.
  package var isMembers: Bool
  /// The regions that it should have.
  public var total: RegionTotal
  /// The last sync; `nil`: none.
  public var sync: RegionSync?
  /// The time since when its regions are outdated; `nil`: they are current.
  public var behindSince: Date?
}

extension RegionStore {
  /// Sets the rule of a device unconditionally; `nil` removes it.
  public func setRegionRule(_ rule: DeviceRegionRule?, device: Int64, at now: Date) throws {
    try setRegionRule(rule, device: device, at: now) { _ in }
  }
}
