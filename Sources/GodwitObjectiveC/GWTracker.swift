#if canImport(ObjectiveC)
  // Not compiled on systems without Objective-C, so it holds no decisions: everything here only forwards.
  internal import CoreLocation
  #if !os(macOS)
    internal import CoreMotion
  #endif
  public import Foundation
  internal import Godwit
  internal import GodwitEngine
  internal import GodwitModel
  internal import GodwitWire
  internal import GodwitLocks

  /// The tracker for Objective-C. Swift has `Tracker`, which has more functions.
  @objc(GWTracker)
  public final class GWTracker: NSObject, Sendable {
    /// The domain of the errors. The codes are those of ``FacadeError/Code``.
    @objc public static let errorDomain = FacadeError.domain

    let tracker: Tracker
    private let run: Task<Void, Never>
    private let problem = Problem()
    private let observation = Mutex<Task<Void, Never>?>(nil)
    let regionObservations = Mutex(RegionObservations())
    /// The observers of the app and of the device.
    private let connections: GWConnections

    /// Opens the journal and starts the tracker. Tracking continues if it was on when the app ended. Create the tracker in
    /// `application:didFinishLaunchingWithOptions:`, on the main thread.
    /// - Parameter configuration: the endpoints, and what is recorded.
    /// - Throws: an error of ``errorDomain``, whose description contains what to do.
    @MainActor @objc
    public convenience init(configuration: GWConfiguration) throws {
      do {
        let tracker = try Tracker(configuration: configuration.value(), sensor: Self.sensor(configuration))
        try GWConnections.registerRefresh(configuration) { tracker }
        self.init(tracker, configuration)
      } catch { throw FacadeError.nsError(error) }
    }

    /// Opens a tracker, on a phone also before its first unlock after a restart: see
    /// `Tracker.open(configuration:sensor:protectedData:)`.
    /// - Parameters:
    ///   - configuration: the endpoints, and what is recorded.
    ///   - completion: called on the main thread with the tracker or an error of ``errorDomain``.
    @MainActor
    @objc(openWithConfiguration:completion:)
    public static func open(
      configuration: GWConfiguration, completion: @escaping @MainActor @Sendable (GWTracker?, NSError?) -> Void
    ) {
      // Created now and not after the unlock, because the system delivers the location that caused the launch only to a manager
      // that exists at the launch.
      let sensor = sensor(configuration)
      let opening = Task { @MainActor in try await Tracker.open(configuration: configuration.value(), sensor: sensor) }
      var registration: (any Error)?
      // Registered now too, because the system accepts the registration only until the app has finished launching.
      do { try GWConnections.registerRefresh(configuration) { try await opening.value } } catch { registration = error }
      Task { @MainActor [registration] in
        do {
          if let registration { throw registration }
          completion(GWTracker(try await opening.value, configuration), nil)
        } catch { completion(nil, FacadeError.nsError(error)) }
      }
    }

    @MainActor
    private init(_ tracker: Tracker, _ configuration: GWConfiguration) {
      self.tracker = tracker
      connections = GWConnections(tracker, configuration)
      let problem = problem
      // The task ends with the facade.
      run = Task {
        do { try await tracker.run() } catch is CancellationError {} catch {
          problem.text.withLock { $0 = "\(error)" }
        }
      }
      super.init()
    }

    @MainActor
    private static func sensor(_ configuration: GWConfiguration) -> LocationSensor {
      let regions = configuration.regionsEndpoint == nil ? nil : CLLocationManager()
      #if os(macOS)
        return LocationSensor(
          manager: CLLocationManager(), regions: regions, fullAccuracyPurpose: configuration.fullAccuracyPurpose)
      #else
        return LocationSensor(
          manager: CLLocationManager(), motion: configuration.usesMotion ? CMMotionActivityManager() : nil, regions: regions,
          fullAccuracyPurpose: configuration.fullAccuracyPurpose)
      #endif
    }

    /// The reason why the tracker has ended, as a sentence; `nil`: it has not failed.
    @objc public var endingProblem: String? { problem.text.withLock { $0 } }

    deinit {
      run.cancel()
      observation.withLock { $0 }?.cancel()
      regionObservations.withLock { $0 }.cancel()
    }

    /// Shared with the task of the tracker, which must not retain the facade.
    private final class Problem: Sendable { let text = Mutex<String?>(nil) }

    // MARK: Tracking

    /// Turns tracking on, also for later launches, and requests permission if it was not requested before.
    @objc public func startTracking() { tracker.startTracking() }

    /// Turns tracking off and sends the remaining records.
    @objc public func stopTracking() { tracker.stopTracking() }

    /// Reads whether tracking is on.
    /// - Parameter completion: called on the main thread.
    @objc(isTrackingEnabledWithCompletion:)
    public func isTrackingEnabled(completion: @escaping @MainActor @Sendable (Bool) -> Void) {
      Task { @MainActor in completion(await tracker.status.isTracking) }
    }

    /// Sends all waiting records now.
    @objc public func sendNow() { tracker.sendNow() }

    /// Requests the current position of the device, with the fields that are collected.
    /// - Parameter completion: called on the main thread with the location or an error.
    @objc(fetchCurrentLocationWithCompletion:)
    public func fetchCurrentLocation(completion: @escaping @MainActor @Sendable (GWLocation?, NSError?) -> Void) {
      Task { @MainActor in
        do { completion(GWLocation(try await tracker.currentLocation()), nil) } catch {
          completion(nil, FacadeError.nsError(error))
        }
      }
    }

    /// Calls a block with the newest location, on the main thread. A later call replaces the block; `nil` removes it.
    /// - Parameter block: receives the location, whether it is recorded or not.
    @objc(observeLocationsUsingBlock:)
    public func observeLocations(using block: (@MainActor @Sendable (GWLocation) -> Void)?) {
      let old = observation.withLock { kept in
        defer { kept = nil }
        return kept
      }
      old?.cancel()
      guard let block else { return }
      let new = Task { @MainActor [tracker] in
        var last: Fix?
        for await status in tracker.statuses {
          guard let fix = status.lastFix, fix != last else { continue }
          last = fix
          block(GWLocation(fix))
        }
      }
      observation.withLock { $0 = new }
    }

    // MARK: The app's life cycle

    /// Reports that the app became active.
    @objc public func applicationDidBecomeActive() { tracker.becameActive() }

    /// Reports that the app is about to end, and waits until the journal is written, at most one second.
    @MainActor @objc public func applicationWillTerminate() {
      #if canImport(UIKit) && !os(watchOS)
        ApplicationLifeCycle.willTerminate(tracker)
      #else
        tracker.willTerminate()
      #endif
    }

    /// Performs a background fetch.
    /// - Parameter completion: called on the main thread with 0 for new data, 1 for none and 2 for a failure, as in
    ///   `UIBackgroundFetchResult`.
    @objc(performFetchWithCompletionHandler:)
    public func performFetch(completionHandler completion: @escaping @MainActor @Sendable (UInt) -> Void) {
      Task { @MainActor in completion(await tracker.performBackgroundFetch().uiKitNumber) }
    }

    // MARK: Trips

    /// Starts a trip.
    /// - Parameter mode: "walk", "bicycle", "car" and so on. For another text the mode of the settings is used.
    @objc public func startTrip(mode: String) { tracker.startTrip(TripMode(rawValue: mode)) }

    /// Ends the running trip.
    @objc public func stopTrip() { tracker.stopTrip() }
  }
#endif
