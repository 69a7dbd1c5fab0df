public import CoreLocation
public import GodwitModel
internal import Synchronization

/// What an app under test notes, from any thread and over all its launches: the outcome of a scenario is judged by it.
///
///     let eventRecorder = EventRecorder()
///     let outcome = scenario.run(app: PhoneApp { _ in MyModel { eventRecorder.record($0) } }, eventRecorder: eventRecorder)
public final class EventRecorder: Sendable {
  private struct State {
    var records: [Record] = []
    var lines: [String] = []
  }

  private let state = Mutex(State())

  public init() {}

  /// Positions that the app recorded.
  /// - Parameter locations: as Core Location reported them; those that are none are left out.
  public func record(_ locations: [CLLocation]) {
    for location in locations {
      guard location.horizontalAccuracy >= 0,
        let place = Coordinate(latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
      else { continue }
      record(
        .fix(Fix(time: location.timestamp, coordinate: place, horizontalAccuracy: location.horizontalAccuracy)))
    }
  }

  /// Something that the app recorded.
  /// - Parameter kind: a position, a visit, a trip or an action.
  public func record(_ kind: Record.Kind) { state.withLock { $0.records.append(Record(kind: kind)) } }

  /// Anything else that a test checks, in the order in which it happened.
  /// - Parameter line: a few words: "entered home".
  public func record(_ line: String) { state.withLock { $0.lines.append(line) } }

  /// Everything that was recorded.
  public var records: [Record] { state.withLock { $0.records } }
  /// The positions among it.
  public var fixes: [Fix] { records.compactMap { if case .fix(let fix) = $0.kind { fix } else { nil } } }
  /// Everything else.
  public var lines: [String] { state.withLock { $0.lines } }
}
