import CoreLocation
import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitSimulator
import Synchronization
import Testing

@testable import GodwitPhone

/// A sensor that holds no session, like a tracker without the support for sessions.
private struct WithoutSessions: SensorWrapper {
  let sensor: any Sensor

  func connect(_ tell: @escaping @Sendable (Event) -> Void) { sensor.connect(tell) }
  func hold(_ sessions: SessionRequest?) {}
}

/// Records the live updates that the app requests in addition to the tracker. They receive only what the tracker's sessions allow.
private final class OtherUpdates: Sendable {
  private let state = Mutex((places: [Double](), missingSession: [Double](), tracker: Tracker?.none))

  func follow(_ launch: AppContext) {
    // On the thread of the app.
    Task(executorPreference: launch.environment.executor) { [self] in
      for try await update in CLLocationUpdate.liveUpdates() {
        let now = launch.environment.now().timeIntervalSince(midnight.date)
        state.withLock { state in
          if update.serviceSessionRequired { state.missingSession.append(now) }
          if update.location != nil { state.places.append(now) }
        }
      }
    }
  }

  func launched(_ tracker: Tracker) { state.withLock { $0.tracker = tracker } }
  func stopTracking() { state.withLock { $0.tracker }?.stopTracking() }
  func places(_ times: ClosedRange<Double>) -> Int { state.withLock { $0.places }.count { times.contains($0) } }
  var missingSession: [Double] { state.withLock { $0.missingSession } }
}

@Suite("The sessions of a tracker on the simulated phone")
struct SessionPhoneTests {
  private func phone(
    _ script: String = "", response: SimulatedPhone.PermissionResponse = .always, isRequired: Bool, wanted: WantedAuthorization,
    received: ReceivedRecords = ReceivedRecords(), other: OtherUpdates? = nil, holds: Bool = true
  ) throws -> SimulatedPhone {
    var configuration = SimulatedPhone.Configuration(truth: try workday())
    configuration.system = .ios18
    configuration.start = midnight
    configuration.hazards = try HazardScript(text: script)
    configuration.response = response
    configuration.declarations.requiresServiceSession = isRequired
    var settings = everything()
    settings.authorization = wanted
    var tracker = TrackerApp(settings: settings)
    tracker.launches = { other?.follow($0) }
    tracker.launched = { tracker in
      received.launched()
      other?.launched(tracker)
    }
    if !holds { tracker.senses = { WithoutSessions(sensor: $0) } }
    return SimulatedPhone(configuration, tracker: tracker, server: MemoryServer { received.store($0) })
  }

  @Test(
    "an app that requires a session gets positions while the tracker tracks, and none afterwards",
    arguments: [WantedAuthorization.always, .whenInUse])
  func required(wanted: WantedAuthorization) throws {
    let (received, other) = (ReceivedRecords(), OtherUpdates())
    let phone = try phone(
      response: wanted == .always ? .always : .whileUsing, isRequired: true, wanted: wanted, received: received, other: other)
    phone.run(until: at(29_000))
    // On the walk, in the background: one session allows the positions, the other keeps the app in use.
    phone.run(until: at(29_600))
    if wanted == .whenInUse { #expect(other.places(29_000...29_600) > 500) }
    #expect(other.missingSession.allSatisfy { $0 < 1 }, "\(other.missingSession)")
    other.stopTracking()
    phone.run(until: at(29_605))
    phone.run(until: at(30_600))
    #expect(other.places(29_610...30_600) == 0)
    phone.apply(.open)
    phone.run(until: at(30_700))
    #expect(other.missingSession.contains { $0 >= 29_600 } && other.places(29_610...30_700) == 0)
    let log = phone.finishLog(policy: "", route: "", day: "")
    phone.end()
    #expect(log.records.count { $0.time > at(28_900).date && $0.time < at(29_600).date } > 650)
  }

  @Test("with the requirement and without a session of the tracker, other code of the app receives no positions")
  func withoutSessions() throws {
    let other = OtherUpdates()
    let phone = try phone(isRequired: true, wanted: .always, other: other, holds: false)
    phone.run(until: at(600))
    phone.end()
    #expect(other.places(0...600) == 0 && !other.missingSession.isEmpty)
  }

  @Test("a launch creates the sessions again: a killed app that was in use continues without the user", arguments: [true, false])
  func relaunched(holds: Bool) throws {
    let (received, other) = (ReceivedRecords(), OtherUpdates())
    let phone = try phone(
      "+8h15m kill", response: .whileUsing, isRequired: true, wanted: .whenInUse, received: received, other: other, holds: holds)
    phone.run(until: at(30_500))
    phone.end()
    #expect(received.launches == (holds ? 2 : 1))
    #expect((other.places(29_730...30_500) > 700) == holds)
  }

  @Test(
    "an app without the requirement records the same with and without sessions",
    arguments: [SimulatedPhone.PermissionResponse.always, .whileUsing, .deny], [WantedAuthorization.always, .whenInUse])
  func unchanged(response: SimulatedPhone.PermissionResponse, wanted: WantedAuthorization) throws {
    func records(_ holds: Bool) throws -> ([Record], [Energy], Int) {
      let received = ReceivedRecords()
      let phone = try phone(
        "+8h10m kill\n+8h20m open\n+8h21m close", response: response, isRequired: false, wanted: wanted, received: received,
        holds: holds)
      phone.run(until: at(36_000))
      let log = phone.finishLog(policy: "", route: "", day: "")
      phone.end()
      return (received.records, log.energy, log.counts.launches)
    }
    let (with, without) = (try records(true), try records(false))
    #expect(with == without)
    #expect(!with.0.isEmpty || response == .deny)
  }
}
