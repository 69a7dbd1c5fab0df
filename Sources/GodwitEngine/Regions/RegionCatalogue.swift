public import GodwitModel

/// All regions that a device has, as they were at one moment, ready to be asked for. It never changes, and costs nothing to
/// pass on. Making one takes a sort and the building of an index: see `Benchmarks`.
public struct RegionCatalogue: Sendable {
  /// Constant after it was made.
  private final class Storage: Sendable {
    let regions: [Region]
    let digest: String
    let positions: [String: Int]
    /// Positions of the geofences, in order, and of each its area.
    let geofences: [Int]
    let areas: [RegionArea]
    let index: CircleIndex
    let uuids: [BeaconGroup]
    let timeZones: Set<String>

    init(_ given: [Region], digest: String) {
      var byID: [String: Region] = [:]
      byID.reserveCapacity(given.count)
      for region in given { byID[region.id] = region }
      let regions = byID.values.sorted { $0.id < $1.id }
      self.regions = regions
      self.digest = digest
      positions = Dictionary(uniqueKeysWithValues: regions.enumerated().map { ($1.id, $0) })
      var (geofences, areas): ([Int], [RegionArea]) = ([], [])
      for (position, region) in regions.enumerated() {
        guard let area = RegionArea(region.shape) else { continue }
        geofences.append(position)
        areas.append(area)
      }
      (self.geofences, self.areas) = (geofences, areas)
      index = CircleIndex(areas.map(\.monitored))
      uuids = BeaconGroup.all(of: regions)
      timeZones = Set(regions.compactMap { $0.schedule?.timeZone })
    }
  }

  private let storage: Storage

  /// - Parameters:
  ///   - regions: all of them, in any order; of several with one id the last one counts.
  ///   - digest: what tells this catalogue from others; see ``digest``.
  public init(_ regions: [Region], digest: String = "") { storage = Storage(regions, digest: digest) }

  /// A catalogue of nothing.
  public static let empty = RegionCatalogue([])

  /// In the order of their ids.
  public var regions: [Region] { storage.regions }
  public var isEmpty: Bool { storage.regions.isEmpty }
  /// The text by which the device and its server see that they have the same; the catalogue does not read it.
  public var digest: String { storage.digest }
  /// Names of the time zones that schedules ask for: what ``RegionZones`` has to know.
  public var timeZones: Set<String> { storage.timeZones }
  /// The beacon UUIDs, in order.
  public var beaconUUIDs: [ProximityUUID] { storage.uuids.map(\.uuid) }

  /// The region of an id.
  public subscript(id: String) -> Region? { storage.positions[id].map { storage.regions[$0] } }

  /// The geofences that a place is inside of, nearest edge first, then by id.
  public func geofences(at place: Coordinate) -> [Region] {
    fences(around: place).map { ($0, areas[$0].distanceToEdge(from: place)) }.filter { $0.1 <= 0 }
      .sorted { (-$0.1, $0.0) < (-$1.1, $1.0) }.map { fence($0.0) }
  }

  /// The regions of all beacons that a sighting may be: their ids, in order.
  func beacons(_ identity: BeaconIdentity) -> [Region] {
    group(identity.uuid)?.regions(of: identity).map { storage.regions[$0] } ?? []
  }

  // MARK: What selection asks

  /// Geofences are counted by themselves, in the order of their ids.
  var fenceCount: Int { storage.geofences.count }
  var areas: [RegionArea] { storage.areas }
  var index: CircleIndex { storage.index }
  var uuids: [BeaconGroup] { storage.uuids }

  func fence(_ number: Int) -> Region { storage.regions[storage.geofences[number]] }

  /// The number of a geofence.
  func fenceNumber(_ id: String) -> Int? {
    guard let position = storage.positions[id] else { return nil }
    var (low, high) = (0, storage.geofences.count)
    while low < high {
      let middle = (low + high) / 2
      if storage.geofences[middle] < position { low = middle + 1 } else { high = middle }
    }
    return low < storage.geofences.count && storage.geofences[low] == position ? low : nil
  }

  /// Numbers of the geofences in whose monitored circle a place is.
  func fences(around place: Coordinate) -> [Int] { index.containing(place).map(\.position).sorted() }

  func group(_ uuid: ProximityUUID) -> BeaconGroup? {
    storage.uuids.first { $0.uuid == uuid }
  }

  func circle(of number: Int) -> Circle { areas[number].monitored }
}

/// The beacons of one UUID.
struct BeaconGroup: Sendable {
  var uuid: ProximityUUID
  /// Positions of their regions, with what they stand for.
  var beacons: [(position: Int, identity: BeaconIdentity)]
  /// Where they were put up.
  var places: CircleIndex

  /// Of all regions, in the order of the UUIDs.
  static func all(of regions: [Region]) -> [BeaconGroup] {
    var members: [ProximityUUID: [(position: Int, beacon: Beacon)]] = [:]
    for (position, region) in regions.enumerated() {
      if case .beacon(let beacon) = region.shape { members[beacon.identity.uuid, default: []].append((position, beacon)) }
    }
    return members.sorted { $0.key < $1.key }.map { uuid, members in
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
