internal import CoreLocation
public import Foundation
public import GodwitModel
public import GodwitSimulator

/// A beacon in the world of a simulated phone.
public struct SimulatedBeacon: Sendable, Hashable {
  public var uuid: UUID
  public var major: UInt16
  public var minor: UInt16
  /// The position of the beacon, and its advertising.
  public var place: PlacedBeacon

  /// - Parameters:
  ///   - uuid: the UUID.
  ///   - major: the major number.
  ///   - minor: the minor number.
  ///   - coordinate: the position.
  ///   - interval: the seconds between two advertisements; more than 0.
  ///   - powerAtOneMeter: the signal strength at 1 m in dBm.
  public init(
    uuid: UUID, major: UInt16 = 0, minor: UInt16 = 0, at coordinate: Coordinate, interval: Double = 1,
    powerAtOneMeter: Int = -59
  ) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
    place = PlacedBeacon(coordinate: coordinate, interval: interval, powerAtOneMeter: powerAtOneMeter)
  }

  func sighting(rssi: Int) -> Beacons.Sighting {
    Beacons.Sighting(uuid: uuid, major: major, minor: minor, rssi: rssi, powerAtOneMeter: place.powerAtOneMeter)
  }
}
