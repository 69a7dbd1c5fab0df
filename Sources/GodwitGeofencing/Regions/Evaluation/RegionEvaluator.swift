internal import Foundation
public import GodwitModel

/// Where a device is, as far as its fixes have been looked at.
public struct RegionPresence: Sendable {
  /// A region that the device is in.
  public struct Stay: Sendable, Hashable, Codable {
    /// The region's identifier.
    public var id: String
    /// When the device came in: milliseconds since 1970.
    public var entered: Int64
    /// Whether it was told that the device stayed.
    public var hasDwelled: Bool
  }

  /// Time of the newest fix that was looked at, milliseconds since 1970; `nil`: none was.
  public internal(set) var time: Int64?
  /// In the order of their identifiers.
  public internal(set) var stays: [Stay] = []
  /// Where nothing can happen; kept in memory only.
  var quiescentZone: QuiescentZone?
  /// Metres around a place in which fences are looked for: many where there are few. It decides nothing but the time that it
  /// takes.
  package var reach: Meters = 500

  /// Nowhere yet.
  public init() {}

  /// As it was kept.
  /// - Parameters:
  ///   - time: milliseconds since 1970.
  ///   - stays: in any order.
  public init(time: Int64?, stays: [Stay]) {
    self.time = time
    self.stays = stays.sorted { $0.id < $1.id }
  }

  /// A circle and a time within which no fix makes an event.
  struct QuiescentZone: Sendable {
    /// Radians.
    package var latitude, longitude: Double
    package var cosine: Double
    /// Square of the radius, in radii of the earth.
    package var square: Double
    /// Milliseconds since 1970, exclusive.
    package var until: Int64
    var generation: Int

    package init(around place: Coordinate, radius: Meters, until: Int64, generation: Int) {
      latitude = place.latitude * .pi / 180
      longitude = place.longitude * .pi / 180
      cosine = cos(latitude)
      // A centimetre less, so that no rounding of a distance makes it too large.
      let angle = max(0, radius - 0.01) / GreatCircle.earthRadius
      square = angle * angle
      self.until = until
      self.generation = generation
    }

    /// Whether a place is inside, by a way to it that is never shorter than the shortest one: along it the latitude and the
    /// longitude change evenly, and the parallels are at most as long as the longest of them.
    @inline(__always)
    package func contains(_ place: Coordinate) -> Bool {
      let north = place.latitude * (.pi / 180) - latitude
      let east = place.longitude * (.pi / 180) - longitude
      let width = east * min(1, cosine + abs(north))
      return north * north + width * width < square
    }
  }
}

/// Looks which regions a device's fixes are in, and tells what happened. Pure: the same fixes in the same order make the same
/// events, however they are divided among calls, and whether or not the presence was kept in between.
///
/// The rules:
/// - A fix that is not newer than the newest one that was looked at changes nothing: what was told is not taken back.
/// - A region is entered by a fix inside it whose accuracy is not worse than 100 m or the region's radius.
/// - It is left by a fix that is outside it by more than 20 m and by more than its accuracy, so that nothing flaps at an edge.
/// - It is dwelled in when a fix is still in it so long after the entry; the event has the time at which that was reached.
/// - Outside its hours a region contains no device.
/// - A region that is gone is forgotten without an event.
public struct RegionEvaluator: Sendable {
  /// Metres that a fix must be outside a region at the least to leave it.
  public static let hysteresis: Meters = 20
  /// Metres: a fix whose accuracy is worse enters only regions that are larger than its accuracy.
  public static let coarseAccuracy: Meters = 100

  /// The regions.
  public var fences: FenceSet

  /// - Parameter fences: the regions.
  public init(_ fences: FenceSet = FenceSet()) { self.fences = fences }

  /// Looks at a fix.
  /// - Parameters:
  ///   - fix: of a device.
  ///   - presence: the device's.
  ///   - chooses: whether a region concerns the device; `nil`: all do. When its answers change, `presence` must be made anew
  ///     from what it has kept.
  ///   - events: what happened is appended: what was left, then what was stayed in, then what was entered.
  @inline(__always)
  public func look(
    at fix: Fix, _ presence: inout RegionPresence, choosing chooses: ((Region) -> Bool)? = nil,
    into events: inout [RegionEvent]
  ) {
    let time = fix.time.millisecondsSince1970
    if let newest = presence.time, time <= newest { return }
    presence.time = time
    if let quiescentZone = presence.quiescentZone, quiescentZone.generation == fences.generation, time < quiescentZone.until,
      quiescentZone.contains(fix.coordinate)
    {
      return
    }
    search(fix, time, &presence, chooses, &events)
  }

