public import CoreLocation
public import GodwitModel
internal import Synchronization

/// Records what an app under test does, from any thread and over all its launches. The expectations of a scenario are checked
/// against these records.
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

  /// Records positions of the app.
  /// - Parameter locations: Locations as reported by Core Location. Invalid ones are ignored.
  public func record(_ locations: [CLLocation]) {
    for location in locations {
      guard location.horizontalAccuracy >= 0,
        let place = Coordinate(latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
      else { continue }
      record(
        .fix(Fix(time: location.timestamp, coordinate: place, horizontalAccuracy: location.horizontalAccuracy)))
    }
  }

  /// Records an event of the app.
  /// - Parameter kind: A position, a visit, a trip or an action.
  public func record(_ kind: Record.Kind) { state.withLock { $0.records.append(Record(kind: kind)) } }

  /// Records any other event that a test checks. Lines keep their order.
  /// - Parameter line: A short text, for example "entered home".
  public func record(_ line: String) { state.withLock { $0.lines.append(line) } }

  /// All recorded events, without the lines.
  public var records: [Record] { state.withLock { $0.records } }
  /// The recorded positions.
  public var fixes: [Fix] { records.compactMap { if case .fix(let fix) = $0.kind { fix } else { nil } } }
  /// The recorded lines.
  public var lines: [String] { state.withLock { $0.lines } }
}
