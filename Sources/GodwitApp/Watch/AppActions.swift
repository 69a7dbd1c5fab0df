public import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitStatus

/// The actions of App Intents, the watch and the buttons of a widget. Each returns a sentence to be spoken or shown.
@MainActor
public struct AppActions {
  private let state: AppState
  private let trip: TripModel

  /// Maximum seconds between a time and a position that answers "where was I".
  static let maximumAge = 1800.0

  init(_ state: AppState, _ trip: TripModel) {
    self.state = state
    self.trip = trip
  }

  private var texts: AppTexts { state.texts }

  /// Sends a command to a tracker that is not open yet. - Returns: the sentence for the user; `nil`: the tracker is open.
  private func deferred(_ command: HostCommand) -> String? {
    guard state.status == nil else { return nil }
    if case .failed(let reason) = state.phase { return "\(texts(.failedTitle)). \(state.plain(reason))" }
    state.perform(command)
    return texts(.saidWhenOpen)
  }

  public func startTracking() -> String {
    if let text = deferred(.startTracking) { return text }
    if state.isTracking { return texts(.saidAlreadyTracking) }
    state.perform(.startTracking)
    return state.authorization == .denied ? texts(.permissionDeniedAlert) : texts(.saidTracking)
  }

  public func stopTracking() -> String {
    if let text = deferred(.stopTracking) { return text }
    guard state.isTracking else { return texts(.saidNotTracking) }
    state.perform(.stopTracking)
    return texts(.saidTrackingOff)
  }

  /// - Parameter mode: a mode of the table of settings: "bicycle"; `nil`: the chosen mode.
  public func startTrip(_ mode: String? = nil) -> String {
    if let text = deferred(.startTrip(mode.flatMap(TripMode.init(rawValue:)))) { return text }
    guard trip.canStart else { return texts(.saidTripRuns) }
    trip.start(mode)
    let chosen = mode.flatMap(TripMode.init(rawValue:)) ?? state.settings.tripMode
    return texts(.saidTripStarted, texts.translated(StatusLabels.label(chosen.rawValue)))
  }

  public func stopTrip() -> String {
    if let text = deferred(.stopTrip) { return text }
    guard trip.isTripRunning else { return texts(.saidNoTrip) }
    let (distance, duration) = (trip.distanceText, trip.start.map { state.now.timeIntervalSince($0) } ?? 0)
    trip.stop()
    return texts(.saidTripStopped, distance, state.measures.duration(duration))
  }

  public func sendNow() -> String {
    if let text = deferred(.sendNow) { return text }
    if state.servers.servers.isEmpty { return texts(.noServers) }
    let waiting = state.status?.waiting ?? 0
    guard waiting > 0 else { return texts(.saidNothingQueued) }
    state.perform(.sendNow)
    return texts(.saidSending, "\(waiting)")
  }

  // MARK: Where was I

  /// Answers "Where was I at 14:05?" from the positions on this phone.
  public func position(at time: Date) -> String { known(time) ?? texts(.saidUnknownPlace, state.day(time)) }

  /// Answers "Where was I yesterday at five?" from the positions on this phone, or from the server if a token for reading is stored.
  public func whereWasI(at time: Date) async -> String {
    if time > state.services.environment.now().addingTimeInterval(60) { return texts(.saidFuture, state.day(time)) }
    if let known = known(time) { return known }
    let access = ReadingAccessModel(state)
    access.refresh()
    guard var history = access.history, let server = access.server else { return position(at: time) }
    do throws(PointHistory.Failure) {
      if let token = try? state.services.credentials.token(server.id) { history.device = await history.deviceName(token: token) }
      let span = Self.maximumAge
      let read = try await history.points(from: time.addingTimeInterval(-span), to: time.addingTimeInterval(span))
      let nearest = read.points.min { Self.distance($0.time, time) < Self.distance($1.time, time) }
      return nearest.map { sentence($0.time, $0.coordinate) } ?? texts(.saidUnknownAnywhere, state.day(time))
    } catch { return "\(position(at: time)) \(texts(error))" }
  }

  private func known(_ time: Date) -> String? {
    guard let point = state.track.plausiblePoints.min(by: { Self.distance($0.time, time) < Self.distance($1.time, time) }),
      Self.distance(point.time, time) <= Self.maximumAge
    else { return nil }
    return sentence(point.time, point.coordinate)
  }

  private func sentence(_ time: Date, _ place: Coordinate) -> String {
    let zone = state.settings.wifiZones.first { GreatCircle.distance($0.coordinate, place) <= 100 }
    let name = zone?.ssid ?? region(around: place)
    return texts(.saidPlace, state.day(time), name ?? state.measures.position(place.latitude, place.longitude))
  }

  /// Returns the status as a sentence.
  public func status() -> String {
    guard let status = state.status else { return texts(.opening) }
    let summary = StatusReport(status, state.settings, now: state.now).summary
    return "\(texts.translated(summary.title)). \(state.plain(texts.translated(summary.detail)))"
  }

  /// The smallest region that contains a place.
  private func region(around place: Coordinate) -> String? {
    let around = (state.tracker?.regions?.regions ?? []).filter { $0.shape.contains(place) }
    let smallest = around.min {
      ($0.shape.enclosingCircle?.radius ?? .infinity) < ($1.shape.enclosingCircle?.radius ?? .infinity)
    }
    return smallest.map { $0.name.isEmpty ? $0.id : $0.name }
  }

  private static func distance(_ time: Date, _ other: Date) -> Double { abs(time.timeIntervalSince(other)) }
}