  @inline(never)
  private func search(
    _ fix: Fix, _ time: Int64, _ presence: inout RegionPresence, _ chooses: ((Region) -> Bool)?, _ events: inout [RegionEvent]
  ) {
    let place = fix.coordinate
    let accuracy = max(0, fix.horizontalAccuracy ?? 0)
    func event(_ kind: RegionEvent.Kind, _ fence: FenceSet.Fence, at time: Int64, entered: Int64?) -> RegionEvent {
      RegionEvent(
        time: Date(millisecondsSince1970: time), kind: kind, region: RegionMention(fence.region), coordinate: place,
        horizontalAccuracy: fix.horizontalAccuracy, entered: entered.map { Date(millisecondsSince1970: $0) })
    }
    var radius = presence.reach
    var until = Int64.max
    /// How far and how long a stay is sure to go on.
    func holds(_ stay: RegionPresence.Stay, in fence: FenceSet.Fence, _ distance: Meters) {
      radius = min(radius, Self.hysteresis - distance)
      if let hours = fence.hours { until = min(until, hours.settled(after: time)) }
      if let dwell = Self.dwell(of: fence), !stay.hasDwelled { until = min(until, stay.entered + dwell) }
    }
    var dwelled: [RegionEvent] = []
    if !presence.stays.isEmpty {
      presence.stays = presence.stays.compactMap { stay in
        guard let fence = fences.fence(id: stay.id), chooses?(fence.region) ?? true else { return nil }
        let distance = fence.distance(from: place)
        guard distance <= max(Self.hysteresis, accuracy), fence.hours?.isActive(at: time) ?? true else {
          events.append(event(.exited, fence, at: time, entered: stay.entered))
          return nil
        }
        var stay = stay
        if let dwell = Self.dwell(of: fence), !stay.hasDwelled, time >= stay.entered + dwell {
          stay.hasDwelled = true
          dwelled.append(event(.dwelled, fence, at: stay.entered + dwell, entered: stay.entered))
        }
        holds(stay, in: fence, distance)
        return stay
      }
      events += dwelled
    }
    let inside = presence.stays
    var entered: [(RegionPresence.Stay, RegionEvent)] = []
    var near = 0
    fences.forEach(near: place, margin: presence.reach) { fence, capDistance in
      near += 1
      guard !inside.contains(where: { $0.id == fence.region.id }), chooses?(fence.region) ?? true else { return }
      // Outside the circle round an area its distance is enough: the area is no nearer.
      let distance = fence.area == nil || capDistance > 0 ? capDistance : fence.distance(from: place)
      guard distance <= 0 else {
        radius = min(radius, distance)
        return
      }
      if let hours = fence.hours, !hours.isActive(at: time) {
        until = min(until, hours.settled(after: time))
      } else if accuracy > fence.coarsestEntry {
        radius = 0
      } else {
        let stay = RegionPresence.Stay(id: fence.region.id, entered: time, hasDwelled: false)
        entered.append((stay, event(.entered, fence, at: time, entered: nil)))
        holds(stay, in: fence, distance)
      }
    }
    if !entered.isEmpty {
      entered.sort { $0.0.id < $1.0.id }
      events += entered.map(\.1)
      presence.stays = (inside + entered.map(\.0)).sorted { $0.id < $1.id }
    }
    presence.quiescentZone = RegionPresence.QuiescentZone(
      around: place, radius: radius, until: until, generation: fences.generation)
    // Wide where nothing is near, narrow in a crowd.
    if near > 48 { presence.reach = max(50, presence.reach / 2) }
    if radius >= presence.reach { presence.reach = min(200_000, presence.reach * 4) }
  }

  /// Milliseconds; of any number, at most a thousand years.
  private static func dwell(of fence: FenceSet.Fence) -> Int64? {
    fence.region.dwell.map { Int64((max(0, min($0, 3e10)) * 1000).rounded(.up)) }
  }
}
