public import GodwitModel

/// All regions that a device has, as they were at one moment, ready to be asked for. It never changes, and costs nothing to
/// pass on. Making one takes a sort and the building of an index: see `Benchmarks`.
///
/// A device may have a hundred thousand, and of these it needs few at a time: they lie packed together, and a `Region` is made
/// when it is asked for.
public struct RegionCatalogue: Sendable {
  /// Constant after it was made.
  fileprivate final class Storage: Sendable {
    let table: RegionTable
    let digest: String
    /// Of the geofences, in order, the circles by which the system can monitor them.
    let index: CircleIndex
    /// Positions of the beacons, in order; all others are geofences.
    let beacons: [Int]
    let uuids: [BeaconGroup]
    let timeZones: Set<String>

    init(_ table: RegionTable, _ index: CircleIndex, digest: String) {
      (self.table, self.index, self.digest) = (table, index, digest)
      beacons = table.beacons.map(\.position)
      uuids = BeaconGroup.all(of: table.beacons)
      timeZones = table.timeZones
    }

    /// The position of a geofence among all regions.
    func position(ofGeofence number: Int) -> Int {
      number + RegionCatalogue.first(beacons.count) { beacons[$0] - $0 > number }
    }

    /// The number of a geofence among the geofences; nothing for a beacon.
    func geofence(at position: Int) -> Int? {
      let before = RegionCatalogue.first(beacons.count) { beacons[$0] >= position }
      return before < beacons.count && beacons[before] == position ? nil : position - before
    }

    func region(at position: Int) -> Region {
      guard let region = table.region(position, monitored: geofence(at: position).map { index[$0] }) else {
        // A beacon is kept whole.
        preconditionFailure("no region")
      }
      return region
    }
  }

  private let storage: Storage

  /// - Parameters:
  ///   - regions: all of them, in any order; of several with one id the last one counts.
  ///   - digest: what reports this catalogue from others; see ``digest``.
  public init(_ regions: [Region], digest: String = "") {
    let regions = Self.ordered(regions)
    self.init(capacity: regions.count, digest: digest) { take in for region in regions { take(region) } }
  }

  /// A catalogue of regions that nobody has to have all at once.
  /// - Parameters:
  ///   - capacity: how many are expected.
  ///   - digest: what reports this catalogue from others; see ``digest``.
  ///   - each: gives all regions one after another, as they are to be in the order of their ids; it is called twice, and gives the
  ///     same again.
  /// - Throws: what `each` throws.
  package init(capacity: Int, digest: String, each: (_ take: (Region) -> Void) throws -> Void) rethrows {
    var table = RegionTable(capacity: capacity)
    var seeds = CapIndex.Seeds(capacity: capacity)
    try each { region in
      table.append(region)
      if let circle = region.shape.enclosingCircle { seeds.append(circle.monitored) }
    }
    guard table.isOrdered else {
      // Letters that can be written in several ways have another order here than in a file.
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

  /// By their ids.
  private static func ordered(_ given: [Region]) -> [Region] {
    if zip(given, given.dropFirst()).allSatisfy({ $0.id < $1.id }) { return given }
    var byID: [String: Region] = [:]
    byID.reserveCapacity(given.count)
    for region in given { byID[region.id] = region }
    return byID.values.sorted { $0.id < $1.id }
  }

  /// A catalogue of nothing.
  public static let empty = RegionCatalogue([])

  /// In the order of their ids. Each is made when it is asked for.
  public var regions: Regions { Regions(storage: storage) }
  public var isEmpty: Bool { storage.table.count == 0 }

  /// The regions of a catalogue.
  public struct Regions: RandomAccessCollection, Sendable {
    fileprivate let storage: Storage

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.table.count }
    public subscript(position: Int) -> Region { storage.region(at: position) }
  }

  /// The text by which the device and its server see that they have the same; the catalogue does not read it.
  public var digest: String { storage.digest }
  /// Names of the time zones that schedules ask for: what ``RegionZones`` has to know.
  public var timeZones: Set<String> { storage.timeZones }
  /// The beacon UUIDs, in order.
  public var beaconUUIDs: [ProximityUUID] { storage.uuids.map(\.uuid) }

  /// The region of an id.
  public subscript(id: String) -> Region? { storage.table.position(id).map(storage.region) }

  /// The geofences that a place is inside of, nearest edge first, then by id.
  public func geofences(at place: Coordinate) -> [Region] {
    geofences(around: place).map { ($0, areas[$0].distanceToEdge(from: place)) }.filter { $0.1 <= 0 }
      .sorted { (-$0.1, $0.0) < (-$1.1, $1.0) }.map { geofence($0.0) }
  }

  /// The geofences whose circles are nearest to a place, those that it is deepest inside of first.
  package func nearestGeofences(_ count: Int, to place: Coordinate) -> [Region] {
    index.nearest(max(0, count), to: place).map { geofence($0.position) }
  }

  // MARK: What selection asks

  /// Geofences are counted by themselves, in the order of their ids.
  var geofenceCount: Int { storage.index.count }
  var areas: Areas { Areas(storage: storage) }

  /// The areas of the geofences, by their numbers. They are made when they are asked for: a hundred thousand of them would take
  /// more memory than the index.
  struct Areas {
    fileprivate let storage: Storage

    subscript(number: Int) -> RegionArea {
      let shape = storage.table.shape(storage.position(ofGeofence: number), monitored: storage.index[number])
      guard let area = RegionArea(shape) else {
        // Only regions that have an area got a number.
        preconditionFailure("no geofence")
      }
      return area
    }
  }
  var index: CircleIndex { storage.index }
  var uuids: [BeaconGroup] { storage.uuids }

  func geofence(_ number: Int) -> Region { storage.region(at: storage.position(ofGeofence: number)) }

  /// The id of a geofence.
  func geofenceID(_ number: Int) -> String { storage.table.id(storage.position(ofGeofence: number)) }

  /// The id of the region at a position.
  func id(at position: Int) -> String { storage.table.id(position) }

  /// The circle by which the system can monitor a geofence.
  func circle(of number: Int) -> Circle { storage.index[number] }

  /// The number of a geofence.
  func geofenceNumber(_ id: String) -> Int? { storage.table.position(id).flatMap(storage.geofence) }

  /// Numbers of the geofences in whose monitored circle a place is.
  func geofences(around place: Coordinate) -> [Int] { index.containing(place).map(\.position).sorted() }

  func group(_ uuid: ProximityUUID) -> BeaconGroup? {
    let number = Self.first(storage.uuids.count) { storage.uuids[$0].uuid >= uuid }
    return number < storage.uuids.count && storage.uuids[number].uuid == uuid ? storage.uuids[number] : nil
  }

  /// The first of so many numbers for which something holds that holds for all after it; the count, where it holds for none.
  static func first(_ count: Int, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
