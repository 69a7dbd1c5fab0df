package import Foundation
package import GodwitModel
internal import GodwitSimulator

/// What is to be said of the events that an app reported, measured by what the system saw.
package struct GeofenceResult: Sendable {
  /// What is wrong with one event, or with the want of one.
  package struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// Id of the fence.
    package var fence: String
    /// When it should have been reported, or was.
    package var time: Date
    var text: String

    package var description: String { "\(fence) \(text)" }
  }

  /// Stays inside, and times outside after one, that lasted longer than the bound.
  package var stays = 0
  package var departures = 0
  /// Those of which no event was reported in time, and events that contradict the one before, are older than it, or have no ground.
  package var missed: [Fault] = []
  /// Those of which one was reported while they still lasted, and not in time.
  package var late: [Fault] = []
  package var doubled: [Fault] = []
  package var groundless: [Fault] = []
  /// Seconds from the first position to the event that was written down, in order.
  package var delays: [Double] = []
  package var entries = 0
  package var exits = 0

  /// - Parameters:
  ///   - bound: seconds within which an event has to be reported, as long as nothing speaks against it.
  ///   - deaf: stretches in which nothing can reach the app.
  ///   - held: those of them in which the system keeps what it has to report until the app can read its files.
  package init(
    _ oracle: GeofenceOracle, _ fences: [Region], _ reported: [FenceDisk.Reported], bound: Double,
    deaf: [(from: Date, until: Date?)], held: [(from: Date, until: Date)]
  ) {
    var events: [String: [FenceDisk.Reported]] = [:]
    for one in reported { events[one.event.region.id, default: []].append(one) }
    for (number, fence) in fences.enumerated() {
      let events = events[fence.id] ?? []
      check(events, fence.id)
      for one in events where one.event.kind == .entered {
        if !oracle.near[number].contains(where: { Self.isGround($0, of: one, bound, held) }) {
          groundless.append(Fault(fence: fence.id, time: one.at, text: CityLife.text(one.at)))
        }
      }
      for stretch in oracle.inside[number] {
        guard let due = Self.due(stretch, bound, deaf) else { continue }
        stays += 1
        evaluate(true, fence.id, stretch, due, events)
      }
      for stretch in oracle.outside[number] {
        guard let due = Self.due(stretch, bound, deaf) else { continue }
        departures += 1
        evaluate(false, fence.id, stretch, due, events)
      }
    }
    delays.sort()
  }

  /// Whether the system may have reported an entry because of a stretch near the fence: up to the bound after it. What it keeps
  /// for an app that waits for the first unlock comes all at once when that is over, and the app cannot know of when it is.
  private static func isGround(
    _ near: GeofenceOracle.Stretch, of entry: FenceDisk.Reported, _ bound: Double, _ held: [(from: Date, until: Date)]
  ) -> Bool {
    guard near.from <= entry.at else { return false }
    let last = near.until.addingTimeInterval(bound)
    return entry.event.time <= last || held.contains { $0.from <= last && near.from <= $0.until && $0.until == entry.at }
  }

  private mutating func check(_ events: [FenceDisk.Reported], _ id: String) {
    var isInside = false
    var last = Date.distantPast
    for one in events where one.event.kind != .dwelled {
      let isEntry = one.event.kind == .entered
      if isEntry { entries += 1 } else { exits += 1 }
      // Of the past that was reported already nothing is reported again.
      if isEntry == isInside || one.event.time < last {
        let words = "\(one.event.kind) \(CityLife.text(one.event.time)), told \(CityLife.text(one.at))"
        doubled.append(Fault(fence: id, time: one.at, text: words))
      }
      isInside = isEntry
      last = one.event.time
    }
  }

  /// Until when a stretch must have been reported, if it lasts so long: the bound after its beginning, or after the app could
  /// be reached again.
  private static func due(
    _ stretch: GeofenceOracle.Stretch, _ bound: Double, _ deaf: [(from: Date, until: Date?)]
  ) -> Date? {
    var from = stretch.from
    for window in deaf where window.from <= from.addingTimeInterval(bound) {
      guard let until = window.until else { return nil }
      if until > from { from = until }
    }
    let due = from.addingTimeInterval(bound)
    return due < stretch.until ? due : nil
  }

  private mutating func evaluate(
    _ isInside: Bool, _ id: String, _ stretch: GeofenceOracle.Stretch, _ due: Date, _ events: [FenceDisk.Reported]
  ) {
    let last = events.last { $0.at <= due && $0.event.kind != .dwelled }
    guard (last?.event.kind == .entered) == isInside else {
      let words = "\(isInside ? "in" : "out") \(CityLife.text(stretch.from))…\(CityLife.text(stretch.until))"
      let after = events.first { $0.at > due && ($0.event.kind == .entered) == isInside && $0.event.kind != .dwelled }
      if let after, after.at <= stretch.until {
        late.append(Fault(fence: id, time: stretch.from, text: "\(words), told \(CityLife.text(after.at))"))
        delays.append(after.at.timeIntervalSince(stretch.from))
      } else {
        missed.append(Fault(fence: id, time: stretch.from, text: words))
      }
      return
    }
    if let last, last.at >= stretch.from { delays.append(last.at.timeIntervalSince(stretch.from)) }
  }
}
