import CoreLocation
import CoreMotion
import Foundation
import Godwit
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitSimulator
import GodwitTesting
import Synchronization
@_exported import TestDays

@testable import GodwitApp
@testable import GodwitPhone

/// A set-up link, as a server's page shows it in a QR code.
let pairingLink =
  "godwit://setup?url=https%3A%2F%2Fhome.example%2Fapi%2Foverland&token=secret-1&main.tracking_mode=standard"
  + "&main.desired_accuracy=best&send_interval=1m"

/// The files of the app and the Keychain. Both survive the process, and cannot be read before the first unlock.
final class AppDisk: Sendable {
  private struct State {
    var files: [String: Data] = [:]
    var tokens: [String: String] = [:]
    var isUnlocked = true
    var waiters: [AsyncStream<Void>.Continuation] = []
    var isFull = false
  }
  struct Unreadable: Error, CustomStringConvertible { let description = "The file cannot be read now." }

  private let state = Mutex(State())

  var isUnlocked: Bool { state.withLock { $0.isUnlocked } }
  func lock() { state.withLock { $0.isUnlocked = false } }
  func unlock() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      state.isUnlocked = true
      return state.waiters
    }
    for waiter in waiters { waiter.finish() }
  }
  /// Makes all further writes fail.
  func fill() { state.withLock { $0.isFull = true } }

  var files: AppFiles {
    AppFiles(
      read: { [self] name in
        try state.withLock { state in
          guard state.isUnlocked else { throw Unreadable() }
          return state.files[name]
        }
      },
      write: { [self] name, bytes in
        try state.withLock { state in
          guard !state.isFull else { throw Unreadable() }
          state.files[name] = bytes
        }
      })
  }

  var credentials: CredentialStore {
    CredentialStore(
      token: { [self] server in
        try state.withLock { state in
          guard state.isUnlocked else { throw Unreadable() }
          return state.tokens[server]
        }
      },
      setToken: { [self] token, server in state.withLock { $0.tokens[server] = token } })
  }

  var protectedData: Tracker.ProtectedData {
    Tracker.ProtectedData(
      isAvailable: { [self] in isUnlocked },
      becomesAvailable: { [self] in
        let (stream, waiter) = AsyncStream<Void>.makeStream()
        let isUnlocked = state.withLock { state in
          if !state.isUnlocked { state.waiters.append(waiter) }
          return state.isUnlocked
        }
        if !isUnlocked { for await _ in stream {} }
      })
  }

  /// The contents of all files as text, for searches for secrets.
  var fileTexts: [String] { state.withLock { $0.files.values.map { String(decoding: $0, as: UTF8.self) } } }
}

/// A network with a server for each host.
final class HostServers: SimulatedServer {
  private let home: MemoryServer
  private let others = Mutex<[String: MemoryServer]>([:])
  /// Hosts that respond with 503.
  private let failing = Mutex<Set<String>>([])

  init(home: MemoryServer) { self.home = home }

  subscript(host: String) -> MemoryServer {
    guard host != "home.example" else { return home }
    return others.withLock { servers in
      if let server = servers[host] { return server }
      let server = MemoryServer()
      servers[host] = server
      return server
    }
  }

  func fail(_ host: String, _ isFailing: Bool) {
    failing.withLock { hosts in if isFailing { hosts.insert(host) } else { hosts.remove(host) } }
  }

  func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response {
    let host = request.url.host ?? ""
    if failing.withLock({ $0.contains(host) }) { return HTTPClient.Response(status: 503) }
    return self[host].respond(request, at: time)
  }
}

/// The app on a simulated phone. Each launch creates a new model.
@MainActor
final class AppPhone {
  let installed: InstalledApp
  let server: MemoryServer
  let hosts: HostServers
  let phone: SimulatedPhone

  init(
    _ script: String = "", seed: UInt64 = 1, response: SimulatedPhone.PermissionResponse = .always, closesAfter: Double? = nil,
    watchesRegions: Bool = false,
    changes: @escaping @MainActor (inout AppServices) -> Void = { _ in }
  ) throws {
    var configuration = SimulatedPhone.Configuration(truth: try workday())
    configuration.seed = seed
    configuration.start = midnight
    configuration.hazards = try HazardScript(text: script)
    configuration.response = response
    configuration.closesAfter = closesAfter
    let installed = InstalledApp(watchesRegions: watchesRegions, changes: changes)
    self.installed = installed
    server = MemoryServer { [received = installed.received] in received.store($0) }
    hosts = HostServers(home: server)
    phone = SimulatedPhone(configuration, app: PhoneApp.onMainActor { installed.launch($0) }, server: hosts)
    model.refresh()
  }

