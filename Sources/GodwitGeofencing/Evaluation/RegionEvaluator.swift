internal import Foundation
public import GodwitModel

/// The regions that a device is in, according to its evaluated fixes.
public struct RegionPresence: Sendable {
  /// A region that the device is in.
  public struct Stay: Sendable, Hashable, Codable {
    /// The region's identifier.
    public var id: String
    /// The time of entry: milliseconds since 1970.
    public var entered: Int64
    /// Whether the dwell event was published.
    public var hasDwelled: Bool
  }

  /// Time of the newest evaluated fix, milliseconds since 1970; `nil`: none.
  public internal(set) var time: Int64?
  /// Ordered by identifier.
  public internal(set) var stays: [Stay] = []
  /// The newest fix from which a line may start; `nil`: none.
  package internal(set) var lineStart: LineStart?
  /// Whether `lineStart` is in the quiescent zone, so that a line from there to a place in the zone crosses nothing.
  var isLineStartQuiescent = false
  /// The zone in which no fix causes an event; in memory only.
  var quiescentZone: QuiescentZone?
  /// Radius in metres in which geofences are searched around a fix. It adapts to their density, and affects only the
  /// duration of the search.
  package var reach: Meters = 500

  /// An empty presence.
  public init() {}

  /// A stored presence.
  /// - Parameters:
  ///   - time: milliseconds since 1970.
  ///   - stays: in any order.
  public init(time: Int64?, stays: [Stay]) {
    self.time = time
    self.stays = stays.sorted { $0.id < $1.id }
  }

  /// A stored presence with the fix from which a line may start.
  package init(time: Int64?, stays: [Stay], lineStart: LineStart?) {
    self.init(time: time, stays: stays)
    self.lineStart = lineStart
  }

  /// A circle and a time within which no fix causes an event.
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
      // The radius is reduced by a centimetre, so that rounding cannot make it too large.
      let angle = max(0, radius - 0.01) / GreatCircle.earthRadius
      square = angle * angle
      self.until = until
      self.generation = generation
    }

    /// Whether a place is inside. The distance is an upper bound: the length of a path on which latitude and longitude
    /// change evenly, if every degree of longitude is as long as on the path's longest parallel.
    @inline(__always)
    package func contains(_ place: Coordinate) -> Bool {
      let north = place.latitude * (.pi / 180) - latitude
      let east = place.longitude * (.pi / 180) - longitude
      let width = east * min(1, cosine + abs(north))
      return north * north + width * width < square
    }
  }
}

/// Evaluates the regions of a device's fixes and returns the events. Pure: the result does not depend on how fixes are
/// divided among calls, or on whether the presence was stored in between.
///
/// The rules:
/// - A fix that is not newer than the newest evaluated fix changes nothing: published events are not revoked.
/// - A region is entered by a fix inside it whose accuracy is not worse than 100 m or the region's radius.
/// - A region is left by a fix that is outside it by more than 20 m and by more than the fix's accuracy. The hysteresis
///   avoids repeated events at an edge.
/// - A dwell event is published when a fix is still inside after the region's dwell time. The event has the time at which
///   the dwell time was reached.
/// - A region is crossed if neither of two consecutive fixes is inside it, and the line between them is inside it by more
///   than the line's uncertainty. The accuracy of the fixes is 100 m or better, and they are at most 5 minutes and 10 km
///   apart. The event has the time and the place at which the line is deepest inside.
/// - Outside its active hours a region contains no device.
/// - A deleted region is dropped without an event.
public struct RegionEvaluator: Sendable {
  /// Minimum metres outside a region for an exit.
  public static let hysteresis: Meters = 20
  /// Accuracy in metres. A fix with a worse accuracy enters only regions whose radius is at least its accuracy.
  public static let coarseAccuracy: Meters = 100

  /// The regions.
  public var geofences: GeofenceSet

  /// - Parameter geofences: the regions.
  public init(_ geofences: GeofenceSet = GeofenceSet()) { self.geofences = geofences }

  /// Evaluates a fix.
  /// - Parameters:
  ///   - fix: a fix of the device.
  ///   - presence: the presence of the device.
  ///   - chooses: returns whether a region applies to the device; `nil`: all apply. If its results change, recreate
  ///     `presence` from its stored form.
  ///   - events: the events are appended in this order: crossings, exits, dwells, entries.
  @inline(__always)
  public func evaluate(
    at fix: Fix, _ presence: inout RegionPresence, choosing chooses: ((Region) -> Bool)? = nil,
    into events: inout [RegionEvent]
  ) {
    let time = fix.time.millisecondsSince1970
    if let newest = presence.time, time <= newest { return }
    presence.time = time
    let accuracy = max(0, fix.horizontalAccuracy ?? 0)
    let previous = presence.lineStart
    let canStart = accuracy <= Self.coarseAccuracy
    if canStart { presence.lineStart = LineStart(time: time, coordinate: fix.coordinate, accuracy: accuracy) }
    if let quiescentZone = presence.quiescentZone, quiescentZone.generation == geofences.generation, time < quiescentZone.until,
      presence.isLineStartQuiescent || previous == nil || !canStart, quiescentZone.contains(fix.coordinate)
    {
      if canStart { presence.isLineStartQuiescent = true }
      return
    }
    search(fix, time, canStart ? previous : nil, &presence, chooses, &events)
    presence.isLineStartQuiescent = canStart
  }

