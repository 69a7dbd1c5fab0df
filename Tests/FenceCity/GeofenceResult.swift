package import Foundation
package import GodwitModel
internal import GodwitSimulator

/// A comparison of the events that an app reported with the positions of the system.
package struct GeofenceResult: Sendable {
  /// A fault of an event, or a missing event.
  package struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// The id of the geofence.
    package var fence: String
    /// The time at which the event was or should have been reported.
    package var time: Date
    var text: String

    package var description: String { "\(fence) \(text)" }
  }

  /// The number of stays inside that lasted longer than the bound.
  package var stays = 0
  /// The number of periods outside after a stay that lasted longer than the bound.
  package var departures = 0
  /// Stays and departures of which no event was reported while they lasted.
  package var missed: [Fault] = []
  /// Stays and departures of which an event was reported after the bound, while they still lasted.
  package var late: [Fault] = []
  /// Events of the same kind as the previous one, or older than it.
  package var doubled: [Fault] = []
  /// Entries without a position near the geofence.
  package var unexpected: [Fault] = []
  /// The delays from the first position to the stored event, in seconds, sorted.
  package var delays: [Double] = []
  package var entries = 0
  package var exits = 0

  /// - Parameters:
  ///   - bound: the seconds within which an event must be reported if the app can be reached.
  ///   - unreachable: the periods in which no event can reach the app.
  ///   - held: those of them in which the system keeps its events until the app can read its files.
  package init(
    _ oracle: GeofenceOracle, _ fences: [Region], _ reported: [FenceDisk.Reported], bound: Double,
    unreachable: [(from: Date, until: Date?)], held: [(from: Date, until: Date)]
  ) {
    var events: [String: [FenceDisk.Reported]] = [:]
    for one in reported { events[one.event.region.id, default: []].append(one) }
    for (number, fence) in fences.enumerated() {
      let events = events[fence.id] ?? []
      check(events, fence.id)
      for one in events where one.event.kind == .entered {
        if !oracle.near[number].contains(where: { Self.isGround($0, of: one, bound, held) }) {
          unexpected.append(Fault(fence: fence.id, time: one.at, text: CityLife.text(one.at)))
        }
      }
      for stretch in oracle.inside[number] {
        guard let due = Self.due(stretch, bound, unreachable) else { continue }
        stays += 1
        evaluate(true, fence.id, stretch, due, events)
      }
      for stretch in oracle.outside[number] {
        guard let due = Self.due(stretch, bound, unreachable) else { continue }
        departures += 1
        evaluate(false, fence.id, stretch, due, events)
      }
    }
    delays.sort()
  }

  /// Whether a period near the geofence explains an entry, which may be reported up to the bound after the period. The events that
  /// the system keeps for an app before the first unlock arrive at the unlock, and the app cannot know their times.
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
      // An event must not be older than the previous one.
      if isEntry == isInside || one.event.time < last {
        let text = "\(one.event.kind) \(CityLife.text(one.event.time)), reported \(CityLife.text(one.at))"
        doubled.append(Fault(fence: id, time: one.at, text: text))
      }
      isInside = isEntry
      last = one.event.time
    }
  }

  /// The time by which a period must have been reported: the bound after its start, or after the app can be reached again. `nil`:
  /// the period ends before that time.
  private static func due(
    _ stretch: GeofenceOracle.Stretch, _ bound: Double, _ unreachable: [(from: Date, until: Date?)]
  ) -> Date? {
    var from = stretch.from
    for window in unreachable where window.from <= from.addingTimeInterval(bound) {
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
      let text = "\(isInside ? "in" : "out") \(CityLife.text(stretch.from))…\(CityLife.text(stretch.until))"
      let after = events.first { $0.at > due && ($0.event.kind == .entered) == isInside && $0.event.kind != .dwelled }
      if let after, after.at <= stretch.until {
        late.append(Fault(fence: id, time: stretch.from, text: "\(text), reported \(CityLife.text(after.at))"))
        delays.append(after.at.timeIntervalSince(stretch.from))
      } else {
        missed.append(Fault(fence: id, time: stretch.from, text: text))
      }
      return
    }
    if let last, last.at >= stretch.from { delays.append(last.at.timeIntervalSince(stretch.from)) }
  }
}
