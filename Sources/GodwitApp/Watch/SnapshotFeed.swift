public import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitStatus

/// The phone's side of widget and watch: publishes their content after changes, and answers commands.
@MainActor
public final class SnapshotFeed {
  /// Minimum seconds between two snapshots that differ only in details, such as the distance of a trip. The system limits updates of
  /// widgets.
  static let interval = 60.0
  private let state: AppState
  private let trip: TripModel
  private let actions: AppActions
  private var published: WidgetSnapshot?
  private var inbox = WatchInbox()

  init(_ state: AppState, _ trip: TripModel, _ actions: AppActions) {
    self.state = state
    self.trip = trip
    self.actions = actions
  }

  /// The content of widget and watch; `nil`: the tracker is not open yet.
  public var snapshot: WidgetSnapshot? {
    guard let status = state.status else { return nil }
    let summary = StatusReport(status, state.settings, now: state.now).summary
    return WidgetSnapshot(
      time: state.now, isTracking: state.isTracking, title: state.texts.translated(summary.title),
      detail: state.plain(state.texts.translated(summary.detail)), isProblem: summary.level == .bad || summary.level == .warning,
      waiting: status.waiting, lastSent: status.lastSent,
      trip: status.trip.map { running in
        WidgetSnapshot.TripSnapshot(
          mode: running.mode.rawValue, label: trip.modeLabel, symbol: trip.modeSymbol, start: running.start,
          distance: running.distance)
      })
  }

  /// Publishes the snapshot if it has changed.
  func update() {
    guard let snapshot, isNew(snapshot) else { return }
    published = snapshot
    state.services.publish(snapshot)
  }

  private func isNew(_ snapshot: WidgetSnapshot) -> Bool {
    guard let published else { return true }
    let isOther =
      published.title != snapshot.title || published.isTracking != snapshot.isTracking
      || published.isProblem != snapshot.isProblem || published.trip?.start != snapshot.trip?.start
    if isOther { return true }
    var old = published
    old.time = snapshot.time
    return old != snapshot && abs(snapshot.time.timeIntervalSince(published.time)) >= Self.interval
  }

  /// Answers a message of the watch. A command that arrives twice or too late is answered and not executed.
  /// - Returns: a `WatchReply` as JSON; `nil`: the bytes are not a message, or the tracker is not open yet.
  public func reply(to message: Data) -> Data? {
    if WatchEnvelope.isOther(message) {
      return try? JSONEncoder().encode(WatchEnvelope(version: WatchRequest.version, text: state.texts(.watchOtherVersion)))
    }
    guard let request = try? JSONDecoder().decode(WatchRequest.self, from: message) else { return nil }
    // A command must not wait for the tracker, because it would be executed too late.
    guard snapshot != nil else { return nil }
    let text = text(of: request)
    guard let snapshot else { return nil }
    let modes = trip.modes.map { WatchReply.Mode(id: $0.id, label: $0.label, symbol: $0.symbol) }
    return try? JSONEncoder().encode(WatchReply(snapshot: snapshot, text: text, modes: modes))
  }

  private func text(of request: WatchRequest) -> String {
    let isKnown = inbox.contains(request)
    guard inbox.admits(request, at: state.services.environment.now()) else {
      return isKnown ? "" : state.texts(.watchTooLate)
    }
    return switch request.command {
    case .refresh: ""
    case .startTracking: actions.startTracking()
    case .stopTracking: actions.stopTracking()
    case .startTrip(let mode): actions.startTrip(mode)
    case .stopTrip: actions.stopTrip()
    case .sendNow: actions.sendNow()
    }
  }
}
