package import Foundation
package import GodwitModel
internal import GodwitSimulator

/// What is to be said of the events that an app told, measured by what the system saw.
package struct FenceVerdict: Sendable {
  /// Stays inside, and times outside after one, that lasted longer than the bound.
  package var stays = 0
  package var departures = 0
  /// Those of which no event was told in time, and events that contradict the one before or have no ground.
  package var missed: [String] = []
  /// Those of which one was told while they still lasted, and not in time.
  package var late: [String] = []
  package var doubled: [String] = []
  package var groundless: [String] = []
  /// Seconds from the first position to the event that was written down, in order.
  package var delays: [Double] = []
  package var entries = 0
  package var exits = 0

  /// - Parameters:
  ///   - bound: seconds within which an event has to be told, as long as nothing speaks against it.
  ///   - deaf: stretches in which nothing can reach the app.
  package init(
    _ witness: FenceWitness, _ fences: [Region], _ told: [FenceDisk.Told], bound: Double,
    deaf: [(from: Date, until: Date?)]
  ) {
    var events: [String: [FenceDisk.Told]] = [:]
    for one in told { events[one.event.region.id, default: []].append(one) }
    for (number, fence) in fences.enumerated() {
      let events = events[fence.id] ?? []
      check(events, fence.id)
      for one in events where one.event.kind == .entered {
        let hasGround = witness.near[number].contains {
          $0.from <= one.at && one.event.time.timeIntervalSince($0.until) <= bound
        }
        if !hasGround { groundless.append("\(fence.id) \(Self.text(one.at))") }
      }
      for stretch in witness.inside[number] {
        guard let due = Self.due(stretch, bound, deaf) else { continue }
        stays += 1
        judge(true, fence.id, stretch, due, events)
      }
      for stretch in witness.outside[number] {
        guard let due = Self.due(stretch, bound, deaf) else { continue }
        departures += 1
        judge(false, fence.id, stretch, due, events)
      }
    }
    delays.sort()
  }

  private mutating func check(_ events: [FenceDisk.Told], _ id: String) {
    var isInside = false
    for one in events where one.event.kind != .dwelled {
      let isEntry = one.event.kind == .entered
      if isEntry { entries += 1 } else { exits += 1 }
      if isEntry == isInside { doubled.append("\(id) \(one.event.kind) \(Self.text(one.at))") }
      isInside = isEntry
    }
  }

  /// Until when a stretch must have been told, if it lasts so long: the bound after its beginning, or after the app could
  /// be reached again.
  private static func due(
    _ stretch: FenceWitness.Stretch, _ bound: Double, _ deaf: [(from: Date, until: Date?)]
  ) -> Date? {
    var from = stretch.from
    for window in deaf where window.from <= from.addingTimeInterval(bound) {
      guard let until = window.until else { return nil }
      if until > from { from = until }
    }
    let due = from.addingTimeInterval(bound)
    return due < stretch.until ? due : nil
  }

  private mutating func judge(
    _ isInside: Bool, _ id: String, _ stretch: FenceWitness.Stretch, _ due: Date, _ events: [FenceDisk.Told]
  ) {
    let last = events.last { $0.at <= due && $0.event.kind != .dwelled }
    guard (last?.event.kind == .entered) == isInside else {
      let words = "\(id) \(isInside ? "in" : "out") \(Self.text(stretch.from))…\(Self.text(stretch.until))"
      let after = events.first { $0.at > due && ($0.event.kind == .entered) == isInside && $0.event.kind != .dwelled }
      if let after, after.at <= stretch.until {
        late.append("\(words), told \(Self.text(after.at))")
        delays.append(after.at.timeIntervalSince(stretch.from))
      } else {
        missed.append(words)
      }
      return
    }
    if let last, last.at >= stretch.from { delays.append(last.at.timeIntervalSince(stretch.from)) }
  }

  /// Day, and time of the day.
  private static func text(_ time: Date) -> String {
    let seconds = Int(time.timeIntervalSince(CityLife.midnight.date))
    let parts = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map { String(format: "%02d", $0) }
    return "\(seconds / 86_400)d" + parts.joined(separator: ":")
  }
}
