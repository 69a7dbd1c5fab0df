internal import Foundation
internal import GodwitDelivery
internal import GodwitEngine
public import GodwitJournal
internal import GodwitModel
internal import Synchronization

/// Collects location and delivers it: the interface of the device SDK.
///
///     let tracker = try Tracker(configuration: configuration, sensor: LocationSensor(manager: CLLocationManager()))
///     Task { try await tracker.run() }
///     tracker.start()
///
/// The order of processing: a *sensor* reports fixes; the pure *engine* decides what is recorded and when it is sent;
/// records are committed to the *journal* first; *delivery* uploads them to each endpoint, whose acknowledgement moves
/// its cursor. A tracker that is killed at any time continues where it was.
public actor Tracker {
  /// The journal, for inspection.
  public nonisolated let journal: Journal
  /// The new name of a damaged journal that was moved aside at the start.
  public nonisolated let damagedJournal: String?
  /// The regions of the device; `nil`: the configuration has none.
  public nonisolated let regions: RegionManager?
  /// Keeps the regions up to date; participants of an app can be added.
  public nonisolated let sync: SyncCoordinator?

  private let lock: JournalLock
  let configuration: Configuration
  let sensor: any Sensor
  let mailbox = Mailbox()
  let delivery: Delivery
  var engine: Engine
  var memory: SettingsMemory
  /// Records that the journal could not write, for example because the disk is full. The write is repeated every
  /// second.
  var unwritten: [Record] = []
  /// Values to store with them.
  var unwrittenNotes: [String: String?] = [:]
  /// Lines of the coverage log that wait with them, by their start.
  var unwrittenLines: [Date: LedgerEntry] = [:]
  /// Records that were dropped because too many waited.
  var lost = 0
  var journalProblem: String?
  var setAside = 0
  /// The newest fix that is in the journal.
  var lastCommitted: Fix?
  /// When old records were last removed, by the boot clock.
  var swept: [EndpointID: Double] = [:]
  /// Records that were appended since the last check of the journal's size.
  var appendedUnmeasured = 0
  var placeName: String?
  var heartbeat: Date
  var fetches = PendingRequests<BackgroundFetchResult>()
  var callers = PendingRequests<LocationAnswer>()
  /// Callers that wait for earlier events to be in the journal, while it cannot be written.
  var barriers: [AsyncStream<Void>.Continuation] = []
  private var timers: [TimerID: Task<Void, Never>] = [:]
  var regionWatching: RegionWatching
  /// Signals a failed write.
  let troubles = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  /// Signals an append that may not be flushed.
  let appends = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  let statusStream = StatusStream()
  /// The state of the device, combined from the reports of different parts of a program.
  let deviceContext = Mutex(DeviceContext())

  /// Maximum records in memory while the journal cannot be written.
  static let maximumUnwritten = 100_000
  /// Records of one retry transaction.
  static let heldBackPiece = 1000

  /// Opens the journal.
  /// - Throws: if it cannot be opened or created; the error says what to do. On Apple's systems also
  ///   ``UsageDescriptions/Missing``.
  public init(configuration: Configuration, sensor: any Sensor) throws {
    #if !os(Linux)
      try UsageDescriptions.check(
        Bundle.main.infoDictionary ?? [:], wanted: configuration.settings.authorization, usesMotion: sensor.usesMotion,
        usesAdvertising: configuration.settings.fields.contains(.advertisingID))
    #endif
    #if canImport(UIKit) && !os(tvOS) && !os(watchOS)
      if sensor.updatesInBackground { try UsageDescriptions.checkBackgroundLocation(Bundle.main.infoDictionary ?? [:]) }
    #endif
    self.configuration = configuration
    self.sensor = sensor
    try JournalFolder.create(for: configuration.journalPath)
    lock = try JournalLock(path: configuration.journalPath)
    let random = configuration.environment.random
    (journal, damagedJournal) = try Journal.openMovingDamagedAside(
      path: configuration.journalPath, newID: UInt64(random() * 0x1p32) << 32 | UInt64(random() * 0x1p32) | 1,
      syncInterval: configuration.syncInterval, uptime: configuration.environment.uptime)
    let names = configuration.endpoints.map(\.id.name)
    try journal.retainOnly(endpoints: Set(names))
    for name in names { try journal.register(endpoint: name) }
    delivery = Delivery(
      journal: journal, client: configuration.environment.client, now: configuration.environment.now)
    let replayed = configuration.regions?.isReplayed == true ? ReplayedRegions() : nil
    (regions, sync) = try Self.openRegions(configuration, sensor, replayed)
    JournalFolder.openWhileLocked([configuration.journalPath] + (regions.map { [$0.storage.path] } ?? []))
    regionWatching = RegionWatching(collected: try Self.collected(journal, regions), replayed: replayed)
    memory = SettingsMemory(text: try journal.remembered(SettingsMemory.note))
    let settings = memory.settings(from: configuration.settings)
    let plans = configuration.endpoints.enumerated().map { $1.plan(isFirst: $0 == 0) }
    engine = Engine(settings: settings, plans: plans, uniqueID: configuration.uniqueID)
    heartbeat = configuration.environment.now()
    configuration.eventLog?.begin(
      EventLog.Beginning(settings: settings, plans: plans, uniqueID: configuration.uniqueID))
  }

  /// Tracks until its task is cancelled. Call it once.
  public func run() async throws {
    sensor.connect { [mailbox] event in mailbox.post(event) }
    defer {
      sensor.configure(nil)
      regionWatching.syncing?.cancel()
    }
    try await withThrowingDiscardingTaskGroup { group in
      countSetAside()
      handle(.launched(try launch()), &group)
      regions?.collect { [mailbox] in mailbox.postRegionEvents() }
      regions?.whenProblemChanges { [mailbox] in mailbox.wake() }
      regions?.whenLocationIsUpdated { [mailbox] fix in mailbox.post(.fixes([fix])) }
      collectRegionEvents(&group)
      group.addTask { [self] in try await keepHouse() }
      group.addTask { [self] in try await retryWriting() }
      group.addTask { [self] in try await syncJournal() }
      for await _ in mailbox.signals {
        for item in mailbox.take() {
          switch item {
          case .event(let event):
            handle(event, &group, beside: configuration.positionNotes?(event) ?? [:])
            if case .fixes(let fixes) = event { notifyRegions(fixes) }
          case .regionEvents: collectRegionEvents(&group)
          case .barrier(let barrier):
            if unwritten.isEmpty { barrier.finish() } else { barriers.append(barrier) }
          }
        }
        watchRegions()
        // Creating a status costs as much as a decision of the engine.
        if statusStream.hasReaders() { statusStream.publish(status) }
      }
      // Cancelled: pending records are written before the end.
      handle(.willTerminate, &group)
      attempt { try journal.sync() }
      statusStream.publish(status)
      for timer in timers.values { timer.cancel() }
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  /// Reads the stored state of earlier launches.
  private func launch() throws -> Launch {
    var launch = Launch(
      wasTracking: try journal.remembered("tracking") == "on", waiting: waiting(), lastKept: try journal.newestFix())
    lastCommitted = launch.lastKept
    launch.trip = try remembered("trip")
    launch.tripModes = try remembered("trip_modes") ?? [:]
    launch.trial = try remembered("trial")
    launch.rest = try remembered("rest")
    launch.ledgerEnd = try journal.ledgerEnd()
    launch.setByServer = memory.setByServer
    launch.serverModes = memory.serverModes(first: configuration.endpoints.first?.id)
    let now = configuration.environment.now()
    for endpoint in configuration.endpoints {
      launch.waitingSince[endpoint.id] = try journal.oldestWaiting(endpoint: endpoint.id.name)
      launch.sentToday[endpoint.id] = try journal.sentBytes(endpoint: endpoint.id.name, on: now)
    }
    return launch
  }

  /// Returns a stored value; an unreadable one counts as none.
  private func remembered<Value: Decodable>(_ key: String) throws -> Value? {
    guard let text = try journal.remembered(key) else { return nil }
    return try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }

  // MARK: Events and effects

  /// - Parameters:
  ///   - event: the event.
  ///   - group: receives the tasks of its effects.
  ///   - kept: values for the transaction of the event's record.
  ///   - beside: the same, but only if there is a record.
  func handle(
    _ event: Event, _ group: inout ThrowingDiscardingTaskGroup<any Error>, keeping kept: [String: String?] = [:],
    beside: [String: String?] = [:]
  ) {
    var event = event
    var kept = kept
    // Only the journal knows what waits: records may have been added since the upload ended.
    if case .uploadFinished(let endpoint, let result) = event {
      event = .uploadFinished(endpoint, completed(result, of: endpoint))
      countSetAside()
    }
    let now = configuration.environment.now()
    let effects = engine.handle(event, at: now)
    configuration.eventLog?.append(event, effects, at: now)
    heartbeat = now
    var index = effects.startIndex
    while index < effects.endIndex {
      // A trip is stored in the transaction of the record before it.
      if case .record(let records) = effects[index] {
        var notes = kept.merging(beside) { kept, _ in kept }
        kept = [:]
        if index + 1 < effects.endIndex, case .keepTrip(let trip) = effects[index + 1] {
          notes["trip"] = Self.json(trip)
          index += 1
        }
        write(records, notes)
      } else {
        perform(effects[index], &group)
      }
      index += 1
    }
    if !kept.isEmpty { write([], kept) }
  }

  /// Returns the result of an upload with the journal's present state.
  private func completed(_ result: UploadResult, of endpoint: EndpointID) -> UploadResult {
    let waiting = journal.waiting(endpoint: endpoint.name)
    switch result {
    // Unwritten records are not in the journal yet: they are neither sent nor dropped.
    case .nothingToSend where !unwritten.isEmpty:
      let reason = journalProblem ?? "The journal cannot be written."
      return .failed(reason: reason, retryAfter: nil, jitter: configuration.environment.random())
    case .nothingToSend where waiting == 0: return result
    case .nothingToSend: return .accepted(remaining: waiting)
    case .accepted(_, let bytes): return .accepted(remaining: waiting, bytes: bytes)
    // Records may have been added since; they wait too.
    case .setAside(_, let jitter): return .setAside(remaining: waiting, jitter: jitter)
    case .notYet, .failed, .faulted, .refused, .unauthorized: return result
    }
  }

  private func perform(_ effect: Effect, _ group: inout ThrowingDiscardingTaskGroup<any Error>) {
    switch effect {
    case .configureLocation(let request): sensor.configure(request)
    case .requestAuthorization(let wanted): sensor.requestAuthorization(wanted)
    case .requestLocation: sensor.requestLocation()
    case .watchExit(let place, let radius): sensor.watchExit(of: place, radius: radius)
    case .stopWatchingExit: sensor.stopWatchingExit()
    case .askMotionHistory(let from, let to): sensor.askMotionHistory(from: from, to: to)
    case .keepScreenOn(let isOn): sensor.keepScreenOn(isOn)
    case .countSteps(let from, let to):
      group.addTask { [sensor, mailbox] in mailbox.post(.stepsCounted(await sensor.steps(from: from, to: to))) }
    case .record(let records): write(records, [:])
    case .keepTrip(let trip): write([], ["trip": Self.json(trip)])
    case .keepRest(let rest): write([], ["rest": Self.json(rest)])
    case .keepTripModes(let modes): write([], ["trip_modes": Self.json(modes)])
    case .keepTrial(let trial): write([], ["trial": Self.json(trial)])
    case .keepLedger(let lines): keep(lines)
    case .keepSettings(let changes, let source): keep(changes, by: source)
    case .setTimer(let id, let time): setTimer(id, time)
    case .cancelTimer(let id): timers.removeValue(forKey: id)?.cancel()
    case .upload(let id, let request):
      guard let endpoint = configuration.endpoints.first(where: { $0.id == id }) else { return }
      let settings = engine.settings
      group.addTask { [self] in await upload(endpoint, request, settings) }
    case .setAside(let id, let reason): setAsideNext(of: id, reason)
    case .purge: throwAway()
    case .rememberTracking(let isOn): write([], ["tracking": isOn ? "on" : "off"])
    case .notify(let notice, let time): configuration.notifier?.show(notice, at: time)
    case .withdraw(let kind): configuration.notifier?.withdraw(kind)
    case .fetchFinished(let number, let result): fetches.answer(number, result)
    case .tellLocation(let number, let answer): callers.answer(number, answer)
    }
  }

  private nonisolated func upload(_ endpoint: Endpoint, _ request: UploadRequest, _ settings: Settings) async {
    let result: UploadResult
    switch await delivery.upload(to: endpoint, request, settings: settings) {
    case .acknowledged(let said):
      if let offered = said.settings { mailbox.post(.settingsOffered(endpoint.id, SettingOffer.read(offered))) }
      if let placeName = said.placeName { await know(placeName) }
      if let digest = said.regions { hint(regions: digest) }
      result = .accepted(remaining: 0, bytes: said.bytes)
    case .nothingToSend: result = .nothingToSend
    case .notYet(let until): result = .notYet(until: until)
    case .failed(let reason, let retryAfter):
      result = .failed(reason: reason, retryAfter: retryAfter, jitter: configuration.environment.random())
    case .faulted(let reason, let status, let count):
      result = .faulted(reason: reason, status: status, count: count, jitter: configuration.environment.random())
    case .refused(let reason, let count): result = .refused(reason: reason, count: count)
    case .unauthorized(let reason):
      result = .unauthorized(reason: reason, jitter: configuration.environment.random())
    }
    mailbox.post(.uploadFinished(endpoint.id, result))
  }

  private func know(_ name: String) { placeName = name }

  private func setAsideNext(of id: EndpointID, _ reason: String) {
    let jitter = configuration.environment.random()
    do {
      try delivery.setAsideNext(of: id, reason: reason)
      countSetAside()
      let remaining = journal.waiting(endpoint: id.name)
      mailbox.post(.uploadFinished(id, .setAside(remaining: remaining, jitter: jitter)))
    } catch {
      journalProblem = "\(error)"
      mailbox.post(.uploadFinished(id, .failed(reason: "\(error)", retryAfter: nil, jitter: jitter)))
    }
  }

  private func keep(_ changes: [SettingChange], by source: SettingsSource) {
    let server: EndpointID? = if case .server(let endpoint) = source { endpoint } else { nil }
    memory.remember(changes, base: configuration.settings, byServer: engine.setByServer, server: server)
    write([], [SettingsMemory.note: memory.text])
    let name =
      switch source {
      case .owner: "owner"
      case .server(let endpoint): "server \(endpoint)"
      case .rollback(let endpoint): "rollback \(endpoint)"
      }
    attempt { try journal.log(changes, source: name, at: configuration.environment.now()) }
  }

  // MARK: Timers

  private func setTimer(_ id: TimerID, _ time: Date) {
    timers[id]?.cancel()
    let seconds = max(0, time.timeIntervalSince(configuration.environment.now()))
    timers[id] = Task(executorPreference: configuration.environment.executor) {
      [mailbox, sleep = configuration.environment.sleep] in
      // A cancelled timer has no effect.
      guard (try? await sleep(seconds)) != nil else { return }
      mailbox.post(.timerFired(id))
    }
  }
}
