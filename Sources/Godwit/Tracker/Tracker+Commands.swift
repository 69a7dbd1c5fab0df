public import Foundation
public import GodwitDelivery
public import GodwitEngine
internal import GodwitHTTPClient
internal import GodwitJournal
public import GodwitModel
internal import Synchronization

/// The commands of a tracker.
extension Tracker {
  public struct Configuration: Sendable {
    /// The journal's file. Its folder must be one that the system does not empty.
    public var journalPath: String
    public var endpoints: [Endpoint]
    public var settings: Settings
    /// The device's own identifier, sent only if the settings include it.
    public var uniqueID: String?
    /// Shows notices; `nil`: none are shown.
    public var notifier: (any Notifier)?
    /// Called with records as soon as they are in the journal, in order and without their identifiers; for a program
    /// that shows what it records. The tracker waits for it: it must be fast.
    public var recorded: (@Sendable ([Record]) -> Void)?
    /// The log of the engine's events, for fault reports; `nil`: none.
    public var eventLog: EventLog?
    /// Maximum seconds until a record is flushed to the disk; 0: at once. Records survive the end of the program in any
    /// case; a power cut can lose those of this time. Nothing is sent before it is flushed.
    public var syncInterval: Double = 15
    /// Geofences and beacons; `nil`: none.
    public var regions: RegionConfiguration?
    public var environment: TrackerEnvironment
    /// Returns values to store in the transaction of an event's records, such as a position in a file.
    package var positionNotes: (@Sendable (Event) -> [String: String?])?

    public init(
      journalPath: String, endpoints: [Endpoint], settings: Settings = Settings(), uniqueID: String? = nil,
      environment: TrackerEnvironment = .live()
    ) {
      self.journalPath = journalPath
      self.endpoints = endpoints
      self.settings = settings
      self.uniqueID = uniqueID
      self.environment = environment
    }
  }

  /// Returns whether a tracker runs on a journal, in this process or in another.
  /// - Parameter journalPath: the journal's file.
  public static func isRunning(journalPath: String) -> Bool { JournalLock.isHeld(path: journalPath) }

  /// Turns tracking on, also for later launches.
  public nonisolated func start() { mailbox.post(.start) }
  /// Turns tracking off and sends the remaining records. No record is discarded.
  public nonisolated func stop() { mailbox.post(.stop) }
  /// Sends all waiting records now.
  public nonisolated func sendNow() { mailbox.post(.sendNow) }
  /// Deletes all waiting records.
  public nonisolated func purge() { mailbox.post(.purge) }
  /// Starts a trip, unless one is running; without a mode, with that of the settings.
  public nonisolated func startTrip(_ mode: TripMode? = nil) { mailbox.post(.startTrip(mode)) }
  /// Ends the trip.
  public nonisolated func stopTrip() { mailbox.post(.stopTrip) }
  /// Reports the user's answer to a notice.
  public nonisolated func answer(_ answer: Notice.Answer) { mailbox.post(.answered(answer)) }
  /// Replaces the context of the device: battery, network name, motion.
  public nonisolated func update(_ context: DeviceContext) { update { $0 = context } }
  /// Changes a part of the device's context: each part of a program reports what it knows.
  public nonisolated func update(_ change: (inout DeviceContext) -> Void) {
    // Posted under the lock, so that concurrent changes are reported in order.
    deviceContext.withLock { context in
      change(&context)
      mailbox.post(.contextChanged(context))
    }
  }
  /// Reports a change of the network.
  /// - Parameters:
  ///   - isReachable: whether there is any.
  ///   - isWifi: whether it is a wifi; `nil` if unknown.
  public nonisolated func networkChanged(isReachable: Bool, isWifi: Bool? = nil) {
    mailbox.post(.networkChanged(isReachable: isReachable, isWifi: isWifi))
  }
  /// Reports that the app became active: the known position is recorded, or a new one if it is older than 15 minutes.
  public nonisolated func becameActive() { mailbox.post(.becameActive(cached: sensor.cachedFix)) }
  /// Reports that the program is about to end: pending records are written.
  public nonisolated func willTerminate() { mailbox.post(.willTerminate) }

