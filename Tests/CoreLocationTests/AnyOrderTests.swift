import GodwitModel
import TestTexts
import Testing

@testable import CoreLocation

@Suite("Invariants under random events")
struct AnyOrderTests {
  private static let clients = (1...4).map { LocationServices.ClientID($0) }
  private static let roles: [LocationServices.Role] = [
    .manager, .manager, .manager, .manager, .manager, .liveUpdates, .monitor("Work"), .monitor("Home"), .serviceSession,
    .backgroundActivity,
  ]
  // Valid: a constant.
  private static let beacon = Beacons.Identity(uuid: UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")!)

  private static func input(_ dice: inout SeededNumbers, _ seconds: Double, _ north: inout Double, isRunning: Bool)
    -> LocationServices.Input
  {
    let id = clients[Int.random(in: 0..<4, using: &dice)]
    let isOn = Bool.random(using: &dice)
    let number = Int.random(in: 0..<25, using: &dice)
    // An app that does not run makes no calls.
    switch Int.random(in: (isRunning ? 0 : 20)..<48, using: &dice) {
    case 0: return .connected(id, roles[number % roles.count])
    case 1: return .disconnected(id)
    case 2, 3: return .startedUpdating(id)
    case 4: return .stoppedUpdating(id)
    case 5: return .requestedLocation(id)
    case 6: return .distanceFilterChanged(id, Double(number) * 10 - 1)
    case 7: return .desiredAccuracyChanged(id, [-2, -1, 10, 100, 1000, 3000][number % 6])
    case 8: return .pausingChanged(id, isOn)
    case 9: return .backgroundUpdatesChanged(id, isOn)
    case 10: return .indicatorChanged(id, isOn)
    case 11: return .significantChanges(id, number > 5)
    case 12: return .visits(id, number > 5)
    case 13, 14: return .watch(id, Phone.circle("\(number)", radius: Double(number) * 60))
    case 15: return .stopWatching(id, identifier: "\(number)")
    case 16: return .requestedState(id, Phone.circle("\(number)"))
    case 17: return .ranging(id, beacon, isOn)
    case 18: return .watch(id, Regions.Region(identifier: "\(number)", shape: .beacon(beacon)))
    case 19: return isOn ? .requestedAuthorization(id, always: number > 12) : .requestedFullAccuracy(id, purpose: "ride")
    case 24: return .authorizationDecided(number < 2 ? .denied : number < 5 ? .authorizedWhenInUse : .authorizedAlways)
    case 21: return .promptAnswered([.once, .whileUsing, .always, .deny][number % 4])
    case 22: return .precise(isOn)
    case 20: return .fullAccuracyDecided(isOn)
    case 23, 25, 26: return .app([.foreground, .background, .suspended, .terminated][number % 4])
    case 27: return number < 3 ? .swipedAway : number < 6 ? .rebooted : .unlocked
    case 28: return .lowPower(isOn)
    case 29: return .sourceFailed("unplugged")
    case 30, 31:
      return .sightings([Beacons.Sighting(uuid: beacon.uuid, major: 1, minor: 2, rssi: -number, powerAtOneMeter: -59)])
    case 32: return .positions([Phone.fix(seconds - Double(number) * 100, north)])
    default:
      north += isOn ? Double(number) * 20 : 0
      if north > 20_000 { north = 0 }
      return .positions([Phone.fix(seconds, north)])
    }
  }

  @Test(
    "no delegate is called after its release, while the app does not run, or beyond its permission",
    arguments: OSProfile.phones + [.linux])
  func anyOrder(_ profile: OSProfile) {
    var reported: [String: Int] = [:]
    for seed in 1...4 { live(profile, UInt64(seed), &reported) }
    // Every output occurred.
    for output in ["deliver", "visited", "entered", "exited", "ranged", "watchFailed", "paused", "state"] {
      #expect(reported[output, default: 0] > 0, "\(output)")
    }
  }

  private func live(_ profile: OSProfile, _ seed: UInt64, _ reported: inout [String: Int]) {
    var declarations = AppDeclarations()
    declarations.fullAccuracyPurposes = ["ride"]
    declarations.requiresServiceSession = seed == 2
    var services = LocationServices(authorization: .notDetermined, profile: profile, declarations: declarations)
    var dice = SeededNumbers(seed)
    var connected: [LocationServices.ClientID: LocationServices.Role] = [:]
    var (seconds, north) = (0.0, 0.0)
    var timers: [Date] = []
    var isRunning = true
    for _ in 0..<2500 {
      seconds += Double.random(in: 0...60, using: &dice)
      let now = Phone.start.addingTimeInterval(seconds)
      let isDue = timers.contains { $0 <= now }
      timers.removeAll { $0 <= now }
      let input = isDue ? .timer : Self.input(&dice, seconds, &north, isRunning: isRunning)
      switch input {
      case .connected(let id, let role): connected[id] = role
      case .disconnected(let id): connected[id] = nil
      case .app(.terminated), .swipedAway, .rebooted: connected = [:]
      default: break
      }
      let outputs = services.handle(input, at: now)
      isRunning = services.appState == .foreground || services.appState == .background
      for output in outputs {
        if let id = output.client { #expect(connected[id] != nil, "\(input) → \(output)") }
        var places: [Coordinate] = []
        switch output {
        case .deliver(_, let fixes): places = fixes.map(\.coordinate)
        case .visited(_, let visit): places = [visit.coordinate]
        case .entered(let id, let region), .exited(let id, let region):
          #expect(services.isAuthorized && isRunning && services.accuracyAuthorization == .fullAccuracy)
          #expect(connected[id]?.takes(region) == true, "\(input) → \(output)")
        case .ranged: #expect(services.isAuthorized && isRunning && services.accuracyAuthorization == .fullAccuracy)
        case .wake(let time):
          #expect(time >= now)
          timers.append(time)
        case .launchApp, .wakeApp: #expect(services.authorization != .denied && isRunning)
        default: break
        }
        if !places.isEmpty { #expect(services.isAuthorized && isRunning, "\(input) → \(output)") }
        // The centres of cells are not on the meridian of the route.
        if services.accuracyAuthorization == .reducedAccuracy {
          #expect(places.allSatisfy { abs($0.longitude - 14) > 1e-6 }, "\(input) → \(output)")
        }
        reported[String("\(output)".prefix { $0 != "(" }), default: 0] += 1
      }
      #expect(services.regions.all.count <= profile.maximumRegions)
    }
  }
}
