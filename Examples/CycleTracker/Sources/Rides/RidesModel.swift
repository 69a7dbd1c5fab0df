public import Godwit
public import Observation

/// What the screen shows: the same on every system.
@MainActor @Observable
public final class RidesModel {
  /// Newest first.
  public private(set) var rides: [Ride] = []
  public private(set) var status: TrackerStatus?
  public private(set) var problem: String?
  private let rideTracker: RideTracker

  public init(_ rideTracker: RideTracker) {
    self.rideTracker = rideTracker
    reload()
    rideTracker.store.onRide { [weak self] _ in Task { @MainActor in self?.reload() } }
  }

  /// Tracks until its task is cancelled. For an app's whole life, and not only for that of a screen: the system may launch
  /// it without one.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.track() }
      group.addTask { await self.follow() }
    }
  }

  /// The one thing that a person ever has to do.
  public func start() { rideTracker.tracker.start() }

  /// "Riding: 3.2 km", "Waiting for a ride", "Not started".
  public var headline: String {
    guard let status, status.isTracking else { return "Not started" }
    if let trip = status.trip { return "Riding: \(Ride.decimal(trip.distance / 1000)) km" }
    return status.motionProblem ?? status.locationProblem ?? "Waiting for a ride"
  }

  private func track() async {
    do { try await rideTracker.tracker.run() } catch is CancellationError {} catch { problem = "\(error)" }
  }

  private func follow() async { for await new in rideTracker.tracker.statuses { status = new } }

  private func reload() {
    do { rides = try rideTracker.store.rides() } catch { problem = "The rides cannot be read: \(error)" }
  }
}
