internal import Foundation
public import GodwitEngine
public import GodwitModel

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
    /// Where the engine's events are kept, for a report of a fault; `nil`: nowhere.
    public var eventLog: EventLog?
    /// Seconds that a record may wait until the disk is made to write it, 0: none. It survives the end of the program in
    /// any case; what a power cut can take away are the records of so many seconds. Nothing is sent before it is written.
    public var syncInterval: Double = 30
    public var environment: TrackerEnvironment

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
  public nonisolated func update(_ context: DeviceContext) { mailbox.post(.contextChanged(context)) }
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

  /// How things are.
  public var status: TrackerStatus {
    TrackerStatus(
      isTracking: engine.isTracking, authorization: engine.authorization, lastFix: engine.lastFix,
      motion: engine.motion, locationProblem: engine.locationProblem,
      endpoints: configuration.endpoints.compactMap { endpoint in
        engine.status(of: endpoint.id).map { TrackerStatus.EndpointStatus(id: endpoint.id, status: $0) }
      },
      invalidFixes: engine.dropped.invalid, thinnedFixes: engine.dropped.thinned, unwritten: unwritten.count,
      lost: lost + engine.lostFixes, setAside: setAside, journalProblem: journalProblem ?? configuration.eventLog?.problem,
      trip: engine.isOnTrip ? engine.trip : nil, tripModes: engine.tripModesByUse, pausedSince: engine.pausedSince,
      placeName: placeName, ledgerLine: engine.ledgerLine, trial: engine.trial, refusedOffers: engine.refusedOffers,
      heartbeat: heartbeat)
  }

  /// The status whenever it changes. A slow reader gets the newest only.
  public nonisolated var statuses: AsyncStream<TrackerStatus> {
    let statuses = statusStream.subscribe()
    mailbox.wake()
    return statuses
  }
}
