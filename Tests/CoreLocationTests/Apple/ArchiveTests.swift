import CoreLocation
import Foundation
import Testing

@Suite("Objects that an app archives, copies and formats")
struct ArchiveTests {
  private func back<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
  }

  private static let uuid = UUID()
  private static var circle: CLCircularRegion {
    let circle = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 45.5, longitude: -7.25), radius: 120, identifier: "home")
    circle.notifyOnEntry = false
    return circle
  }

  @Test("a circle and a beacon region keep all properties in an archive")
  func regions() throws {
    let circle = try back(Self.circle)
    #expect(circle == Self.circle && circle.center.longitude == -7.25 && circle.radius == 120)
    #expect(!circle.notifyOnEntry && circle.notifyOnExit)
    let beacon = CLBeaconRegion(uuid: Self.uuid, major: 3, identifier: "shop")
    beacon.notifyEntryStateOnDisplay = true
    let same = try back(beacon)
    #expect(same.uuid == Self.uuid && same.major == 3 && same.minor == nil && same.identifier == "shop")
    #expect(same.notifyEntryStateOnDisplay && same.beaconIdentityConstraint == beacon.beaconIdentityConstraint)
    #expect(try back(CLRegion()).identifier.isEmpty)
  }

  @Test("an array of regions of both kinds keeps its classes in an archive")
  func collection() throws {
    let regions = [Self.circle, CLBeaconRegion(uuid: Self.uuid, identifier: "shop")] as NSArray
    let data = try NSKeyedArchiver.archivedData(withRootObject: regions, requiringSecureCoding: true)
    let classes: [AnyClass] = [NSArray.self, CLCircularRegion.self, CLBeaconRegion.self]
    let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data) as? [CLRegion])
    #expect(back.map(\.identifier) == ["home", "shop"])
    #expect(back.first is CLCircularRegion && back.last is CLBeaconRegion)
    // A subclass can be decoded as its superclass.
    let only = try NSKeyedArchiver.archivedData(withRootObject: Self.circle, requiringSecureCoding: true)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CLRegion.self, from: only) is CLCircularRegion)
  }

  @Test("visits, headings, beacons, constraints, floors, sources and placemarks can be archived")
  func values() throws {
    #expect(try back(CLVisit()) == CLVisit())
    #expect(try back(CLHeading()).headingAccuracy == -1)
    #expect(try back(CLBeacon()).proximity == .unknown)
    let constraint = CLBeaconIdentityConstraint(uuid: Self.uuid, major: 1, minor: 2)
    #expect(try back(constraint) == constraint)
    #expect(try back(CLFloor()) == CLFloor())
    let source = CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false)
    #expect(try back(source).isSimulatedBySoftware)
    #expect(try !back(source).isProducedByAccessory)
    #expect(try back(CLPlacemark()).location == nil)
  }

  @Test("damaged archives decode to nil")
  func damaged() throws {
    let objects: [any NSObject & NSSecureCoding] = [
      CLVisit(), CLHeading(), CLBeacon(), CLFloor(), CLCircularRegion(), CLPlacemark(), CLLocation(),
      CLBeaconIdentityConstraint(uuid: Self.uuid), CLBeaconRegion(uuid: Self.uuid, identifier: "b"),
    ]
    for object in objects { try damage(object) }
  }

  private func damage(_ object: any NSObject & NSSecureCoding) throws {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    let classes: [AnyClass] = [type(of: object)]
    for length in stride(from: 0, to: data.count, by: max(1, data.count / 40)) {
      #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data.prefix(length))) == nil)
    }
    // A valid archive with the values of another class, or without values.
    let empty = NSKeyedArchiver(requiringSecureCoding: true)
    empty.encode("text" as NSString, forKey: "values")
    empty.encode(Data([1, 2, 3]) as NSData, forKey: "circle")
    empty.finishEncoding()
    let coder = try NSKeyedUnarchiver(forReadingFrom: empty.encodedData)
    coder.decodingFailurePolicy = .setErrorAndReturn
    let type: any NSCoding.Type = type(of: object)
    #expect(type.init(coder: coder) == nil)
  }

  @Test("a copy of a region is independent of it; copies of immutable objects are the same objects")
  func copies() throws {
    let circle = Self.circle
    let copy = try #require(circle.copy() as? CLCircularRegion)
    copy.notifyOnExit = false
    #expect(copy !== circle && copy == circle && copy.radius == 120 && circle.notifyOnExit && !copy.notifyOnEntry)
    let beacon = CLBeaconRegion(uuid: Self.uuid, identifier: "b")
    #expect((beacon.copy() as? CLBeaconRegion)?.uuid == Self.uuid)
    let visit = CLVisit()
    #expect(visit.copy() as? CLVisit === visit)
  }

  @Test("format strings take the objects for %@")
  func formats() {
    let location = CLLocation(latitude: 1, longitude: 2)
    let arguments: [any CVarArg] = [location, Self.circle, CLVisit(), CLHeading(), CLBeacon(), CLPlacemark(), CLFloor()]
    for argument in arguments {
      #expect(String(format: "<%@> %d", argument, 7) == "<\(argument)> 7")
    }
    #expect(String(format: "%@ %.1f %@", location, 2.5, Self.circle) == "\(location) 2.5 \(Self.circle)")
    #expect(withVaList([location]) { NSString(format: "%@", arguments: $0) } as String == location.description)
  }
}
