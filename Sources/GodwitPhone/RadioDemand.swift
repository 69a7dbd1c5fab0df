internal import CoreLocation
internal import GodwitModel
internal import GodwitSimulator

/// What the system uses the phone's radios for: what is requested of its location services, turned on in the world and off again.
struct RadioDemand: Sendable {
  /// Metres from a boundary within which the system looks out for its crossing.
  private static let nearBoundary = 500.0
  /// Seconds between two looks at how far the boundaries are.
  private static let boundaryInterval = 15.0

  private var demand = LocationServices.Demand()
  private var boundaryChecked: SimulatedTime?
  /// Whether something may be requested that the radios do not do yet.
  private(set) var isDirty = true

  /// Something has happened that can change what is requested.
  mutating func invalidate() { isDirty = true }

  /// The phone was off, and its radios watch nothing.
  mutating func restart() { boundaryChecked = nil }

  /// Turns on the requested radios, and the others off.
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

  /// Near a boundary the system looks more closely.
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