  @inline(never)
  private func search(
    _ fix: Fix, _ time: Int64, _ lineStart: LineStart?, _ presence: inout RegionPresence, _ chooses: ((Region) -> Bool)?,
    _ events: inout [RegionEvent]
  ) {
    let place = fix.coordinate
    let accuracy = max(0, fix.horizontalAccuracy ?? 0)
    func event(_ kind: RegionEvent.Kind, _ geofence: GeofenceSet.Geofence, at time: Int64, entered: Int64?) -> RegionEvent {
      RegionEvent(
        time: Date(millisecondsSince1970: time), kind: kind, region: RegionMention(geofence.region), coordinate: place,
        horizontalAccuracy: fix.horizontalAccuracy, entered: entered.map { Date(millisecondsSince1970: $0) })
    }
    let reach = presence.reach
    var radius = reach
    var until = Int64.max
    let line = lineStart.flatMap {
      CrossingLine(from: $0, to: LineStart(time: time, coordinate: place, accuracy: accuracy))
    }
    /// Limits the quiescent zone to the distance and the time in which the stay cannot change.
    func holds(_ stay: RegionPresence.Stay, in geofence: GeofenceSet.Geofence, _ distance: Meters) {
      radius = min(radius, Self.hysteresis - distance)
      if let hours = geofence.hours { until = min(until, hours.nextPossibleChange(after: time)) }
      if let dwell = Self.dwell(of: geofence), !stay.hasDwelled { until = min(until, stay.entered + dwell) }
    }
    let (before, firstEvent) = (presence.stays, events.count)
    var dwelled: [RegionEvent] = []
    if !presence.stays.isEmpty {
      presence.stays = presence.stays.compactMap { stay in
        guard let geofence = geofences.geofence(id: stay.id), chooses?(geofence.region) ?? true else { return nil }
        let distance = geofence.distance(from: place)
        guard distance <= max(Self.hysteresis, accuracy), geofence.hours?.isActive(at: time) ?? true else {
          events.append(event(.exited, geofence, at: time, entered: stay.entered))
          return nil
        }
        var stay = stay
        if let dwell = Self.dwell(of: geofence), !stay.hasDwelled, time >= stay.entered + dwell {
          stay.hasDwelled = true
          dwelled.append(event(.dwelled, geofence, at: stay.entered + dwell, entered: stay.entered))
        }
        holds(stay, in: geofence, distance)
        return stay
      }
      events += dwelled
    }
    let inside = presence.stays
    var entered: [(RegionPresence.Stay, RegionEvent)] = []
    var crossed: [RegionEvent] = []
    var near = 0
    // A geofence that the line crosses is not farther from the end of the line than the line's length.
    geofences.forEach(near: place, margin: max(reach, line?.length ?? 0)) { geofence, capDistance in
      if capDistance <= reach { near += 1 }
      guard !inside.contains(where: { $0.id == geofence.region.id }), chooses?(geofence.region) ?? true else { return }
      // Outside the enclosing circle, the distance to the circle is a lower bound of the distance to the area.
      let distance = geofence.area == nil || capDistance > 0 ? capDistance : geofence.distance(from: place)
      guard distance <= 0 else {
        radius = min(radius, distance)
        if let line, capDistance < line.length, !before.contains(where: { $0.id == geofence.region.id }),
          let crossing = line.crossing(of: geofence)
        {
          crossed.append(Self.event(crossing, of: geofence, line))
        }
        return
      }
      if let hours = geofence.hours, !hours.isActive(at: time) {
        until = min(until, hours.nextPossibleChange(after: time))
      } else if accuracy > geofence.coarsestEntry {
        radius = 0
      } else {
        let stay = RegionPresence.Stay(id: geofence.region.id, entered: time, hasDwelled: false)
        entered.append((stay, event(.entered, geofence, at: time, entered: nil)))
        holds(stay, in: geofence, distance)
      }
    }
    if !crossed.isEmpty {
      crossed.sort { ($0.time, $0.region.id) < ($1.time, $1.region.id) }
      events.insert(contentsOf: crossed, at: firstEvent)
    }
    if !entered.isEmpty {
      entered.sort { $0.0.id < $1.0.id }
      events += entered.map(\.1)
      presence.stays = (inside + entered.map(\.0)).sorted { $0.id < $1.id }
    }
    presence.quiescentZone = RegionPresence.QuiescentZone(
      around: place, radius: radius, until: until, generation: geofences.generation)
    // The reach adapts to the density of geofences.
    if near > 48 { presence.reach = max(50, presence.reach / 2) }
    if radius >= presence.reach { presence.reach = min(200_000, presence.reach * 4) }
  }

  private static func event(
    _ crossing: CrossingLine.Crossing, of geofence: GeofenceSet.Geofence, _ line: CrossingLine
  ) -> RegionEvent {
    RegionEvent(
      time: Date(millisecondsSince1970: crossing.time), kind: .crossed, region: RegionMention(geofence.region),
      coordinate: crossing.place, horizontalAccuracy: (line.uncertainty * 10).rounded() / 10)
  }

  /// The dwell time in milliseconds, at most a thousand years.
  private static func dwell(of geofence: GeofenceSet.Geofence) -> Int64? {
    geofence.region.dwell.map { Int64((max(0, min($0, 3e10)) * 1000).rounded(.up)) }
  }
}
