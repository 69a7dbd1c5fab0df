public import Foundation
public import GodwitModel
public import GodwitStore

/// Where the server keeps its regions, and what it knows of who gets and has which. Two implementations obey this contract,
/// as with `TrackStore`: the embedded one (SQLite) and, later, the one for many machines (PostgreSQL).
///
/// - Every change of a region gives it a new revision, higher than all before, so that a reader who asks for what came after
///   a revision misses nothing: what changes while it reads comes once more, further on.
/// - What was deleted is told for ``RegionHistory/age`` and then forgotten.
/// - Any thread; a call sees one state of the store, and writes all of what it was given or nothing.
public protocol RegionStore: Sendable {
  /// Where the store is: a look that costs microseconds.
  func regionStatus() throws -> RegionStatus

  /// What changed after a cursor, for one reader.
  func regionPage(_ query: RegionPageQuery) throws -> StoredRegionPage
  /// One region; `nil` when there is none.
  func region(id: String) throws -> StoredRegion?

  /// Creates regions or replaces them; one that is there already and is the same keeps its revision.
  /// - Parameters:
  ///   - regions: of which no two have one id; the caller has checked them.
  ///   - condition: what must hold for each of them.
  ///   - now: the time of the change.
  /// - Throws: ``RegionConflict``, when the condition does not hold; nothing is stored then.
  func save(_ regions: [Region], if condition: RegionCondition, at now: Date) throws -> RegionChange
  /// Deletes regions.
  /// - Parameters:
  ///   - selection: which.
  ///   - condition: what must hold for each of them.
  ///   - now: the time of the change.
  /// - Throws: ``RegionConflict``, when the condition does not hold; nothing is deleted then.
  func deleteRegions(_ selection: RegionDeletion, if condition: RegionCondition, at now: Date) throws -> [String]

  /// What the owner said about a device; `nil`: nothing.
  func regionRule(device: Int64) throws -> DeviceRegionRule?
  /// Says what a device gets.
  /// - Parameters:
  ///   - rule: `nil`: as if nothing had been said.
  ///   - device: which.
  ///   - now: the time.
  ///   - check: is told in the same transaction what had been said before; what it throws leaves that as it is.
  func setRegionRule(
    _ rule: DeviceRegionRule?, device: Int64, at now: Date, check: @escaping @Sendable (DeviceRegionRule?) throws -> Void) throws
  /// The groups of devices and what they give, by name.
  func regionGroups() throws -> [String: RegionRule]
  /// Says what a group gives; `nil`: there is no such group any more.
  func setRegionGroup(_ rule: RegionRule?, named name: String, at now: Date) throws

  /// The digest and the number of the regions that a device gets now.
  func regionDigest(device: Int64?, wish: RegionFilter) throws -> RegionTotal
  /// What a device that takes what it is told has not been told yet.
  /// - Parameters:
  ///   - device: the device.
  ///   - told: what it was told last; `nil`: nothing, and all is news.
  ///   - most: regions that it may get at all.
  ///   - now: the time of the telling.
  /// - Returns: `nil` when it gets more than `most`.
  func regionUpdate(device: Int64, since told: RegionSync?, most: Int, at now: Date) throws -> RegionUpdate?
  /// Keeps what a device was told.
  func noteRegionSync(_ sync: RegionSync) throws
  /// What devices were told last.
  /// - Parameter since: only what was told then or later; `nil`: all.
  func regionSyncs(since: Date?) throws -> [RegionSync]
  /// What each device gets and what it has, by name; devices without a rule that never asked included.
  func regionDevices() throws -> [RegionDeviceSummary]
}

/// How long a store remembers what was deleted. A device that was away for longer begins anew.
public enum RegionHistory {
  /// Seconds.
  public static let age: TimeInterval = 90 * 86_400
  /// The newest changes are remembered for longer, so many of them.
  public static let changes = 256
}

/// Where the store is.
public struct RegionStatus: Sendable, Hashable {
  /// Names the store itself: made by chance with it.
  public var epoch: String
  /// The highest so far; 0: there never was a region.
  public var revision: Int64
  /// Counts changes of the rules of devices and groups.
  public var rules: Int64
  /// Of all regions.
  public var total: RegionTotal
}

/// How many regions there are in a scope, and their digest.
public struct RegionTotal: Sendable, Hashable {
  public var digest: RegionDigest
  public var count: Int

