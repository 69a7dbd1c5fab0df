public import CoreLocation
internal import CoreMotion
internal import Godwit
package import GodwitModel
internal import GodwitSQLite
public import GodwitSimulator
internal import Synchronization

internal import struct Foundation.Date

/// A phone in a box: a world with radios, a battery and networks, a system with Apple's rules for location, and an app with
/// this project's SDK or any other code over Core Location, all of it in a time of its own and from one seed. The same seed
/// gives the same bytes.
///
/// `@unchecked Sendable`: everything happens on the thread that calls ``run(until:)``; the app's tasks and calls run there too,
/// in the line of their `AppProcess`.
public final class SimulatedPhone: @unchecked Sendable {
  public struct Configuration: Sendable {
    /// Where the phone really is.
    public var truth: Truth
    /// What it costs.
    public var phone: PhoneProfile = .usual
    /// What its system is like.
    public var system: SystemVersion = .usual
    /// Of everything that happens by chance.
    public var seed: UInt64 = 1
    /// The networks over time; `nil`: those along the way.
    public var network: NetworkScript?
    public var hazards = HazardScript()
    /// Beacons along the way.
    public var beacons: [SimulatedBeacon] = []
    /// In the beginning, 0…1.
    public var batteryLevel = 1.0
    /// When it begins; `nil`: with the truth.
    public var start: SimulatedTime?
    /// What the app says about itself in its `Info.plist`.
    public var declarations = AppDeclarations()
    /// What the person answers when the app asks for a permission.
    public var answer = PermissionResponse.always
    /// Seconds after which the person, who opens the app in the beginning, puts it into the background; `nil`: they leave
    /// everything to the script.
    public var closesAfter: Double? = 5

    public init(truth: Truth) { self.truth = truth }
  }

  /// An answer to the question for permission.
  public enum PermissionResponse: String, Sendable, Hashable, Codable, CaseIterable {
    case once, whileUsing, always, deny
  }

  /// What wakes the phone by itself, beside its world.
  enum Alarm: Sendable {
    case sleeper(Int)
    case services
    case reply(Int)
    case holdEnds
    case close
    case sample
    case late([Fix])
  }

  let configuration: Configuration
  let app: PhoneApp
  let server: any SimulatedServer
  public internal(set) var world: World
  var schedule: Schedule<Alarm>
  let host = Host()
  let daemon: LocationDaemon
  let chip: MotionCoprocessor
  var process: AppProcess?
  var running: Task<Void, Never>?
  var whenKilled: [@Sendable () -> Void] = []
  var listener: (@Sendable (AppEvent) -> Void)?
  var sleepers: [Int: Sleeper] = [:]
  var nextNumber = 0
  var servicesTicket: Schedule<Alarm>.Ticket?
  /// Seconds that the phone's clock is ahead of the true time.
  var clockShift = 0.0
  var random: RandomSource
  var isInFront = false
  /// The process has stopped, and the system has not seen it.
  var hasCrashed = false
  var isUnlocked = true
  /// The running app was launched before the first unlock, and has not been told of it.
  var waitsForUnlock = false
  var isDemandOutdated = true
  var demand = LocationServices.Demand()
  var boundaryChecked: SimulatedTime?
  var isHolding = false
  var exchanges: [Int: Exchange] = [:]
  var lastExchange: SimulatedTime?
  var trouble = ServerTrouble()
  var next = NextEvents()
  var services = true
  var permissionBefore: CLAuthorizationStatus?
  var walkingSince: SimulatedTime?
  var log: Log
  /// Is given every position that the system gets to know, whether or not it tells the app.
  package var watchesPositions: ((Fix) -> Void)?
  /// Of the newest tracker.
  var journal: Journal?
  private let diskName: String
  private var disk: [String: Database] = [:]
  private var disksEmptied = 0
  private static let disks = Atomic<Int>(0)

  struct Sleeper {
    var continuation: UnsafeContinuation<Void, any Error>
    var ticket: Schedule<Alarm>.Ticket
  }

  /// - Parameters:
  ///   - configuration: the phone and its world.
  ///   - app: what is installed; the person opens it at once.
  ///   - server: what the network leads to.
  public convenience init(_ configuration: Configuration, app: PhoneApp, server: any SimulatedServer) {
    self.init(configuration, app: app, server: server, isOpen: true)
  }

  init(_ configuration: Configuration, app: PhoneApp, server: any SimulatedServer, isOpen: Bool) {
    self.configuration = configuration
    self.app = app
    self.server = server
    world = World(
      truth: configuration.truth, phone: configuration.phone, seed: configuration.seed, network: configuration.network,
      hazards: configuration.hazards, batteryLevel: configuration.batteryLevel,
      beacons: configuration.beacons.map(\.place), from: configuration.start)
    schedule = Schedule(from: world.now)
    random = RandomSource(seed: configuration.seed, stream: "app")
    let profile = configuration.system.profile
    daemon = LocationDaemon(
      host: host,
      services: LocationServices(
        authorization: .notDetermined, profile: profile, declarations: configuration.declarations))
    chip = MotionCoprocessor(chipOf: daemon)
    diskName = "phone\(Self.disks.wrappingAdd(1, ordering: .relaxed).newValue)"
    log = Log(from: world)
    host.phone = self
    schedule.plan(.sample, at: world.now + Log.interval)
    if isOpen { begin() }
  }

