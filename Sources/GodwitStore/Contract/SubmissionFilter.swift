/// Changes submissions before they are stored, for example for private zones. One thread of the store calls it at a time.
package protocol SubmissionFilter: AnyObject {
  /// Returns the submissions as they may be stored.
  /// - Parameters:
  ///   - group: the received submissions.
  ///   - version: the version of the filter's input, ``FilterVersion``.
  ///   - db: in the transaction that will store the group, or just before it.
  func applied(to group: [Submission], at version: Int64, _ db: any SQLConnection) throws -> FilteredGroup
  /// Discards state that was read in a transaction that was rolled back.
  func discardState()
}

/// A filtered group of submissions.
package struct FilteredGroup {
  /// The submissions as they may be stored.
  package var submissions: [Submission]
  /// Writes the filter's changes, in the transaction that stores the group.
  package var record: ((any SQLConnection) throws -> Void)?

  package init(_ submissions: [Submission]) { self.submissions = submissions }
}

/// The version of the filters' input: private zones, owners of devices, and deletions. Each change increments it.
package enum FilterVersion {
  package static func current(_ db: any SQLConnection) throws -> Int64 {
    try db.integer("SELECT version FROM zone_status") ?? 0
  }

  /// The version, locked against other transactions until the end of this one. PostgreSQL only.
  static func locked(_ db: any SQLConnection) throws -> Int64? {
    try db.integer("SELECT version FROM zone_status FOR SHARE")
  }

  /// Increments the version. On PostgreSQL this statement waits for the transactions that store records, which lock the devices.
  /// Therefore it must be the last statement of a transaction.
  package static func increment(_ db: any SQLConnection) throws {
    try db.run("UPDATE zone_status SET version = version + 1")
  }
}
