public import Foundation
internal import Godwit
internal import GodwitModel
internal import GodwitStatus
public import Observation

/// The Trip screen: modes, start and stop, duration and distance.
@MainActor @Observable
public final class TripModel {
  private let state: AppState
  init(_ state: AppState) { self.state = state }

  private var texts: AppTexts { state.texts }
  private var trip: Tracker.Status.RunningTrip? { state.status?.trip }

  /// Whether a trip is running and can be stopped.
  public var isTripRunning: Bool { trip != nil && !isEnding }
  /// Whether the trip was stopped and its steps are being counted.
  public var isEnding: Bool { trip?.ending != nil || state.status?.isFinishingTrip == true }
  public var canStart: Bool { state.status != nil && trip == nil && !isEnding }
  public var canStop: Bool { isTripRunning }
  /// The label of the button.
  public var actionLabel: String { isEnding ? texts(.tripEnding) : isTripRunning ? texts(.stopTrip) : texts(.startTrip) }
  public var canAct: Bool { canStart || canStop }

  /// "Bicycle trip", "No trip".
  public var title: String { trip.map { texts(.tripOf, label($0.mode)) } ?? texts(.noTrip) }
  /// Whether the trip was started by a motion. Such a trip also ends with it.
  public var isAutomatic: Bool { trip?.beganByMotion == true }
  public var automaticText: String { texts(.tripIsAutomatic) }

  /// "0:12:34"
  public var durationText: String {
    trip.map { state.measures.clock(($0.ending?.time ?? state.now).timeIntervalSince($0.start)) } ?? texts(.noValue)
  }
  public var distanceText: String { trip.map { state.measures.length($0.distance) } ?? texts(.noValue) }
  public var figures: [Figure] {
    let spoken =
      trip.map { state.measures.duration(($0.ending?.time ?? state.now).timeIntervalSince($0.start)) } ?? texts(.noValue)
    return [
      Figure(
        id: "duration", title: texts(.duration), value: durationText, accessibilityLabel: "\(texts(.duration)): \(spoken)"),
      Figure(id: "distance", title: texts(.distance), value: distanceText),
    ]
  }
  /// The start of the running trip, for a clock that the system draws.
  public var start: Date? { trip?.start }

  // MARK: Modes

  /// The modes, the most used ones first.
  public var modes: [ModeRow] {
    (state.status?.tripModes ?? TripMode.allCases).map { mode in
      let isChosen = mode.rawValue == self.mode
      return ModeRow(
        id: mode.rawValue, label: label(mode), symbol: Self.symbol(mode), isChosen: isChosen,
        accessibilityLabel: isChosen ? texts(.chosenMode, label(mode)) : label(mode))
    }
  }
  /// The mode of the running trip, or of the next trip. Setting it during a trip changes that of the next trip.
  public var mode: String {
    get { (trip?.mode ?? state.settings.tripMode).rawValue }
    set { if newValue != state.settings.tripMode.rawValue { state.set("trip_mode", .text(newValue)) } }
  }
  public var modeLabel: String { label(trip?.mode ?? state.settings.tripMode) }
  public var modeSymbol: String { Self.symbol(trip?.mode ?? state.settings.tripMode) }
  /// Whether the mode can be chosen. The mode of a running trip cannot change.
  public var canChooseMode: Bool { trip == nil }

  // MARK: Actions

  /// Starts a trip in the chosen mode, or stops the running one.
  public func act() { if canStop { stop() } else { start(nil) } }
  /// - Parameter mode: a mode of the table of settings; `nil`: the chosen mode.
  public func start(_ mode: String? = nil) {
    guard canStart else { return }
    state.perform(.startTrip(mode.flatMap(TripMode.init(rawValue:)) ?? state.settings.tripMode))
  }
  public func stop() { if canStop { state.perform(.stopTrip) } }

  /// Whether the settings of the trip keep the screen on.
  public var keepsScreenOn: Bool { isTripRunning && state.settings.trip.preventsScreenLock }
  /// A note that the screen stays on; `nil`: it may lock.
  public var screenText: String? { keepsScreenOn ? texts(.screenStaysOn) : nil }

  private func label(_ mode: TripMode) -> String { texts.translated(StatusLabels.label(mode.rawValue)) }

  nonisolated static func symbol(_ mode: TripMode) -> String {
    switch mode {
    case .walk: "figure.walk"
    case .run: "figure.run"
    case .bicycle: "bicycle"
    case .car: "car.fill"
    case .taxi: "car.side.fill"
    case .bus: "bus.fill"
    case .tram: "tram.fill"
    case .train: "train.side.front.car"
    case .metro: "lightrail.fill"
    case .gondola: "cablecar.fill"
    case .monorail: "tram"
    case .sleigh: "snowflake"
    case .plane: "airplane"
    case .boat: "ferry.fill"
    case .scooter: "scooter"
    }
  }
}

/// A mode of transport.
public struct ModeRow: Identifiable, Sendable, Hashable {
  /// A mode of the table of settings: "bicycle".
  public var id: String
  public var label: String
  /// The name of a symbol of SF Symbols.
  public var symbol: String
  public var isChosen: Bool
  public var accessibilityLabel: String
}
