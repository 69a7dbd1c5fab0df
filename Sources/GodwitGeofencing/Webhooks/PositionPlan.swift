internal import Foundation
internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore

/// Schedules the positions of devices for webhooks: the newest position of each device, at each webhook's rate. It uses
/// neither the network nor a clock. All times of its schedule are times of the clock's `uptime`, so that a change of the date
/// does not delay a position.
///
/// A position that could not be sent is sent again later, unless a newer position replaces it.
struct PositionPlan {
  /// A webhook with positions.
  package struct Target: Hashable {
    package var webhook: Int64
    package var url: String
    package var secret: String
    /// Minimum seconds between two positions of a device.
    package var interval: Double
    /// Names of devices; empty: all devices.
    package var devices: [String]
  }

  /// A position to send.
  package struct Turn {
    package var target: Target
    package var device: Device
    fileprivate var position: Position
    /// The position that was sent before this one.
    fileprivate var before: Position?
    package var record: Record { position.record }
  }

  /// A fix and its rank among the device's fixes.
  fileprivate struct Position {
    var record: Record
    var rank: LiveRank
  }

  private struct PendingPosition {
    /// The newest position that was not sent.
    var waiting: Position?
    /// The newest position that was sent or is in flight.
    var reported: Position?
    /// When the next position may be sent.
    var due = Duration.zero
    var isSending = false
  }

  private struct Key: Hashable {
    var webhook: Int64
    var device: Device
  }

  private var targets: [Target] = []
  private var pending: [Key: PendingPosition] = [:]
  /// The times until which positions wait for events of the same upload.
  private var held: [OrderingKey: Duration] = [:]

  /// The time before a failed position is sent again, unless the webhook's interval is longer.
  package static let pause = Duration.seconds(30)
  /// The maximum time that a position waits for events.
  package static let timeout = Duration.seconds(20)

  /// Whether no webhook has positions.
  package var isEmpty: Bool { targets.isEmpty }

  /// Sets the webhooks with positions; pending positions of others are dropped.
  package mutating func set(_ targets: [Target]) {
    self.targets = targets
    let known = Set(targets.map(\.webhook))
    pending = pending.filter { known.contains($0.key.webhook) }
  }

  /// Records new positions of a device.
  /// - Parameters:
  ///   - records: the records in any order; only the newest fix is used.
  ///   - device: the device.
  ///   - received: the time of receipt. It limits the rank of a fix from a fast clock, so that later fixes can replace it.
  package mutating func add(_ records: [Record], of device: Device, received: Date = .distantFuture) {
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
      var entry = pending[key] ?? PendingPosition()
      // A late position would move the device back.
      if let reported = entry.reported, newest.rank <= reported.rank { continue }
      if let waiting = entry.waiting, newest.rank < waiting.rank { continue }
      entry.waiting = newest
      pending[key] = entry
    }
  }

  /// Holds positions until the events of a device were sent to a webhook.
  package mutating func hold(_ key: OrderingKey, at now: Duration) {
    guard targets.contains(where: { $0.webhook == key.webhook }) else { return }
    held[key] = now + Self.timeout
  }

  /// Releases positions after the events of a device were sent to a webhook, or cannot be sent now.
  /// - Parameters:
  ///   - key: the webhook and the device.
  ///   - event: the time of the last delivered event, whose place the webhook now uses as the newest position. If a newer
  ///     position was sent before the event, it is sent again. `nil`: no event was delivered.
  ///   - now: the time.
  package mutating func release(_ key: OrderingKey, after event: Date?, at now: Duration) {
    held[key] = nil
    guard let event else { return }
    for (entry, state) in pending where entry.webhook == key.webhook && entry.device.id == key.device {
      var state = state
      guard let newest = state.waiting ?? state.reported, newest.rank.timestamp > event.millisecondsSince1970 else { continue }
      state.waiting = newest
      state.due = min(state.due, now)
      pending[entry] = state
    }
  }

  /// When the pending position of a key may be sent.
  private func due(_ key: Key, _ entry: PendingPosition) -> Duration {
    max(entry.due, held[OrderingKey(webhook: key.webhook, device: key.device.id)] ?? .zero)
  }

  /// Pops the positions to send now. The caller calls ``finished(_:arrived:at:)`` for each.
  package mutating func take(at now: Duration) -> [Turn] {
    var turns: [Turn] = []
    if !held.isEmpty { held = held.filter { $0.value > now } }
    for target in targets {
      for (key, entry) in pending where key.webhook == target.webhook && !entry.isSending && due(key, entry) <= now {
        guard let position = entry.waiting else { continue }
        pending[key] = PendingPosition(waiting: nil, reported: position, due: entry.due, isSending: true)
        turns.append(Turn(target: target, device: key.device, position: position, before: entry.reported))
      }
    }
    return turns
  }

  /// Marks a position as sent or failed.
  package mutating func finished(_ turn: Turn, arrived: Bool, at now: Duration) {
    let key = Key(webhook: turn.target.webhook, device: turn.device)
    guard var entry = pending[key] else { return }
    entry.isSending = false
    // An event was delivered while this position was in flight. The same position must be sent again at once.
    let again = arrived && entry.waiting?.rank == turn.position.rank
    let interval = Duration.seconds(turn.target.interval)
    entry.due = again ? now : now + (arrived ? interval : max(Self.pause, interval))
    if !arrived, entry.waiting == nil {
      entry.waiting = turn.position
      entry.reported = nil
    }
    pending[key] = entry
  }

  /// Withdraws a position that was flagged or deleted before it was sent. The webhook still has the previous position.
  package mutating func withdraw(_ turn: Turn) {
    let key = Key(webhook: turn.target.webhook, device: turn.device)
    guard var entry = pending[key] else { return }
    entry.isSending = false
    entry.reported = turn.before?.rank == turn.position.rank ? nil : turn.before
    pending[key] = entry
  }

  /// When the next position may be sent; `nil`: none is pending.
  func nextDue() -> Duration? {
    pending.filter { $0.value.waiting != nil && !$0.value.isSending }.map { due($0.key, $0.value) }.min()
  }
}
