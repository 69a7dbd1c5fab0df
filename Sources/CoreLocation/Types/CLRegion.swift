public import Foundation
internal import GodwitModel

/// An area that the system monitors.
///
/// `@unchecked Sendable`: its variables are set before the region is passed to a manager, as on Apple's systems.
open class CLRegion: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private struct Values: Codable {
    var identifier: String
    var notifyOnEntry: Bool
    var notifyOnExit: Bool
  }

  private let name: String

  open var identifier: String { name }
  open var notifyOnEntry = true
  open var notifyOnExit = true

  /// Creates a region without an identifier, which no manager monitors.
  public override init() {
    name = ""
    super.init()
  }

  init(identifier: String) {
    name = identifier
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    guard let values = coder.decode(values: Values.self) else { return nil }
    name = values.identifier
    super.init()
    (notifyOnEntry, notifyOnExit) = (values.notifyOnEntry, values.notifyOnExit)
  }

  open func encode(with coder: NSCoder) {
    coder.encode(values: Values(identifier: identifier, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit))
  }

  open func copy(with zone: NSZone? = nil) -> Any { withNotifications(CLRegion(identifier: identifier)) }

  /// Copies `notifyOnEntry` and `notifyOnExit` to another region, and returns it.
  func withNotifications<Region: CLRegion>(_ copy: Region) -> Region {
    (copy.notifyOnEntry, copy.notifyOnExit) = (notifyOnEntry, notifyOnExit)
    return copy
  }

  open override func isEqual(_ object: Any?) -> Bool { (object as? CLRegion)?.identifier == identifier }
  open override var hash: Int { identifier.hashValue }
  open override var description: String { "\(type(of: self)) (identifier: '\(identifier)')" }
}

/// A circular region.
///
/// `@unchecked Sendable`: as its superclass. Its own state is constant.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
  private struct Circle: Codable {
    var center: ArchivedCoordinate
    var radius: Double
  }

  private let circle: Circle

  open var center: CLLocationCoordinate2D { circle.center.coordinate }
  /// The radius in metres.
  open var radius: CLLocationDistance { circle.radius }

  /// Creates a circle with the centre 0, 0, the radius 0 and no identifier.
  public override init() {
    circle = Circle(center: ArchivedCoordinate(CLLocationCoordinate2D()), radius: 0)
    super.init()
  }

  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
    circle = Circle(center: ArchivedCoordinate(center), radius: radius)
    super.init(identifier: identifier)
  }

  public required init?(coder: NSCoder) {
    guard let circle = coder.decode(values: Circle.self, forKey: "circle") else { return nil }
    self.circle = circle
    super.init(coder: coder)
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(values: Circle(center: ArchivedCoordinate(center), radius: radius), forKey: "circle")
  }

  open override func copy(with zone: NSZone? = nil) -> Any {
    withNotifications(CLCircularRegion(center: center, radius: radius, identifier: identifier))
  }

  open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
    // The distance to an invalid coordinate is negative, and would count as inside.
    guard CLLocationCoordinate2DIsValid(center), CLLocationCoordinate2DIsValid(coordinate) else { return false }
    return CLLocation(latitude: center.latitude, longitude: center.longitude)
      .distance(from: CLLocation(latitude: coordinate.latitude, longitude: coordinate.longitude)) <= radius
  }

  open override var description: String {
    "\(type(of: self)) (identifier: '\(identifier)', center: <\(center.latitude),\(center.longitude)>, radius: \(radius)m)"
  }
}
