#if canImport(ObjectiveC)
  // Not compiled where there is no Objective-C: kept thin. Everything here only passes on.
  internal import CoreLocation
  #if !os(macOS)
    internal import CoreMotion
  #endif
  public import Foundation
  internal import GodwitEngine
  internal import GodwitModel
  internal import GodwitWire
  internal import Synchronization

  /// The tracker for Objective-C. Swift has ``Tracker``, which can do more.
  @objc(GWTracker)
  public final class GWTracker: NSObject, Sendable {
    /// Domain of the errors; the codes are those of ``FacadeError/Code``.
    @objc public static let errorDomain = FacadeError.domain

    let tracker: Tracker
    private let run: Task<Void, Never>
    private let problem = Problem()
    private let observation = Mutex<Task<Void, Never>?>(nil)
    let regionObservations = Mutex(RegionObservations())

    /// Opens the journal and begins; tracking goes on if it was on when the app ended. Make it in
    /// `application:didFinishLaunchingWithOptions:`, on the main thread.
    /// - Parameter configuration: where records go, and what is recorded.
    /// - Throws: an error of ``errorDomain`` that says what to do.
    @MainActor @objc
    public convenience init(configuration: GWConfiguration) throws {
      do {
        self.init(try Tracker(configuration: configuration.value(), sensor: Self.sensor(configuration)))
      } catch { throw FacadeError.nsError(error) }
    }

    /// The same, on a phone also before its first unlock after a restart: see ``Tracker/open(configuration:sensor:protectedData:)``.
    /// - Parameters:
    ///   - configuration: where records go, and what is recorded.
    ///   - completion: gets the tracker or an error of ``errorDomain``, on the main thread.
    @MainActor
    @objc(openWithConfiguration:completion:)
    public static func open(
      configuration: GWConfiguration, completion: @escaping @MainActor @Sendable (GWTracker?, NSError?) -> Void
    ) {
      // Now and not after the unlock: the system delivers what it launched the app for to a manager that is there.
      let sensor = sensor(configuration)
      Task { @MainActor in
        do {
          completion(GWTracker(try await Tracker.open(configuration: configuration.value(), sensor: sensor)), nil)
        } catch { completion(nil, FacadeError.nsError(error)) }
      }
    }

    private init(_ tracker: Tracker) {
      self.tracker = tracker
      let problem = problem
      // It ends with the facade.
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
        return LocationSensor(manager: CLLocationManager(), regions: regions)
      #else
        return LocationSensor(
          manager: CLLocationManager(), motion: configuration.usesMotion ? CMMotionActivityManager() : nil, regions: regions)
      #endif
    }

    /// Why the tracker has ended, as a sentence; `nil`: it has not.
    @objc public var endingProblem: String? { problem.text.withLock { $0 } }

    deinit {
      run.cancel()
      observation.withLock { $0 }?.cancel()
      regionObservations.withLock { $0 }.cancel()
    }

    /// Shared with the task of the tracker, which must not keep the facade.
    private final class Problem: Sendable { let text = Mutex<String?>(nil) }

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
