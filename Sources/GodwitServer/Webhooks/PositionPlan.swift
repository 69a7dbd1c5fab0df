internal import Foundation
internal import GodwitModel

/// When which webhook is told where a device is: the newest position, and not oftener than it wants. Pure: it knows neither the
/// network nor the clock.
///
/// A position that could not be told is not kept: by then there is a newer one, or the same is told at the next turn.
struct PositionPlan {
  /// A webhook that wants positions.
  struct Target: Hashable {
    var webhook: Int64
    var url: String
    var secret: String
    /// Seconds between two positions of a device.
    var interval: Double
    /// Names; none: all.
    var devices: [String]
  }

  /// One position to be told.
  struct Turn {
    var target: Target
    var device: Device
    var record: Record
  }

  private struct Lane {
    /// The newest that was not told.
    var waiting: Record?
    /// The time of the newest that was told, or is on its way.
    var told = Date.distantPast
    /// When the next may go.
    var due = Date.distantPast
    var isSending = false
  }

  private struct Key: Hashable {
    var webhook: Int64
    var device: Device
  }

  private var targets: [Target] = []
  private var lanes: [Key: Lane] = [:]

  /// Seconds after which a position that did not arrive is told again, unless the webhook wants them seldomer.
  static let pause = 30.0

  /// Whether nobody wants to know.
  var isEmpty: Bool { targets.isEmpty }

  /// Who wants positions; what waits for others is forgotten.
  mutating func set(_ targets: [Target]) {
    self.targets = targets
    let known = Set(targets.map(\.webhook))
    lanes = lanes.filter { known.contains($0.key.webhook) }
  }

  /// A device is somewhere. - Parameter records: in any order; what is no fix, or no news, is passed over.
  mutating func note(_ records: [Record], of device: Device) {
    var newest: Record?
    for record in records {
      guard case .fix = record.kind, record.time >= newest?.time ?? .distantPast else { continue }
      newest = record
    }
    guard let newest else { return }
    for target in targets where target.devices.isEmpty || target.devices.contains(device.name) {
      let key = Key(webhook: target.webhook, device: device)
      var lane = lanes[key] ?? Lane()
      // A late position would put the device back to where it was.
      guard newest.time > lane.told, newest.time >= lane.waiting?.time ?? .distantPast else { continue }
      lane.waiting = newest
      lanes[key] = lane
    }
  }

  /// Takes what is to be told now; the caller says ``finished(_:arrived:at:)`` of each.
  mutating func take(at now: Date) -> [Turn] {
    var turns: [Turn] = []
    for target in targets {
      for (key, lane) in lanes where key.webhook == target.webhook && !lane.isSending && lane.due <= now {
        guard let record = lane.waiting else { continue }
        lanes[key] = Lane(waiting: nil, told: record.time, due: lane.due, isSending: true)
        turns.append(Turn(target: target, device: key.device, record: record))
      }
    }
    return turns
  }

  /// One is no longer on its way.
  mutating func finished(_ turn: Turn, arrived: Bool, at now: Date) {
    let key = Key(webhook: turn.target.webhook, device: turn.device)
    guard var lane = lanes[key] else { return }
    lane.isSending = false
    lane.due = now.addingTimeInterval(arrived ? turn.target.interval : max(Self.pause, turn.target.interval))
    if !arrived, lane.waiting == nil {
      lane.waiting = turn.record
      lane.told = .distantPast
    }
    lanes[key] = lane
  }

  /// When the next one may go; `nil`: nothing waits.
  func nextDue() -> Date? { lanes.values.filter { $0.waiting != nil && !$0.isSending }.map(\.due).min() }
}
