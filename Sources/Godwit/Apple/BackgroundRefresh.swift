#if canImport(BackgroundTasks) && canImport(UIKit) && !os(watchOS)
  // Not compiled on systems without BackgroundTasks, so it holds no decisions: the engine decides what a refresh does
  // and which of the three results it has, RefreshRegistry which tracker performs it.
  internal import BackgroundTasks
  internal import Foundation
  internal import GodwitModel
  internal import GodwitEngine

  /// Background refreshes that the system grants from time to time. Each records one position.
  ///
  /// Info.plist must have the identifier under `BGTaskSchedulerPermittedIdentifiers` and `fetch` under `UIBackgroundModes`.
  public enum BackgroundRefresh {
    /// The requested time between two refreshes in seconds; the system decides about the actual time.
    public static let interval = 15 * 60.0

    /// Registers the refreshes of a tracker. Call it before the app has finished launching. A second call with the same
    /// identifier replaces the tracker.
    /// - Parameters:
    ///   - identifier: the identifier of the task, as in Info.plist.
    ///   - tracker: performs the refreshes.
    /// - Throws: ``GodwitError/Code/missingUsageDescription`` if Info.plist lacks the identifier: the system would end the app.
    public static func register(identifier: String, tracker: Tracker) throws(GodwitError) {
      try register(identifier: identifier) { tracker }
    }

    /// Registers the refreshes of a tracker. Call it before the app has finished launching. A second call with the same
    /// identifier replaces the tracker.
    /// - Parameters:
    ///   - identifier: the identifier of the task, as in Info.plist.
    ///   - tracker: returns the tracker that performs the refresh. It is called at each refresh, because the tracker may be
    ///     opened after the launch.
    /// - Throws: ``GodwitError/Code/missingUsageDescription`` if Info.plist lacks the identifier: the system would end the app.
    public static func register(
      identifier: String, tracker: @escaping @Sendable () async throws -> Tracker
    ) throws(GodwitError) {
      try GodwitError.wrapping { try UsageDescriptions.checkTask(identifier, in: Bundle.main.infoDictionary ?? [:]) }
      guard RefreshRegistry.process.register(identifier, tracker) else { return }
      BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
        schedule(identifier: identifier)
        // `nonisolated(unsafe)`: the system hands the task over, and it may be completed on any thread.
        nonisolated(unsafe) let task = task
        let work = Task { task.setTaskCompleted(success: await RefreshRegistry.process.refresh(identifier).isSuccess) }
        task.expirationHandler = { work.cancel() }
      }
    }

    /// Requests the next refresh. Call it when the app enters the background; after that each refresh requests the next.
    /// - Parameter identifier: the identifier of the task.
    public static func schedule(identifier: String) {
      let request = BGAppRefreshTaskRequest(identifier: identifier)
      request.earliestBeginDate = Date(timeIntervalSinceNow: interval)
      // The error is ignored: if the user disabled background refresh, only significant changes and visits are recorded.
      try? BGTaskScheduler.shared.submit(request)
    }
  }
#endif
