internal import Foundation
internal import GodwitEngine
public import GodwitModel

/// Collects location and delivers it: the whole device SDK behind one name.
///
///     let tracker = try Tracker(configuration: configuration, sensor: LocationSensor(manager: CLLocationManager()))
///     Task { try await tracker.run() }
///     tracker.start()
///
/// What happens, in the order in which it happens: a *sensor* tells fixes; the pure *engine* decides what is kept
/// and when something is sent; what is kept is committed to the *journal* before anything else; *delivery*
/// carries it from there to each endpoint, whose acknowledgement moves its cursor. A tracker that is killed at
/// any moment goes on where it was.
public actor Tracker {
  public struct Configuration: Sendable {
    /// The journal's file. Its folder must be one that the system does not empty.
    public var journalPath: String
    public var endpoints: [Endpoint]
    public var settings: Settings
    /// The device's own identifier, sent only if the settings say so.
    public var uniqueID: String?
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

  /// The journal, for those who want to look into it.
  public nonisolated let journal: Journal
  /// The new name of a damaged journal that was moved aside at the start.
  public nonisolated let damagedJournal: String?

  private let lock: JournalLock
  private let configuration: Configuration
  private let sensor: any Sensor
  private let mailbox = Mailbox()
  private let delivery: Delivery
  private var engine: Engine
  /// Records that the journal could not take: the disk is full, say. They are tried again every second.
  private var unwritten: [Record] = []
  /// Records that were lost because even those had become too many.
  private var lost = 0
  private var journalProblem: String?
  private var setAside = 0
  /// Who waits until what was told is in the journal, while that cannot be written.
  private var barriers: [AsyncStream<Void>.Continuation] = []
  private var timers: [TimerID: Task<Void, Never>] = [:]
  private let statusStream = StatusStream()

  /// Records that are held in memory while the journal cannot be written.
  static let mostUnwritten = 100_000

  /// Opens the journal.
  /// - Throws: when it cannot be opened or made; the error says what to do.
  public init(configuration: Configuration, sensor: any Sensor) throws {
    self.configuration = configuration
    self.sensor = sensor
    lock = try JournalLock(path: configuration.journalPath)
    (journal, damagedJournal) = try Journal.openMovingDamagedAside(path: configuration.journalPath)
    let names = configuration.endpoints.map(\.id.name)
    try journal.retainOnly(endpoints: Set(names))
    for name in names { try journal.register(endpoint: name) }
    delivery = Delivery(
      journal: journal, client: configuration.environment.client, now: configuration.environment.now)
    engine = Engine(
      settings: configuration.settings, endpoints: configuration.endpoints.map(\.id), uniqueID: configuration.uniqueID)
  }

  // MARK: What a user does

  /// Tracks until its task is cancelled. Call it once.
  public func run() async throws {
    sensor.connect { [mailbox] event in mailbox.post(event) }
    defer { sensor.configure(nil) }
    let launch = Launch(
      wasTracking: try journal.remembered("tracking") == "on", waiting: waiting(), lastKept: try journal.newestFix())
    try await withThrowingDiscardingTaskGroup { group in
      countSetAside()
      handle(.launched(launch), &group)
      group.addTask { [self] in try await keepHouse() }
      for await _ in mailbox.signals {
        for item in mailbox.take() {
          switch item {
          case .event(let event): handle(event, &group)
          case .barrier(let barrier):
            if unwritten.isEmpty { barrier.finish() } else { barriers.append(barrier) }
          }
        }
        publish()
      }
      for timer in timers.values { timer.cancel() }
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  /// Turns tracking on, and remembers it over relaunches.
  public nonisolated func start() { mailbox.post(.start) }
  /// Turns tracking off and sends what is left.
  public nonisolated func stop() { mailbox.post(.stop) }
  /// Sends everything that waits, now.
  public nonisolated func sendNow() { mailbox.post(.sendNow) }
  /// Changes the settings.
  public nonisolated func change(_ settings: Settings) { mailbox.post(.settingsChanged(settings)) }
  /// Tells how the device is: battery, network name, motion.
  public nonisolated func update(_ context: DeviceContext) { mailbox.post(.contextChanged(context)) }
  /// Tells that the network came or went.
  public nonisolated func networkChanged(isReachable: Bool) {
    mailbox.post(.networkChanged(isReachable: isReachable))
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
      locationProblem: engine.locationProblem,
      endpoints: configuration.endpoints.compactMap { endpoint in
        engine.status(of: endpoint.id).map { TrackerStatus.EndpointStatus(id: endpoint.id, status: $0) }
      },
      invalidFixes: engine.dropped.invalid, thinnedFixes: engine.dropped.thinned, unwritten: unwritten.count,
      lost: lost,
      setAside: setAside, journalProblem: journalProblem)
  }

  /// The status whenever it changes. A slow reader gets the newest only.
  public nonisolated var statuses: AsyncStream<TrackerStatus> { statusStream.subscribe() }

  // MARK: Events and effects

  private func handle(_ event: Event, _ group: inout ThrowingDiscardingTaskGroup<any Error>) {
    var event = event
    // Only the journal knows what still waits: records may have come since the upload ended.
    if case .uploadFinished(let endpoint, let result) = event {
      switch result {
      // What waits is not in the journal yet: it is not sent, and not forgotten either.
      case .nothingToSend where !unwritten.isEmpty:
        let reason = journalProblem ?? "The journal cannot be written."
        event = .uploadFinished(
          endpoint, .failed(reason: reason, retryAfter: nil, jitter: configuration.environment.random()))
      case .nothingToSend where journal.waiting(endpoint: endpoint.name) == 0: break
      case .accepted, .nothingToSend:
        event = .uploadFinished(endpoint, .accepted(remaining: journal.waiting(endpoint: endpoint.name)))
      case .setAside(_, let jitter):
        // Records may have come since; they wait too.
        let waiting = journal.waiting(endpoint: endpoint.name)
        event = .uploadFinished(endpoint, .setAside(remaining: waiting, jitter: jitter))
      case .failed, .refused, .unauthorized: break
      }
      countSetAside()
    }
    for effect in engine.handle(event, at: configuration.environment.now()) { perform(effect, &group) }
  }

  private func perform(_ effect: Effect, _ group: inout ThrowingDiscardingTaskGroup<any Error>) {
    switch effect {
    case .configureLocation(let request): sensor.configure(request)
    case .requestAuthorization: sensor.requestAuthorization()
    case .record(let records): write(records)
    case .setTimer(let id, let time): setTimer(id, time)
    case .cancelTimer(let id): timers.removeValue(forKey: id)?.cancel()
    case .upload(let id, let limit):
      guard let endpoint = configuration.endpoints.first(where: { $0.id == id }) else { return }
      group.addTask { [self] in await upload(endpoint, limit) }
    case .setAside(let id, let reason):
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
    case .rememberTracking(let isOn):
      do { try journal.remember("tracking", isOn ? "on" : "off") } catch { journalProblem = "\(error)" }
    }
  }

  private nonisolated func upload(_ endpoint: Endpoint, _ limit: Int) async {
    let result: UploadResult
    switch await delivery.upload(to: endpoint, limit: limit) {
    case .acknowledged: result = .accepted(remaining: 0)
    case .nothingToSend: result = .nothingToSend
    case .failed(let reason, let retryAfter):
      result = .failed(reason: reason, retryAfter: retryAfter, jitter: configuration.environment.random())
    case .refused(let reason, let count): result = .refused(reason: reason, count: count)
    case .unauthorized(let reason):
      result = .unauthorized(reason: reason, jitter: configuration.environment.random())
    }
    mailbox.post(.uploadFinished(endpoint.id, result))
  }

  // MARK: The journal

  private func write(_ records: [Record]) {
    do {
      if !unwritten.isEmpty { try writeHeldBack() }
      try journal.append(records, recordedAt: configuration.environment.now())
      journalProblem = nil
    } catch {
      journalProblem = "\(error)"
      let room = max(0, Self.mostUnwritten - unwritten.count)
      unwritten += records.prefix(room)
      lost += max(0, records.count - room)
    }
  }

  private func writeHeldBack() throws {
    try journal.append(unwritten, recordedAt: configuration.environment.now())
    unwritten = []
    journalProblem = nil
    for barrier in barriers { barrier.finish() }
    barriers = []
  }

  /// Every second: what could not be written. Every hour: what is too old.
  private func keepHouse() async throws {
    var seconds = 0
    while true {
      if seconds % 3600 == 0 {
        let limit = configuration.environment.now().addingTimeInterval(-engine.settings.retention)
        do { lost += try journal.removeRecords(olderThan: limit) } catch { journalProblem = "\(error)" }
      }
      if !unwritten.isEmpty {
        do { try writeHeldBack() } catch { journalProblem = "\(error)" }
        publish()
      }
      try await configuration.environment.sleep(1)
      seconds += 1
    }
  }

  private func countSetAside() {
    do { setAside = try journal.setAsideCount() } catch { journalProblem = "\(error)" }
  }

  private func waiting() -> [EndpointID: Int] {
    Dictionary(uniqueKeysWithValues: configuration.endpoints.map { ($0.id, journal.waiting(endpoint: $0.id.name)) })
  }

  private var isAllSent: Bool {
    unwritten.isEmpty && waiting().values.allSatisfy { $0 == 0 }
  }

  // MARK: Timers and status

  private func setTimer(_ id: TimerID, _ time: Date) {
    timers[id]?.cancel()
    let seconds = max(0, time.timeIntervalSince(configuration.environment.now()))
    timers[id] = Task { [mailbox, sleep = configuration.environment.sleep] in
      // A timer that was moved or is no longer needed says nothing.
      guard (try? await sleep(seconds)) != nil else { return }
      mailbox.post(.timerFired(id))
    }
  }

  private func publish() { statusStream.publish(status) }
}
