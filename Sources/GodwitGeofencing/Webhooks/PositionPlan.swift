internal import Foundation
internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore

/// When which webhook is told where a device is: the newest position, and not oftener than it wants. Pure: it knows neither the
/// network nor the clock.
///
/// A position that could not be told is not kept: by then there is a newer one, or the same is told at the next turn.
struct PositionPlan {
  /// A webhook that wants positions.
  package struct Target: Hashable {
    package var webhook: Int64
    package var url: String
    package var secret: String
    /// Seconds between two positions of a device.
    package var interval: Double
    /// Names; none: all.
    package var devices: [String]
  }

  /// One position to be told.
  package struct Turn {
    package var target: Target
    package var device: Device
    fileprivate var position: Position
    /// What was told before it.
    fileprivate var before: Position?
    package var record: Record { position.record }
  }

  /// A fix and its place in the order of a device's fixes.
  fileprivate struct Position {
    var record: Record
    var rank: LiveRank
  }

  private struct PendingPosition {
    /// The newest that was not told.
    var waiting: Position?
    /// The newest that was told, or is on its way.
    var told: Position?
    /// When the next may go.
    var due = Date.distantPast
    var isSending = false
  }

  private struct Key: Hashable {
    var webhook: Int64
    var device: Device
  }

  private var targets: [Target] = []
  private var lanes: [Key: PendingPosition] = [:]
  /// Until when positions wait for events of the same upload to go first.
  private var held: [OrderingKey: Date] = [:]

  /// Seconds after which a position that did not arrive is told again, unless the webhook wants them seldomer.
  package static let pause = 30.0
  /// Seconds that a position waits at most for events to go first.
  package static let patience = 20.0

  /// Whether no webhook wants positions.
  package var isEmpty: Bool { targets.isEmpty }

  /// Who wants positions; what waits for others is forgotten.
  package mutating func set(_ targets: [Target]) {
    self.targets = targets
    let known = Set(targets.map(\.webhook))
    lanes = lanes.filter { known.contains($0.key.webhook) }
  }

  /// A device is somewhere.
  /// - Parameters:
  ///   - records: in any order; what is no fix, or no news, is passed over.
  ///   - device: whose.
  ///   - received: when they came: a clock that is ahead does not make a position newer than what comes after it.
  package mutating func note(_ records: [Record], of device: Device, received: Date = .distantFuture) {
    var newest: Position?
    let arrival = received == .distantFuture ? Int64.max : received.millisecondsSince1970
    for record in records {
      guard case .fix = record.kind else { continue }
      let rank = LiveRank(time: record.time.millisecondsSince1970, received: arrival)
      if let newest, rank < newest.rank { continue }
      newest = Position(record: record, rank: rank)
    }
    guard let newest else { return }
    for target in targets where target.devices.isEmpty || target.devices.contains(device.name) {
      let key = Key(webhook: target.webhook, device: device)
      var lane = lanes[key] ?? PendingPosition()
      // A late position would put the device back to where it was.
      if let told = lane.told, newest.rank <= told.rank { continue }
      if let waiting = lane.waiting, newest.rank < waiting.rank { continue }
      lane.waiting = newest
      lanes[key] = lane
    }
  }

  /// Events about a device were written for a webhook: they go before its positions.
  package mutating func hold(_ key: OrderingKey, at now: Date) {
    guard targets.contains(where: { $0.webhook == key.webhook }) else { return }
    held[key] = now.addingTimeInterval(Self.patience)
  }

  /// The events about a device have gone to a webhook, or cannot go now.
  /// - Parameters:
  ///   - key: webhook and device.
  ///   - event: the time of the last one that arrived; the webhook takes its place for the newest. Where a newer position was told
  ///     before, that one is told once more. `nil`: none arrived.
  ///   - now: the time.
  package mutating func release(_ key: OrderingKey, after event: Date?, at now: Date) {
    held[key] = nil
    guard let event else { return }
    for (lane, state) in lanes where lane.webhook == key.webhook && lane.device.id == key.device {
      var state = state
      guard let newest = state.waiting ?? state.told, newest.rank.moment > event.millisecondsSince1970 else { continue }
      state.waiting = newest
      state.due = min(state.due, now)
      lanes[lane] = state
    }
  }

  /// When the position that waits in a lane may go.
  private func due(_ key: Key, _ lane: PendingPosition) -> Date {
    max(lane.due, held[OrderingKey(webhook: key.webhook, device: key.device.id)] ?? .distantPast)
  }

  /// Takes what is to be told now; the caller says ``finished(_:arrived:at:)`` of each.
  package mutating func take(at now: Date) -> [Turn] {
    var turns: [Turn] = []
    if !held.isEmpty { held = held.filter { $0.value > now } }
    for target in targets {
      for (key, lane) in lanes where key.webhook == target.webhook && !lane.isSending && due(key, lane) <= now {
        guard let position = lane.waiting else { continue }
        lanes[key] = PendingPosition(waiting: nil, told: position, due: lane.due, isSending: true)
        turns.append(Turn(target: target, device: key.device, position: position, before: lane.told))
      }
    }
    return turns
  }

  /// One is no longer on its way.
  package mutating func finished(_ turn: Turn, arrived: Bool, at now: Date) {
    let key = Key(webhook: turn.target.webhook, device: turn.device)
    guard var lane = lanes[key] else { return }
    lane.isSending = false
    // An event that went meanwhile wants the same position once more, at once.
    let again = arrived && lane.waiting?.rank == turn.position.rank
    lane.due = again ? now : now.addingTimeInterval(arrived ? turn.target.interval : max(Self.pause, turn.target.interval))
    if !arrived, lane.waiting == nil {
      lane.waiting = turn.position
      lane.told = nil
    }
    lanes[key] = lane
  }

  /// One was flagged or deleted before it was told: the webhook has still the place of the turn before.
  package mutating func withdraw(_ turn: Turn) {
    let key = Key(webhook: turn.target.webhook, device: turn.device)
    guard var lane = lanes[key] else { return }
    lane.isSending = false
    lane.told = turn.before?.rank == turn.position.rank ? nil : turn.before
    lanes[key] = lane
  }

  /// When the next one may go; `nil`: nothing waits.
  func nextDue() -> Date? {
    lanes.filter { $0.value.waiting != nil && !$0.value.isSending }.map { due($0.key, $0.value) }.min()
  }
}
