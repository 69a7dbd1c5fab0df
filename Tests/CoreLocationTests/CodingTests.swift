import CoreLocation
import Foundation
import Testing

@Suite("Locations that an app archives")
struct CodingTests {
  @Test("an archived location and a copy keep all properties", arguments: [true, false])
  func archive(_ hasSource: Bool) throws {
    let place = CLLocationCoordinate2D(latitude: 45.25, longitude: -13.5)
    let time = Date(timeIntervalSince1970: 1_800_000_000.25)
    let location =
      hasSource
      ? CLLocation(
        coordinate: place, altitude: 12, horizontalAccuracy: 3, verticalAccuracy: 4, course: 5, courseAccuracy: 6,
        speed: 7, speedAccuracy: 8, timestamp: time,
        sourceInfo: CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false))
      : CLLocation(
        coordinate: place, altitude: 12, horizontalAccuracy: 3, verticalAccuracy: -1, timestamp: time)
    let data = try NSKeyedArchiver.archivedData(withRootObject: location, requiringSecureCoding: true)
    let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: data))
    #expect(back == location && back.hash == location.hash && back !== location)
    #expect(back.courseAccuracy == location.courseAccuracy && back.speedAccuracy == location.speedAccuracy)
    #expect(back.sourceInformation?.isSimulatedBySoftware == (hasSource ? true : nil))
    #expect(back.sourceInformation?.isProducedByAccessory == (hasSource ? false : nil))
    #expect(location.copy() as? CLLocation === location)
  }
}