  /// The model of the newest launch.
  var model: AppModel {
    // The app is launched with the phone, so there is at least one model.
    installed.models.last!
  }
  var disk: AppDisk { installed.disk }
  var records: [Record] { installed.received.records }
  var launches: [LaunchReason] { installed.reasons }

  /// Advances the time, and refreshes the screens at its end.
  func run(until end: SimulatedTime) {
    phone.run(until: end)
    model.refresh()
  }

  /// Advances the time, so that the app finishes pending work.
  func settle(_ seconds: Double = 1) { run(until: phone.now + seconds) }

  func apply(_ hazard: Hazard) {
    phone.apply(hazard)
    model.refresh()
  }

  /// Completes onboarding and grants all permissions.
  func finishOnboarding() {
    settle()
    for _ in 0..<10 where model.showsOnboarding {
      if model.onboarding.step == .server { model.onboarding.skip() } else { model.onboarding.act() }
      settle()
    }
  }

  /// Scans the code of the server and confirms.
  func pair(_ link: String = pairingLink) {
    model.pairing.begin()
    model.pairing.scanned(link)
    model.pairing.confirm()
    model.pairing.close()
    settle()
  }

  /// Whether every record was received once, with distinct sequence numbers, and none was rejected.
  func arrivedOnce() -> Bool {
    let numbers = records.compactMap { $0.id?.sequence.value }.sorted()
    return server.duplicates == 0 && server.rejected == 0 && Set(numbers).count == numbers.count && numbers.count == records.count
  }

  func end() { phone.end() }
}

/// The installed app: its files, and a model for each launch.
@MainActor
final class InstalledApp {
  let disk = AppDisk()
  let received = ReceivedRecords()
  private(set) var models: [AppModel] = []
  private(set) var reasons: [LaunchReason] = []
  private(set) var settingsOpened = 0
  /// The permissions that were requested.
  private(set) var asked: [String] = []
  /// The user's decision about motion and notifications.
  var decision = AppPermissions.Decision.granted
  private let changes: @MainActor (inout AppServices) -> Void

  private let watchesRegions: Bool

  init(watchesRegions: Bool, changes: @escaping @MainActor (inout AppServices) -> Void) {
    self.watchesRegions = watchesRegions
    self.changes = changes
  }

  func launch(_ context: AppContext) -> AnyObject? {
    reasons.append(context.reason)
    if context.isUnlocked { disk.unlock() } else { disk.lock() }
    var services = AppServices(journalPath: context.journalPath(), files: disk.files, credentials: disk.credentials)
    services.environment = context.environment
    services.protectedData = disk.protectedData
    services.timeZone = .gmt
    services.openSystemSettings = { [weak self] in self?.settingsOpened += 1 }
    services.permissions = permissions()
    services.trackerOpened = { [disk] in Self.connect($0, context, disk) }
    changes(&services)
    let sensor = LocationSensor(
      manager: CLLocationManager(), motion: CMMotionActivityManager(), regions: watchesRegions ? CLLocationManager() : nil,
      now: context.environment.now)
    let model = AppModel(services: services, sensor: sensor)
    context.onEvent { [disk] in if $0 == .unlocked { disk.unlock() } }
    // Work of a terminated app must not change the files.
    context.whenKilled { [weak model] in
      model?.openTracker?.journal.freeze()
      model?.openTracker?.regions?.freeze()
    }
    models.append(model)
    return model
  }

  private func permissions() -> AppPermissions {
    AppPermissions(
      motion: { [weak self] in self?.asked.contains("motion") == true ? .granted : .undecided },
      requestMotion: { [weak self] done in
        self?.asked.append("motion")
        done(self?.decision ?? .denied)
      },
      requestNotifications: { [weak self] done in
        self?.asked.append("notifications")
        done(self?.decision ?? .denied)
      })
  }

  private nonisolated static func connect(_ tracker: Tracker, _ context: AppContext, _ disk: AppDisk) {
    context.onEvent { [weak tracker] event in
      switch event {
      case .unlocked: disk.unlock()
      case .enteredForeground: tracker?.becameActive()
      case .network(let isReachable, let isWifi): tracker?.networkChanged(isReachable: isReachable, isWifi: isWifi)
      case .battery(let level, let isCharging):
        tracker?.update { context in
          context.batteryLevel = level
          context.batteryState = isCharging ? .charging : .unplugged
        }
      case .enteredBackground: break
      }
    }
  }
}
