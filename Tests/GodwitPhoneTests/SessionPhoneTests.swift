import CoreLocation
import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitSimulator
import Synchronization
import Testing

@testable import GodwitPhone

/// Holds no session: the tracker as it was without them.
private struct WithoutSessions: SensorWrapper {
  let sensor: any Sensor

  func connect(_ tell: @escaping @Sendable (Event) -> Void) { sensor.connect(tell) }
  func hold(_ sessions: SessionRequest?) {}
}

/// What live updates of the app itself, beside the tracker, were given: they get only what the tracker's sessions allow.
private final class Beside: Sendable {
  private let state = Mutex((places: [Double](), lacking: [Double](), tracker: Tracker?.none))

  func follow(_ launch: AppContext) {
    // On the app's own thread, as everything that it does.
    Task(executorPreference: launch.environment.executor) { [self] in
      for try await update in CLLocationUpdate.liveUpdates() {
        let now = launch.environment.now().timeIntervalSince(midnight.date)
        state.withLock { state in
          if update.serviceSessionRequired { state.lacking.append(now) }
          if update.location != nil { state.places.append(now) }
        }
      }
    }
  }

  func launched(_ tracker: Tracker) { state.withLock { $0.tracker = tracker } }
  func stopTracking() { state.withLock { $0.tracker }?.stopTracking() }
  func places(_ times: ClosedRange<Double>) -> Int { state.withLock { $0.places }.count { times.contains($0) } }
  var lacking: [Double] { state.withLock { $0.lacking } }
}

@Suite("The sessions of a tracker on the simulated phone")
struct SessionPhoneTests {
  private func phone(
    _ script: String = "", response: SimulatedPhone.PermissionResponse = .always, promises: Bool, wanted: WantedAuthorization,
    books: Books = Books(), beside: Beside? = nil, holds: Bool = true
  ) throws -> SimulatedPhone {
    var configuration = SimulatedPhone.Configuration(truth: try workday())
    configuration.system = .ios18
    configuration.start = midnight
    configuration.hazards = try HazardScript(text: script)
    configuration.response = response
    configuration.declarations.requiresServiceSession = promises
    var settings = everything()
    settings.authorization = wanted
    var tracker = TrackerApp(settings: settings)
    tracker.launches = { beside?.follow($0) }
    tracker.launched = { tracker in
      books.launched()
      beside?.launched(tracker)
    }
    if !holds { tracker.senses = { WithoutSessions(sensor: $0) } }
    return SimulatedPhone(configuration, tracker: tracker, server: MemoryServer { books.store($0) })
  }

  @Test(
    "an app that requires a session gets positions while the tracker tracks, and none afterwards",
    arguments: [WantedAuthorization.always, .whenInUse])
  func promised(wanted: WantedAuthorization) throws {
    let (books, beside) = (Books(), Beside())
    let phone = try phone(
      response: wanted == .always ? .always : .whileUsing, promises: true, wanted: wanted, books: books, beside: beside)
    phone.run(until: at(29_000))
    // On the walk, in the background: one session allows the places, the other keeps the app in use.
    phone.run(until: at(29_600))
    if wanted == .whenInUse { #expect(beside.places(29_000...29_600) > 500) }
    #expect(beside.lacking.allSatisfy { $0 < 1 }, "\(beside.lacking)")
    beside.stopTracking()
    phone.run(until: at(29_605))
    phone.run(until: at(30_600))
    #expect(beside.places(29_610...30_600) == 0)
    phone.apply(.open)
    phone.run(until: at(30_700))
    #expect(beside.lacking.contains { $0 >= 29_600 } && beside.places(29_610...30_700) == 0)
    let log = phone.finishLog(policy: "", route: "", day: "")
    phone.end()
    #expect(log.records.count { $0.time > at(28_900).date && $0.time < at(29_600).date } > 650)
  }

  @Test("with the requirement and without a session of the tracker, the rest of the app gets nothing")
  func withoutThem() throws {
    let beside = Beside()
    let phone = try phone(promises: true, wanted: .always, beside: beside, holds: false)
    phone.run(until: at(600))
    phone.end()
    #expect(beside.places(0...600) == 0 && !beside.lacking.isEmpty)
  }

  @Test("a launch creates the sessions again: a killed app that is in use continues by itself", arguments: [true, false])
  func relaunched(holds: Bool) throws {
    let (books, beside) = (Books(), Beside())
    let phone = try phone(
      "+8h15m kill", response: .whileUsing, promises: true, wanted: .whenInUse, books: books, beside: beside, holds: holds)
    phone.run(until: at(30_500))
    phone.end()
    #expect(books.launches == (holds ? 2 : 1))
    #expect((beside.places(29_730...30_500) > 700) == holds)
  }

  @Test(
    "an app without the requirement records the same with sessions as without",
    arguments: [SimulatedPhone.PermissionResponse.always, .whileUsing, .deny], [WantedAuthorization.always, .whenInUse])
  func unchanged(response: SimulatedPhone.PermissionResponse, wanted: WantedAuthorization) throws {
    func records(_ holds: Bool) throws -> ([Record], [Energy], Int) {
      let books = Books()
      let phone = try phone(
        "+8h10m kill\n+8h20m open\n+8h21m close", response: response, promises: false, wanted: wanted, books: books, holds: holds)
      phone.run(until: at(36_000))
      let log = phone.finishLog(policy: "", route: "", day: "")
      phone.end()
      return (books.records, log.energy, log.counts.launches)
    }
    let (with, without) = (try records(true), try records(false))
    #expect(with == without)
    #expect(!with.0.isEmpty || response == .deny)
  }
}
