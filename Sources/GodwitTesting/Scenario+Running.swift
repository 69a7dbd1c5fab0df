internal import CoreLocation
internal import Foundation
public import Godwit
internal import GodwitModel
public import GodwitPhone
internal import GodwitSimulator
internal import Synchronization

extension Scenario {
  /// Runs the scenario with Godwit's tracker.
  /// - Parameters:
  ///   - system: The system of the phone.
  ///   - configure: Changes the configuration of the tracker before each launch.
  /// - Returns: The outcome with its failures.
  public func run(
    on system: SystemVersion = .usual, configure: @escaping @Sendable (inout Tracker.Configuration) -> Void = { _ in }
  ) -> Outcome {
    let results = RunResults()
    let start = route.start.date
    let board = NoticeBoard { results.phone?.now.date ?? start }
    var tracker = TrackerApp(settings: settings)
    tracker.configure = { configuration in
      board.follow(configuration.environment.now)
      configuration.notifier = board
      configure(&configuration)
    }
    tracker.launched = { results.launched($0) }
    let server = MemoryServer { results.store($0) }
    let phone = SimulatedPhone(configuration(on: system), tracker: tracker, server: server)
    results.phone = phone
    let moments = live(phone)
    var log = finishLog(phone)
    let shown = board.shown
    log.waiting = results.waiting(at: tracker.endpoints)
    phone.end()
    results.phone = nil
    return judged(
      Outcome(
        scenario: self, system: system, log: log, track: Track(log.records.compactMap(\.fix)), arrived: results.records,
        sentAgain: server.duplicates, notices: shown, moments: moments))
  }

  /// Runs the scenario with another app.
  /// - Parameters:
  ///   - system: The system of the phone.
  ///   - app: The app. Its managers are created as on a phone.
  ///   - eventRecorder: Recorder of the app's events, against which the expectations are checked.
  ///   - server: The server behind the network; `nil` for a server that accepts all requests.
  /// - Returns: The outcome with its failures.
  public func run(
    on system: SystemVersion = .usual, app: PhoneApp, eventRecorder: EventRecorder, server: (any SimulatedServer)? = nil
  ) -> Outcome {
    let phone = SimulatedPhone(configuration(on: system), app: app, server: server ?? MemoryServer())
    let moments = live(phone)
    var log = finishLog(phone)
    log.records = eventRecorder.records
    phone.end()
    return judged(
      Outcome(
        scenario: self, system: system, log: log, track: Track(eventRecorder.fixes), arrived: [], sentAgain: 0, notices: [],
        moments: moments))
  }

  /// Returns the phone's configuration of this scenario, for a caller that runs the phone itself.
  /// - Parameter system: The system of the phone.
  public func configuration(on system: SystemVersion = .usual) -> SimulatedPhone.Configuration {
    var configuration = SimulatedPhone.Configuration(truth: route.truth)
    configuration.system = system
    configuration.seed = seed
    configuration.network = network
    configuration.hazards = hazards
    configuration.beacons = beacons
    configuration.declarations = declarations
    configuration.batteryLevel = batteryLevel
    configuration.start = route.start
    configuration.response = response
    configuration.closesAfter = closesAfter
    return configuration
  }

  private func live(_ phone: SimulatedPhone) -> [Snapshot] {
    let start = phone.now
    let standby = phone.world.account
    var times = Set(expectations.flatMap(\.check.times))
    times.formUnion([start, end])
    return times.sorted().map { time in
      phone.run(until: time)
      let account = phone.world.account
      let used =
        account.used(until: time) - standby.used(until: start)
        - (account.used(by: .standby, until: time) - standby.used(by: .standby, until: start))
      return Snapshot(
        time: time, app: phone.isAppRunning ? .running : phone.isAppSuspended ? .suspended : .ended, counts: phone.counts,
        joules: used.joules)
    }
  }

  private func finishLog(_ phone: SimulatedPhone) -> RunLog {
    phone.finishLog(policy: settings.preset?.rawValue ?? "own", route: file ?? title, day: "")
  }

  private func judged(_ outcome: Outcome) -> Outcome {
    var outcome = outcome
    let checker = ExpectationChecker(outcome)
    outcome.failures = expectations.compactMap(checker.failure)
    return outcome
  }
}

/// The results of a scenario: the records of its server, its phone while it runs, and its last tracker.
private final class RunResults: Sendable {
  private struct State {
    var records: [Record] = []
    var tracker: Tracker?
    var phone: SimulatedPhone?
  }

  private let state = Mutex(State())

  var phone: SimulatedPhone? {
    get { state.withLock { $0.phone } }
    set { state.withLock { $0.phone = newValue } }
  }
  func store(_ record: Record) { state.withLock { $0.records.append(record) } }
  func launched(_ tracker: Tracker) { state.withLock { $0.tracker = tracker } }
  var records: [Record] { state.withLock { $0.records } }

  /// Returns the maximum number of unacknowledged records of an endpoint. The journal of a killed tracker is read as well.
  func waiting(at endpoints: [Endpoint]) -> Int {
    guard let journal = state.withLock({ $0.tracker?.journal }) else { return 0 }
    return endpoints.map { journal.waiting(endpoint: $0.id.name) }.max() ?? 0
  }
}
