internal import CoreLocation
internal import Foundation
internal import Godwit
internal import GodwitHTTPClient
internal import GodwitModel
internal import GodwitSimulator

/// The life cycle of the app, and the system's part in it.
extension SimulatedPhone {
  /// The seconds for which an upload keeps an app running that may be suspended, with a background task of the system (since
  /// iOS 13: developers).
  static let uploadGrace = 30.0

  // MARK: Outputs of the location services

  func carryOut(_ output: LocationServices.Output) {
    switch output {
    case .prompt: daemon.notify(.promptAnswered(PromptResponse(configuration.response)))
    case .promptToKeepAlways: daemon.notify(.promptAnswered(configuration.response == .always ? .always : .whileUsing))
    case .promptForFullAccuracy: daemon.notify(.fullAccuracyDecided(configuration.response != .deny))
    case .launchApp(let launch): self.launch(LaunchReason(launch.reason), isUnlocked: !launch.isBeforeFirstUnlock)
    case .wakeApp: wake()
    case .mayBeSuspended:
      if requests.isEmpty {
        suspend()
      } else if running?.hold() == true {
        schedule.plan(.holdEnds, at: world.now + Self.uploadGrace)
      }
    case .wake(let time):
      if let servicesTicket { schedule.cancel(servicesTicket) }
      let real = SimulatedTime(time) + -clockShift
      servicesTicket = schedule.plan(.services, at: max(real, world.now))
    case .compass(let isOn):
      if compass.turn(isOn) { schedule.plan(.compass, at: world.now) }
    default: break  // Radios are set in `reconcile` from all requests together.
    }
    demand.invalidate()
  }

  /// Turns the requested radios on and the others off.
  func reconcile() {
    demand.set(daemon.demand, &world)
    let isRunning = isAppRunning
    world.setRunning(isRunning)
    world.setMotion(isRunning && motion.isListenedTo)
  }

  // MARK: Launching and ending

  func launch(_ reason: LaunchReason, isUnlocked: Bool) {
    guard running == nil, world.isAlive else { return }
    let launched = RunningApp(isUnlocked: isUnlocked)
    let process = launched.process
    running = launched
    if reason != .opened { log.counts.launches += 1 }
    world.relaunch()
    world.setRunning(true)
    let environment = environment(of: process)
    let context = AppContext(
      reason: reason, isUnlocked: isUnlocked, environment: environment, daemon: daemon,
      journalPath: { [unowned self] name in journalPath(name) },
      whenKilled: { [unowned self] body in running?.whenKilled(body) },
      crash: { [weak self, weak process] in if let process { self?.crash(process) } },
      hear: { [unowned self] tell in listen(tell) })
    let app = app
    daemon.scope {
      let task = Task(executorPreference: process) {
        do {
          let kept = try await app.launch(context)
          // The returned object is retained as long as the process runs.
          for await _ in AsyncStream<Never>.never {}
          _ = kept
        } catch {
          // The app has ended or could not start. A test checks the effects of the app.
        }
      }
      running?.begin(task)
    }
    demand.invalidate()
  }

  private func environment(of process: SimulatedProcess) -> TrackerEnvironment {
    var environment = TrackerEnvironment(
      now: { [host] in host.now },
      sleep: { [weak self] seconds in
        guard let self else { throw CancellationError() }
        try await sleep(seconds)
      },
      random: { [weak self] in self?.random.uniform() ?? 0.5 },
      client: HTTPClient { [weak self] request in
        guard let self else { throw HTTPError("The phone is off.") }
        return try await send(request, of: process)
      })
    environment.executor = process
    // The true time, which a change of the phone's clock does not affect.
    environment.uptime = { [weak self] in self.map { $0.world.now.date.timeIntervalSince1970 } ?? 0 }
    return environment
  }

  /// Sends a request of the app over the simulated radios to the server, and returns the response.
  private func send(_ request: HTTPClient.Request, of process: SimulatedProcess) async throws -> HTTPClient.Response {
    try await withUnsafeThrowingContinuation { continuation in
      guard running?.process === process else {
        return continuation.resume(throwing: HTTPError("The app has ended."))
      }
      requests.send(request, over: &world, &log.counts, continuation)
    }
  }

  func transferred(_ number: Int, isComplete: Bool) {
    let isCaptive = world.network.isCaptive
    guard
      let request = requests.transferred(
        number, isComplete: isComplete, isCaptive: isCaptive, &log.counts, at: world.now)
    else { return }
    let outcome = serverFault.outcome(of: request, at: server, world.now)
    log.counts.bytesDown += outcome.bytes
    let seconds = requests.answered(number, outcome, at: world.now)
    if seconds > 0 { schedule.plan(.reply(number), at: world.now + seconds) } else { requests.reply(number, &log.counts) }
  }

