public import Foundation
public import GodwitEngine
internal import GodwitJournal
public import GodwitModel

extension Tracker {
  /// The status of a tracker.
  public struct Status: Sendable, Hashable {
    /// The permission of the program and what it allows.
    public typealias Authorization = GodwitEngine.Authorization
    /// A trip that has not ended.
    public typealias RunningTrip = GodwitEngine.RunningTrip
    /// The state of the records that wait for an endpoint.
    public typealias QueueStatus = GodwitEngine.QueueStatus

    /// An endpoint and the state of its queue.
    public struct EndpointStatus: Sendable, Hashable {
      public var id: EndpointID
      public var status: QueueStatus
    }

    /// Whether the tracker runs, and the error that ended it.
    public var state = Tracker.State.idle
    /// Whether tracking is on: see ``Tracker/startTracking()``.
    public var isTracking: Bool
    public var authorization: Authorization
    /// Newest fix, recorded or not.
    public var lastFix: Fix?
    /// When it arrived; `nil`: in an earlier run. Not the fix's own time, which can be long past in a replay.
    public var lastFixReceived: Date?
    /// The last motion of the motion chip.
    public var motion: Motion
    /// Why there is no location at present, as a sentence.
    public var locationProblem: String?
    /// Why no trip starts automatically although the settings require it, as a sentence.
    public var motionProblem: String?
    public var endpoints: [EndpointStatus]
    /// Fixes with invalid values.
    public var invalidFixes: Int
    /// Fixes that the configured filters dropped.
    public var thinnedFixes: Int
    /// Records that wait in memory for the journal.
    public var unwritten: Int
    /// Records that were lost since the launch: too old or too many to store (of the endpoint that lost most), or too
    /// many to hold while the journal could not be written; and fixes that arrived faster than they could be processed.
    public var lost: Int
    /// Records that were removed before an endpoint had them, since the launch.
    public var lostRecords: [EndpointID: Int] = [:]
    /// Records whose rows in the journal were damaged; they are sent as actions `unreadable_record`.
    public var damaged = 0
    /// The newest fix that is in the journal.
    public var lastCommitted: Fix?
    /// Records that an endpoint rejected permanently; `Journal.quarantined(endpoint:)` returns them with the reasons.
    public var quarantined: Int
    /// Why the journal cannot be written, as a sentence.
    public var journalProblem: String?
    /// The present problems of regions, in sentences; see ``RegionManager/problem``.
    public var regionProblem: String?
    /// The running trip.
    public var trip: RunningTrip?
    /// A trip has ended and its steps are being counted; its record follows.
    public var isFinishingTrip = false
    /// Modes, the most frequent ones first.
    public var tripModes: [TripMode]
    /// The start of the system's pause of updates.
    public var pausedSince: Date?
    /// The name of the device's place, as a server reported it.
    public var placeName: String?
    /// The current line of the coverage log: why there are fixes, or none.
    public var coverageEntry: CoverageEntry?
    /// A staged rollout of settings that is not confirmed yet.
    public var rollout: StagedRollout?
    /// Rejected settings of servers, newest last.
    public var rejectedSettings: [String]
    /// When settings last changed since the launch; `Journal.settingsEvents(limit:)` returns the changes.
    public var settingsChanged: Date?
    /// When the tracker last recorded that it was running.
    public var heartbeat: Date

    /// Records that the slowest endpoint has not acknowledged.
    public var waiting: Int { endpoints.map(\.status.waiting).max() ?? 0 }
    /// When a batch was last sent successfully, to any endpoint.
    public var lastSent: Date? { endpoints.compactMap(\.status.lastSuccess).max() }
  }
}

extension Tracker.Status {
  /// Collects the status of the engine and of the journal.
  init(_ state: Tracker.State, _ engine: Engine, _ writer: RecordWriter, endpoints: [EndpointID], heartbeat: Date) {
    self.init(
      state: state, isTracking: engine.isTracking, authorization: engine.authorization, lastFix: engine.lastFix,
      lastFixReceived: engine.lastFixReceived, motion: engine.motion, locationProblem: engine.locationProblem,
      endpoints: endpoints.compactMap { id in
        engine.status(of: id).map { status in
          var status = status
          // The journal's number is exact: it also removes records that are too old.
          status.waiting = writer.journal.waiting(endpoint: id.name) + writer.unwritten.count
          return EndpointStatus(id: id, status: status)
        }
      },
      invalidFixes: engine.dropped.invalid, thinnedFixes: engine.dropped.thinned, unwritten: writer.unwritten.count,
      lost: writer.lost + engine.lostFixes + (engine.lostRecords.values.max() ?? 0), lostRecords: engine.lostRecords,
      damaged: writer.journal.damagedCount, lastCommitted: writer.lastCommitted, quarantined: writer.quarantined,
      trip: engine.isOnTrip ? engine.trip : nil, isFinishingTrip: engine.trip?.ending != nil, tripModes: engine.tripModesByUse,
      pausedSince: engine.pausedSince, coverageEntry: engine.coverageEntry, rollout: engine.rollout,
      rejectedSettings: engine.rejectedSettings, settingsChanged: writer.settingsChanged, heartbeat: heartbeat)
  }
}
