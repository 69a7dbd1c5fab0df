internal import Foundation
package import GodwitModel

/// Who drives a ``LocationDaemon`` by hand, in a time of its own: a simulated phone.
///
/// Its methods are called while the daemon is at work: they take note of what is wanted, and do it afterwards.
package protocol LocationHost: AnyObject, Sendable {
  /// The time by the phone's own clock.
  var now: Date { get }
  /// Runs something of the app after everything that was handed in before, and only while the app runs.
  func perform(_ call: @escaping @Sendable () -> Void)
  /// Does what concerns the system and not one manager.
  func carryOut(_ output: LocationServices.Output)
  /// A manager is told something.
  func told(_ output: LocationServices.Output)
  /// The program has asked for something.
  func asked()
  /// Whether the program is still there: what one asks for that has been killed is nothing.
  var isListening: Bool { get }
}

extension LocationDaemon {
  /// Something happens to a system that is driven by hand.
  package func tell(_ input: LocationServices.Input) {
    switch input {
    // Whoever listened in the program is gone with it.
    case .app(.terminated), .swipedAway, .rebooted: removeListeners()
    default: break
    }
    carryOutAndCall(input)
  }

  /// What a phone's system is asked for at the moment.
  package var demand: LocationServices.Demand { read { $0.demand } }
  /// Nothing of the location services keeps the app running in the background.
  package var mayBeSuspended: Bool { read { $0.life.state == .background && $0.life.isReleased } }
  package var appState: AppState { read { $0.appState } }
  package var allowsBackgroundFetch: Bool { read { $0.allowsBackgroundFetch } }
}

extension LocationServices {
  /// What is asked for at the moment, by whom.
  package struct Demand: Sendable, Hashable {
    /// The best accuracy that the running app wants positions with; `nil`: none.
    package var updates: CLLocationAccuracy?
    /// What is watched for the app, whether or not it runs.
    package var visits = false
    package var significantChanges = false
    package var circles: [Circle] = []
    package var monitorsBeacons = false
    package var rangesBeacons = false

    package init() {}
  }

  /// A circle that is watched.
  package struct Circle: Sendable, Hashable {
    package var center: Coordinate
    package var radius: Meters
  }

  package var demand: Demand {
    var demand = Demand()
    demand.updates = permission.isGranted ? updatesWanted.min() : nil
    guard canMonitor else { return demand }
    demand.visits = watchesVisits
    demand.significantChanges = watchesSignificantChanges
    guard watchesRegions else { return demand }
    demand.circles = regions.all.compactMap { region in
      guard case .circle(let center, let radius) = region.shape else { return nil }
      return Circle(center: center, radius: max(radius, profile.smallestRegion))
    }
    demand.monitorsBeacons = regions.hasBeacons
    demand.rangesBeacons = isRanging
    return demand
  }
}

/// Positions come by hand.
struct NoSource: PositionSource {
  var isSimulated: Bool { true }
  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {}
}
