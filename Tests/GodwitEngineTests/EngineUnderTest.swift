import Foundation
import GodwitEngine
import GodwitModel

let home = EndpointID("home")
let other = EndpointID("other")
let start = Date(timeIntervalSince1970: 1_800_000_000)

/// So many seconds after the start.
func at(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

/// Seconds of an hour and of a day.
let hour = 3600.0
let day = 86400.0

/// A fix so many seconds after the start and metres north of a place.
func fix(_ seconds: Double, north meters: Double = 0, accuracy: Double? = nil) -> Fix {
  // Valid: 45° and a little.
  Fix(time: at(seconds), coordinate: Coordinate(latitude: 45 + meters / 111_195, longitude: 14)!, horizontalAccuracy: accuracy)
}

/// An engine in virtual time: reported at how many seconds after the start what happened, it says what is to be done.
struct EngineUnderTest {
  var engine: Engine
  /// Everything that it wanted done so far.
  private(set) var effects: [Effect] = []
  /// The timers that are set: seconds after the start.
  private(set) var timers: [TimerID: Double] = [:]

  /// An engine that is notified nothing yet.
  init(unlaunched settings: Settings, plans: [EndpointPlan] = [EndpointPlan(home)]) {
    engine = Engine(settings: settings, plans: plans, uniqueID: "U-1")
  }

  /// An engine that was launched for the first time, may know the location, and tracks.
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

  /// Reports of a fix at its time.
  @discardableResult
  mutating func fixes(_ seconds: Double, north meters: Double = 0, accuracy: Double? = nil) -> [Effect] {
    send(.fixes([fix(seconds, north: meters, accuracy: accuracy)]), seconds)
  }

  /// An upload that the endpoint takes.
  @discardableResult
  mutating func accept(_ endpoint: EndpointID = home, remaining: Int = 0, bytes: Int = 1000, at seconds: Double) -> [Effect] {
    send(.uploadFinished(endpoint, .accepted(remaining: remaining, bytes: bytes)), seconds)
  }

  /// The same engine in a new process: what the effects so far were to remember is what it is launched with.
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
          // What was kept is one of the table's values.
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

  /// Endpoints that are sent something.
  var uploads: [EndpointID] { compactMap { if case .upload(let endpoint, _) = $0 { endpoint } else { nil } } }
  var requests: [UploadRequest] { compactMap { if case .upload(_, let request) = $0 { request } else { nil } } }
  var quarantines: Bool { contains { if case .quarantine = $0 { true } else { false } } }

  /// Seconds after the start for which a timer is set; `nil`: it is not.
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
  /// Seconds after the start for which a notice is scheduled.
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
  /// What becomes of the running trip over a relaunch; `nil`: nothing is said.
  var keptTrip: RunningTrip?? { compactMap { if case .storeTrip(let trip) = $0 { .some(trip) } else { nil } }.last }
  var fetches: [BackgroundFetchResult] { compactMap { if case .fetchFinished(_, let result) = $0 { result } else { nil } } }
  var responses: [LocationResponse] { compactMap { if case .reportLocation(_, let response) = $0 { response } else { nil } } }
  func place(of isWanted: (Effect) -> Bool) -> Int? { firstIndex(where: isWanted) }
}

extension EndpointPlan {
  /// A plan that follows the settings but for what is changed.
  init(_ id: EndpointID, _ change: (inout EndpointPlan) -> Void) {
    self.init(id)
    change(&self)
  }
}
