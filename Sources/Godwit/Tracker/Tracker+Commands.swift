public import Foundation
internal import GodwitDelivery
public import GodwitEngine
internal import GodwitJournal
internal import GodwitLocks
public import GodwitModel

/// The commands of a tracker.
extension Tracker {
  /// Returns whether a tracker uses a journal, in this process or in another.
  /// - Parameter journalPath: the journal's file.
  public static func isRunning(journalPath: String) -> Bool { JournalLock.isHeld(path: journalPath) }

  /// Turns tracking on, also for later launches, and requests permission if it was not requested before. A call before
  /// ``start()`` takes effect at the start.
  public nonisolated func startTracking() { mailbox.post(.start) }
  /// Turns tracking off, also for later launches, and sends the remaining records. No record is discarded. The tracker
  /// continues to run: see ``stop()``.
  public nonisolated func stopTracking() { mailbox.post(.stop) }
  /// Sends all waiting records now.
  public nonisolated func sendNow() { mailbox.post(.sendNow) }
  /// Deletes all waiting records.
  public nonisolated func purge() { mailbox.post(.purge) }
  /// Starts a trip, unless one is running.
  /// - Parameter mode: the mode of the trip; `nil`: the mode of the settings.
  public nonisolated func startTrip(_ mode: TripMode? = nil) { mailbox.post(.startTrip(mode)) }
  /// Ends the running trip.
  public nonisolated func stopTrip() { mailbox.post(.stopTrip) }
  /// Reports the user's response to a notice.
  public nonisolated func respond(_ response: Notice.Response) { mailbox.post(.answered(response)) }
  /// Replaces the context of the device: battery, network name, motion.
  public nonisolated func update(_ context: DeviceContext) { update { $0 = context } }
  /// Changes some values of the device's context. Different parts of a program can report different values.
  public nonisolated func update(_ change: (inout DeviceContext) -> Void) {
    // Posted under the lock, so that concurrent changes are reported in order.
    deviceContext.withLock { context in
      change(&context)
      mailbox.post(.contextChanged(context))
    }
  }
  /// Reports a change of the network.
  /// - Parameters:
  ///   - isReachable: whether there is a network.
  ///   - isWifi: whether the network is a wifi; `nil`: unknown.
  public nonisolated func networkChanged(isReachable: Bool, isWifi: Bool? = nil) {
    mailbox.post(.networkChanged(isReachable: isReachable, isWifi: isWifi))
  }
  /// Reports that the app became active. The last known position is recorded, or a new one if that is older than 15 minutes.
  public nonisolated func becameActive() { mailbox.post(.becameActive(cached: sensor.cachedFix)) }
  /// Reports that the program is about to end. Pending records are written.
  public nonisolated func willTerminate() { mailbox.post(.willTerminate) }

  /// The tracker's clock.
  public nonisolated var now: Date { configuration.environment.now() }

  /// The current settings.
  public var settings: Settings { engine.settings }

  /// Changes the settings, also for later launches.
  public nonisolated func change(_ settings: Settings) { mailbox.post(.settingsChanged(settings)) }

  /// Changes single settings by name, all or none, also for later launches.
  /// - Throws: ``GodwitError/Code/invalidSetting`` for the first invalid name or value.
  public func set(_ values: [DesiredSetting]) throws(GodwitError) {
    var settings = engine.settings
    for value in values {
      do { try settings.set(value.name, to: value.value) } catch { throw GodwitError(error) }
    }
    mailbox.post(.settingsSet(values))
  }

  /// Returns the current position of the device, with the fields that are collected. It is neither recorded nor sent.
  /// - Throws: ``GodwitError/Code/noLocation`` if there is no position within twenty seconds, or no permission;
  ///   ``GodwitError/Code/notStarted`` or ``GodwitError/Code/stopped`` if the tracker does not run; `CancellationError`.
  public func currentLocation() async throws -> Record {
    try lifeCycle.checkIsStarted()
    let (number, responses) = callers.ask()
    mailbox.post(.locationWanted(number))
    for await response in responses {
      switch response {
      case .record(let record): return record
      case .problem(let reason): throw GodwitError(.noLocation, reason)
      }
    }
    try Task.checkCancellation()
    throw LifeCycle.over
  }

  /// Performs a background fetch: records one position.
  /// - Returns: whether there is new data; `failed` if the tracker was not started, or has ended.
  public func performBackgroundFetch() async -> BackgroundFetchResult {
    if lifeCycle.state == .idle || lifeCycle.state.isOver { return .failed }
    let (number, responses) = fetches.ask()
    mailbox.post(.backgroundFetch(number, cached: sensor.cachedFix))
    for await response in responses { return response }
    return .failed
  }

  /// Returns when all earlier events have been handled and their records are in the journal, when the tracker has ended, or
  /// when the task is cancelled. A call before ``start()`` also waits for the start.
  public func caughtUp() async {
    let (stream, barrier) = AsyncStream<Void>.makeStream()
    mailbox.post(barrier)
    for await _ in stream {}
  }

  /// Returns when every endpoint has acknowledged every record, when the tracker has ended, or when the task is cancelled.
  public func untilSent() async {
    let changes = statuses
    if isAllSent { return }
    for await _ in changes where isAllSent { return }
  }

  private var isAllSent: Bool {
    writer.unwritten.isEmpty && configuration.endpoints.allSatisfy { journal.waiting(endpoint: $0.id.name) == 0 }
  }

  /// Returns when no trip is running and the record of the last trip is in the journal, when the tracker has ended, or when the
  /// task is cancelled. It is for calls after ``stopTracking()``.
  public func untilTripIsFinished() async {
    let changes = statuses
    await caughtUp()
    if engine.trip == nil { return }
    for await _ in changes where engine.trip == nil { return }
  }

  /// The current status.
  public var status: Tracker.Status {
    var status = Status(lifeCycle.state, engine, writer, endpoints: configuration.endpoints.map(\.id), heartbeat: heartbeat)
    status.placeName = placeName
    status.regionProblem = regions?.problem
    status.journalProblem = writer.problem ?? configuration.eventLog?.problem
    if engine.settings.startsTripsByMotion {
      let reason = sensor.usesMotion ? sensor.motionProblem : "The sensor of this configuration reports no motion."
      status.motionProblem = reason.map { "No trip starts automatically. \($0)" }
    }
    return status
  }

  /// The status at every change. A slow subscriber gets only the newest. The stream ends with the tracker: its last status has
  /// the state ``State/stopped`` or ``State/failed(_:)``.
  public nonisolated var statuses: AsyncStream<Tracker.Status> {
    let statuses = statusStream.subscribe()
    mailbox.wake()
    return statuses
  }
}
