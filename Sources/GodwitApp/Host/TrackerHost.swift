internal import Foundation
internal import Godwit
internal import GodwitDelivery
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitLocks
internal import GodwitModel

/// Opens the tracker of a launch and keeps it open without any screen, also in the background. Opens it again after a change of servers.
/// Screens read its snapshot and send commands.
final class TrackerHost: Sendable {
  private struct State {
    var snapshot = HostSnapshot()
    var lastNumber = 0
    /// Whether the main actor was notified of a newer snapshot.
    var isReported = false
    var changed: (@Sendable () -> Void)?
  }

  private struct NumberedCommand: Sendable {
    var number: Int
    var command: HostCommand
  }

  let services: AppServices
  let sensor: SharedSensor
  let track: TrackLog
  private let state = Mutex(State())
  private let commands: AsyncStream<NumberedCommand>
  private let commandInput: AsyncStream<NumberedCommand>.Continuation

  init(services: AppServices, sensor: any Sensor) {
    self.services = services
    self.sensor = SharedSensor(sensor)
    track = TrackLog(services.files, now: services.environment.now)
    (commands, commandInput) = AsyncStream.makeStream()
  }

  /// Starts to work. Must be called once.
  /// - Parameter changed: called from any thread when there is a newer snapshot, and not again until ``consumeSnapshot()`` is called.
  func launch(changed: @escaping @Sendable () -> Void) {
    state.withLock { $0.changed = changed }
    sensor.begin()
    services.environment.task { await self.work() }
  }

