#if os(Linux)
  internal import CoreLocation
  internal import CoreMotion
  internal import Foundation
  internal import Godwit
  internal import GodwitCommandLine
  internal import GodwitEngine
  internal import GodwitModel
  internal import Synchronization

  /// A tracker connected to a position source, for `godwit track` and `godwit demo`.
  final class TrackingSession: Sendable {
    let tracker: Tracker
    private let daemon: LocationDaemon
    private let isFile: Bool
    private let report: SharedReport
    private let device: DeviceSession?
    private let progress: ReplayProgress

    /// - Parameters:
    ///   - isFromStart: Whether to replay a file from its start, regardless of the progress in the journal.
    ///   - device: Reports data of this machine and shows notices; `nil` for none.
    ///   - regions: Configuration of the monitored regions; `nil` for none.
    init(
      source: String, speed: ReplaySpeed, journalPath: String, endpoints: [Endpoint], settings: Settings,
      eventLog: Tracker.EventLog? = nil, syncInterval: Double = 15, isFromStart: Bool = false, device: DeviceSession? = nil,
      regions: RegionConfiguration? = nil
    ) throws {
      self.device = device
      try DataFolder.make(DataFolder.of(file: journalPath))
      let progress = ReplayProgress(isFromStart: isFromStart)
      self.progress = progress
      let report = SharedReport()
      self.report = report
      let digested = Digestion()
      let positions: any PositionSource
      if Receivers.isMeant(by: source) {
        guard let receiver = Receivers.source(source) else {
          throw UsageError("--source \(source): expected \(Receivers.expected)")
        }
        positions = receiver
        isFile = false
      } else {
        var status = stat()
        guard stat(source, &status) == 0 else { throw Failure("\(source): there is no such file.") }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR { throw Failure("\(source) is a folder; name a track file.") }
        if kind == S_IFCHR {
          throw UsageError(
            "--source \(source): a device and not a file. gpsd reads receivers: start it with gpsd \(source), then give "
              + "--source gpsd://127.0.0.1")
        }
        let pace: ReplaySource.Pace =
          switch speed {
          case .factor(let factor): .factor(factor)
          case .max: .unpaced { await digested.wait() }
          }
        positions = ReplaySource(path: source, pace: pace, positions: progress) { report.set($0) }
        isFile = true
      }
      daemon = LocationDaemon(source: positions)
      let manager = CLLocationManager(daemon: daemon, queue: DispatchQueue(label: "godwit.location"))
      var configuration = Tracker.Configuration(journalPath: journalPath, endpoints: endpoints, settings: settings)
      configuration.uniqueID = MachineIdentifier.current
      configuration.eventLog = eventLog
      configuration.syncInterval = syncInterval
      configuration.notifier = device?.notifier
      configuration.regions = regions
      configuration.regions?.isReplayed = isFile
      if isFile { configuration.positionNotes = { progress.notes($0) } }
      // An unpaced replay reports a thousand fixes at once, from which no motion can be derived.
      let motion = speed.isPaced || !isFile ? CMMotionActivityManager(coprocessor: MotionCoprocessor(daemon: daemon)) : nil
      let watcher =
        regions == nil || isFile ? nil : CLLocationManager(daemon: daemon, queue: DispatchQueue(label: "godwit.regions"))
      let tracker = try Tracker(
        configuration: configuration, sensor: LocationSensor(manager: manager, motion: motion, regions: watcher))
      self.tracker = tracker
      progress.connect(tracker.journal)
      digested.connect { await tracker.caughtUp() }
    }

    /// Result of the replay, after the file was read.
    var replayReport: ReplaySource.Report? { report.value }

    /// Tracks until the task is cancelled, or with `untilSent` until a file has been replayed and sent.
    func run(
      untilSent: Bool, panel: PanelServer? = nil, _ status: @escaping @Sendable (Tracker.Status) -> Void
    ) async throws {
      if let damaged = tracker.damagedJournal {
        Output.log(
          "The journal was damaged. It was renamed to \(damaged.path), and a new one was created with the "
            + "\(damaged.recoveredRecords.counted("unsent record")) that can be read.")
      }
      let regions = tracker.regions.map { RegionSession(regions: $0, sync: tracker.sync, isFile: isFile) }
      // A tracker that was on starts to read a file at once, and could reach its end before the regions are copied.
      if isFile { await regions?.copy() }
      try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask { [tracker] in
          try await tracker.run()
          return true
        }
        group.addTask { [tracker] in
          for await new in tracker.statuses { status(new) }
          return false
        }
        if let panel {
          group.addTask { [tracker] in
            // The panel starts when tracking is on, so that its first status does not show a stopped tracker.
            for await status in tracker.statuses where status.isTracking { break }
            try await panel.run { panel.announce(port: $0) }
            return false
          }
        }
        if let device {
          group.addTask { [tracker] in
            await device.run(tracker)
            return false
          }
        }
        if let regions {
          group.addTask {
            await regions.publishEvents()
            return false
          }
          if !isFile {
            group.addTask {
              await regions.copy()
              return false
            }
          }
        }
        tracker.startTracking()
        if isFile {
          group.addTask { [tracker, daemon, progress, report] in
            await daemon.finished()
            // Region events of the last position are processed after it.
            for _ in 0..<2 { await tracker.caughtUp() }
            if !Task.isCancelled, report.value.map({ $0.problem == nil }) ?? false { try progress.finish() }
            tracker.sendNow()
            // Without `untilSent` the session continues until Ctrl-C, without further fixes from the file.
            if !untilSent, !Task.isCancelled, let done = report.value { Output.log(StatusReporter.text(of: done)) }
            if untilSent { await tracker.untilSent() }
            return untilSent
          }
        }
        while let isOver = try await group.next() { if isOver { break } }
        group.cancelAll()
      }
    }
  }

  /// Report of a replay, shared between tasks.
  private final class SharedReport: Sendable {
    private let report = Mutex<ReplaySource.Report?>(nil)
    func set(_ new: ReplaySource.Report) { report.withLock { $0 = new } }
    var value: ReplaySource.Report? { report.withLock { $0 } }
  }

  /// Connects a replay with the tracker, which is created later.
  private final class Digestion: Sendable {
    // A structure, because a closure in a generic box is wrapped again at each access.
    private struct Action {
      var perform: @Sendable () async -> Void
    }
    private let action = Mutex<Action?>(nil)
    func connect(_ new: @escaping @Sendable () async -> Void) { action.withLock { $0 = Action(perform: new) } }
    func wait() async { await action.withLock { $0 }?.perform() }
  }
#endif
