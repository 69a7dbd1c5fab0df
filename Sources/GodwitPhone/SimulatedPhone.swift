public import CoreLocation
internal import Godwit
package import GodwitModel
public import GodwitSimulator

internal import struct Foundation.Date

/// A phone in a box: a world with radios, a battery and networks, a system with Apple's rules for location, and an app with
/// this project's SDK or any other code over Core Location, all of it in a time of its own and from one seed. The same seed
/// gives the same bytes.
///
/// `@unchecked Sendable`: everything happens on the thread that calls ``run(until:)``; the app's tasks and calls run there too,
/// in the line of their `SimulatedProcess`.
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
    /// How its motion chip errs; `nil`: it is always right.
    public var motionChip: MotionChipModel?
    /// In the beginning, 0…1.
    public var batteryLevel = 1.0
    /// When it begins; `nil`: with the truth.
    public var start: SimulatedTime?
    /// What the app says about itself in its `Info.plist`.
    public var declarations = AppDeclarations()
    /// The person's answer when the app requests a permission.
    public var response = PermissionResponse.always
    /// Seconds after which the person puts the app, which is open in the beginning, into the background; `nil`: that is left to the
    /// script.
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
  var position = PositionTrouble()
  var trouble = ServerTrouble()
  var locationSwitch = LocationSwitch()
  var compass = PhoneCompass()
  var log: PhoneLog
  var isInFront = false
  var lock = PhoneLock(isUnlocked: true)
  /// Seconds that the phone's clock is ahead of the true time.
  var clockShift = 0.0
  /// Of the app.
  var random: RandomSource
  /// When the location services check again.
  var servicesTicket: Schedule<Alarm>.Ticket?
  /// Receives every position that the system learns, whether or not it is reported to the app.
  package var watchesPositions: ((Fix) -> Void)?
  private var sleepers = Sleepers()
  private var disk = PhoneDisk()

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

  /// The person opens the app.
  func begin() {
    if let seconds = configuration.closesAfter { schedule.plan(.close, at: world.now + seconds) }
    open()
    runUntilIdle()
  }

  deinit { host.phone = nil }

  /// The true time.
  public var now: SimulatedTime { world.now }
  /// The time by the phone's clock.
  public var clock: Date { (world.now + clockShift).date }
  public var isAppRunning: Bool { running.map { !$0.isSuspended } ?? false }
  public var isAppSuspended: Bool { running?.isSuspended ?? false }

  /// Lets time pass, and everything happen that does until then.
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

  /// Ends the life of the phone: the app is stopped, and its memory given back. Call it last.
  public func end() {
    endProcess()
    log.journal = nil
    world.stopUpdating()
  }

  /// Something happens now, besides what the script says.
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

  /// The app and the system do all that they can do now.
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
        // Whole microseconds, and never too early: dates are not as fine, and a sleeper that wakes too early sleeps again.
        let end = SimulatedTime(microseconds: (world.now + max(0, seconds)).microseconds + 1)
        sleepers.add(number, schedule.plan(.sleeper(number), at: end), continuation)
      }
    } onCancel: {
      if let ticket = sleepers.cancel(number) { schedule.cancel(ticket) }
    }
  }

  // MARK: Disk

  /// What the app kept is gone.
  func emptyDisk() { disk.removeAll() }

  /// A database of the phone lives as long as the phone.
  func journalPath(_ name: String) -> String { disk.path(name) }
}
