public import Foundation
internal import GodwitModel

/// A visit to a place: its arrival, or its arrival and departure.
///
/// `@unchecked Sendable`: it has only constants.
open class CLVisit: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private struct Values: Codable {
    var arrival = Date.distantPast
    var departure = Date.distantFuture
    var coordinate = ArchivedCoordinate(CLLocationCoordinate2D())
    var horizontalAccuracy = -1.0
  }

  private let values: Values

  /// The time of the arrival; `Date.distantPast`: unknown.
  open var arrivalDate: Date { values.arrival }
  /// The time of the departure; `Date.distantFuture`: the device has not left the place.
  open var departureDate: Date { values.departure }
  open var coordinate: CLLocationCoordinate2D { values.coordinate.coordinate }
  open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }

  /// Creates a visit without values. The dates and the accuracy are those that Apple documents as unknown.
  public override init() {
    values = Values()
    super.init()
  }

  package init(
    arrivalDate: Date, departureDate: Date, coordinate: CLLocationCoordinate2D, horizontalAccuracy: CLLocationAccuracy
  ) {
    values = Values(
      arrival: arrivalDate, departure: departureDate, coordinate: ArchivedCoordinate(coordinate),
      horizontalAccuracy: horizontalAccuracy)
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    guard let values = coder.decode(values: Values.self) else { return nil }
    self.values = values
    super.init()
  }

  open func encode(with coder: NSCoder) { coder.encode(values: values) }
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLVisit else { return false }
    return arrivalDate == other.arrivalDate && departureDate == other.departureDate
      && coordinate.latitude == other.coordinate.latitude && coordinate.longitude == other.coordinate.longitude
      && horizontalAccuracy == other.horizontalAccuracy
  }

  open override var hash: Int { arrivalDate.hashValue ^ departureDate.hashValue }

  open override var description: String {
    "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m from \(arrivalDate) to \(departureDate)"
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
