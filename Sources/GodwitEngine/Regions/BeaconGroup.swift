internal import GodwitModel

/// The beacons of one UUID.
struct BeaconGroup: Sendable {
  var uuid: ProximityUUID
  /// The positions of their regions in the catalogue, and their identities.
  var beacons: [(position: Int, identity: BeaconIdentity)]
  /// The places where the beacons are mounted.
  var places: CircleIndex

  /// Groups beacons by UUID, in the order of the UUIDs. - Parameter beacons: all beacons, with the positions of their regions.
  static func all(of beacons: [(position: Int, beacon: Beacon)]) -> [BeaconGroup] {
    Dictionary(grouping: beacons, by: \.beacon.identity.uuid).sorted { $0.key < $1.key }.map { uuid, members in
      BeaconGroup(
        uuid: uuid, beacons: members.map { ($0.position, $0.beacon.identity) },
        places: CircleIndex(members.compactMap { $0.beacon.place }.map { Circle(center: $0, radius: 1) }))
    }
  }

  /// Returns the positions of the regions that a beacon belongs to.
  func regions(of identity: BeaconIdentity) -> [Int] {
    beacons.filter { $0.identity.includes(identity) }.map(\.position)
  }

  /// Returns the metres to the nearest beacon; `nil`: no place of a beacon is known.
  func distance(from place: Coordinate) -> Meters? { places.nearest(1, to: place).first.map { $0.distance + 1 } }
}
