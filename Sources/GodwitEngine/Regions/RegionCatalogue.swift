public import GodwitModel

/// All regions of a device at one time, with an index. A catalogue is immutable and cheap to copy. Creating one sorts the regions
/// and builds the index: see `Benchmarks`.
///
/// A device may have a hundred thousand regions and needs few at a time. They are stored in a compact form, and a `Region` is
/// created on access.
public struct RegionCatalogue: Sendable {
  /// The immutable content.
  fileprivate final class Storage: Sendable {
    let table: RegionTable
    let digest: String
    /// The circles by which the system can monitor the geofences, in the order of the geofences.
    let index: CircleIndex
    /// The positions of the beacons, in order. All other regions are geofences.
    let beacons: [Int]
    let uuids: [BeaconGroup]
    let timeZones: Set<String>

    init(_ table: RegionTable, _ index: CircleIndex, digest: String) {
      (self.table, self.index, self.digest) = (table, index, digest)
      beacons = table.beacons.map(\.position)
      uuids = BeaconGroup.all(of: table.beacons)
      timeZones = table.timeZones
    }

    /// Returns the position of a geofence among all regions.
    func position(ofGeofence number: Int) -> Int {
      number + RegionCatalogue.first(beacons.count) { beacons[$0] - $0 > number }
    }

    /// Returns the number of a geofence among the geofences; `nil` for a beacon.
    func geofence(at position: Int) -> Int? {
      let before = RegionCatalogue.first(beacons.count) { beacons[$0] >= position }
      return before < beacons.count && beacons[before] == position ? nil : position - before
    }

    func region(at position: Int) -> Region {
      guard let region = table.region(position, monitored: geofence(at: position).map { index[$0] }) else {
        // A beacon is stored whole.
        preconditionFailure("no region")
      }
      return region
    }
  }

  private let storage: Storage

  /// Creates a catalogue.
  /// - Parameters:
  ///   - regions: all regions, in any order. Of several regions with one id the last one counts.
  ///   - digest: distinguishes this catalogue from others; see ``digest``.
  public init(_ regions: [Region], digest: String = "") {
    let regions = Self.ordered(regions)
    self.init(capacity: regions.count, digest: digest) { take in for region in regions { take(region) } }
  }

  /// Creates a catalogue without having all regions in memory at once.
  /// - Parameters:
  ///   - capacity: the expected number of regions.
  ///   - digest: distinguishes this catalogue from others; see ``digest``.
  ///   - each: passes all regions one after another, in the order of their ids. It is called more than once and must pass the
  ///     same regions each time.
  /// - Throws: the errors of `each`.
  package init(capacity: Int, digest: String, each: (_ take: (Region) -> Void) throws -> Void) rethrows {
    var table = RegionTable(capacity: capacity)
    var seeds = CapIndex.Seeds(capacity: capacity)
    try each { region in
      table.append(region)
      if let circle = region.shape.enclosingCircle { seeds.append(circle.monitored) }
    }
    guard table.isOrdered else {
      // Ids with equivalent Unicode sequences are ordered differently here than in a file.
      var regions: [Region] = []
      try each { regions.append($0) }
      self.init(RegionCatalogue(regions, digest: digest).storage)
      return
    }
    table.close()
    var skeleton = seeds.skeleton()
    try each { region in if let circle = region.shape.enclosingCircle { skeleton.insert(circle.monitored) } }
    self.init(Storage(table, CircleIndex(skeleton), digest: digest))
  }

  private init(_ storage: Storage) { self.storage = storage }

  /// Returns the regions in the order of their ids.
  private static func ordered(_ given: [Region]) -> [Region] {
    if zip(given, given.dropFirst()).allSatisfy({ $0.id < $1.id }) { return given }
    var byID: [String: Region] = [:]
    byID.reserveCapacity(given.count)
    for region in given { byID[region.id] = region }
    return byID.values.sorted { $0.id < $1.id }
  }

  /// A catalogue without regions.
  public static let empty = RegionCatalogue([])

  /// The regions in the order of their ids. Each is created on access.
  public var regions: Regions { Regions(storage: storage) }
  public var isEmpty: Bool { storage.table.count == 0 }

  /// The regions of a catalogue.
  public struct Regions: RandomAccessCollection, Sendable {
    fileprivate let storage: Storage

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.table.count }
    public subscript(position: Int) -> Region { storage.region(at: position) }
  }

  /// The text by which the device and its server recognize that their catalogues are equal. The catalogue does not interpret it.
  public var digest: String { storage.digest }
  /// Names of the time zones in schedules. ``RegionZones`` must contain them.
  public var timeZones: Set<String> { storage.timeZones }
  /// The beacon UUIDs, in order.
  public var beaconUUIDs: [ProximityUUID] { storage.uuids.map(\.uuid) }

  /// The region with an id; `nil`: there is none.
  public subscript(id: String) -> Region? { storage.table.position(id).map(storage.region) }

  /// Returns the geofences that contain a place: nearest edge first, then by id.
  public func geofences(at place: Coordinate) -> [Region] {
    geofences(around: place).map { ($0, areas[$0].distanceToEdge(from: place)) }.filter { $0.1 <= 0 }
      .sorted { (-$0.1, $0.0) < (-$1.1, $1.0) }.map { geofence($0.0) }
  }

  /// Returns the geofences whose circles are nearest to a place: those that contain it first, the deepest first.
  package func nearestGeofences(_ count: Int, to place: Coordinate) -> [Region] {
    index.nearest(max(0, count), to: place).map { geofence($0.position) }
  }

  // MARK: Access for the selection

  /// The geofences have their own numbers, in the order of their ids.
  var geofenceCount: Int { storage.index.count }
  var areas: Areas { Areas(storage: storage) }

  /// The areas of the geofences, by number. They are created on access: a hundred thousand of them would need more memory than the index.
  struct Areas {
    fileprivate let storage: Storage

    subscript(number: Int) -> RegionArea {
      let shape = storage.table.shape(storage.position(ofGeofence: number), monitored: storage.index[number])
      guard let area = RegionArea(shape) else {
        // Only regions with an area have a number.
        preconditionFailure("no geofence")
      }
      return area
    }
  }
  var index: CircleIndex { storage.index }
  var uuids: [BeaconGroup] { storage.uuids }

  func geofence(_ number: Int) -> Region { storage.region(at: storage.position(ofGeofence: number)) }

  /// Returns the id of a geofence.
  func geofenceID(_ number: Int) -> String { storage.table.id(storage.position(ofGeofence: number)) }

  /// Returns the id of the region at a position.
  func id(at position: Int) -> String { storage.table.id(position) }

  /// Returns the circle by which the system can monitor a geofence.
  func circle(of number: Int) -> Circle { storage.index[number] }

  /// Returns the number of a geofence; `nil`: there is no geofence with this id.
  func geofenceNumber(_ id: String) -> Int? { storage.table.position(id).flatMap(storage.geofence) }

  /// Returns the numbers of the geofences whose monitored circle contains a place.
  func geofences(around place: Coordinate) -> [Int] { index.containing(place).map(\.position).sorted() }

  func group(_ uuid: ProximityUUID) -> BeaconGroup? {
    let number = Self.first(storage.uuids.count) { storage.uuids[$0].uuid >= uuid }
    return number < storage.uuids.count && storage.uuids[number].uuid == uuid ? storage.uuids[number] : nil
  }

  /// Returns the first number below `count` for which the condition holds, or `count` if there is none. If it holds for a number,
  /// it must hold for all larger numbers (binary search).
  static func first(_ count: Int, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