  private func listen(_ tell: @escaping @Sendable (AppEvent) -> Void) {
    running?.listen(tell)
    reportCurrent()
  }

  /// Ends the process without a notification. Its later requests have no effect.
  func endProcess() {
    guard let ended = running else { return }
    running = nil
    host.isListening = false
    for body in ended.end() { body() }
    motion.endApp()
    requests.endApp()
    ended.drain()
    host.isListening = true
    world.setRunning(false)
    world.setMotion(false)
    demand.invalidate()
  }

  /// Stops the process at once. The system detects the crash when its current work is done.
  private func crash(_ process: SimulatedProcess) {
    guard process === running?.process else { return }
    host.isListening = false
    for body in running?.crash() ?? [] { body() }
  }

  func noticeCrash() {
    guard running?.hasCrashed == true else { return }
    isInFront = false
    endProcess()
    daemon.notify(.app(.terminated))
  }

  func die() {
    endProcess()
    requests.removeAll()
    daemon.notify(.rebooted)
    (isInFront, lock) = (false, .restarted)
  }

  // MARK: Foreground, background, suspended

  func open() {
    guard world.isAlive else { return }
    isInFront = true
    lock.unlock()
    running?.release()
    daemon.notify(.unlocked)
    daemon.notify(.app(.foreground))
    if running == nil {
      launch(.opened, isUnlocked: true)
    } else {
      resume()
      reportUnlocked()
      notify(.enteredForeground)
    }
  }

  func close() {
    guard isInFront else { return }
    isInFront = false
    notify(.enteredBackground)
    daemon.notify(.app(.background))
    demand.invalidate()
  }

  func suspend() {
    running?.release()
    guard isAppRunning, !isInFront, daemon.mayBeSuspended else { return }
    sleepNow()
  }

  func sleepNow() {
    running?.process.isSuspended = true
    requests.loseConnections()
    daemon.notify(.app(.suspended))
    demand.invalidate()
  }

  private func wake() {
    guard isAppSuspended else { return }
    log.counts.wakes += 1
    world.wake()
    resume()
  }

  private func resume() {
    guard let running, running.isSuspended else { return }
    running.process.isSuspended = false
    demand.invalidate()
    reportCurrent()
    if let seen = world.motion { motion.repeatMotion(seen, clock: clock) }
  }

  // MARK: Events for the app

  /// Passes an event to a running app that is not suspended.
  private func notify(_ event: AppEvent) {
    guard let running, !running.isSuspended else { return }
    running.listener?(event)
  }

  private func reportCurrent() {
    reportUnlocked()
    reportNetwork()
    reportBattery()
    if isInFront { notify(.enteredForeground) }
  }

  /// Reports the first unlock to an app that was launched before it.
  func reportUnlocked() {
    if lock.isUnlocked, running?.takeUnlock() == true { notify(.unlocked) }
  }

  func reportBattery() { notify(.battery(level: world.battery.level, isCharging: world.battery.charging > .zero)) }

  func reportNetwork() {
    notify(.network(isReachable: world.network.isReachable, isWifi: world.network.kind == .wifi))
  }

  /// Delivers a position of the receiver, with the faults that a hazard set for it.
  func deliver(_ fix: Fix) {
    let (fixes, delay) = position.change(fix)
    guard delay > 0 else { return deliver(fixes) }
    schedule.plan(.late(fixes), at: world.now + delay)
    deliver([])
  }

  func deliver(_ fixes: [Fix]) {
    for fix in fixes { watchesPositions?(fix) }
    daemon.notify(.positions(fixes))
  }

  /// Counts an output that is delivered to the app, and its energy.
  func count(_ output: LocationServices.Output) {
    switch output {
    case .deliver(_, let fixes):
      world.deliver(fixes.count)
      log.counts.delivered += fixes.count
    case .visited, .entered, .exited:
      world.monitoringReported()
      demand.invalidate()
    default: demand.invalidate()
    }
  }
}

extension PromptResponse {
  init(_ response: SimulatedPhone.PermissionResponse) {
    self =
      switch response {
      case .once: .once
      case .whileUsing: .whileUsing
      case .always: .always
      case .deny: .deny
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
  /// A stream without elements, which ends only when the waiting task is cancelled.
  static var never: AsyncStream<Never> { AsyncStream { _ in } }
}