  /// Sends a command, which waits until a tracker is open.
  /// - Returns: its number; see ``HostSnapshot/applied``.
  func send(_ command: HostCommand) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      // Under the lock, so that numbers arrive in order.
      commandInput.yield(NumberedCommand(number: state.lastNumber, command: command))
      return state.lastNumber
    }
  }

  /// The open tracker; `nil`: none.
  var tracker: Tracker? { state.withLock { $0.snapshot.tracker } }

  /// Returns the newest values. The next change is reported again.
  func consumeSnapshot() -> HostSnapshot {
    state.withLock { state in
      state.isReported = false
      return state.snapshot
    }
  }

  private func publish(_ change: (inout HostSnapshot) -> Void) {
    let changed = state.withLock { state in
      change(&state.snapshot)
      defer { state.isReported = true }
      return state.isReported ? nil : state.changed
    }
    changed?()
  }

  // MARK: The work

  private func work() async {
    var commands = commands.makeAsyncIterator()
    var kept: [NumberedCommand] = []
    var shouldContinue = true
    while shouldContinue {
      do {
        let tracker = try await open()
        try await tracker.start()
        await services.trackerOpened(tracker)
        let following = services.environment.task { await self.follow(tracker) }
        shouldContinue = await obey(&kept, &commands, tracker)
        sensor.detach()
        await tracker.stop()
        track.save()
        await following.value
      } catch is CancellationError { return } catch {
        publish { ($0.phase, $0.tracker) = (.failed("\(error)"), nil) }
        shouldContinue = await recover(&kept, &commands)
      }
    }
  }

  private func open() async throws -> Tracker {
    do { return try openNow() } catch {
      guard error.code.category == .storage, await !services.protectedData.isAvailable() else { throw error }
    }
    publish { $0.phase = .waitingForUnlock }
    sensor.watchUntilUnlock()
    try await services.protectedData.becomesAvailable()
    let tracker = try openNow()
    // While tracking is off, a tracker does not configure the sensor at its launch.
    if try tracker.journal.remembered("tracking") != "on" { sensor.dropHeld() }
    return tracker
  }

  private func openNow() throws(GodwitError) -> Tracker {
    let (list, endpoints) = try GodwitError.wrapping(.fileUnavailable) {
      let list = try services.files.value(ServerList.self, ServerList.file) ?? ServerList()
      return (list, try list.servers.map { try $0.endpoint(token: services.credentials.token($0.id)) })
    }
    var configuration = Tracker.Configuration(
      journalPath: services.journalPath, endpoints: endpoints, uniqueID: services.uniqueID, environment: services.environment)
    configuration.notifier = services.notifier
    if sensor.regions != nil {
      // Only Godwit servers have regions; they are beside the address of the Overland interface.
      configuration.regions =
        zip(list.servers, endpoints).lazy.filter { $0.0.hasRegions }
        .compactMap { RegionConfiguration(beside: $0.1) }.first
    }
    services.configure(&configuration)
    track.load()
    configuration.recorded = { [track, recorded = configuration.recorded] records in
      track.add(records)
      recorded?(records)
    }
    let tracker = try Tracker(configuration: configuration, sensor: sensor)
    publish { ($0.servers, $0.tracker) = (list, tracker) }
    return tracker
  }

  /// Publishes each status of a tracker until it ends.
  private func follow(_ tracker: Tracker) async {
    for await status in tracker.statuses { report(status, await tracker.settings) }
  }

  private func report(_ status: Tracker.Status, _ settings: Settings, applied: Int? = nil) {
    publish { snapshot in
      (snapshot.status, snapshot.settings) = (status, settings)
      switch status.state {
      case .failed(let error): snapshot.phase = .failed(error.message)
      // Between two trackers, the app is not shown as closed.
      case .idle, .starting, .running, .stopping, .stopped: snapshot.phase = .running
      }
      if let applied { snapshot.applied = max(snapshot.applied, applied) }
    }
  }

  // MARK: Commands

  /// Executes commands until the tracker must be opened again.
  /// - Parameter kept: commands that arrived while no tracker could be opened; they come first.
  /// - Returns: whether it must be opened again; `false`: the stream of commands has ended.
  private func obey(
    _ kept: inout [NumberedCommand], _ commands: inout AsyncStream<NumberedCommand>.Iterator, _ tracker: Tracker
  ) async -> Bool {
    while let next = kept.isEmpty ? await commands.next() : kept.removeFirst() {
      switch next.command {
      case .startTracking: tracker.startTracking()
      case .stopTracking: tracker.stopTracking()
      case .sendNow: tracker.sendNow()
      case .startTrip(let mode): tracker.startTrip(mode)
      case .stopTrip: tracker.stopTrip()
      case .purge: tracker.purge()
      case .syncRegions: syncRegions(tracker)
      case .set(let values): await set(values, tracker)
      case .servers(let list):
        store(list, next.number)
        return true
      case .retry: if await tracker.status.state.isOver { return true }
      }
      // Not awaited, because a journal that cannot be written must not delay the next command.
      services.environment.task {
        await tracker.caughtUp()
        // Positions that arrived before the tracker stopped.
        if case .purge = next.command { self.deleteTrack() }
        self.report(await tracker.status, await tracker.settings, applied: next.number)
      }
    }
    return false
  }

  private func deleteTrack() {
    do { try track.removeAll() } catch { publish { $0.problem = "\(error)" } }
  }

  private func syncRegions(_ tracker: Tracker) {
    guard let sync = tracker.sync else { return }
    services.environment.task { _ = await sync.sync() }
  }

  private func set(_ values: [DesiredSetting], _ tracker: Tracker) async {
    do throws(GodwitError) {
      try await tracker.set(values)
      publish { $0.problem = nil }
    } catch { publish { $0.problem = error.message } }
  }

  private func store(_ list: ServerList, _ number: Int) {
    do {
      try services.files.store(list, ServerList.file)
      publish { ($0.servers, $0.problem, $0.applied) = (list, nil, number) }
    } catch { publish { ($0.problem, $0.applied) = ("\(error)", number) } }
  }

  /// Waits for a command that may remove the cause of a failure to open the tracker. Other commands are kept until it is open.
  private func recover(
    _ kept: inout [NumberedCommand], _ commands: inout AsyncStream<NumberedCommand>.Iterator
  ) async -> Bool {
    while let next = await commands.next() {
      switch next.command {
      case .servers(let list):
        store(list, next.number)
        return true
      case .retry:
        publish { ($0.phase, $0.applied) = (.opening, next.number) }
        return true
      default: kept.append(next)
      }
    }
    return false
  }
}
