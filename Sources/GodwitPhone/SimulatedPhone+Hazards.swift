internal import CoreLocation
internal import CoreMotion
internal import Foundation
internal import GodwitModel
internal import GodwitSimulator

/// What a script does to the app, its system and its server. The world has done its own part already.
extension SimulatedPhone {
  /// What happens to the next position.
  struct NextEvents {
    var isLost = false
    var isRepeated = false
    var delay = 0.0
    var staleness = 0.0
    var copies = 1

    var isTrouble: Bool { isLost || isRepeated || delay > 0 || staleness > 0 || copies > 1 }

    mutating func change(_ fix: Fix, _ schedule: inout Schedule<Alarm>, at now: SimulatedTime) -> [Fix] {
      defer { self = NextEvents() }
      guard !isLost else { return [] }
      var told = fix
      // An old place is told with the exactness that it had.
      if staleness > 0 { told.time = told.time.addingTimeInterval(-staleness) }
      let fixes = Array(repeating: told, count: copies + (isRepeated ? 1 : 0))
      guard delay > 0 else { return fixes }
      schedule.plan(.late(fixes), at: now + delay)
      return []
    }
  }

  func happen(_ hazard: Hazard) {
    isDemandOutdated = true
    switch hazard {
    case .open:
      powerOn()
      open()
    case .close: close()
    case .forceQuit:
      isInFront = false
      endProcess()
      daemon.tell(.swipedAway)
    case .kill:
      isInFront = false
      endProcess()
      daemon.tell(.app(.terminated))
    case .suspend: if !isInFront, let process, !process.isSuspended { sleepNow(process) }
    case .reboot, .upgrade:
      (isInFront, isUnlocked) = (false, false)
      endProcess()
      exchanges = [:]
      daemon.tell(hazard == .upgrade ? .upgraded : .rebooted)
    case .updateApp, .reinstall:
      isInFront = false
      endProcess()
      if hazard == .reinstall { emptyDisk() }
      daemon.tell(hazard == .reinstall ? .removed : .app(.terminated))
    case .unlock:
      isUnlocked = true
      daemon.tell(.unlocked)
      reportUnlocked()
    case .lock: break
    case .permission(let permission): daemon.tell(.authorizationDecided(Self.status(permission)))
    case .precise(let isOn): daemon.tell(.precise(isOn))
    case .services(let isOn): switchServices(isOn)
    case .motionPermission(let isOn): chip.isAllowed = isOn
    case .backgroundRefresh: break  // The SDK's updates do not need it, and nothing here starts it.
    case .lowPower(let isOn): daemon.tell(.lowPower(isOn))
    case .pause: daemon.tell(.pauseUpdates)
    case .loseEvent: next.isLost = true
    case .repeatEvent: next.isRepeated = true
    case .delayEvent(let seconds): next.delay = seconds
    case .staleFix(let seconds): next.staleness = seconds
    case .burst(let count): next.copies = count
    case .systemRegion: daemon.tell(.systemRegion)
    case .flicker: break  // The world's motion chip tells it.
    case .clock(let shift): clockShift += shift
    case .server(let isOn): trouble.isOff = !isOn
    case .slowServer(let seconds): trouble.seconds = seconds
    case .loseReplies(let isOn): trouble.losesReplies = isOn
    case .serverStatus(let status): trouble.status = status
    case .charger, .batteryLevel:
      if world.battery.charging > .zero { powerOn() }
      reportBattery()
    case .aeroplane, .wifi, .cellular, .captive, .signal: reportNetwork()
    case .movedRouter: break  // The world has done it.
    }
  }

  /// A phone that was off begins anew, if there is anything in its battery.
  private func powerOn() {
    guard !world.isAlive, world.powerOn() else { return }
    boundaryChecked = nil
    daemon.tell(.rebooted)
  }

  private func switchServices(_ isOn: Bool) {
    guard isOn != services else { return }
    services = isOn
    daemon.isSwitchedOn = isOn
    if !isOn {
      permissionBefore = daemon.authorization
      daemon.tell(.authorizationDecided(.denied))
    } else if let permissionBefore {
      daemon.tell(.authorizationDecided(permissionBefore))
    }
  }

  private static func status(_ permission: LocationPermission) -> CLAuthorizationStatus {
    switch permission {
    case .notDetermined: .notDetermined
    case .restricted: .restricted
    case .denied: .denied
    case .whenInUse: .authorizedWhenInUse
    case .always: .authorizedAlways
    }
  }
}
