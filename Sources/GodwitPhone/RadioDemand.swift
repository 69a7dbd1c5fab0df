internal import CoreLocation
internal import GodwitModel
internal import GodwitSimulator

/// The use of the phone's radios: turns the radios of the world on and off as the location services request.
struct RadioDemand: Sendable {
  /// The distance in metres from a boundary within which the system monitors the boundary more closely.
  private static let nearBoundary = 500.0
  /// Seconds between two checks of the distance to the boundaries.
  private static let boundaryInterval = 15.0

  private var demand = LocationServices.Demand()
  private var boundaryChecked: SimulatedTime?
  /// Whether the requests may have changed since the radios were set.
  private(set) var isDirty = true

  /// Marks the requests as possibly changed.
  mutating func invalidate() { isDirty = true }

  /// Resets the state when the phone is turned on again.
  mutating func restart() { boundaryChecked = nil }

  /// Turns the requested radios on and the others off.
  mutating func set(_ new: LocationServices.Demand, _ world: inout World) {
    isDirty = false
    if new.updates != demand.updates {
      if let wanted = new.updates { world.startUpdating(Self.accuracy(wanted)) } else { world.stopUpdating() }
    }
    world.setBeacons(new.rangesBeacons ? .ranging : new.monitorsBeacons ? .monitoring : .none)
    if new != demand { boundaryChecked = nil }
    demand = new
    checkBoundaries(&world)
  }

  /// Sets the monitoring of the world, which uses more energy near a boundary.
  mutating func checkBoundaries(_ world: inout World) {
    if let boundaryChecked, world.now - boundaryChecked < Self.boundaryInterval { return }
    boundaryChecked = world.now
    var watched: Set<MonitoringService> = []
    if demand.visits { watched.insert(.visits) }
    if demand.significantChanges { watched.insert(.significantChanges) }
    if !demand.circles.isEmpty {
      let place = world.truth().coordinate
      let isNear = demand.circles.contains {
        abs(GreatCircle.distance($0.center, place) - $0.radius) < Self.nearBoundary
      }
      watched.insert(isNear ? .regionsNear : .regionsFar)
    }
    world.setMonitoring(watched)
  }

  private static func accuracy(_ wanted: CLLocationAccuracy) -> DesiredAccuracy {
    switch wanted {
    case ...kCLLocationAccuracyBestForNavigation: .navigation
    case ..<10: .best
    case ..<100: .tenMeters
    case ..<1000: .hundredMeters
    case ..<3000: .kilometer
    default: .threeKilometers
    }
  }
}
