#if canImport(UIKit) && !os(watchOS)
  // Not compiled on systems without UIKit, so it holds no decisions: the engine interprets the events.
  public import Foundation
  internal import GodwitEngine
  internal import GodwitLocks
  public import UIKit

  /// Reports the life cycle of an app to a tracker: activation, background, termination.
  ///
  ///     let lifeCycle = ApplicationLifeCycle(tracker: tracker)
  ///
  /// Create it in `application(_:didFinishLaunchingWithOptions:)`, also when the system launches the app in the
  /// background for a location. Create the sensor of the tracker there too; otherwise the location is not delivered.
  @MainActor
  public final class ApplicationLifeCycle {
    private let tracker: Tracker
    private let observations: Observations
    private var task = UIBackgroundTaskIdentifier.invalid

    /// - Parameters:
    ///   - tracker: receives the events.
    ///   - center: posts the notifications.
    public init(tracker: Tracker, center: NotificationCenter = .default) {
      self.tracker = tracker
      observations = Observations(center)
      observations.observe(UIApplication.didBecomeActiveNotification) { tracker.becameActive() }
      observations.observe(UIApplication.didEnterBackgroundNotification) { [weak self] in self?.enteredBackground() }
      observations.observe(UIApplication.willTerminateNotification) { Self.willTerminate(tracker) }
      // The tracker may be opened at the first unlock, after the notification was posted.
      if UIApplication.shared.applicationState == .active { tracker.becameActive() }
    }

    /// Maximum seconds that termination waits for the journal; the system grants about five.
    private static let terminationTimeout = 1.0

    /// Waits until the journal is written, at most one second. The system ends the process as soon as the observers of the
    /// notification have returned.
    package static func willTerminate(_ tracker: Tracker) {
      final class Flag: Sendable { let isSet = Mutex(false) }
      let written = Flag()
      tracker.willTerminate()
      // Detached, because the main thread waits below.
      Task.detached {
        await tracker.caughtUp()
        written.isSet.withLock { $0 = true }
      }
      let deadline = Date(timeIntervalSinceNow: terminationTimeout)
      while !written.isSet.withLock({ $0 }), Date() < deadline {
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
      }
    }

    /// Prevents that the system suspends the app before all events up to now are in the journal.
    private func enteredBackground() {
      guard task == .invalid else { return }
      task = UIApplication.shared.beginBackgroundTask(withName: "godwit.journal") { [weak self] in
        MainActor.assumeIsolated { self?.endTask() }
      }
      Task {
        await tracker.caughtUp()
        endTask()
      }
    }

    private func endTask() {
      guard task != .invalid else { return }
      UIApplication.shared.endBackgroundTask(task)
      task = .invalid
    }
  }

  extension Tracker {
    /// Performs a background fetch. Call it in `application(_:performFetchWithCompletionHandler:)`, if the app still has that
    /// method; newer apps use ``BackgroundRefresh``.
    /// - Parameter completion: the completion handler of the system.
    @MainActor
    public func performFetch(completionHandler completion: @escaping @MainActor (UIBackgroundFetchResult) -> Void) {
      Task { @MainActor in
        let result = await performBackgroundFetch()
        completion(UIBackgroundFetchResult(rawValue: result.uiKitNumber) ?? .failed)
      }
    }
  }
#endif
