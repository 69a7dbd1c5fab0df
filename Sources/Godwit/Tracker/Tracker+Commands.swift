public import Foundation
public import GodwitDelivery
public import GodwitEngine
internal import GodwitHTTPClient
internal import GodwitJournal
public import GodwitModel
internal import Synchronization

/// What a user of the SDK does with a tracker.
extension Tracker {
  public struct Configuration: Sendable {
    /// The journal's file. Its folder must be one that the system does not empty.
    public var journalPath: String
    public var endpoints: [Endpoint]
    public var settings: Settings
    /// The device's own identifier, sent only if the settings say so.
    public var uniqueID: String?
    /// Who shows notices; `nil`: nobody.
    public var notifier: (any Notifier)?
    /// Told of records as soon as they are in the journal, in their order and without their identifiers; for a program
    /// that shows what it records. The tracker waits for it: it must be quick.
    public var recorded: (@Sendable ([Record]) -> Void)?
    /// Where the engine's events are kept, for a report of a fault; `nil`: nowhere.
    public var eventLog: EventLog?
    /// Seconds that a record may wait until the disk is made to write it, 0: none. It survives the end of the program in
    /// any case; what a power cut can take away are the records of so many seconds. Nothing is sent before it is written.
    public var syncInterval: Double = 15
    /// Geofences and beacons; `nil`: none.
    public var regions: RegionConfiguration?
    public var environment: TrackerEnvironment
    /// Values to remember in the transaction of the records that come of an event: where in a file it was.
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

  /// Whether a tracker runs on a journal now, in this process or in another.
  /// - Parameter journalPath: the journal's file.
  public static func isRunning(journalPath: String) -> Bool { JournalLock.isHeld(path: journalPath) }

  /// Turns tracking on, and remembers it over relaunches.
  public nonisolated func start() { mailbox.post(.start) }
  /// Turns tracking off and sends what is left. Nothing is thrown away.
  public nonisolated func stop() { mailbox.post(.stop) }
  /// Sends everything that waits, now.
  public nonisolated func sendNow() { mailbox.post(.sendNow) }
  /// Throws away everything that waits.
  public nonisolated func purge() { mailbox.post(.purge) }
  /// Begins a trip, unless one is going on; without a mode with that of the settings.
  public nonisolated func startTrip(_ mode: TripMode? = nil) { mailbox.post(.startTrip(mode)) }
  /// Ends the trip.
  public nonisolated func stopTrip() { mailbox.post(.stopTrip) }
  /// Tells what a person answered to a notice.
  public nonisolated func answer(_ answer: Notice.Answer) { mailbox.post(.answered(answer)) }
  /// Tells how the device is: battery, network name, motion.
  public nonisolated func update(_ context: DeviceContext) { update { $0 = context } }
  /// Tells what has changed of how the device is, and leaves the rest: each part of a program tells what it knows.
  public nonisolated func update(_ change: (inout DeviceContext) -> Void) {
    // Told under the lock, so that two who change something at once are told in their order.
    deviceContext.withLock { context in
      change(&context)
      mailbox.post(.contextChanged(context))
    }
  }
  /// Tells that the network came or went.
  /// - Parameters:
  ///   - isReachable: whether there is any.
  ///   - isWifi: whether it is a wifi; `nil` when that is not known.
  public nonisolated func networkChanged(isReachable: Bool, isWifi: Bool? = nil) {
    mailbox.post(.networkChanged(isReachable: isReachable, isWifi: isWifi))
  }
  /// Tells that a person opened the program: the known place is recorded, or a fresh one if that is older than 15
  /// minutes.
  public nonisolated func becameActive() { mailbox.post(.becameActive(cached: sensor.cachedFix)) }
  /// Tells that the program is about to end: what is known is written down.
  public nonisolated func willTerminate() { mailbox.post(.willTerminate) }

  /// The tracker's clock.
  public nonisolated var now: Date { configuration.environment.now() }

  /// The settings that hold.
  public var settings: Settings { engine.settings }

  /// Changes the settings, and remembers it over relaunches.
  public nonisolated func change(_ settings: Settings) { mailbox.post(.settingsChanged(settings)) }

  /// Changes single settings by their names, all or none, and remembers it over relaunches.
  /// - Throws: a sentence for the first one that cannot be.
  public func set(_ values: [SettingOffer]) throws(SettingError) {
    var settings = engine.settings
    for value in values { try settings.set(value.name, to: value.value) }
    mailbox.post(.settingsSet(values))
  }

  /// Where the device is now, with the fields that are collected. Neither recorded nor sent.
  /// - Throws: a sentence when there is no position within twenty seconds, or no permission.
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

  /// Uses a moment in the background that the system gives: records one position.
  public func performBackgroundFetch() async -> BackgroundFetchResult {
    let (number, answers) = fetches.ask()
    mailbox.post(.backgroundFetch(number, cached: sensor.cachedFix))
    for await answer in answers { return answer }
    return .failed
  }

  /// Returns when everything that was told before has been handled, and its records are in the journal; or when
  /// the task is cancelled.
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

  /// How things are.
  public var status: TrackerStatus {
    TrackerStatus(
      isTracking: engine.isTracking, authorization: engine.authorization, lastFix: engine.lastFix,
      lastFixReceived: engine.lastFixReceived, motion: engine.motion, locationProblem: engine.locationProblem,
      motionProblem: motionProblem,
      endpoints: configuration.endpoints.compactMap { endpoint in
        engine.status(of: endpoint.id).map { status in
          var status = status
          // The journal knows best: it also removes what has become too old.
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

  /// The status whenever it changes. A slow reader gets the newest only.
  public nonisolated var statuses: AsyncStream<TrackerStatus> {
    let statuses = statusStream.subscribe()
    mailbox.wake()
    return statuses
  }
}
