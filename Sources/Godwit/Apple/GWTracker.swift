#if canImport(ObjectiveC)
  // Not compiled where there is no Objective-C: kept thin. Everything here only passes on.
  internal import CoreLocation
  internal import CoreMotion
  public import Foundation
  internal import GodwitEngine
  internal import GodwitFormats
  internal import GodwitModel
  internal import Synchronization

  /// The tracker for Objective-C. Swift has ``Tracker``, which can do more.
  @objc(GWTracker)
  public final class GWTracker: NSObject, Sendable {
    /// Domain of the errors; the codes are those of ``FacadeError/Code``.
    @objc public static let errorDomain = FacadeError.domain

    let tracker: Tracker
    private let run: Task<Void, Never>
    private let observation = Mutex<Task<Void, Never>?>(nil)
    let regionObservations = Mutex(RegionObservations())

    /// Opens the journal and begins; tracking goes on if it was on when the app ended. Make it in
    /// `application:didFinishLaunchingWithOptions:`, on the main thread.
    /// - Parameter configuration: where records go, and what is recorded.
    /// - Throws: an error of ``errorDomain`` that says what to do.
    @MainActor @objc
    public init(configuration: GWConfiguration) throws {
      do {
        let sensor = LocationSensor(
          manager: CLLocationManager(), motion: configuration.usesMotion ? CMMotionActivityManager() : nil,
          regions: configuration.regionsEndpoint == nil ? nil : CLLocationManager())
        tracker = try Tracker(configuration: configuration.value(), sensor: sensor)
      } catch { throw FacadeError.nsError(error) }
      // It ends with the facade.
      run = Task { [tracker] in try? await tracker.run() }
      super.init()
    }

    deinit {
      run.cancel()
      observation.withLock { $0 }?.cancel()
      regionObservations.withLock { $0 }.cancel()
    }

    // MARK: Tracking

    /// Turns tracking on, asks for permission if nobody has been asked, and remembers it over relaunches.
    @objc public func startTracking() { tracker.start() }

    /// Turns tracking off and sends what is left.
    @objc public func stopTracking() { tracker.stop() }

    /// Whether tracking is on.
    /// - Parameter completion: is told, on the main thread.
    @objc(isTrackingEnabledWithCompletion:)
    public func isTrackingEnabled(completion: @escaping @MainActor @Sendable (Bool) -> Void) {
      Task { @MainActor in completion(await tracker.status.isTracking) }
    }

    /// Sends everything that waits, now.
    @objc public func sendNow() { tracker.sendNow() }

    /// Where the device is now, with the fields that are collected.
    /// - Parameter completion: gets the location or an error, on the main thread.
    @objc(fetchCurrentLocationWithCompletion:)
    public func fetchCurrentLocation(completion: @escaping @MainActor @Sendable (GWLocation?, NSError?) -> Void) {
      Task { @MainActor in
        do { completion(GWLocation(try await tracker.currentLocation()), nil) } catch {
          completion(nil, FacadeError.nsError(error, .noLocation))
        }
      }
    }

    /// Calls a block with the newest location, on the main thread, until it is replaced. `nil`: nobody is told.
    /// - Parameter block: gets the location, whether it is recorded or not.
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

    // MARK: The app's life

    /// Tells that a person opened the app.
    @objc public func applicationDidBecomeActive() { tracker.becameActive() }

    /// Tells that the app is about to end.
    @objc public func applicationWillTerminate() { tracker.willTerminate() }

    /// Uses a moment in the background.
    /// - Parameter completion: gets 0 for new data, 1 for none and 2 for a failure, as `UIBackgroundFetchResult` has
    ///   them; on the main thread.
    @objc(performFetchWithCompletionHandler:)
    public func performFetch(completionHandler completion: @escaping @MainActor @Sendable (UInt) -> Void) {
      Task { @MainActor in completion(await tracker.performBackgroundFetch().uiKitNumber) }
    }

    // MARK: Trips

    /// Begins a trip.
    /// - Parameter mode: "walk", "bicycle", "car" and so on; another word means the mode of the settings.
    @objc public func startTrip(mode: String) { tracker.startTrip(TripMode(rawValue: mode)) }

    /// Ends the trip.
    @objc public func stopTrip() { tracker.stopTrip() }
  }
#endif
