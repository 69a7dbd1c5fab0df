public import Foundation
public import GodwitEngine
public import GodwitModel

/// How a tracker is doing.
public struct TrackerStatus: Sendable, Hashable {
  public struct EndpointStatus: Sendable, Hashable {
    public var id: EndpointID
    public var status: QueueStatus
  }

  public var isTracking: Bool
  public var authorization: Authorization
  /// Newest fix, kept or not.
  public var lastFix: Fix?
  /// When it came; `nil`: it is one of a run before this one. Not its own time, which for a replay is long ago.
  public var lastFixReceived: Date?
  /// What the motion chip saw last.
  public var motion: Motion
  /// Why there is no location just now, as a sentence.
  public var locationProblem: String?
  /// Why no trip begins by itself although the settings want that, as a sentence.
  public var motionProblem: String?
  public var endpoints: [EndpointStatus]
  /// Fixes that were no places at all.
  public var invalidFixes: Int
  /// Fixes that the owner's filters dropped.
  public var thinnedFixes: Int
  /// Records that wait in memory for the journal.
  public var unwritten: Int
  /// Records that were lost since the launch: too old or too many to keep (of the endpoint that lost most), or too many to hold
  /// while the journal could not be written; and fixes that came faster than they could be taken.
  public var lost: Int
  /// Records that were removed before an endpoint had them, since the launch.
  public var lostRecords: [EndpointID: Int] = [:]
  /// Records whose rows in the journal were damaged; they are sent as actions `unreadable_record`.
  public var damaged = 0
  /// The newest fix that is in the journal.
  public var lastCommitted: Fix?
  /// Records that an endpoint refused for good; `Journal.setAside(endpoint:)` has them with the reasons.
  public var setAside: Int
  /// Why the journal cannot be written, as a sentence.
  public var journalProblem: String?
  /// Why regions do not work as they should, in sentences; see ``RegionManager/problem``.
  public var regionProblem: String?
  /// The trip that is going on.
  public var trip: RunningTrip?
  /// A trip is over and its steps are being counted; its record comes next.
  public var isFinishingTrip = false
  /// Modes, the most chosen ones first.
  public var tripModes: [TripMode]
  /// Since when the system pauses updates.
  public var pausedSince: Date?
  /// Where a server says that the device is.
  public var placeName: String?
  /// The ledger's line of now: why there are fixes, or none.
  public var ledgerLine: LedgerEntry?
  /// A server's change of settings that has to prove itself.
  public var trial: StagedRollout?
  /// What servers wanted and did not get, newest last.
  public var refusedOffers: [String]
  /// When the tracker was last known to be alive.
  public var heartbeat: Date

  /// Records that the slowest endpoint has not acknowledged.
  public var waiting: Int { endpoints.map(\.status.waiting).max() ?? 0 }
  /// When a batch was last sent successfully, to any endpoint.
  public var lastSent: Date? { endpoints.compactMap(\.status.lastSuccess).max() }
}
