public import Godwit
public import Observation

/// What the screen shows: the same on every system.
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

  /// Starts the tracker and follows its status until it ends. For an app's whole life, and not only for that of a screen: the
  /// system may launch it without one.
  public func run() async {
    do { try await rideTracker.tracker.start() } catch { problem = error.message }
    for await new in rideTracker.tracker.statuses {
      status = new
      if case .failed(let error) = new.state { problem = error.message }
    }
    // The task was cancelled, or the tracker has ended.
    await rideTracker.tracker.stop()
  }

  /// The one thing that a person ever has to do.
  public func start() { rideTracker.tracker.startTracking() }

  /// "Riding: 3.2 km", "Waiting for a ride", "Not started".
  public var headline: String {
    guard let status, status.isTracking else { return "Not started" }
    if let trip = status.trip { return "Riding: \(Ride.decimal(trip.distance / 1000)) km" }
    return status.motionProblem ?? status.locationProblem ?? "Waiting for a ride"
  }

  private func reload() {
    do { rides = try rideTracker.store.rides() } catch { problem = "The rides cannot be read: \(error)" }
  }
}
