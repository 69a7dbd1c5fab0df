import Foundation
import Godwit
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitPhone

@Suite("The simulated phone")
struct SimulatedPhoneTests {
  private func phone(
    _ script: String = "", seed: UInt64 = 1, system: SystemVersion = .usual, settings: Settings = everything(),
    received: ReceivedRecords = ReceivedRecords()
  ) throws -> (phone: SimulatedPhone, server: MemoryServer) {
    var configuration = SimulatedPhone.Configuration(truth: try workday())
    configuration.seed = seed
    configuration.system = system
    configuration.start = midnight
    configuration.hazards = try HazardScript(text: script)
    let server = MemoryServer { received.store($0) }
    var tracker = TrackerApp(settings: settings)
    tracker.launched = { _ in received.launched() }
    return (SimulatedPhone(configuration, tracker: tracker, server: server), server)
  }

  @Test("a day with the whole SDK: each record arrives once, and the track equals the route")
  func day() throws {
    let (phone, server) = try phone()
    phone.run(until: at(86_400))
    let log = phone.finishLog(policy: "best", route: "workday", day: "2026-11-20")
    phone.end()
    #expect(server.duplicates == 0 && server.rejected == 0)
    #expect(log.records.count - server.count < 10, "\(log.records.count) recorded, \(server.count) arrived")
    // 2.5 hours of travel at 1 Hz.
    #expect(log.records.count > 8_500 && log.records.count < 11_500)
    var cursor = TruthCursor(try workday())
    let errors = log.records.compactMap { record -> Double? in
      guard case .fix(let fix) = record.kind, (fix.horizontalAccuracy ?? 99) < 20 else { return nil }
      return GreatCircle.distance(fix.coordinate, cursor.state(at: SimulatedTime(fix.time)).coordinate)
    }.sorted()
    #expect(errors[errors.count / 2] < 10)
    #expect(log.counts.launches == 0 && log.counts.wakes == 0)
    #expect(log.energy.reduce(.zero, +) > .wattHours(5))
  }

  @Test("the same seed gives the same records, and another seed gives others")
  func isDeterministic() throws {
    func records(_ seed: UInt64) throws -> [Record] {
      let received = ReceivedRecords()
      let (phone, _) = try phone("+9h kill\n+10h captive on\n+11h captive off", seed: seed, received: received)
      phone.run(until: at(43_200))
      phone.end()
      return received.records
    }
    let first = try records(7)
    #expect(first.count > 3_000)
    #expect(try records(7) == first)
    #expect(try records(8) != first)
  }

  @Test("a simulation's results do not depend on the number of processors", arguments: [1, 2, 5])
  func anyProcessors(count: Int) throws {
    let route = try Route(
      name: "walk", tracks: [straight(from: 28_800, seconds: 1_200, speed: 1.3), straight(from: 120_000, seconds: 900, speed: 5)])
    #expect(route.days.map(\.name) == ["2026-11-20", "2026-11-21"])
    var saving = Settings()
    saving.apply(.batterySaving)
    let simulation = Simulation(
      routes: [route],
      policies: [
        Policy(name: "best", summary: "", settings: everything()), Policy(name: "saving", summary: "", settings: saving),
      ])
    func results(_ processors: Int) -> [String] {
      simulation.run(processors: processors) { log, _ in
        "\(log.day) \(log.policy) \(log.records.hashValue) \(log.energy.map(\.picojoules)) \(log.counts)"
      }
    }
    #expect(results(count) == results(1))
    #expect(Set(results(count)).count == 4)
  }

  @Test("a simulation with an inaccurate motion chip reports it, and adaptive then records differently")
  func motionChip() throws {
    let route = try Route(name: "drive", tracks: [straight(from: 28_800, seconds: 3_600, speed: 15)])
    let policy = try #require(Policy.named("adaptive"))
    var simulation = Simulation(routes: [route], policies: [policy])
    func logs() -> [RunLog] { simulation.run(processors: 1) { log, _ in log } }
    let ideal = try #require(logs().first)
    simulation.motionChip = MotionChipModel.named("android-2014")
    let other = try #require(logs().first)
    #expect(ideal.motionChip == nil && other.motionChip == "android-2014")
    #expect(MeasuredRun(other, truth: route.truth).phone == "phone-2023, motion chip android-2014")
    #expect(ideal.records != other.records && logs().first?.records == other.records)
  }

  @Test("after a kill, the next launch continues with the journal, and no record is lost or stored twice")
  func killed() throws {
    let received = ReceivedRecords()
    let (phone, server) = try phone(
      "+8h20m server off\n+8h40m kill\n+8h50m open\n+8h51m close\n+10h server on", received: received)
    phone.run(until: at(86_400))
    let log = phone.finishLog(policy: "best", route: "workday", day: "2026-11-20")
    phone.end()
    #expect(received.launches == 2)
    #expect(log.counts.failedUploads > 2)
    #expect(server.duplicates == 0)
    let numbers = received.records.compactMap { $0.id?.sequence.value }
    #expect(numbers.sorted() == Array(1...Int64(numbers.count)), "every number exists once")
    #expect(log.records.count - numbers.count < 10)
    // The app does not run from 8:40 to 8:50.
    let whileKilled = received.records.filter { at(31_210).date < $0.time && $0.time < at(31_790).date }
    #expect(whileKilled.isEmpty)
  }

  @Test("after a lost response the same records arrive again, and the server stores each once")
  func lostReplies() throws {
    let received = ReceivedRecords()
    let (phone, server) = try phone("+8h10m lose-replies on\n+8h40m lose-replies off", received: received)
    phone.run(until: at(43_200))
    phone.end()
    #expect(server.duplicates > 0)
    #expect(Set(received.records.compactMap(\.id)).count == received.records.count)
  }

  @Test("an app with monitoring only is suspended, woken by significant changes, and uses little energy")
  func watching() throws {
    var settings = Settings()
    settings.apply(.batterySaving)
    let (phone, _) = try phone(settings: settings)
    phone.run(until: at(10_000))
    #expect(phone.isAppSuspended)
    phone.run(until: at(86_400))
    let log = phone.finishLog(policy: "saving", route: "workday", day: "2026-11-20")
    phone.end()
    #expect(log.counts.wakes > 10 && log.counts.wakes < 300)
    let used = zip(EnergyPart.allCases, log.energy).filter { $0.0 != .standby }.map(\.1).reduce(.zero, +)
    #expect(used < .wattHours(0.25), "\(used.milliwattHours) mWh")
  }

  @Test("a force-quit app is launched again, except on iOS 26", arguments: SystemVersion.phones)
  func forceQuit(system: SystemVersion) throws {
    var settings = Settings()
    settings.apply(.batterySaving)
    let received = ReceivedRecords()
    let (phone, _) = try phone("+8h25m force-quit", system: system, settings: settings, received: received)
    phone.run(until: at(36_000))
    let launches = phone.finishLog(policy: "saving", route: "workday", day: "2026-11-20").counts.launches
    phone.end()
    #expect((launches > 0) == (system != .ios26))
    #expect(received.launches == launches + 1)
  }

  @Test("a phone with an empty battery records nothing, and continues after it is charged and the app is opened")
  func emptyBattery() throws {
    let received = ReceivedRecords()
    let (phone, _) = try phone("+8h20m battery 0.001\n+9h charger on\n+9h05m open\n+9h06m close", received: received)
    phone.run(until: at(43_200))
    phone.end()
    #expect(received.launches == 2)
    #expect(received.records.contains { $0.time > at(33_000).date })
  }
}
