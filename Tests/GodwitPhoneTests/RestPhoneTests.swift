import Foundation
import Godwit
import GodwitHTTPClient
import GodwitModel
import GodwitSimulator
import Synchronization
import Testing

@testable import GodwitPhone

@Suite("A phone at rest")
struct RestPhoneTests {
  /// A server that records the times of the requests.
  private final class TimedServer: SimulatedServer {
    let memory = MemoryServer()
    private let state = Mutex<[Date]>([])
    var times: [Date] { state.withLock { $0 } }

    func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response {
      state.withLock { $0.append(time) }
      return memory.respond(request, at: time)
    }
  }

  /// The results of a night of eight hours, a walk of half an hour and an hour after it.
  private struct Night {
    var joules = 0.0
    /// The minutes of the night with positions.
    var positions: Set<Int> = []
    /// The minutes of the night with uploads.
    var uploads: Set<Int> = []
    /// The minutes of the night in which the phone was idle throughout.
    var idle: Set<Int> = []
    var log: RunLog
    var server: TimedServer
  }

  private func night(_ rules: RestRules, system: SystemVersion = .linux) throws -> Night {
    let walk = straight(from: 28_800, seconds: 1_800, speed: 1.3)
    var configuration = SimulatedPhone.Configuration(
      truth: try Truth(days: [[sample(0)] + walk + [sample(86_400, north: 2_340)]]))
    configuration.phone = try #require(PhoneProfile.named("nexus-6")).with(rules)
    configuration.system = system
    configuration.start = midnight
    let server = TimedServer()
    var settings = everything()
    settings.main.desiredAccuracy = .hundredMeters
    let phone = SimulatedPhone(configuration, tracker: TrackerApp(settings: settings), server: server)
    let minutes = Mutex<Set<Int>>([])
    phone.watchesPositions = { fix in
      let minute = Int(fix.time.timeIntervalSince(midnight.date) / 60)
      minutes.withLock { _ = $0.insert(minute) }
    }
    var idle: Set<Int> = []
    var wasIdle = false
    for minute in 0..<480 {
      phone.run(until: at(Double(minute + 1) * 60))
      if phone.world.isIdle, wasIdle { idle.insert(minute) }
      wasIdle = phone.world.isIdle
    }
    let joules = phone.world.account.used(until: phone.now).joules
    phone.run(until: at(34_200))
    let log = phone.finishLog(policy: "100 m", route: "night", day: "2026-11-20")
    phone.end()
    let uploads = Set(server.times.map { Int($0.timeIntervalSince(midnight.date) / 60) })
    return Night(
      joules: joules, positions: minutes.withLock { $0 }, uploads: uploads, idle: idle, log: log, server: server)
  }

  @Test("a phone with an app in the foreground is not idle until it is locked, and unlocking ends idleness")
  func lock() throws {
    var configuration = SimulatedPhone.Configuration(truth: try Truth(days: [[sample(0), sample(86_400)]]))
    configuration.phone = try #require(PhoneProfile.named("nexus-6"))
    configuration.system = .linux
    configuration.start = midnight
    configuration.closesAfter = nil
    configuration.hazards = try HazardScript(text: "+3h lock\n+4h30m unlock\n+4h31m close")
    let phone = SimulatedPhone(configuration, tracker: TrackerApp(settings: everything()), server: MemoryServer())
    func isIdle(_ hours: Double) -> Bool {
      phone.run(until: at(hours * 3_600))
      return phone.world.isIdle
    }
    #expect(!isIdle(2.9) && !isIdle(4) && isIdle(4.1))
    // The screen is on for one minute and then off.
    #expect(!isIdle(4.51) && !isIdle(5.5) && isIdle(5.6))
    phone.end()
  }

  @Test("Android's rules allow positions and uploads only in the windows; no record is lost, and the night takes less energy")
  func night() throws {
    let (android, apple) = (try night(.doze), try night(.apple))
    #expect(apple.idle.isEmpty && android.idle.count > 360, "\(android.idle.count) idle minutes")
    #expect(android.positions.isDisjoint(with: android.idle) && android.uploads.isDisjoint(with: android.idle))
    #expect(!apple.positions.isDisjoint(with: android.idle) && !apple.uploads.isDisjoint(with: android.idle))
    // After the first hour, there are positions and uploads in the windows.
    #expect(android.positions.contains { $0 > 65 && $0 < 480 } && android.uploads.contains { $0 > 65 && $0 < 480 })
    for night in [android, apple] {
      #expect(night.server.memory.duplicates == 0 && night.server.memory.rejected == 0)
      #expect(night.log.records.count - night.server.memory.count < 10)
      // The walk is recorded.
      #expect(night.log.records.contains { $0.time > at(29_100).date && $0.time < at(30_500).date })
    }
    #expect(android.joules < 0.75 * apple.joules, "\(android.joules) J, \(apple.joules) J")
  }
}
