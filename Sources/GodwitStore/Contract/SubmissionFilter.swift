/// Changes submissions before they are stored, such as for private zones. Called by one thread of the store at a time.
package protocol SubmissionFilter: AnyObject {
  /// Returns the submissions as they may be stored.
  /// - Parameters:
  ///   - group: what came.
  ///   - version: of what the filter reads, ``FilterVersion``.
  ///   - connection: in the transaction that is to store it, or just before it.
  func applied(to group: [Submission], at version: Int64, in connection: any SQLConnection) throws -> FilteredGroup
  /// Discards what was read: its transaction was rolled back.
  func discardState()
}

/// A group of submissions after a filter.
package struct FilteredGroup {
  /// As they may be stored.
  package var submissions: [Submission]
  /// Writes what the filter changed, in the transaction that stores the group.
  package var record: ((any SQLConnection) throws -> Void)?

  package init(_ submissions: [Submission]) { self.submissions = submissions }
}

/// The version of what filters read: private zones, owners of devices, and deletions. Each change of them increments it.
package enum FilterVersion {
  package static func current(_ connection: any SQLConnection) throws -> Int64 {
    try connection.integer("SELECT version FROM zone_status") ?? 0
  }

  /// The same, and no other transaction increments it until the end of this one. PostgreSQL only.
  static func locked(_ connection: any SQLConnection) throws -> Int64? {
    try connection.integer("SELECT version FROM zone_status FOR SHARE")
  }

  /// Zones, or the owner of a device, have changed, or something was deleted. On PostgreSQL it waits for the transactions that
  /// store records, which lock the devices: to be called last in a transaction.
  package static func increment(_ connection: any SQLConnection) throws {
    try connection.run("UPDATE zone_status SET version = version + 1")
  }
}
