public import Godwit
public import Observation

/// The model of the screen, the same on every system.
@MainActor @Observable
public final class RidesModel {
  /// Newest first.
  public private(set) var rides: [Ride] = []
  public private(set) var status: Tracker.Status?
  public private(set) var problem: String?
  private let rideTracker: RideTracker

  public init(_ rideTracker: RideTracker) {
    self.rideTracker = rideTracker
    reload()
    rideTracker.store.onRide { [weak self] _ in Task { @MainActor in self?.reload() } }
  }

  /// Starts the tracker and follows its status until it ends. Call it once per launch, not per screen: the system may launch the
  /// app without a screen.
  public func run() async {
    do { try await rideTracker.tracker.start() } catch { problem = error.message }
    for await new in rideTracker.tracker.statuses {
      status = new
      if case .failed(let error) = new.state { problem = error.message }
    }
    // The task was cancelled, or the tracker has ended.
    await rideTracker.tracker.stop()
  }

  /// Starts tracking, the only action that a user has to take.
  public func start() { rideTracker.tracker.startTracking() }

  /// The status in a few words: "Riding: 3.2 km", "Waiting for a ride", "Not started", or a problem.
  public var headline: String {
    guard let status, status.isTracking else { return "Not started" }
    if let trip = status.trip { return "Riding: \(Ride.decimal(trip.distance / 1000)) km" }
    return status.motionProblem ?? status.locationProblem ?? "Waiting for a ride"
  }

  private func reload() {
    do { rides = try rideTracker.store.rides() } catch { problem = "The rides cannot be read: \(error)" }
  }
}
