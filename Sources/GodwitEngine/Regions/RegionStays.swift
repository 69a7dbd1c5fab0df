internal import GodwitModel

internal import struct Foundation.Date

/// A stay of the device inside a region.
struct RegionStay: Sendable, Hashable, Codable {
  /// The region as it was at the entry, for an exit after its deletion.
  var region: RegionMention
  /// The reported time of the entry; `nil`: not reported, because the region is inactive according to its schedule.
  var entered: Date?
  var hasDwelled = false
  /// The time up to which the schedule has been evaluated.
  var followed: Date
}

/// The regions that contain the device. Each entry and each exit is reported once. During a stay, the schedule and the dwell time
/// are evaluated. A late event is reported with its correct time.
struct RegionStays: Sendable, Hashable, Codable {
  /// Seconds that the system has at a launch to report whether a stay continues. No event of the stay is reported before.
  private static let responseTime = 10.0
  /// Maximum age, seconds, of a last fix that gives the position of an event.
  static let fixAge = 60.0

  /// The stays, by id of the region.
  private var stays: [String: RegionStay] = [:]
  /// Ids of the stays whose state was requested from the system, with the time of the request.
  private var asked: [String: Date] = [:]
  /// Ids of geofences that were left after the last fix, with the time. Older fixes that arrive late can undo such an exit only
  /// if it is impossible at the maximum speed.
  private var left: [String: Date] = [:]
  private var zones = RegionZones()

  var isEmpty: Bool { stays.isEmpty }
  var ids: [String: RegionStay].Keys { stays.keys }
  subscript(id: String) -> RegionStay? { stays[id] }
  func contains(_ id: String) -> Bool { stays[id] != nil }

  /// Ids of the regions whose entry was reported and whose exit was not.
  var entered: [String] { stays.filter { $0.value.entered != nil }.map(\.key) }

  /// Returns the numbers of the geofences with a stay.
  func geofences(in catalogue: RegionCatalogue) -> [Int] { stays.keys.compactMap(catalogue.geofenceNumber) }

  // MARK: Entries and exits

  mutating func enter(_ region: Region, at time: Date, _ turn: inout Turn) {
    asked[region.id] = nil
    guard stays[region.id] == nil else { return }
    left[region.id] = nil
    var stay = RegionStay(region: RegionMention(region), followed: time)
    if region.schedule?.isActive(at: time, zones) ?? true { open(&stay, at: time, &turn) }
    stays[region.id] = stay
  }

  /// Ends a stay. - Parameter isSeen: whether `time` is the time of the exit, and not of its detection. Only then is a dwell
  /// before it certain.
  mutating func leave(_ id: String, at time: Date, isSeen: Bool = true, _ turn: inout Turn) {
    asked[id] = nil
    guard var stay = stays.removeValue(forKey: id) else { return }
    if let lastFix = turn.lastFix, lastFix.time < time { left[id] = time }
    if isSeen, let region = turn.catalogue[id] { dwell(&stay, region, until: time, &turn) }
    close(&stay, at: time, &turn)
  }

  /// Marks stays whose state was requested from the system.
  mutating func ask(_ ids: [String], at time: Date) { for id in ids { asked[id] = time } }

  /// Handles a response of the system. - Returns: whether it was requested.
  mutating func removeRequest(_ id: String) -> Bool { asked.removeValue(forKey: id) != nil }

  // MARK: Fixes

  /// Minimum metres outside of the edge for an exit, if the fix is more accurate than that.
  static let hysteresis: Meters = 20
  /// Maximum accuracy value, metres, of a fix that is an entry into a small geofence. For a larger geofence, the maximum is its radius.
  private static let maximumAccuracy: Meters = 100

  /// Evaluates a fix for all geofences, monitored or not. Exits come first, then entries, each in the order of the ids.
  /// - Parameter sightings: the reports of the system about the geofences that it monitors.
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
      // If the system reports the contrary, it may just have reported the exit, or the fix is from before the exit.
      let distance = Self.path(from: fix, to: left[id], turn)
      let limit = sightings.isOutside(id) || distance > 0 ? -max(Self.hysteresis, accuracy) - distance : 0
      if area.distanceToEdge(from: fix.coordinate) <= limit, accuracy <= max(area.enclosing.radius, Self.maximumAccuracy) {
        enter(catalogue.geofence(number), at: time, &turn)
      }
    }
  }

  /// Discards the exits before a fix. An older fix cannot undo them any more.
  mutating func passed(_ fix: Fix, at now: Date) {
    if !left.isEmpty { left = left.filter { fix.time < $0.value && $0.value <= now } }
  }

  /// Returns the maximum metres that the device may have moved between a fix and a later reported crossing. Events that the
  /// system delivers after a suspension have no order. A fix from before a crossing does not undo it.
  private static func path(from fix: Fix, to crossing: Date?, _ turn: Turn) -> Meters {
    guard let crossing, crossing <= turn.time else { return 0 }
    return max(0, crossing.timeIntervalSince(fix.time)) * DevicePlace.fastest
  }

  // MARK: Time

  /// Sets the offsets of the time zones.
  mutating func set(_ zones: RegionZones) { self.zones = zones }

  /// Reports the events that are due.
  /// - Parameter timer: the time of a timer that fired early, because the clock was set back; `nil`: none. Stays from before that
  ///   have lasted until then.
  mutating func reportDue(_ turn: inout Turn, timer: Date? = nil) {
    for id in stays.keys.sorted() {
      if let since = asked[id] {
        if (0..<Self.responseTime).contains(turn.time.timeIntervalSince(since)) { continue }
        asked[id] = nil
      }
      guard var stay = stays[id], let region = turn.catalogue[id] else { continue }
      follow(&stay, region, &turn)
      let isEarlier = stay.entered.map { $0 > turn.time } ?? false
      dwell(&stay, region, until: isEarlier ? timer ?? turn.time : turn.time, &turn)
      stays[id] = stay
    }
  }

  /// Returns the time of the next event that is due; `nil`: there is none.
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

  /// Evaluates the schedule of a stay. The start of an active time is an entry, its end an exit.
  private func follow(_ stay: inout RegionStay, _ region: Region, _ turn: inout Turn) {
    if let schedule = region.schedule {
      while let change = schedule.nextChange(after: stay.followed, zones), change <= turn.time {
        stay.followed = change
        setOpen(schedule.isActive(at: change, zones), &stay, region, at: change, &turn)
      }
    }
    stay.followed = max(stay.followed, turn.time)
    // The schedule or the offsets may have changed.
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
  /// Returns the earlier of two times; `nil` means never.
  static func earlier(_ a: Date?, _ b: Date?) -> Date? {
    guard let a else { return b }
    guard let b else { return a }
    return min(a, b)
  }
}
