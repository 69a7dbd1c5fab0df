internal import CoreLocation
internal import CoreMotion
internal import Foundation
internal import Godwit
internal import GodwitModel
internal import GodwitSimulator

/// The life of the app, and what the system does for it.
extension SimulatedPhone {
  /// Seconds that an upload keeps an app running that may be suspended: a background task of the system (since iOS 13:
  /// developers).
  static let uploadGrace = 30.0
  /// Metres from a boundary within which the system looks out for its crossing.
  static let nearBoundary = 500.0
  /// Seconds between two looks at how far the boundaries are.
  static let boundaryInterval = 15.0
  /// Steps a second of somebody walking or running (assumed).
  static let stepsPerSecond = 1.8

  // MARK: What the system wants

  func carryOut(_ output: LocationServices.Output) {
    switch output {
    case .prompt: answerPrompt()
    case .promptToKeepAlways: daemon.tell(.promptAnswered(configuration.answer == .always ? .always : .whileUsing))
    case .promptForFullAccuracy: daemon.tell(.fullAccuracyDecided(configuration.answer != .deny))
    case .launchApp(let launch): self.launch(LaunchReason(launch.reason), isUnlocked: !launch.isBeforeFirstUnlock)
    case .wakeApp: wake()
    case .mayBeSuspended:
      if exchanges.isEmpty {
        suspend()
      } else if !isHolding {
        isHolding = true
        schedule.plan(.holdEnds, at: world.now + Self.uploadGrace)
      }
    case .wake(let time):
      if let servicesTicket { schedule.cancel(servicesTicket) }
      let real = SimulatedTime(time) + -clockShift
      servicesTicket = schedule.plan(.services, at: max(real, world.now))
    default: break  // Radios are turned on and off by what is asked for as a whole.
    }
    isDemandOutdated = true
  }

  private func answerPrompt() {
    let answer: PromptAnswer =
      switch configuration.answer {
      case .once: .once
      case .whileUsing: .whileUsing
      case .always: .always
      case .deny: .deny
      }
    daemon.tell(.promptAnswered(answer))
  }

  /// Turns on what is asked for now, and off what is not.
  func reconcile() {
    isDemandOutdated = false
    let new = daemon.demand
    if new.updates != demand.updates {
      if let wanted = new.updates { world.startUpdating(Self.accuracy(wanted)) } else { world.stopUpdating() }
    }
    world.setBeacons(new.rangesBeacons ? .ranging : new.monitorsBeacons ? .monitoring : .none)
    let hasChanged = new != demand
    demand = new
    if hasChanged { boundaryChecked = nil }
    checkBoundaries()
    let isRunning = isAppRunning
    world.setRunning(isRunning)
    world.setMotion(isRunning && chip.isListenedTo)
  }

  /// Near a boundary the system looks more closely.
  func checkBoundaries() {
    if let boundaryChecked, world.now - boundaryChecked < Self.boundaryInterval { return }
    boundaryChecked = world.now
    var watched: Set<MonitoringService> = []
    if demand.visits { watched.insert(.visits) }
    if demand.significantChanges { watched.insert(.significantChanges) }
    if !demand.circles.isEmpty {
      let place = world.truth().coordinate
      let isNear = demand.circles.contains {
        abs(GreatCircle.distance($0.center, place) - $0.radius) < Self.nearBoundary
      }
      watched.insert(isNear ? .regionsNear : .regionsFar)
    }
    world.setMonitoring(watched)
  }

  private static func accuracy(_ wanted: CLLocationAccuracy) -> DesiredAccuracy {
    switch wanted {
    case ...kCLLocationAccuracyBestForNavigation: .navigation
    case ..<10: .best
    case ..<100: .tenMeters
    case ..<1000: .hundredMeters
    case ..<3000: .kilometer
    default: .threeKilometers
    }
  }

  // MARK: Launching and ending

  func launch(_ reason: LaunchReason, isUnlocked: Bool) {
    guard process == nil, world.isAlive else { return }
    let process = AppProcess()
    self.process = process
    waitsForUnlock = !isUnlocked
    if reason != .opened { log.counts.launches += 1 }
    world.relaunch()
    world.setRunning(true)
    let environment = environment(of: process)
    let context = AppContext(
      reason: reason, isUnlocked: isUnlocked, environment: environment, daemon: daemon,
      journalPath: { [unowned self] name in journalPath(name) },
      whenKilled: { [unowned self] body in whenKilled.append(body) },
      crash: { [weak self, weak process] in if let process { self?.crash(process) } },
      hear: { [unowned self] tell in listen(tell) })
    let app = app
    daemon.scope {
      running = Task(executorPreference: process) {
        do {
          let kept = try await app.launch(context)
          // Whatever it returned lives as long as the process.
          for await _ in AsyncStream<Never>.never {}
          _ = kept
        } catch {
          // It is over, or could not begin; the test of an app looks at what it did.
        }
      }
    }
    isDemandOutdated = true
  }

  private func environment(of process: AppProcess) -> TrackerEnvironment {
    var environment = TrackerEnvironment(
      now: { [host] in host.now },
      sleep: { [weak self] seconds in
        guard let self else { throw CancellationError() }
        try await sleep(seconds)
      },
      random: { [weak self] in self?.random.uniform() ?? 0.5 },
      client: HTTPClient { [weak self] request in
        guard let self else { throw HTTPError("The phone is off.") }
        return try await exchange(request, of: process)
      })
    environment.executor = process
    // The true time: no setting of the clock moves it.
    environment.uptime = { [weak self] in self.map { $0.world.now.date.timeIntervalSince1970 } ?? 0 }
    return environment
  }

