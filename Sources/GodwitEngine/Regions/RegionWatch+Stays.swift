internal import GodwitModel

internal import struct Foundation.Date

/// The device is inside a region.
struct RegionStay: Sendable, Hashable, Codable {
  /// The region as it was at the entry, for the time when it has been deleted.
  var region: RegionMention
  /// When the entry was told to have happened; `nil`: not told, because the region is closed by its schedule.
  var entered: Date?
  var hasDwelled = false
  /// Until when the schedule has been followed.
  var followed: Date
}

/// An entry is told once and an exit once; while it stays, its schedule and its dwell time are followed. What comes too late is
/// told with its right time.
extension RegionWatch {
  /// Seconds that the system gets for saying at launch whether a stay goes on, before anything is told of it.
  static let answerTime = 10.0
  /// Seconds for which the last fix says where the device is.
  static let fixAge = 60.0

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
    signals[id] = nil
    guard var stay = stays.removeValue(forKey: id) else { return }
    if let lastFix, lastFix.time < time { left[id] = time }
    if isSeen, let region = turn.catalogue[id] { dwell(&stay, region, until: time, &turn) }
    close(&stay, at: time, &turn)
  }

  /// Tells what is due by now.
  mutating func settle(_ turn: inout Turn) {
    for id in stays.keys.sorted() {
      if let since = asked[id] {
        if (0..<Self.answerTime).contains(turn.time.timeIntervalSince(since)) { continue }
        asked[id] = nil
      }
      guard var stay = stays[id], let region = turn.catalogue[id] else { continue }
      follow(&stay, region, &turn)
      dwell(&stay, region, until: turn.time, &turn)
      stays[id] = stay
    }
  }

  /// When there is something to tell of the stays.
  func nextStayTime(_ turn: Turn) -> Date? {
    var next: Date?
    for (id, stay) in stays {
      if let since = asked[id] {
        next = .earlier(next, since.addingTimeInterval(Self.answerTime))
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
    tell(.entered, stay, at: time, entered: nil, &turn)
    turn.isInsideChanged = true
  }

  private func close(_ stay: inout RegionStay, at time: Date, _ turn: inout Turn) {
    guard let entered = stay.entered else { return }
    stay.entered = nil
    tell(.exited, stay, at: max(time, entered), entered: entered, &turn)
    turn.isInsideChanged = true
  }

  private func dwell(_ stay: inout RegionStay, _ region: Region, until time: Date, _ turn: inout Turn) {
    guard let entered = stay.entered, !stay.hasDwelled, let dwell = region.dwell else { return }
    let due = entered.addingTimeInterval(dwell)
    guard due <= time else { return }
    stay.hasDwelled = true
    tell(.dwelled, stay, at: due, entered: entered, &turn)
  }

  private func tell(_ kind: RegionEvent.Kind, _ stay: RegionStay, at time: Date, entered: Date?, _ turn: inout Turn) {
    let mention = turn.catalogue[stay.region.id].map(RegionMention.init) ?? stay.region
    var event = RegionEvent(time: time, kind: kind, region: mention, entered: entered)
    if let lastFix, abs(time.timeIntervalSince(lastFix.time)) <= Self.fixAge {
      event.coordinate = lastFix.coordinate
      event.horizontalAccuracy = lastFix.horizontalAccuracy
    }
    turn.effects.append(.tell(event))
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
