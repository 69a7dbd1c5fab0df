public import Foundation
internal import GodwitModel

/// A place that the system watches.
///
/// `@unchecked Sendable`: what can change is changed before the region is handed to a manager, as on Apple's systems.
open class CLRegion: NSObject, @unchecked Sendable {
  public let identifier: String
  public var notifyOnEntry = true
  public var notifyOnExit = true

  init(identifier: String) { self.identifier = identifier }

  open override func isEqual(_ object: Any?) -> Bool { (object as? CLRegion)?.identifier == identifier }
  open override var hash: Int { identifier.hashValue }
}

/// A circle.
public final class CLCircularRegion: CLRegion, @unchecked Sendable {
  // `@unchecked Sendable`: as its superclass; what it adds is constant.
  public let center: CLLocationCoordinate2D
  /// Metres.
  public let radius: CLLocationDistance

  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
    self.center = center
    self.radius = radius
    super.init(identifier: identifier)
  }

  public func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
    CLLocation(latitude: center.latitude, longitude: center.longitude)
      .distance(from: CLLocation(latitude: coordinate.latitude, longitude: coordinate.longitude)) <= radius
  }
}

/// A stay at a place, or one end of it.
///
/// `@unchecked Sendable`: constants only.
public final class CLVisit: NSObject, @unchecked Sendable {
  /// `Date.distantPast` when it is not known.
  public let arrivalDate: Date
  /// `Date.distantFuture` while the device is still there.
  public let departureDate: Date
  public let coordinate: CLLocationCoordinate2D
  public let horizontalAccuracy: CLLocationAccuracy

  package init(
    arrivalDate: Date, departureDate: Date, coordinate: CLLocationCoordinate2D, horizontalAccuracy: CLLocationAccuracy
  ) {
    self.arrivalDate = arrivalDate
    self.departureDate = departureDate
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
  }
}

extension CLVisit {
  convenience init(_ visit: Visit) {
    self.init(
      arrivalDate: visit.arrival ?? .distantPast, departureDate: visit.departure ?? .distantFuture,
      coordinate: CLLocationCoordinate2D(latitude: visit.coordinate.latitude, longitude: visit.coordinate.longitude),
      horizontalAccuracy: visit.horizontalAccuracy ?? -1)
  }
}