  /// The tracker's clock.
  public nonisolated var now: Date { configuration.environment.now() }

  /// The present settings.
  public var settings: Settings { engine.settings }

  /// Changes the settings, also for later launches.
  public nonisolated func change(_ settings: Settings) { mailbox.post(.settingsChanged(settings)) }

  /// Changes single settings by name, all or none, also for later launches.
  /// - Throws: a sentence for the first invalid value.
  public func set(_ values: [SettingOffer]) throws(SettingError) {
    var settings = engine.settings
    for value in values { try settings.set(value.name, to: value.value) }
    mailbox.post(.settingsSet(values))
  }

  /// Returns the current position of the device, with the fields that are collected. It is neither recorded nor sent.
  /// - Throws: a sentence if there is no position within twenty seconds, or no permission.
  public func currentLocation() async throws -> Record {
    let (number, answers) = callers.ask()
    mailbox.post(.locationWanted(number))
    for await answer in answers {
      switch answer {
      case .record(let record): return record
      case .problem(let reason): throw HTTPError(reason)
      }
    }
    throw CancellationError()
  }

  /// Performs a background fetch: records one position.
  public func performBackgroundFetch() async -> BackgroundFetchResult {
    let (number, answers) = fetches.ask()
    mailbox.post(.backgroundFetch(number, cached: sensor.cachedFix))
    for await answer in answers { return answer }
    return .failed
  }

  /// Returns when all earlier events have been handled and their records are in the journal, or when the task is
  /// cancelled.
  public func caughtUp() async {
    let (stream, barrier) = AsyncStream<Void>.makeStream()
    mailbox.post(barrier)
    for await _ in stream {}
  }

  /// Returns when every endpoint has acknowledged every record, or when the task is cancelled.
  public func untilSent() async {
    let changes = statuses
    if isAllSent { return }
    for await _ in changes where isAllSent { return }
  }

  /// Returns when tracking is off and the record of its last trip is in the journal, or when the task is cancelled.
  public func untilTripIsFinished() async {
    let changes = statuses
    await caughtUp()
    if engine.trip == nil { return }
    for await _ in changes where engine.trip == nil { return }
  }

  /// The present status.
  public var status: TrackerStatus {
    TrackerStatus(
      isTracking: engine.isTracking, authorization: engine.authorization, lastFix: engine.lastFix,
      lastFixReceived: engine.lastFixReceived, motion: engine.motion, locationProblem: engine.locationProblem,
      motionProblem: motionProblem,
      endpoints: configuration.endpoints.compactMap { endpoint in
        engine.status(of: endpoint.id).map { status in
          var status = status
          // The journal's number is exact: it also removes records that are too old.
          status.waiting = journal.waiting(endpoint: endpoint.id.name) + unwritten.count
          return TrackerStatus.EndpointStatus(id: endpoint.id, status: status)
        }
      },
      invalidFixes: engine.dropped.invalid, thinnedFixes: engine.dropped.thinned, unwritten: unwritten.count,
      lost: lost + engine.lostFixes + (engine.lostRecords.values.max() ?? 0), lostRecords: engine.lostRecords,
      damaged: journal.damagedCount, lastCommitted: lastCommitted, setAside: setAside,
      journalProblem: journalProblem ?? configuration.eventLog?.problem,
      regionProblem: regions?.problem,
      trip: engine.isOnTrip ? engine.trip : nil, isFinishingTrip: engine.trip?.ending != nil, tripModes: engine.tripModesByUse,
      pausedSince: engine.pausedSince,
      placeName: placeName, ledgerLine: engine.ledgerLine, trial: engine.trial, refusedOffers: engine.refusedOffers,
      heartbeat: heartbeat)
  }

  private var motionProblem: String? {
    guard engine.settings.startsTripsByMotion else { return nil }
    let reason = sensor.usesMotion ? sensor.motionProblem : "The program's sensor reads no motion."
    return reason.map { "No trip begins by itself. \($0)" }
  }

  /// The status at every change. A slow subscriber gets only the newest.
  public nonisolated var statuses: AsyncStream<TrackerStatus> {
    let statuses = statusStream.subscribe()
    mailbox.wake()
    return statuses
  }
}