  /// The person opens the app.
  func begin() {
    if let seconds = configuration.closesAfter { schedule.plan(.close, at: world.now + seconds) }
    open()
    settle()
  }

  deinit { host.phone = nil }

  /// The true time.
  public var now: SimulatedTime { world.now }
  /// The time by the phone's clock.
  public var clock: Date { (world.now + clockShift).date }
  public var isAppRunning: Bool { process.map { !$0.isSuspended } ?? false }
  public var isAppSuspended: Bool { process?.isSuspended ?? false }

  /// Lets time pass, and everything happen that does until then.
  public func run(until end: SimulatedTime) {
    while true {
      settle()
      let limit = min(schedule.nextTime() ?? .never, end)
      if let event = world.next(until: limit) {
        schedule.pass(to: world.now)
        handle(event)
        continue
      }
      guard let (_, alarm) = schedule.next(until: end) else { break }
      handle(alarm)
    }
    schedule.pass(to: end)
    settle()
  }

  /// Ends the life of the phone: the app is stopped, and its memory given back. Call it last.
  public func end() {
    endProcess()
    journal = nil
    world.stopUpdating()
  }

  /// Something happens now, besides what the script says.
  public func apply(_ hazard: Hazard) {
    let change = world.apply(hazard)
    if let change { handle(change) }
    happen(hazard)
    settle()
  }

  // MARK: Events

  private func handle(_ event: WorldEvent) {
    switch event {
    // The system's services tell the last known position themselves.
    case .position(_, .cache): break
    case .position(let fix, _): hand(fix)
    case .motion(let motion): see(motion)
    case .beacons(let heard):
      daemon.tell(.sightings(heard.map { configuration.beacons[$0.index].sighting(rssi: $0.rssi) }))
    case .network: reportNetwork()
    case .transferred(let transfer, let isComplete): transferred(transfer.number, isComplete: isComplete)
    case .hazard(let hazard): happen(hazard)
    case .died: die()
    }
  }

  private func handle(_ alarm: Alarm) {
    switch alarm {
    case .sleeper(let number): sleepers.removeValue(forKey: number)?.continuation.resume()
    case .services:
      servicesTicket = nil
      daemon.tell(.timer)
    case .reply(let number): reply(number)
    case .holdEnds: if isHolding { suspend() }
    case .close: close()
    case .sample:
      log.sample(world)
      schedule.plan(.sample, at: world.now + Log.interval)
    case .late(let fixes): tell(fixes)
    }
  }

  /// The app and the system do all that they can do now.
  func settle() {
    repeat {
      process?.drain()
      noticeCrash()
      for output in host.takeOutputs() { carryOut(output) }
    } while process?.hasWork == true || host.hasOutputs
    if isHolding, exchanges.isEmpty { suspend() }
    if host.takeAsked() || isDemandOutdated { reconcile() } else { checkBoundaries() }
  }

  // MARK: Time

  func sleep(_ seconds: Double) async throws {
    nextNumber += 1
    let number = nextNumber
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
        // Whole microseconds, and never too early: dates are not as fine, and who wakes before the time sleeps again.
        let end = SimulatedTime(microseconds: (world.now + max(0, seconds)).microseconds + 1)
        let ticket = schedule.plan(.sleeper(number), at: end)
        sleepers[number] = Sleeper(continuation: continuation, ticket: ticket)
      }
    } onCancel: {
      guard let sleeper = sleepers.removeValue(forKey: number) else { return }
      schedule.cancel(sleeper.ticket)
      sleeper.continuation.resume(throwing: CancellationError())
    }
  }

  // MARK: Disk

  /// What the app kept is gone. Whoever still holds a part of it holds one that nobody will find again.
  func emptyDisk() {
    disk = [:]
    disksEmptied += 1
  }

  /// A database of the phone lives as long as the phone.
  func journalPath(_ name: String) -> String {
    let path = "memdb:/\(diskName).\(disksEmptied)-\(name)"
    if disk[path] == nil { disk[path] = try? Database(path: path) }
    return path
  }
}

/// What the location services see of the phone.
final class Host: LocationHost, @unchecked Sendable {
  // `@unchecked Sendable`: touched on the phone's thread only.
  weak var phone: SimulatedPhone?
  private var outputs: [LocationServices.Output] = []
  private var wasAsked = false

  var now: Date { phone?.clock ?? .distantPast }
  var isListening = true

  func perform(_ call: @escaping @Sendable () -> Void) { phone?.process?.perform(call) }
  func carryOut(_ output: LocationServices.Output) { outputs.append(output) }
  func asked() { wasAsked = true }
  func told(_ output: LocationServices.Output) { phone?.count(output) }

  var hasOutputs: Bool { !outputs.isEmpty }

  func takeOutputs() -> [LocationServices.Output] {
    guard !outputs.isEmpty else { return [] }
    defer { outputs.removeAll(keepingCapacity: true) }
    return outputs
  }

  func takeAsked() -> Bool {
    defer { wasAsked = false }
    return wasAsked
  }
}
