internal import GodwitModel

/// A compact table of regions, in the order of their ids. The circles are stored in the index. A `Region` is created on access.
struct RegionTable: Sendable {
  /// The ids of all regions, and the names of those that are not stored whole. The number of an entry is its index in ``habits``.
  private var texts: RegionTexts
  private(set) var habits: [Habits] = []
  /// The regions that are not circles, and those with ``Region/extras``, with their positions, in order.
  private var whole: [(position: Int, region: Region)] = []
  /// The radii of circles that are smaller than the system can monitor, with their positions, in order.
  private var small: [(position: Int, radius: Meters)] = []
  /// The indices of the habits, while regions are being added.
  private var known: [Habits: Int] = [:]
  private var last: String?
  /// Whether each id came after the previous one. If not, no other member may be used.
  private(set) var isOrdered = true

  /// The values that many regions share.
  struct Habits: Sendable, Hashable {
    var tags: [String]
    var schedule: RegionSchedule?
    var dwell: Double?
  }

  /// - Parameter capacity: the expected number of regions.
  init(capacity: Int) { texts = RegionTexts(capacity: capacity) }

  mutating func append(_ region: Region) {
    if let last, last >= region.id { isOrdered = false }
    last = region.id
    guard case .circle(let circle) = region.shape, region.extras == nil else {
      whole.append((count, region))
      return texts.append(id: region.id, name: "", number: 0)
    }
    if circle.radius < RegionLimits.smallestRadius { small.append((count, circle.radius)) }
    let place = place(of: Habits(tags: region.tags, schedule: region.schedule, dwell: region.dwell))
    texts.append(id: region.id, name: region.name, number: place)
  }

  private mutating func place(of habits: Habits) -> Int {
    if let place = known[habits] { return place }
    let place = self.habits.count
    self.habits.append(habits)
    known[habits] = place
    return place
  }

  /// Ends the adding of regions.
  mutating func close() {
    (known, last) = ([:], nil)
    texts.close()
  }

  // MARK: Access

  var count: Int { texts.count }

  func id(_ position: Int) -> String { texts.id(position) }

  /// Returns the position of an id; `nil`: there is none.
  func position(_ id: String) -> Int? { texts.position(id) }

  /// Returns the region at a position.
  /// - Parameters:
  ///   - position: the position of the region.
  ///   - monitored: the circle by which the system can monitor it; `nil` for a beacon.
  func region(_ position: Int, monitored: Circle?) -> Region? {
    if let region = kept(position) { return region }
    guard let monitored else { return nil }
    let entry = texts[position]
    let habits = habits[entry.number]
    return Region(
      id: String(decoding: entry.id, as: UTF8.self), name: String(decoding: entry.name, as: UTF8.self),
      shape: .circle(circle(position, monitored)), tags: habits.tags, schedule: habits.schedule, dwell: habits.dwell)
  }

  /// Returns the shape of a region that has an area.
  /// - Parameters:
  ///   - position: the position of the region.
  ///   - monitored: the circle by which the system can monitor it.
  func shape(_ position: Int, monitored: Circle) -> RegionShape {
    kept(position)?.shape ?? .circle(circle(position, monitored))
  }

  private func circle(_ position: Int, _ monitored: Circle) -> Circle {
    let number = RegionCatalogue.first(small.count) { small[$0].position >= position }
    guard number < small.count, small[number].position == position else { return monitored }
    return Circle(center: monitored.center, radius: small[number].radius)
  }

  private func kept(_ position: Int) -> Region? {
    let number = RegionCatalogue.first(whole.count) { whole[$0].position >= position }
    return number < whole.count && whole[number].position == position ? whole[number].region : nil
  }

  var beacons: [(position: Int, beacon: Beacon)] {
    whole.compactMap { position, region in region.shape.beacon.map { (position, $0) } }
  }

  /// The names of the time zones in schedules.
  var timeZones: Set<String> {
    Set(habits.compactMap { $0.schedule?.timeZone }).union(whole.compactMap { $0.region.schedule?.timeZone })
  }
}
