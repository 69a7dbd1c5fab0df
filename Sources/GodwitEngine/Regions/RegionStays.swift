internal import GodwitModel

internal import struct Foundation.Date

/// The device is inside a region.
struct RegionStay: Sendable, Hashable, Codable {
  /// The region as it was at the entry, for the time when it has been deleted.
  var region: RegionMention
  /// When the entry was reported to have happened; `nil`: not reported, because the region is closed by its schedule.
  var entered: Date?
  var hasDwelled = false
  /// Until when the schedule has been followed.
  var followed: Date
}

/// Where the device is inside: an entry is called once and an exit once; while it stays, its schedule and its dwell time are
/// followed. What comes too late is reported with its right time.
struct RegionStays: Sendable, Hashable, Codable {
  /// Seconds that the system gets for saying at launch whether a stay goes on, before anything is reported of it.
  private static let responseTime = 10.0
  /// Seconds for which the last fix says where the device is.
  static let fixAge = 60.0

  /// By id of the region.
  private var stays: [String: RegionStay] = [:]
  /// Ids of stays of which the system was asked whether they go on, and when.
  private var asked: [String: Date] = [:]
  /// When geofences were left after the last fix, by id: older ones that come late have their say only against what is impossible.
  private var left: [String: Date] = [:]
  private var zones = RegionZones()

  var isEmpty: Bool { stays.isEmpty }
  var ids: [String: RegionStay].Keys { stays.keys }
  subscript(id: String) -> RegionStay? { stays[id] }
  func contains(_ id: String) -> Bool { stays[id] != nil }

  /// Ids of the regions whose entry was reported and whose exit was not.
  var entered: [String] { stays.filter { $0.value.entered != nil }.map(\.key) }

  /// Numbers of the geofences among them.
  func geofences(in catalogue: RegionCatalogue) -> [Int] { stays.keys.compactMap(catalogue.geofenceNumber) }

  // MARK: In and out

  mutating func enter(_ region: Region, at time: Date, _ turn: inout Turn) {
    asked[region.id] = nil
    guard stays[region.id] == nil else { return }
    left[region.id] = nil
    var stay = RegionStay(region: RegionMention(region), followed: time)
    if region.schedule?.isActive(at: time, zones) ?? true { open(&stay, at: time, &turn) }
    stays[region.id] = stay
  }

  /// - Parameter isSeen: whether the time is that of the exit, and not of its discovery; a dwell before it is only certain then.
  mutating func leave(_ id: String, at time: Date, isSeen: Bool = true, _ turn: inout Turn) {
    asked[id] = nil
    guard var stay = stays.removeValue(forKey: id) else { return }
    if let lastFix = turn.lastFix, lastFix.time < time { left[id] = time }
    if isSeen, let region = turn.catalogue[id] { dwell(&stay, region, until: time, &turn) }
    close(&stay, at: time, &turn)
  }

  /// The system is asked whether stays go on.
  mutating func ask(_ ids: [String], at time: Date) { for id in ids { asked[id] = time } }

  /// The system has answered. - Returns: whether it had been asked.
  mutating func removeRequest(_ id: String) -> Bool { asked.removeValue(forKey: id) != nil }

  // MARK: Fixes

  /// Metres that one has to be outside before it is an exit, where the fix is better than that.
  static let hysteresis: Meters = 20
  /// Metres by which a fix may be wrong and still be an entry into a small geofence; a large one takes one as bad as its radius.
  private static let roughest: Meters = 100

  /// What a fix decides: every geofence that it is in or leaves, monitored or not. Exits first, then entries, each in the order
  /// of the ids.
  /// - Parameter sightings: what the system says of those that it monitors.
  mutating func decide(_ fix: Fix, at time: Date, _ sightings: GeofenceSightings, _ turn: inout Turn) {
    let catalogue = turn.catalogue
    let accuracy = DevicePlace.accuracy(fix)
    for id in stays.keys.sorted() {
      guard let number = catalogue.geofenceNumber(id) else { continue }
      let edge = catalogue.areas[number].distanceToEdge(from: fix.coordinate)
      if edge > max(Self.hysteresis, accuracy) + Self.path(from: fix, to: stays[id]?.entered, turn) {
        leave(id, at: time, &turn)
      } else if edge <= 0 {
        asked[id] = nil
      }
    }
    for number in catalogue.geofences(around: fix.coordinate) {
      let id = catalogue.geofenceID(number)
      guard stays[id] == nil else { continue }
      let area = catalogue.areas[number]
      // Where the system says the contrary, its exit may just have been reported, or the fix is from before it.
      let distance = Self.path(from: fix, to: left[id], turn)
      let limit = sightings.isOutside(id) || distance > 0 ? -max(Self.hysteresis, accuracy) - distance : 0
      if area.distanceToEdge(from: fix.coordinate) <= limit, accuracy <= max(area.enclosing.radius, Self.roughest) {
        enter(catalogue.geofence(number), at: time, &turn)
      }
    }
  }

