public import GodwitModel

/// All regions that a device has, as they were at one moment, ready to be asked for. It never changes, and costs nothing to
/// pass on. Making one takes a sort and the building of an index: see `Benchmarks`.
public struct RegionCatalogue: Sendable {
  /// Constant after it was made.
  private final class Storage: Sendable {
    let regions: [Region]
    let digest: String
    /// Positions of the geofences, in order: of those that have an area.
    let geofences: [Int32]
    let index: CircleIndex
    let uuids: [BeaconGroup]
    let timeZones: Set<String>

    init(_ given: [Region], digest: String) {
      let regions = Self.ordered(given)
      self.regions = regions
      self.digest = digest
      var (geofences, circles): ([Int32], [Circle]) = ([], [])
      geofences.reserveCapacity(regions.count)
      circles.reserveCapacity(regions.count)
      for (position, region) in regions.enumerated() {
        guard let area = RegionArea(region.shape) else { continue }
        geofences.append(Int32(position))
        circles.append(area.monitored)
      }
      self.geofences = geofences
      index = CircleIndex(circles)
      uuids = BeaconGroup.all(of: regions)
      timeZones = Set(regions.compactMap { $0.schedule?.timeZone })
    }

    /// By their ids. What comes in order already, as out of a table, is not copied.
    private static func ordered(_ given: [Region]) -> [Region] {
      if zip(given, given.dropFirst()).allSatisfy({ $0.id < $1.id }) { return given }
      var byID: [String: Region] = [:]
      byID.reserveCapacity(given.count)
      for region in given { byID[region.id] = region }
      return byID.values.sorted { $0.id < $1.id }
    }

    /// The position of an id.
    func position(_ id: String) -> Int? {
      let position = RegionCatalogue.first(regions.count) { regions[$0].id >= id }
      return position < regions.count && regions[position].id == id ? position : nil
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
  public subscript(id: String) -> Region? { storage.position(id).map { storage.regions[$0] } }

  /// The geofences that a place is inside of, nearest edge first, then by id.
  public func geofences(at place: Coordinate) -> [Region] {
    fences(around: place).map { ($0, areas[$0].distanceToEdge(from: place)) }.filter { $0.1 <= 0 }
      .sorted { (-$0.1, $0.0) < (-$1.1, $1.0) }.map { fence($0.0) }
  }

  // MARK: What selection asks

  /// Geofences are counted by themselves, in the order of their ids.
  var fenceCount: Int { storage.geofences.count }
  var areas: Areas { Areas(catalogue: self) }

  /// The areas of the geofences, by their numbers. They are made when they are asked for: a hundred thousand of them would take
  /// more memory than the index.
  struct Areas {
    fileprivate let catalogue: RegionCatalogue

    subscript(number: Int) -> RegionArea {
      guard let area = RegionArea(catalogue.fence(number).shape) else {
        // Only regions that have an area got a number.
        preconditionFailure("no geofence")
      }
      return area
    }
  }
  var index: CircleIndex { storage.index }
  var uuids: [BeaconGroup] { storage.uuids }

  func fence(_ number: Int) -> Region { storage.regions[Int(storage.geofences[number])] }

  /// The number of a geofence.
  func fenceNumber(_ id: String) -> Int? {
    guard let position = storage.position(id) else { return nil }
    let number = Self.first(storage.geofences.count) { storage.geofences[$0] >= position }
    return number < storage.geofences.count && storage.geofences[number] == position ? number : nil
  }

  /// Numbers of the geofences in whose monitored circle a place is.
  func fences(around place: Coordinate) -> [Int] { index.containing(place).map(\.position).sorted() }

  func group(_ uuid: ProximityUUID) -> BeaconGroup? {
    let number = Self.first(storage.uuids.count) { storage.uuids[$0].uuid >= uuid }
    return number < storage.uuids.count && storage.uuids[number].uuid == uuid ? storage.uuids[number] : nil
  }

  /// The first of so many numbers for which something holds that holds for all after it; the count, where it holds for none.
  fileprivate static func first(_ count: Int, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  func circle(of number: Int) -> Circle { areas[number].monitored }
}
