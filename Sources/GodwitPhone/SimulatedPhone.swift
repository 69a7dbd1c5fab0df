public import CoreLocation
internal import Godwit
package import GodwitModel
public import GodwitSimulator

internal import struct Foundation.Date

/// A simulated phone: a world with radios, a battery and networks, a system with Apple's rules for location, and an app with
/// this project's SDK or any other code that uses Core Location. It runs in virtual time and is deterministic: the same seed
/// gives the same bytes.
///
/// `@unchecked Sendable`: everything runs on the thread that calls ``run(until:)``, including the app's tasks and calls, in the
/// queue of their `SimulatedProcess`.
public final class SimulatedPhone: @unchecked Sendable {
  public struct Configuration: Sendable {
    /// The true positions of the phone.
    public var truth: Truth
    /// The model of the phone, which determines its energy.
    public var phone: PhoneProfile = .usual
    /// The version of the system.
    public var system: SystemVersion = .usual
    /// The seed of all random values.
    public var seed: UInt64 = 1
    /// The networks over time; `nil`: the networks along the route.
    public var network: NetworkScript?
    public var hazards = HazardScript()
    /// The beacons along the route.
    public var beacons: [SimulatedBeacon] = []
    /// The error model of the motion chip; `nil`: the chip has no errors.
    public var motionChip: MotionChipModel?
    /// The initial level of the battery, 0…1.
    public var batteryLevel = 1.0
    /// The start of the simulation; `nil`: the start of the truth.
    public var start: SimulatedTime?
    /// The declarations of the app, which are in its `Info.plist` on Apple's systems.
    public var declarations = AppDeclarations()
    /// The user's response when the app requests a permission.
    public var response = PermissionResponse.always
    /// The seconds after which the user closes the app, which is open at the start; `nil`: only the script closes it.
    public var closesAfter: Double? = 5

    public init(truth: Truth) { self.truth = truth }
  }

  /// A response of the user to a request for permission.
  public enum PermissionResponse: String, Sendable, Hashable, Codable, CaseIterable {
    case once, whileUsing, always, deny
  }

  /// The scheduled events of the phone, in addition to those of its world.
  enum Alarm: Sendable {
    case sleeper(Int)
    case services
    case reply(Int)
    case holdEnds
    case close
    case sample
    case late([Fix])
    case compass
  }

  let configuration: Configuration
  let app: PhoneApp
  let server: any SimulatedServer
  public internal(set) var world: World
  var schedule: Schedule<Alarm>
  let host = Host()
  let daemon: LocationDaemon
  var running: RunningApp?
  var requests = AppRequests()
  var demand = RadioDemand()
  var motion: MotionSenses
  var position = PositionFault()
  var serverFault = ServerFault()
  var locationSwitch = LocationSwitch()
  var compass = PhoneCompass()
  var log: PhoneLog
  var isInFront = false
  var lock = PhoneLock(isUnlocked: true)
  /// The seconds by which the phone's clock is ahead of the true time.
  var clockShift = 0.0
  /// The random source of the app.
  var random: RandomSource
  /// The scheduled timer of the location services; `nil`: none.
  var servicesTicket: Schedule<Alarm>.Ticket?
  /// Receives every position that the system learns, whether or not it is reported to the app.
  package var watchesPositions: ((Fix) -> Void)?
  private var sleepers = Sleepers()
  private var disk = PhoneDisk()