  /// Exits before a fix cannot be undone by an older one any more.
  mutating func passed(_ fix: Fix, at now: Date) {
    if !left.isEmpty { left = left.filter { fix.time < $0.value && $0.value <= now } }
  }

  /// Metres that the device may have gone from a fix to a crossing that was reported of a later time. What the system held back while
  /// the app could not run comes in no order: a fix from before a crossing does not undo it.
  private static func path(from fix: Fix, to crossing: Date?, _ turn: Turn) -> Meters {
    guard let crossing, crossing <= turn.time else { return 0 }
    return max(0, crossing.timeIntervalSince(fix.time)) * DevicePlace.fastest
  }

  // MARK: Time

  /// What the clocks show has changed.
  mutating func set(_ zones: RegionZones) { self.zones = zones }

  /// Reports what is due by now.
  mutating func reportDue(_ turn: inout Turn) {
    for id in stays.keys.sorted() {
      if let since = asked[id] {
        if (0..<Self.responseTime).contains(turn.time.timeIntervalSince(since)) { continue }
        asked[id] = nil
      }
      guard var stay = stays[id], let region = turn.catalogue[id] else { continue }
      follow(&stay, region, &turn)
      dwell(&stay, region, until: turn.time, &turn)
      stays[id] = stay
    }
  }

  /// When there is something to report.
  func nextTime(_ turn: Turn) -> Date? {
    var next: Date?
    for (id, stay) in stays {
      if let since = asked[id] {
        next = .earlier(next, since.addingTimeInterval(Self.responseTime))
        continue
      }
      guard let region = turn.catalogue[id] else { continue }
      next = .earlier(next, region.schedule?.nextChange(after: turn.time, zones))
      if let entered = stay.entered, !stay.hasDwelled, let dwell = region.dwell {
        next = .earlier(next, entered.addingTimeInterval(dwell))
      }
    }
    return next
  }

  /// Opening while one is inside is an entry, closing an exit.
  private func follow(_ stay: inout RegionStay, _ region: Region, _ turn: inout Turn) {
    if let schedule = region.schedule {
      while let change = schedule.nextChange(after: stay.followed, zones), change <= turn.time {
        stay.followed = change
        setOpen(schedule.isActive(at: change, zones), &stay, region, at: change, &turn)
      }
    }
    stay.followed = max(stay.followed, turn.time)
    // The schedule or the clocks may have been changed.
    setOpen(region.schedule?.isActive(at: turn.time, zones) ?? true, &stay, region, at: turn.time, &turn)
  }

  private func setOpen(_ isOpen: Bool, _ stay: inout RegionStay, _ region: Region, at time: Date, _ turn: inout Turn) {
    if isOpen {
      open(&stay, at: time, &turn)
    } else {
      dwell(&stay, region, until: time, &turn)
      close(&stay, at: time, &turn)
    }
  }

  private func open(_ stay: inout RegionStay, at time: Date, _ turn: inout Turn) {
    guard stay.entered == nil else { return }
    stay.entered = time
    stay.hasDwelled = false
    report(.entered, stay, at: time, entered: nil, &turn)
    turn.isInsideChanged = true
  }

  private func close(_ stay: inout RegionStay, at time: Date, _ turn: inout Turn) {
    guard let entered = stay.entered else { return }
    stay.entered = nil
    report(.exited, stay, at: max(time, entered), entered: entered, &turn)
    turn.isInsideChanged = true
  }

  private func dwell(_ stay: inout RegionStay, _ region: Region, until time: Date, _ turn: inout Turn) {
    guard let entered = stay.entered, !stay.hasDwelled, let dwell = region.dwell else { return }
    let due = entered.addingTimeInterval(dwell)
    guard due <= time else { return }
    stay.hasDwelled = true
    report(.dwelled, stay, at: due, entered: entered, &turn)
  }

  private func report(_ kind: RegionEvent.Kind, _ stay: RegionStay, at time: Date, entered: Date?, _ turn: inout Turn) {
    let mention = turn.catalogue[stay.region.id].map(RegionMention.init) ?? stay.region
    var event = RegionEvent(time: time, kind: kind, region: mention, entered: entered)
    if let lastFix = turn.lastFix, abs(time.timeIntervalSince(lastFix.time)) <= Self.fixAge {
      event.coordinate = lastFix.coordinate
      event.horizontalAccuracy = lastFix.horizontalAccuracy
    }
    turn.effects.append(.report(event))
  }
}

extension Date? {
  /// The earlier of two times, of which either may be never.
  static func earlier(_ a: Date?, _ b: Date?) -> Date? {
    guard let a else { return b }
    guard let b else { return a }
    return min(a, b)
  }
}
