public import Foundation
public import GodwitEngine
internal import GodwitJournal
public import GodwitModel

extension Tracker {
  /// The status of a tracker.
  public struct Status: Sendable, Hashable {
    /// The location permission of the program.
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
    /// The newest fix, recorded or not.
    public var lastFix: Fix?
    /// The time at which the newest fix arrived; `nil`: in an earlier run. The time of the fix itself can be long past in a replay.
    public var lastFixReceived: Date?
    /// The last motion that the motion chip reported.
    public var motion: Motion
    /// The reason why there is currently no location, as a sentence; `nil`: no problem.
    public var locationProblem: String?
    /// The reason why no trip starts automatically although the settings require it, as a sentence; `nil`: no problem.
    public var motionProblem: String?
    public var endpoints: [EndpointStatus]
    /// The number of fixes with invalid values.
    public var invalidFixes: Int
    /// The number of fixes that the configured filters dropped.
    public var thinnedFixes: Int
    /// The number of records that wait in memory because the journal cannot be written.
    public var unwritten: Int
    /// The number of records and fixes that were lost since the launch. It is the sum of the records that were removed because
    /// they were too old or too many to store (for the endpoint that lost most), of the records that were too many to hold
    /// while the journal could not be written, and of the fixes that arrived faster than they could be processed.
    public var lost: Int
    /// The number of records that were removed before an endpoint acknowledged them, since the launch.
    public var lostRecords: [EndpointID: Int] = [:]
    /// The number of records whose rows in the journal were damaged; they are sent as actions `unreadable_record`.
    public var damaged = 0
    /// The newest fix that is in the journal.
    public var lastCommitted: Fix?
    /// The number of records that an endpoint rejected permanently; `Journal.quarantined(endpoint:)` returns them with the reasons.
    public var quarantined: Int
    /// The reason why the journal or the event log cannot be written, as a sentence; `nil`: no problem.
    public var journalProblem: String?
    /// The current problems of regions, as sentences; see ``RegionManager/problem``.
    public var regionProblem: String?
    /// The running trip; `nil`: none.
    public var trip: RunningTrip?
    /// Whether a trip has ended and its steps are being counted; its record follows.
    public var isFinishingTrip = false
    /// The trip modes, the most frequently used first.
    public var tripModes: [TripMode]
    /// The time at which the system paused location updates; `nil`: they are not paused.
    public var pausedSince: Date?
    /// The name of the device's place, as a server reported it.
    public var placeName: String?
    /// The current line of the coverage log, which gives the reason why there are fixes or none.
    public var coverageEntry: CoverageEntry?
    /// A staged rollout of settings that is not confirmed yet; `nil`: none.
    public var rollout: StagedRollout?
    /// Rejected settings of servers, newest last.
    public var rejectedSettings: [String]
    /// The time of the last change of settings; `nil`: none since the launch. `Journal.settingsEvents(limit:)` returns the changes.
    public var settingsChanged: Date?
    /// The time at which the tracker last handled an event.
    public var heartbeat: Date

    /// The number of records that the slowest endpoint has not acknowledged.
    public var waiting: Int { endpoints.map(\.status.waiting).max() ?? 0 }
    /// The time of the last upload to any endpoint that succeeded; `nil`: none.
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
          // The journal's number is exact: the journal also removes records that are too old.
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