  /// - Parameters:
  ///   - configuration: the phone and its world.
  ///   - app: the installed app. The user opens it at once.
  ///   - server: the server that receives all requests.
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
      beacons: configuration.beacons.map(\.place), motionChip: configuration.motionChip, from: configuration.start)
    schedule = Schedule(from: world.now)
    random = RandomSource(seed: configuration.seed, stream: "app")
    let profile = configuration.system.profile
    daemon = LocationDaemon(
      host: host,
      services: LocationServices(
        authorization: .notDetermined, profile: profile, declarations: configuration.declarations))
    motion = MotionSenses(daemon)
    log = PhoneLog(from: world)
    host.phone = self
    schedule.plan(.sample, at: world.now + PhoneLog.interval)
    if isOpen { begin() }
  }

  /// Opens the app, as the user does at the start.
  func begin() {
    if let seconds = configuration.closesAfter { schedule.plan(.close, at: world.now + seconds) }
    open()
    runUntilIdle()
  }

  deinit { host.phone = nil }

  /// The true time.
  public var now: SimulatedTime { world.now }
  /// The time of the phone's clock.
  public var clock: Date { (world.now + clockShift).date }
  public var isAppRunning: Bool { running.map { !$0.isSuspended } ?? false }
  public var isAppSuspended: Bool { running?.isSuspended ?? false }

  /// Advances the time, and processes all events until then.
  public func run(until end: SimulatedTime) {
    while true {
      runUntilIdle()
      let limit = min(schedule.nextTime() ?? .never, end)
      if let event = world.next(until: limit) {
        schedule.advance(to: world.now)
        handle(event)
        continue
      }
      guard let (_, alarm) = schedule.next(until: end) else { break }
      handle(alarm)
    }
    schedule.advance(to: end)
    runUntilIdle()
  }

  /// Ends the simulation: the app is stopped and its memory is released. Call it last.
  public func end() {
    endProcess()
    log.journal = nil
    world.stopUpdating()
  }

  /// Applies a hazard now, in addition to those of the script.
  public func apply(_ hazard: Hazard) {
    let change = world.apply(hazard)
    if let change { handle(change) }
    happen(hazard)
    runUntilIdle()
  }

  // MARK: Events

  private func handle(_ event: WorldEvent) {
    switch event {
    // The system's services report the last known position themselves.
    case .position(_, .cache): break
    case .position(let fix, _): deliver(fix)
    case .motion(let seen): motion.handle(seen, clock: clock, at: world.now, isAppRunning: isAppRunning)
    case .beacons(let received):
      daemon.notify(.sightings(received.map { configuration.beacons[$0.index].sighting(rssi: $0.rssi) }))
    case .network: reportNetwork()
    case .transferred(let transfer, let isComplete): transferred(transfer.number, isComplete: isComplete)
    case .hazard(let hazard): happen(hazard)
    case .idle(let isIdle): if isIdle { requests.loseConnections() } else { sleepers.wakePostponed() }
    case .died: die()
    }
  }

  private func handle(_ alarm: Alarm) {
    switch alarm {
    case .sleeper(let number): if world.isIdle { sleepers.postpone(number) } else { sleepers.wake(number) }
    case .services:
      servicesTicket = nil
      daemon.notify(.timer)
    case .reply(let number): requests.reply(number, &log.counts)
    case .holdEnds: if running?.isHolding == true { suspend() }
    case .close: close()
    case .sample:
      log.sample(world)
      schedule.plan(.sample, at: world.now + PhoneLog.interval)
    case .late(let fixes): deliver(fixes)
    case .compass: readCompass()
    }
  }

  /// Performs all work of the app and the system that is due now.
  func runUntilIdle() {
    repeat {
      running?.process.drain()
      noticeCrash()
      for output in host.takeOutputs() { carryOut(output) }
    } while running?.process.hasWork == true || host.hasOutputs
    world.setScreen(isOn: isInFront && !lock.isLocked)
    if running?.isHolding == true, requests.isEmpty { suspend() }
    if host.takeAsked() || demand.isDirty { reconcile() } else { demand.checkBoundaries(&world) }
  }

  // MARK: Time

  func sleep(_ seconds: Double) async throws {
    let number = sleepers.number()
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
        // Rounded up by a microsecond: a `Date` has a lower resolution, and a sleep that ends too early would be repeated.
        let end = SimulatedTime(microseconds: (world.now + TrackerEnvironment.bounded(seconds)).microseconds + 1)
        sleepers.add(number, schedule.plan(.sleeper(number), at: end), continuation)
      }
    } onCancel: {
      if let ticket = sleepers.cancel(number) { schedule.cancel(ticket) }
    }
  }

  // MARK: Disk

  /// Deletes the app's data.
  func emptyDisk() { disk.removeAll() }

  /// Returns the path of a database on the phone's disk, which lives as long as the phone.
  func journalPath(_ name: String) -> String { disk.path(name) }
}
