public import GodwitModel

/// Chooses the regions that the system is to monitor, of any number of them. It is a function: the same question always gets
/// the same plan.
///
/// One slot is for the horizon, a circle round the place of the choice which no edge of an unmonitored geofence reaches into.
/// As the device cannot come to such an edge without leaving it, and the system reports that, nothing is missed however
/// few fixes come. Where all geofences fit in, it is not needed.
///
/// The others are for beacon UUIDs (see ``beaconUUIDs(in:)``) and for geofences: first those that one is inside of, the nearest
/// edge first, then the others by distance to the edge, ties by id. Where more contain the place than there are slots, or
/// others are so near that the horizon would be smaller than the system sees, the plan says how exact fixes it
/// ``RegionPlan/needs``; what has no slot is decided by them.
///
/// Schedules have no say: a closed region is monitored like an open one, because nothing may wake the app when it opens.
public struct RegionSelection: Sendable {
  /// The position of the device; `nil`: unknown. Then geofences are only chosen when all of them fit in.
  public var place: Coordinate?
  /// Metres by which the place may be wrong.
  public var accuracy: Meters = 0
  /// How fast it goes, metres per second, ≥ 0.
  public var speed: MetersPerSecond = 0
  public var limits = RegionLimits()
  /// Regions of the app that are not ours.
  public var unmanaged = 0
  /// Ids of geofences that it is known to be inside of; they count as such although the place may be beside them.
  public var inside: Set<String> = []
  /// Ids of geofences in whose monitored circle the system has seen the device, although the place may be beside it; of use
  /// for those that are not that circle.
  public var around: Set<String> = []
  /// Ids of geofences of which the system says the contrary of what is known, so that it will not tell their next crossing: the
  /// horizon stays away from their edges although they have slots.
  public var disputed: Set<String> = []
  /// UUIDs whose beacons are heard; they come first.
  public var ranged: Set<ProximityUUID> = []
  /// How often the beacons of a UUID were met.
  public var met: [ProximityUUID: Int] = [:]
  /// Ids of geofences that the system refused to monitor; they get no slot, and the horizon stays away from them.
  public var rejected: Set<String> = []
  /// UUIDs that it refused.
  public var rejectedBeacons: Set<ProximityUUID> = []

  public init(place: Coordinate?, accuracy: Meters = 0, limits: RegionLimits = RegionLimits()) {
    self.place = place
    self.accuracy = accuracy
    self.limits = limits
  }

  /// Slots that are ours.
  var slots: Int { max(0, limits.slots - limits.reserved - max(0, unmanaged)) }

  /// The choice. Takes time in proportion to what is near, not to what there is.
  public func plan(in catalogue: RegionCatalogue) -> RegionPlan {
    var plan = RegionPlan()
    plan.place = place
    plan.accuracy = accuracy
    let beacons = chooseBeacons(in: catalogue)
    plan.beacons = beacons.chosen
    let room = slots - beacons.chosen.count
    guard let place else {
      if catalogue.geofenceCount <= room {
        plan.geofences = (0..<catalogue.geofenceCount).filter { canBeMonitored($0, catalogue) }.map { catalogue.geofenceID($0) }
      }
      return finished(plan, in: catalogue)
    }
    let near = candidates(round: place, in: catalogue, room: room)
    var choice = Choice(near, room: room, place, catalogue)
    var slack = min(choice.slack, beacons.slack)
    if slack < .infinity, choice.chosen.count == room {
      // The horizon needs a slot.
      choice = Choice(near, room: max(0, room - 1), place, catalogue)
      slack = min(choice.slack, beacons.slack)
    }
    plan.geofences = choice.chosen.map { catalogue.geofenceID($0) }
    guard slack < .infinity else { return finished(plan, in: catalogue) }
    plan.slack = max(0, slack)
    let radius = slack - accuracy - limits.margin - speed * limits.delay
    if radius < RegionLimits.smallestRadius { plan.needs = choice.isFine ? .tenMeters : .hundredMeters }
    if room > 0 {
      plan.horizon = Circle(center: place, radius: min(max(radius, RegionLimits.smallestRadius), limits.largestRadius))
    } else if plan.needs == nil {
      plan.needs = .hundredMeters
    }
    return finished(plan, in: catalogue)
  }