  public static let empty = RegionTotal(digest: .empty, count: 0)
}

/// A region as the store has it.
public struct StoredRegion: Sendable, Hashable {
  public var id: String
  public var revision: Int64
  /// When it was made or changed.
  public var changed: Date
  /// As our API writes it, without the revision.
  public var json: [UInt8]
}

/// Which page of the regions.
public struct RegionPageQuery: Sendable {
  /// `nil`: the owner, who gets all.
  public var device: Int64?
  public var wish: RegionFilter
  /// The ``StoredRegionPage/endCursor`` of the page before; `nil`: from the beginning.
  public var after: String?
  /// Only those that reach into it; then nothing is told of what was deleted.
  public var box: BoundingBox?
  /// Most nodes.
  public var first: Int

  public init(
    device: Int64? = nil, wish: RegionFilter = RegionFilter(), after: String? = nil, box: BoundingBox? = nil, first: Int
  ) {
    self.device = device
    self.wish = wish
    self.after = after
    self.box = box
    self.first = first
  }
}

/// What changed after a cursor.
public struct StoredRegionPage: Sendable {
  public enum Node: Sendable, Hashable {
    case region(StoredRegion)
    /// It is gone, or the reader does not get it any more.
    case gone(id: String, revision: Int64)

    /// It is no deletion.
    package var isThere: Bool { if case .region = self { true } else { false } }
  }

  public var epoch: String
  /// In the order of their revisions.
  public var nodes: [Node]
  public var endCursor: String
  public var hasNextPage: Bool
  /// Of all that the reader gets, when this page was read.
  public var total: RegionTotal
  /// The cursor says nothing to this store any more: these are the first ones, and what is not among the pages from here on
  /// is not there.
  public var isReset: Bool
  /// The scope and the revision that the cursor stands for.
  package var scope: String
  package var revision: Int64
}

/// What must hold for a region before it is changed.
public enum RegionCondition: Sendable, Hashable {
  case none
  /// It is there, with this revision.
  case revision(Int64)
  /// It is there.
  case exists
  /// It is not there.
  case absent
}

/// What a change met that it had said it would not meet.
public struct RegionConflict: Error, Sendable, CustomStringConvertible {
  public var id: String
  /// The region's revision; `nil`: there is none.
  public var revision: Int64?

  public var description: String {
    revision.map { "The region \"\(id)\" has revision \($0)." } ?? "There is no region \"\(id)\"."
  }
}

/// What became of regions that were saved.
public struct RegionChange: Sendable, Hashable {
  public var created = 0
  public var changed = 0
  /// They were there already, the same.
  public var unchanged = 0
  /// The store's revision after it.
  public var revision: Int64 = 0

  package init(created: Int = 0, changed: Int = 0, unchanged: Int = 0, revision: Int64 = 0) {
    self.created = created
    self.changed = changed
    self.unchanged = unchanged
    self.revision = revision
  }
}

/// Which regions to delete.
public enum RegionDeletion: Sendable, Hashable {
  case ids([String])
  /// Those with this tag.
  case tag(String)
  case all
}

/// What a device was told last.
public struct RegionSync: Sendable, Hashable {
  public var device: Int64
  public var time: Date
  /// ``StoredRegionPage/scope`` and ``StoredRegionPage/revision`` of the last page.
  package var scope: String
  package var revision: Int64
  public var total: RegionTotal
  /// What the device itself asked for.
  public var wish: RegionFilter

  package init(device: Int64, time: Date, scope: String, revision: Int64, total: RegionTotal, wish: RegionFilter) {
    self.device = device
    self.time = time
    self.scope = scope
    self.revision = revision
    self.total = total
    self.wish = wish
  }
}

/// A device, the regions that it gets, and those that it has.
public struct RegionDeviceSummary: Sendable {
  public var device: Device
  /// `nil`: the owner said nothing.
  public var rule: DeviceRegionRule?
  /// What it gets now.
  public var total: RegionTotal
  /// What it was told last; `nil`: it never asked.
  public var sync: RegionSync?
  /// When what it gets became something else than what it has; `nil`: it has it.
  public var behindSince: Date?
}

extension RegionStore {
  /// Says what a device gets, whatever had been said before; `nil`: as if nothing had been said.
  public func setRegionRule(_ rule: DeviceRegionRule?, device: Int64, at now: Date) throws {
    try setRegionRule(rule, device: device, at: now) { _ in }
  }
}