  private func listen(_ tell: @escaping @Sendable (AppEvent) -> Void) {
    listener = tell
    reportCurrent()
  }

  /// The process ends without a word: nothing that it still wants happens.
  func endProcess() {
    guard let process else { return }
    self.process = nil
    (isHolding, hasCrashed) = (false, false)
    host.isListening = false
    process.end()
    for body in whenKilled { body() }
    whenKilled = []
    listener = nil
    chip.removeListeners()
    for (number, exchange) in exchanges.sorted(by: { $0.key < $1.key }) {
      exchanges[number]?.continuation = nil
      exchange.continuation?.resume(throwing: HTTPError("The app has ended."))
    }
    running?.cancel()
    running = nil
    process.drain()
    host.isListening = true
    world.setRunning(false)
    world.setMotion(false)
    isDemandOutdated = true
  }

  /// The process stops where it is. The system sees it when it is done with what it does itself.
  private func crash(_ process: AppProcess) {
    guard process === self.process else { return }
    hasCrashed = true
    host.isListening = false
    process.isSuspended = true
    for body in whenKilled { body() }
    whenKilled = []
  }

  func noticeCrash() {
    guard hasCrashed else { return }
    hasCrashed = false
    isInFront = false
    endProcess()
    daemon.tell(.app(.terminated))
  }

  func die() {
    endProcess()
    exchanges = [:]
    daemon.tell(.rebooted)
    (isInFront, isUnlocked) = (false, false)
  }

  // MARK: In front, in the background, asleep

  func open() {
    guard world.isAlive else { return }
    isInFront = true
    isUnlocked = true
    isHolding = false
    daemon.tell(.unlocked)
    daemon.tell(.app(.foreground))
    if process == nil {
      launch(.opened, isUnlocked: true)
    } else {
      resume()
      reportUnlocked()
      listener?(.enteredForeground)
    }
  }

  func close() {
    guard isInFront else { return }
    isInFront = false
    listener?(.enteredBackground)
    daemon.tell(.app(.background))
    isDemandOutdated = true
  }

  func suspend() {
    isHolding = false
    guard let process, !process.isSuspended, !isInFront, daemon.mayBeSuspended else { return }
    sleepNow(process)
  }

  func sleepNow(_ process: AppProcess) {
    process.isSuspended = true
    // The system closes the connections of who sleeps; what was on its way arrives, and its answer is lost.
    for number in exchanges.keys { exchanges[number]?.isLost = true }
    daemon.tell(.app(.suspended))
    isDemandOutdated = true
  }

  private func wake() {
    guard let process, process.isSuspended else { return }
    log.counts.wakes += 1
    world.wake()
    resume()
  }

  private func resume() {
    guard let process, process.isSuspended else { return }
    process.isSuspended = false
    isDemandOutdated = true
    reportCurrent()
    if let motion = world.motion { chip.see(Self.activity(motion, at: clock), isNew: false) }
  }

  // MARK: What the app is told

  private func reportCurrent() {
    guard let listener, isAppRunning else { return }
    reportUnlocked()
    reportNetwork()
    reportBattery()
    if isInFront { listener(.enteredForeground) }
  }

  /// To an app that was launched before: once, as soon as it can hear it.
  func reportUnlocked() {
    guard waitsForUnlock, isUnlocked, let listener, isAppRunning else { return }
    waitsForUnlock = false
    listener(.unlocked)
  }

  func reportBattery() {
    guard let listener, isAppRunning else { return }
    listener(.battery(level: world.battery.level, isCharging: world.battery.charging > .zero))
  }

  func reportNetwork() {
    guard let listener, isAppRunning else { return }
    listener(.network(isReachable: world.network.isReachable, isWifi: world.network.kind == .wifi))
  }

  /// Positions of the receiver, with what a hazard makes of the next one.
  func hand(_ fix: Fix) {
    let fixes = next.isTrouble ? next.change(fix, &schedule, at: world.now) : [fix]
    tell(fixes)
  }

  func tell(_ fixes: [Fix]) {
    for fix in fixes { watchesPositions?(fix) }
    daemon.tell(.positions(fixes))
  }

  func see(_ motion: Motion) {
    chip.see(Self.activity(motion, at: clock), isNew: true, tells: isAppRunning)
    if motion.contains(.walking) || motion.contains(.running) {
      walkingSince = walkingSince ?? world.now
    } else if let since = walkingSince {
      chip.count(steps: Int((world.now - since) * Self.stepsPerSecond), until: clock)
      walkingSince = nil
    }
  }

  private static func activity(_ motion: Motion, at time: Date) -> CMMotionActivity {
    CMMotionActivity(
      startDate: time, confidence: .high, unknown: motion.isEmpty, stationary: motion.contains(.stationary),
      walking: motion.contains(.walking), running: motion.contains(.running), automotive: motion.contains(.driving),
      cycling: motion.contains(.cycling))
  }

  /// Energy and numbers of what the system told the app.
  func count(_ output: LocationServices.Output) {
    switch output {
    case .deliver(_, let fixes):
      world.deliver(fixes.count)
      log.counts.delivered += fixes.count
    case .visited, .entered, .exited:
      world.monitoringTold()
      isDemandOutdated = true
    default: isDemandOutdated = true
    }
  }
}

extension LaunchReason {
  init(_ reason: AppLaunch.Reason) {
    self =
      switch reason {
      case .significantChange: .significantChange
      case .visit: .visit
      case .region: .region
      case .liveUpdates: .liveUpdates
      case .swipedAway: .swipedAway
      }
  }
}

extension AsyncStream where Element == Never {
  /// Ends only with the task that waits for it.
  static var never: AsyncStream<Never> { AsyncStream { _ in } }
}