  private func finished(_ plan: RegionPlan, in catalogue: RegionCatalogue) -> RegionPlan {
    var plan = plan
    plan.monitored = plan.horizon.map { [MonitoredRegion(horizon: $0)] } ?? []
    for id in plan.geofences {
      if let number = catalogue.geofenceNumber(id) {
        plan.monitored.append(MonitoredRegion(geofence: id, circle: catalogue.circle(of: number)))
      }
    }
    plan.monitored += plan.beacons.map(MonitoredRegion.init)
    return plan
  }

  /// A geofence that may get a slot or limit the horizon.
  struct Candidate {
    var number: Int
    /// Metres to the edge of the monitored circle, negative inside.
    var distance: Meters
    var isInside: Bool
    var canBeMonitored: Bool
    var isAround: Bool
    /// Whether it is known to be inside, and not only by the place.
    var isKnown: Bool
    var isDisputed: Bool
  }

  /// As many as can matter, in the order in which slots are given.
  private func candidates(round place: Coordinate, in catalogue: RegionCatalogue, room: Int) -> [Candidate] {
    var known: [Int: Meters] = [:]
    for found in catalogue.index.containing(place) { known[found.position] = found.distance }
    for number in inside.union(around).compactMap(catalogue.geofenceNumber) {
      known[number] = catalogue.circle(of: number).distanceToEdge(from: place)
    }
    let insideCount = known.count
    let isInside = Set(known.keys)
    var limit = insideCount + max(0, room) + 8
    while true {
      let nearest = catalogue.index.nearest(limit, to: place)
      for found in nearest where known[found.position] == nil { known[found.position] = found.distance }
      let able = known.keys.count { canBeMonitored($0, catalogue) && !isInside.contains($0) }
      // One more than there is room for, so that the horizon knows the first that gets none.
      if able > room || nearest.count < limit { break }
      limit *= 2
    }
    return known.map { number, distance in
      Candidate(
        number: number, distance: distance, isInside: isInside.contains(number),
        canBeMonitored: canBeMonitored(number, catalogue),
        isAround: distance <= 0 || (!around.isEmpty && around.contains(catalogue.geofenceID(number))),
        isKnown: !inside.isEmpty && inside.contains(catalogue.geofenceID(number)),
        isDisputed: !disputed.isEmpty && disputed.contains(catalogue.geofenceID(number)))
    }.sorted { a, b in
      if a.isInside != b.isInside { return a.isInside }
      return (abs(a.distance), a.number) < (abs(b.distance), b.number)
    }
  }

  private func canBeMonitored(_ number: Int, _ catalogue: RegionCatalogue) -> Bool {
    catalogue.circle(of: number).radius <= limits.largestRadius
      && (rejected.isEmpty || !rejected.contains(catalogue.geofenceID(number)))
  }
}

/// Slots given to candidates, and how far the next edge is that nobody monitors.
private struct Choice {
  var chosen: [Int] = []
  var slack = Meters.infinity
  /// Whether the nearest such edge is of a polygon or of a small circle, so that it takes exact fixes to see it.
  var isFine = false

  init(_ candidates: [RegionSelection.Candidate], room: Int, _ place: Coordinate, _ catalogue: RegionCatalogue) {
    for candidate in candidates {
      let area = catalogue.areas[candidate.number]
      let hasSlot = candidate.canBeMonitored && chosen.count < room
      if hasSlot { chosen.append(candidate.number) }
      let edge: Meters
      switch area.isSmall {
      case nil:
        if hasSlot, !candidate.isDisputed { continue }
        edge = abs(candidate.distance)
      case .some(let isSmall):
        let real = candidate.isAround ? area.distanceToEdge(from: place) : candidate.distance
        // The circle that the system monitors is entered first, and a small circle's is left soon after it.
        if hasSlot, !candidate.isAround || (isSmall && candidate.isKnown) { continue }
        edge = abs(real)
      }
      if edge < slack { (slack, isFine) = (edge, area.isSmall != nil && candidate.isAround) }
    }
  }
}
