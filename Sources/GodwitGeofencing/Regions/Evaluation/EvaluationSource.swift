package import GodwitModel
package import GodwitStore

/// Where the server's own look at regions gets them from. Called on the store's thread, in its transactions.
package protocol EvaluationSource: AnyObject, Sendable {
  /// The state of the regions and of the rules that say who gets which. Called once a transaction.
  func version(in database: any SQLConnection) throws -> EvaluationVersion
  /// The regions that changed after a revision; `nil`: it is gone.
  func changes(after revision: Int64, in database: any SQLConnection) throws -> [(id: String, region: Region?)]
  /// Whether a device's fixes are looked at, and for which regions. Asked once a device, until the rules change.
  func terms(of device: Int64, in database: any SQLConnection) throws -> EvaluationTerms
  /// Whether a device has ever synced regions. Asked at each upload of a device without a rule of its own.
  func hasSynced(_ device: Int64, in database: any SQLConnection) throws -> Bool
}

/// When either number is another one, what was read before is no longer so.
package struct EvaluationVersion: Sendable, Hashable {
  /// Of the newest change of a region; 0: there was never one.
  package var regions: Int64
  /// Of the newest change of a rule.
  package var rules: Int64
}

/// What the server does with a device's fixes.
package struct EvaluationTerms: Sendable {
  /// Whether it looks in which regions they are; `nil`: as long as the device has never synced regions.
  package var evaluates: Bool?
  /// The regions that concern the device; `nil`: all.
  package var chooses: (@Sendable (Region) -> Bool)?
}
