internal import CoreLocation
internal import GodwitModel
internal import GodwitSimulator

/// The effects of a script's hazards on the app, the system and the server. The world has applied its own part already.
extension SimulatedPhone {
  func happen(_ hazard: Hazard) {
    demand.invalidate()
    switch hazard {
    case .open:
      powerOn()
      open()
    case .close: close()
    case .forceQuit:
      isInFront = false
      endProcess()
      daemon.notify(.swipedAway)
    case .kill:
      isInFront = false
      endProcess()
      daemon.notify(.app(.terminated))
    case .suspend: if !isInFront, isAppRunning { sleepNow() }
    case .reboot, .upgrade:
      (isInFront, lock) = (false, .restarted)
      endProcess()
      requests.removeAll()
      daemon.notify(hazard == .upgrade ? .upgraded : .rebooted)
    case .updateApp, .reinstall:
      isInFront = false
      endProcess()
      if hazard == .reinstall { emptyDisk() }
      daemon.notify(hazard == .reinstall ? .removed : .app(.terminated))
    case .unlock:
      lock.unlock()
      world.setScreen(isOn: true)  // For a moment, without an app in the foreground.
      daemon.notify(.unlocked)
      reportUnlocked()
    case .lock: lock.lock()
    case .permission(let permission): daemon.notify(.authorizationDecided(CLAuthorizationStatus(permission)))
    case .precise(let isOn): daemon.notify(.precise(isOn))
    case .services(let isOn): switchServices(isOn)
    case .motionPermission(let isOn): motion.allow(isOn)
    case .backgroundRefresh: break  // The SDK's updates do not need it, and it is not simulated.
    case .lowPower(let isOn): daemon.notify(.lowPower(isOn))
    case .pause: daemon.notify(.pauseUpdates)
    case .loseEvent: position.isLost = true
    case .repeatEvent: position.isRepeated = true
    case .delayEvent(let seconds): position.delay = seconds
    case .staleFix(let seconds): position.staleness = seconds
    case .burst(let count): position.copies = count
    case .systemRegion: daemon.notify(.systemRegion)
    case .flicker: break  // The world's motion chip reports it.
    case .clock(let shift): clockShift += shift
    case .server(let isOn): serverFault.isOff = !isOn
    case .slowServer(let seconds): serverFault.seconds = seconds
    case .loseReplies(let isOn): serverFault.losesReplies = isOn
    case .serverStatus(let status): serverFault.status = status
    case .charger, .batteryLevel:
      if world.battery.charging > .zero { powerOn() }
      reportBattery()
    case .aeroplane, .wifi, .cellular, .captive, .signal: reportNetwork()
    case .movedRouter: break  // The world has applied it.
    }
  }

  /// Restarts a phone that is off, if its battery is not empty.
  private func powerOn() {
    guard !world.isAlive, world.powerOn() else { return }
    demand.restart()
    daemon.notify(.rebooted)
  }

  private func switchServices(_ isOn: Bool) {
    guard let authorization = locationSwitch.turn(isOn, daemon.authorization) else { return }
    daemon.isSwitchedOn = isOn
    daemon.notify(.authorizationDecided(authorization))
  }
}

extension CLAuthorizationStatus {
  /// Converts the permission of a script.
  init(_ permission: LocationPermission) {
    self =
      switch permission {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .whenInUse: .authorizedWhenInUse
      case .always: .authorizedAlways
      }
  }
}
