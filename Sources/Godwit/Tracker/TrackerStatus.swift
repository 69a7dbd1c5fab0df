internal import Foundation
public import GodwitEngine
public import GodwitModel

/// How a tracker is doing.
public struct TrackerStatus: Sendable, Hashable {
  public struct EndpointStatus: Sendable, Hashable {
    public var id: EndpointID
    public var status: Engine.EndpointStatus
  }

  public var isTracking: Bool
  public var authorization: Authorization
  /// Newest fix, kept or not.
  public var lastFix: Fix?
  /// Why there is no location just now, as a sentence.
  public var locationProblem: String?
  public var endpoints: [EndpointStatus]
  /// Fixes that were no places at all.
  public var invalidFixes: Int
  /// Fixes that were too near or too soon after the last kept one.
  public var thinnedFixes: Int
  /// Records that wait in memory for the journal.
  public var unwritten: Int
  /// Records that were lost: too old to keep, or too many to hold while the journal could not be written.
  public var lost: Int
  /// Records that an endpoint refused for good; `Journal.setAside(endpoint:)` has them with the reasons.
  public var setAside: Int
  /// Why the journal cannot be written, as a sentence.
  public var journalProblem: String?
}
