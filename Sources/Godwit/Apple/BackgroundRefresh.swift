#if canImport(BackgroundTasks) && canImport(UIKit) && !os(watchOS)
  // Not compiled where there is no BackgroundTasks framework: kept thin. What a refresh does, and which of its three
  // results it has, is decided by the engine.
  internal import BackgroundTasks
  internal import Foundation
  internal import GodwitEngine

  /// Moments in the background that the system gives now and then: each records one position.
  ///
  /// Info.plist must have the identifier under `BGTaskSchedulerPermittedIdentifiers` and `fetch` under
  /// `UIBackgroundModes`.
  public enum BackgroundRefresh {
    /// Seconds that are asked for between two moments; the system decides.
    public static let interval = 15 * 60.0

    /// Call it once, before the app has finished launching.
    /// - Parameters:
    ///   - identifier: of the task, as in Info.plist.
    ///   - tracker: uses the moments.
    /// - Throws: ``UsageDescriptions/Missing`` when Info.plist does not have the identifier: the system would end the app.
    public static func register(identifier: String, tracker: Tracker) throws(UsageDescriptions.Missing) {
      try register(identifier: identifier) { tracker }
    }

    /// Call it once, before the app has finished launching.
    /// - Parameters:
    ///   - identifier: of the task, as in Info.plist.
    ///   - tracker: uses the moments; asked for at each of them, because it may be opened after the launch.
    /// - Throws: ``UsageDescriptions/Missing`` when Info.plist does not have the identifier: the system would end the app.
    public static func register(
      identifier: String, tracker: @escaping @Sendable () async throws -> Tracker
    ) throws(UsageDescriptions.Missing) {
      try UsageDescriptions.checkTask(identifier, in: Bundle.main.infoDictionary ?? [:])
      BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
        schedule(identifier: identifier)
        // `nonisolated(unsafe)`: the system hands the task over and wants to be told its end from any thread.
        nonisolated(unsafe) let task = task
        let work = Task {
          // Why a tracker cannot be opened is reported where it is opened.
          let result = try? await tracker().performBackgroundFetch()
          task.setTaskCompleted(success: result?.isSuccess ?? false)
        }
        task.expirationHandler = { work.cancel() }
      }
    }

    /// Asks for the next moment. Call it when the app goes to the background; after that each moment asks for the next.
    /// - Parameter identifier: of the task.
    public static func schedule(identifier: String) {
      let request = BGAppRefreshTaskRequest(identifier: identifier)
      request.earliestBeginDate = Date(timeIntervalSinceNow: interval)
      // Where the person has turned background refresh off there are no moments; significant changes and visits go on.
      try? BGTaskScheduler.shared.submit(request)
    }
  }
#endif
