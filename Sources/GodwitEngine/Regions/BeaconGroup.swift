internal import GodwitModel

/// The beacons of one UUID.
struct BeaconGroup: Sendable {
  var uuid: ProximityUUID
  /// Positions of their regions, with what they stand for.
  var beacons: [(position: Int, identity: BeaconIdentity)]
  /// Where they were put up.
  var places: CircleIndex

  /// Of all beacons, with the positions of their regions, in the order of the UUIDs.
  static func all(of beacons: [(position: Int, beacon: Beacon)]) -> [BeaconGroup] {
    Dictionary(grouping: beacons, by: \.beacon.identity.uuid).sorted { $0.key < $1.key }.map { uuid, members in
      BeaconGroup(
        uuid: uuid, beacons: members.map { ($0.position, $0.beacon.identity) },
        places: CircleIndex(members.compactMap { $0.beacon.place }.map { Circle(center: $0, radius: 1) }))
    }
  }

  /// Positions of the regions that a beacon belongs to.
  func regions(of identity: BeaconIdentity) -> [Int] {
    beacons.filter { $0.identity.includes(identity) }.map(\.position)
  }

  /// Metres to where the nearest of them was put up; nothing where nobody said.
  func distance(from place: Coordinate) -> Meters? { places.nearest(1, to: place).first.map { $0.distance + 1 } }
}
