public import GodwitModel

/// Selects the regions that the system is to monitor, of any number of regions. It is a pure function: equal inputs give equal plans.
///
/// One slot is for the horizon, a circle around the place of the selection that no edge of an unmonitored geofence reaches into.
/// The device cannot reach such an edge without leaving the horizon, and the system reports that. Nothing is missed, however rare
/// fixes are. If all geofences fit, no horizon is needed.
///
/// The other slots are for beacon UUIDs (see ``beaconUUIDs(in:)``) and for geofences: first those that contain the place, the
/// nearest edge first, then the others by distance to the edge, ties by id. If more geofences contain the place than there are
/// slots, or if others are so near that the horizon would be smaller than the system can monitor, ``RegionPlan/needs`` is the
/// accuracy of the fixes that are needed. The fixes determine the state of geofences without a slot.
///
/// Schedules have no influence. An inactive region is monitored like an active one, because nothing may resume the app when it
/// becomes active.
public struct RegionSelection: Sendable {
  /// The position of the device; `nil`: unknown. Geofences are then selected only if all of them fit.
  public var place: Coordinate?
  /// The accuracy of the position, metres.
  public var accuracy: Meters = 0
  /// The speed of the device, metres per second, ≥ 0.
  public var speed: MetersPerSecond = 0
  public var limits = RegionLimits()
  /// The number of regions of the app that do not belong to the SDK.
  public var unmanaged = 0
  /// Ids of geofences that are known to contain the device. They count as such even if the position is outside of them.
  public var inside: Set<String> = []
  /// Ids of geofences whose monitored circle contains the device according to the system, even if the position is outside of it.
  /// Used only for geofences whose area is not that circle.
  public var around: Set<String> = []
  /// Ids of geofences whose state according to the system differs from the known state, so that the system will not report their
  /// next crossing. The horizon does not reach their edges, although they have slots.
  public var disputed: Set<String> = []
  /// UUIDs with a beacon nearby. They have priority.
  public var ranged: Set<ProximityUUID> = []
  /// The number of times that beacons of a UUID came near.
  public var met: [ProximityUUID: Int] = [:]
  /// Ids of geofences that the system did not accept. They get no slot, and the horizon does not reach them.
  public var rejected: Set<String> = []
  /// UUIDs that the system did not accept.
  public var rejectedBeacons: Set<ProximityUUID> = []

  public init(place: Coordinate?, accuracy: Meters = 0, limits: RegionLimits = RegionLimits()) {
    self.place = place
    self.accuracy = accuracy
    self.limits = limits
  }

  /// The number of slots for regions.
  var slots: Int { max(0, limits.slots - limits.reserved - max(0, unmanaged)) }

  /// Returns the plan. The time is proportional to the number of regions nearby, not to the number of all regions.
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
    /// Whether the device is known to be inside, and not only according to the position.
    var isKnown: Bool
    var isDisputed: Bool
  }

  /// Returns all geofences that can affect the plan, in the order in which they get slots.
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
      // One more than there are slots, so that the horizon can end at the first geofence without a slot.
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

/// The assignment of slots to candidates, and the distance to the nearest unmonitored edge.
private struct Choice {
  var chosen: [Int] = []
  var slack = Meters.infinity
  /// Whether the nearest unmonitored edge is of a polygon or of a small circle, so that accurate fixes are needed to detect a crossing.
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
        // The device enters the monitored circle before the area, and leaves the monitored circle of a small area soon after it.
        if hasSlot, !candidate.isAround || (isSmall && candidate.isKnown) { continue }
        edge = abs(real)
      }
      if edge < slack { (slack, isFine) = (edge, area.isSmall != nil && candidate.isAround) }
    }
  }
}
