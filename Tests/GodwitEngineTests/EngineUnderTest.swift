import Foundation
import GodwitEngine
import GodwitModel

let home = EndpointID("home")
let other = EndpointID("other")
let start = Date(timeIntervalSince1970: 1_800_000_000)

/// Returns the time `seconds` after the start.
func at(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

/// An hour and a day, in seconds.
let hour = 3600.0
let day = 86400.0

/// Returns a fix `seconds` after the start and `meters` north of latitude 45°, longitude 14°.
func fix(_ seconds: Double, north meters: Double = 0, accuracy: Double? = nil) -> Fix {
  // Valid: the latitude is close to 45°.
  Fix(time: at(seconds), coordinate: Coordinate(latitude: 45 + meters / 111_195, longitude: 14)!, horizontalAccuracy: accuracy)
}

/// An engine in virtual time: tests send events at times in seconds after the start, and receive the effects.
struct EngineUnderTest {
  var engine: Engine
  /// All effects so far.
  private(set) var effects: [Effect] = []
  /// The timers that are set, in seconds after the start.
  private(set) var timers: [TimerID: Double] = [:]

  /// Creates an engine that has received no event yet.
  init(unlaunched settings: Settings, plans: [EndpointPlan] = [EndpointPlan(home)]) {
    engine = Engine(settings: settings, plans: plans, uniqueID: "U-1")
  }

  /// Creates an engine after its first launch, with permission and with tracking on.
  init(_ change: (inout Settings) -> Void = { _ in }, plans: [EndpointPlan] = [EndpointPlan(home)]) {
    var settings = Settings()
    change(&settings)
    self.init(unlaunched: settings, plans: plans)
    send(.launched(Launch(wasTracking: false, waiting: [:])), 0)
    send(.authorizationChanged(.always), 0)
    send(.start, 0)
  }

  @discardableResult
  mutating func send(_ event: Event, _ seconds: Double) -> [Effect] {
    if case .timerFired(let timer) = event { timers[timer] = nil }
    let new = engine.handle(event, at: at(seconds))
    effects += new
    for effect in new {
      if case .setTimer(let timer, let time) = effect { timers[timer] = time.timeIntervalSince(start) }
      if case .cancelTimer(let timer) = effect { timers[timer] = nil }
    }
    return new
  }

  /// Sends one fix at the time of the fix.
  @discardableResult
  mutating func fixes(_ seconds: Double, north meters: Double = 0, accuracy: Double? = nil) -> [Effect] {
    send(.fixes([fix(seconds, north: meters, accuracy: accuracy)]), seconds)
  }

  /// Reports that the endpoint accepted an upload.
  @discardableResult
  mutating func accept(_ endpoint: EndpointID = home, remaining: Int = 0, bytes: Int = 1000, at seconds: Double) -> [Effect] {
    send(.uploadFinished(endpoint, .accepted(remaining: remaining, bytes: bytes)), seconds)
  }

  /// Returns the engine of a new process, launched with the state that the effects so far stored.
  func relaunched(_ seconds: Double, waiting: [EndpointID: Int] = [:], plans: [EndpointPlan] = [EndpointPlan(home)])
    -> EngineUnderTest
  {
    var launch = Launch(wasTracking: false, waiting: waiting, lastKept: effects.fixes.max { $0.time < $1.time })
    var settings = engine.settings
    for effect in effects {
      switch effect {
      case .rememberTracking(let isOn): launch.wasTracking = isOn
      case .storeTrip(let trip): launch.trip = trip
      case .storeTripModes(let modes): launch.tripModes = modes
      case .storeRollout(let rollout): launch.rollout = rollout
      case .storeCoverage(let lines): launch.coverageEnd = lines.map(\.end).max()
      case .storeSettings(let changes, by: let source):
        for change in changes {
          // The stored value is one of the values of the table.
          try? settings.set(change.name, to: change.new)
          if case .server = source { launch.setByServer.insert(change.name) } else { launch.setByServer.remove(change.name) }
        }
      default: break
      }
    }
    var new = EngineUnderTest(unlaunched: settings, plans: plans)
    new.send(.launched(launch), seconds)
    return new
  }
}

extension [Effect] {
  var records: [Record] { flatMap { if case .record(let records) = $0 { records } else { [Record]() } } }
  var fixes: [Fix] { records.compactMap { if case .fix(let fix) = $0.kind { fix } else { nil } } }
  /// Seconds after the start of the fixes that are recorded.
  var fixTimes: [Double] { fixes.map { $0.time.timeIntervalSince(start) } }
  var visits: [Visit] { records.compactMap { if case .visit(let visit) = $0.kind { visit } else { nil } } }
  var trips: [Trip] { records.compactMap { if case .trip(let trip) = $0.kind { trip } else { nil } } }
  var actions: [String] { records.compactMap { if case .action(let action) = $0.kind { action.name } else { nil } } }

  /// The endpoints of the uploads.
  var uploads: [EndpointID] { compactMap { if case .upload(let endpoint, _) = $0 { endpoint } else { nil } } }
  var requests: [UploadRequest] { compactMap { if case .upload(_, let request) = $0 { request } else { nil } } }
  var quarantines: Bool { contains { if case .quarantine = $0 { true } else { false } } }

  /// Seconds after the start for which a timer is set; `nil` if it is not set.
  func timer(_ id: TimerID) -> Double? {
    compactMap { if case .setTimer(id, let time) = $0 { time.timeIntervalSince(start) } else { nil } }.last
  }

  var configurations: [LocationRequest?] {
    compactMap { if case .configureLocation(let request) = $0 { .some(request) } else { nil } }
  }

  /// Kinds of notices that are shown now.
  var notices: [Notice.Kind] { compactMap { if case .notify(let notice, at: nil) = $0 { notice.kind } else { nil } } }
  func notice(_ kind: Notice.Kind) -> Notice? {
    compactMap { if case .notify(let notice, at: _) = $0, notice.kind == kind { notice } else { nil } }.last
  }
  /// Seconds after the start for which a notice is scheduled; `nil` if it is not scheduled.
  func scheduled(_ kind: Notice.Kind) -> Double? {
    compactMap {
      if case .notify(let notice, at: let time?) = $0, notice.kind == kind { time.timeIntervalSince(start) } else { nil }
    }.last
  }

  var settingChanges: [SettingChange] {
    flatMap { if case .storeSettings(let changes, by: _) = $0 { changes } else { [SettingChange]() } }
  }
  var settingSources: [SettingsSource] { compactMap { if case .storeSettings(_, by: let source) = $0 { source } else { nil } } }
  var coverageLines: [CoverageEntry] { flatMap { if case .storeCoverage(let lines) = $0 { lines } else { [CoverageEntry]() } } }
  /// The last stored trip: `nil` if no trip was stored or deleted, `.some(nil)` if the stored trip was deleted.
  var keptTrip: RunningTrip?? { compactMap { if case .storeTrip(let trip) = $0 { .some(trip) } else { nil } }.last }
  var fetches: [BackgroundFetchResult] { compactMap { if case .fetchFinished(_, let result) = $0 { result } else { nil } } }
  var responses: [LocationResponse] { compactMap { if case .reportLocation(_, let response) = $0 { response } else { nil } } }
  func place(of isWanted: (Effect) -> Bool) -> Int? { firstIndex(where: isWanted) }
}

extension EndpointPlan {
  /// Creates a plan that follows the settings, except for the changes of `change`.
  init(_ id: EndpointID, _ change: (inout EndpointPlan) -> Void) {
    self.init(id)
    change(&self)
  }
}
