internal import Foundation
internal import GodwitDelivery
internal import GodwitEngine
public import GodwitJournal
internal import GodwitLocks
internal import GodwitModel

/// Records locations and sends them to endpoints: the interface of the device SDK.
///
///     let home = Endpoint(id: "home", url: url, token: token)  // https://my.example/api/overland
///     let tracker = try Tracker(
///       configuration: Tracker.Configuration(journalPath: journalPath, endpoints: [home]),
///       sensor: LocationSensor(manager: CLLocationManager()))
///     try await tracker.start()
///     tracker.startTracking()
///
/// Running and tracking are separate. *The tracker runs* between ``start()`` and ``stop()``, in this process: it receives
/// events, writes records and sends them. *Tracking is on* between ``startTracking()`` and ``stopTracking()``, across launches,
/// and is the user's choice: a tracker that is started continues to track if tracking was on. Start the tracker at every launch
/// of an app, also when the system launched the app in the background.
///
/// The order of processing: a *sensor* reports fixes; the pure *engine* decides what is recorded and when it is sent;
/// records are committed to the *journal* first; *delivery* uploads them to each endpoint, whose acknowledgement advances
/// its cursor. After a kill at any time the next tracker on the same journal continues.
///
/// A started tracker retains itself until it is stopped: if an app releases it early, the tracker continues, but the app can
/// no longer stop it. A tracker that was stopped, or has failed, cannot be started again: create another one.
public actor Tracker {
  /// The journal, for reading waiting records, quarantined records and the coverage log.
  public nonisolated let journal: Journal
  /// The journal that was damaged when the tracker opened it; `nil`: none.
  public nonisolated let damagedJournal: DamagedJournal?
  /// The regions of the device; `nil`: the configuration has none.
  public nonisolated let regions: RegionManager?
  /// Syncs the regions; an app can add its own participants. `nil`: the configuration has no server for regions.
  public nonisolated let sync: SyncCoordinator?

  let configuration: Configuration
  let sensor: any Sensor
  let mailbox = Mailbox()
  let statusStream = StatusStream()
  /// The state of the device, combined from the reports of different parts of a program.
  let deviceContext = Mutex(DeviceContext())

  var lifeCycle = LifeCycle()
  /// The error of one of the tracker's tasks, which ends the tracker; `nil`: none.
  private(set) var failure: GodwitError?
  /// Calls that wait for a change of the state.
  var stateWaiters: [CheckedContinuation<Void, Never>] = []
  /// `nil` after the end: another tracker may use the journal.
  private var lock: JournalLock?
  var engine: Engine
  var writer: RecordWriter
  private var memory: SettingsMemory
  private var timers: Timers
  private var regionWatching: RegionWatching
  private var sessions = SessionHolding()
  private let uploader: Uploader
  var fetches = PendingRequests<BackgroundFetchResult>()
  var callers = PendingRequests<LocationResponse>()
  var placeName: String?
  var heartbeat: Date

  /// Opens the journal. Nothing runs before ``start()``.
  /// - Parameters:
  ///   - configuration: the journal's file, the endpoints, the settings.
  ///   - sensor: the source of positions. Create it on the main thread at the launch of the program: Core Location delivers
  ///     the event for which the system launched an app only to a location manager that exists then.
  /// - Throws: ``GodwitError`` with a code of the categories `configuration` and `storage`, above all
  ///   ``GodwitError/Code/journalInUse`` and, on Apple's systems, ``GodwitError/Code/missingUsageDescription``.
  public init(configuration: Configuration, sensor: any Sensor) throws(GodwitError) {
    self.init(configuration, sensor, try GodwitError.wrapping(.fileUnavailable) { try TrackerParts(configuration, sensor) })
  }

  private init(_ configuration: Configuration, _ sensor: any Sensor, _ parts: TrackerParts) {
    self.configuration = configuration
    self.sensor = sensor
    let environment = configuration.environment
    lock = parts.lock
    (journal, damagedJournal) = (parts.journal, parts.damagedJournal)
    (regions, sync) = (parts.regions.regions, parts.regions.sync)
    (engine, memory, regionWatching) = (parts.engine, parts.memory, parts.regions)
    writer = RecordWriter(journal: parts.journal, mailbox: mailbox, configuration)
    timers = Timers(environment, mailbox)
    uploader = Uploader(
      endpoints: configuration.endpoints, delivery: parts.delivery, mailbox: mailbox, regions: parts.regions.regions,
      sync: parts.regions.sync, random: environment.random)
    heartbeat = environment.now()
  }

  // MARK: Processing between start and stop

  /// Processes events until the mailbox is closed or the task is cancelled.
  /// - Throws: if the stored state of earlier launches cannot be read.
  func process() async throws {
    sensor.connect { [mailbox] event in mailbox.post(event) }
    defer {
      sensor.release()
      regionWatching.stopSyncing()
    }
    try await withThrowingDiscardingTaskGroup { group in
      writer.countQuarantined()
      handle(.launched(try TrackerParts.launch(configuration, &writer, memory)), &group)
      regionWatching.connect(to: mailbox, isTracking: engine.isTracking, sensor)
      collectRegionEvents(&group)
      group.addTask { [self] in await part { try await $0.runHousekeeping() } }
      group.addTask { [self] in await part { try await $0.retryWriting() } }
      group.addTask { [self] in await part { try await $0.syncJournal() } }
      launched()
      for await _ in mailbox.signals {
        handleMail(&group)
        // Creating a status costs as much as a decision of the engine.
        if statusStream.hasSubscribers() { statusStream.publish(status) }
      }
      // Events that were reported before a stop or a cancellation are handled.
      handleMail(&group)
      handle(.willTerminate, &group)
      writer.attempt { try $0.journal.sync() }
      timers.cancelAll()
      group.cancelAll()
    }
  }

  /// Runs one of the tracker's tasks. An error of a task ends the tracker, so that it never runs without that task.
  private func part(_ work: @Sendable (isolated Tracker) async throws -> Void) async {
    do { try await work(self) } catch {
      guard !Task.isCancelled else { return }
      failure = GodwitError(error)
      mailbox.close()
    }
  }

  private func handleMail(_ group: inout ThrowingDiscardingTaskGroup<any Error>) {
    for item in mailbox.take() {
      switch item {
      case .event(let event):
        // Regions are evaluated before the fix is recorded: after a kill, a replayed file continues after its last recorded
        // position. Evaluating a position twice has no effect.
        if case .fixes(let fixes) = event { regionWatching.notify(fixes) }
        handle(event, &group, beside: configuration.positionNotes?(event) ?? [:])
        regionWatching.update(isTracking: engine.isTracking, sensor)
      case .regionEvents: collectRegionEvents(&group)
      case .barrier(let barrier):
        writer.add(barrier)
      }
    }
  }

  /// Resumes all callers that wait for this tracker, and unlocks the journal.
  func end() {
    for barrier in mailbox.end() { barrier.finish() }
    writer.finishBarriers()
    callers.end()
    fetches.end()
    lock = nil
  }

  /// Moves new region events into the journal.
  private func collectRegionEvents(_ group: inout ThrowingDiscardingTaskGroup<any Error>) {
    do {
      for waiting in try regionWatching.events() {
        let note = regionWatching.collect(waiting.number)
        handle(.region(waiting.event), &group, keeping: note)
      }
      // While the journal cannot be written, the number is not stored either.
      if !writer.isHoldingBack { try regionWatching.discardCollected() }
    } catch { writer.failed(error) }
  }

  // MARK: Events and effects

  /// Passes an event to the engine and performs its effects.
  /// - Parameters:
  ///   - event: the event.
  ///   - group: receives the tasks of its effects.
  ///   - kept: values that are stored in the transaction of the event's record, or on their own if there is no record.
  ///   - beside: values that are stored in the same transaction, and only if there is a record.
  private func handle(
    _ event: Event, _ group: inout ThrowingDiscardingTaskGroup<any Error>, keeping kept: [String: String?] = [:],
    beside: [String: String?] = [:]
  ) {
    var event = event
    var kept = kept
    if case .uploadFinished(let endpoint, let result) = event {
      let random = configuration.environment.random
      event = .uploadFinished(endpoint, writer.completed(result, of: endpoint, random: random))
      writer.countQuarantined()
    }
    let now = configuration.environment.now()
    let effects = engine.handle(event, at: now)
    configuration.eventLog?.append(event, effects, at: now)
    sessions.update(engine, sensor, after: event)
    heartbeat = now
    writer.maximumSize = engine.settings.maximumJournalSize
    var index = effects.startIndex
    while index < effects.endIndex {
      // A trip is stored in the transaction of the record before it.
      if case .record(let records) = effects[index] {
        var notes = kept.merging(beside) { kept, _ in kept }
        kept = [:]
        if index + 1 < effects.endIndex, case .storeTrip(let trip) = effects[index + 1] {
          notes["trip"] = RecordWriter.json(trip)
          index += 1
        }
        writer.write(records, notes)
      } else {
        perform(effects[index], &group, at: now)
      }
      index += 1
    }
    if !kept.isEmpty { writer.write([], kept) }
  }

  private func perform(_ effect: Effect, _ group: inout ThrowingDiscardingTaskGroup<any Error>, at now: Date) {
    switch effect {
    case .configureLocation, .requestAuthorization, .requestLocation, .watchExit, .stopWatchingExit, .askMotionHistory,
      .keepScreenOn:
      sensor.perform(effect)
    case .record, .storeTrip, .storeRest, .storeTripModes, .storeRollout, .storeCoverage, .purge, .rememberTracking:
      writer.perform(effect)
    case .countSteps(let from, let to):
      group.addTask { [sensor, mailbox] in mailbox.post(.stepsCounted(await sensor.steps(from: from, to: to))) }
    case .storeSettings(let changes, let source):
      memory.store(changes, by: source, base: configuration.settings, byServer: engine.setByServer, in: &writer, at: now)
    case .setTimer(let id, let time): timers.set(id, time)
    case .cancelTimer(let id): timers.cancel(id)
    case .upload(let id, let request):
      group.addTask { [self, settings = engine.settings] in await uploader.upload(to: id, request, settings) { await know($0) } }
    case .quarantine(let id, let reason): uploader.quarantineNext(of: id, reason, &writer)
    case .notify(let notice, let time): configuration.notifier?.show(notice, at: time)
    case .withdraw(let kind): configuration.notifier?.withdraw(kind)
    case .fetchFinished(let number, let result): fetches.respond(number, result)
    case .reportLocation(let number, let response): callers.respond(number, response)
    }
  }

  private func know(_ name: String) { placeName = name }
}
