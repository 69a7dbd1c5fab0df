package import GodwitModel
package import GodwitStore

/// The regions that the server evaluates. Called on the store's thread, in its transactions.
package protocol EvaluationSource: AnyObject, Sendable {
  /// The version of the regions and rules. Called once per transaction.
  func version(_ db: any SQLConnection) throws -> EvaluationVersion
  /// The regions that changed after a revision; `nil`: the region is deleted.
  func changes(after revision: Int64, _ db: any SQLConnection) throws -> [(id: String, region: Region?)]
  /// Whether a device's fixes are evaluated, and for which regions. The result is cached until the rules change.
  func options(of device: Int64, _ db: any SQLConnection) throws -> EvaluationOptions
  /// Whether a device has ever synced regions. Called at each upload of a device without a rule.
  func hasSynced(_ device: Int64, _ db: any SQLConnection) throws -> Bool
}

/// The version of the regions and rules. If either number changes, cached results are invalid.
package struct EvaluationVersion: Sendable, Hashable {
  /// The revision of the newest change of a region; 0: none.
  package var regions: Int64
  /// The number of the newest change of a rule.
  package var rules: Int64
}

/// How the server evaluates a device's fixes.
package struct EvaluationOptions: Sendable {
  /// Whether the server evaluates the fixes; `nil`: only while the device has never synced regions.
  package var evaluates: Bool?
  /// Returns whether a region applies to the device; `nil`: all regions apply.
  package var chooses: (@Sendable (Region) -> Bool)?
}
