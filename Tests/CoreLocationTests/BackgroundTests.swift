import GodwitModel
import Testing

@testable import CoreLocation

private let a = Phone.manager

@Suite("Rule 8: in the background")
struct BackgroundTests {
  @Test(
    "updates continue in the background if the app allows it, and with when-in-use permission if they began in the foreground",
    arguments: [
      (CLAuthorizationStatus.authorizedAlways, true, true, true), (.authorizedAlways, true, false, true),
      (.authorizedAlways, false, true, false), (.authorizedWhenInUse, true, true, true),
      (.authorizedWhenInUse, true, false, false), (.authorizedWhenInUse, false, true, false),
    ])
  func updates(_ status: CLAuthorizationStatus, _ isAllowed: Bool, _ beginsInFront: Bool, _ continues: Bool) {
    var phone = Phone(.ios18, status)
    phone.send(.backgroundUpdatesChanged(a, isAllowed))
    if beginsInFront { phone.send(.startedUpdating(a)) }
    phone.send(.app(.background))
    if !beginsInFront { phone.send(.startedUpdating(a)) }
    phone.go(for: 100, from: 0, speed: 10)
    #expect(phone.deliveries.count == (continues ? 10 : 0))
    #expect(phone.times { $0 == .mayBeSuspended } == (continues ? [] : [5]))
    phone.send(.app(.foreground))
    phone.discard()
    phone.go(for: 100, from: 1000, speed: 10)
    #expect(phone.deliveries.count == 10)
  }

  @Test("background updates without the background mode are an error that names the missing mode")
  func undeclared() {
    var declarations = AppDeclarations()
    declarations.hasBackgroundMode = false
    var phone = Phone(declarations: declarations)
    phone.send(.backgroundUpdatesChanged(a, true))
    #expect(phone.has(.fail(a, CLError(.denied))))
    phone.send(.startedUpdating(a))
    phone.send(.app(.background))
    phone.go(for: 100, from: 0)
    #expect(phone.deliveries.isEmpty)
  }

  /// The settings of an app's updates in the background.
  struct Case: Sendable, CustomTestStringConvertible {
    var filter = kCLDistanceFilterNone
    var accuracy = kCLLocationAccuracyBest
    var showsIndicator = false
    var significant = false
    var testDescription: String { "\(filter) \(accuracy) \(showsIndicator) \(significant)" }
  }

  @Test(
    "since 16.4 only the indicator, or updates without a filter and with 100 m or better, keep an app running",
    arguments: [
      (Case(), .ios18, true), (Case(accuracy: 100), .ios18, true), (Case(accuracy: 1000), .ios18, false),
      (Case(filter: 10), .ios18, false), (Case(filter: 10), .ios15, true), (Case(accuracy: 3000), .ios12, true),
      (Case(filter: 10, showsIndicator: true), .ios18, true), (Case(significant: true), .ios16, false),
      (Case(significant: true), .ios17, true), (Case(showsIndicator: true, significant: true), .ios16, true),
    ] as [(Case, OSProfile, Bool)])
  func keepsRunning(_ filter: Case, _ profile: OSProfile, _ keepsRunning: Bool) {
    var phone = Phone(profile)
    phone.send(.pausingChanged(a, false))
    phone.send(.backgroundUpdatesChanged(a, true))
    phone.send(.distanceFilterChanged(a, filter.filter))
    phone.send(.desiredAccuracyChanged(a, filter.accuracy))
    phone.send(.indicatorChanged(a, filter.showsIndicator))
    phone.send(.significantChanges(a, filter.significant))
    phone.send(.startedUpdating(a))
    phone.send(.app(.background))
    phone.go(for: 200, from: 0)
    #expect(phone.times { $0 == .mayBeSuspended }.isEmpty == keepsRunning)
  }

  @Test(
    "a position that passes the filter wakes a suspended app; with coarse accuracy it waits until the app runs again",
    arguments: [(10.0, 10.0, [210.0]), (CLLocationDistanceMax, 3000, []), (kCLDistanceFilterNone, 3000, [])]
      as [(Double, Double, [Double])])
  func suspended(_ filter: Double, _ accuracy: Double, _ wakes: [Double]) {
    var phone = Phone()
    phone.send(.pausingChanged(a, false))
    phone.send(.backgroundUpdatesChanged(a, true))
    phone.send(.distanceFilterChanged(a, filter))
    phone.send(.desiredAccuracyChanged(a, accuracy))
    phone.send(.startedUpdating(a))
    phone.go(for: 100, from: 0)
    phone.send(.app(.background))
    phone.send(.app(.suspended))
    phone.discard()
    phone.go(for: 100, from: 0)
    phone.at(210, 100)
    #expect(phone.times { if case .wakeApp = $0 { true } else { false } } == wakes)
    #expect(phone.deliveryTimes == wakes)
    phone.discard()
    phone.send(.app(.foreground))
    #expect(phone.deliveries.count == (filter < 0 ? 11 : 0))
  }

  @Test("the number of held positions is bounded, and the oldest are dropped")
  func bounded() {
    var phone = Phone()
    phone.send(.backgroundUpdatesChanged(a, true))
    phone.send(.desiredAccuracyChanged(a, 3000))
    phone.send(.startedUpdating(a))
    phone.send(.app(.suspended))
    phone.go(for: 5000, from: 0, speed: 10)
    phone.send(.app(.foreground))
    #expect(phone.deliveries.count == 100 && phone.deliveries.last == phone.services.last)
  }

  /// A kind of monitoring, with the reason of the launches that it causes.
  enum Watched: CaseIterable, Sendable {
    case significantChanges, visits, region

    var reason: AppLaunch.Reason {
      switch self {
      case .significantChanges: .significantChange
      case .visits: .visit
      case .region: .region
      }
    }

    func start(_ phone: inout Phone, _ id: LocationServices.ClientID) {
      switch self {
      case .significantChanges: phone.send(.significantChanges(id, true))
      case .visits: phone.send(.visits(id, true))
      case .region: phone.send(.watch(id, Phone.circle()))
      }
    }

    /// Whether a manager was notified.
    func isReported(_ phone: Phone) -> Bool {
      switch self {
      case .significantChanges: !phone.deliveries.isEmpty
      case .visits: !phone.visits.isEmpty
      case .region: !phone.crossings.isEmpty
      }
    }
  }

  private func phone(_ profile: OSProfile, _ status: CLAuthorizationStatus, _ watched: Watched) -> Phone {
    var phone = Phone(profile, status)
    watched.start(&phone, a)
    phone.go(for: 800, from: 0)
    return phone
  }

  @Test(
    "with always permission only, a monitored event wakes a suspended app for ten seconds",
    arguments: Watched.allCases, [CLAuthorizationStatus.authorizedAlways, .authorizedWhenInUse])
  func wakes(_ watched: Watched, _ status: CLAuthorizationStatus) throws {
    var phone = phone(.ios18, status, watched)
    phone.send(.app(.background))
    phone.send(.app(.suspended))
    phone.discard()
    phone.go(for: 1000, from: 0, speed: 10)
    let woken = phone.times { if case .wakeApp = $0 { true } else { false } }
    #expect(woken.isEmpty == (status == .authorizedWhenInUse) && watched.isReported(phone) == !woken.isEmpty)
    if let first = woken.first {
      #expect(phone.times { $0 == .mayBeSuspended }.first == first + 10)
    }
  }

  @Test(
    "a monitored event launches a terminated app, and is reported to its new managers",
    arguments: Watched.allCases, OSProfile.phones)
  func launches(_ watched: Watched, _ profile: OSProfile) {
    var phone = phone(profile, .authorizedAlways, watched)
    phone.send(.app(.terminated))
    phone.discard()
    phone.go(for: 1000, from: 0, speed: 10)
    #expect(phone.launches == [watched.reason] && !watched.isReported(phone))
    let id = phone.connect()
    if watched != .region {
      #expect(!watched.isReported(phone))
      watched.start(&phone, id)
    }
    #expect(watched.isReported(phone))
    #expect(phone.outputs.allSatisfy { $0.1.client == nil || $0.1.client == id })
  }

  @Test("after a swipe, launches depend on the system", arguments: Watched.allCases, OSProfile.phones)
  func swiped(_ watched: Watched, _ profile: OSProfile) {
    var phone = phone(profile, .authorizedAlways, watched)
    phone.send(.backgroundUpdatesChanged(a, true))
    phone.send(.startedUpdating(a))
    phone.discard()
    phone.send(.swipedAway)
    #expect(phone.launches == (profile.forceQuit == .immediate ? [.swipedAway] : []))
    #expect(phone.services.allowsBackgroundFetch == (profile.forceQuit == .immediate))
    phone.discard()
    phone.go(for: 1000, from: 0, speed: 10)
    #expect(phone.launches == (profile.forceQuit == .relaunch ? [watched.reason] : []))
    _ = phone.relaunchManually()
    #expect(phone.services.allowsBackgroundFetch && phone.services.appState == .foreground)
  }

  @Test("with when-in-use permission, no event launches an app", arguments: Watched.allCases)
  func whenInUse(_ watched: Watched) {
    var phone = phone(.ios18, .authorizedWhenInUse, watched)
    phone.send(.app(.terminated))
    phone.go(for: 1000, from: 0, speed: 10)
    #expect(phone.launches.isEmpty && phone.has(.radio(nil)))
  }

  @Test(
    "a launch before the first unlock after a reboot is marked as such; regions remain if the profile keeps them",
    arguments: [false, true], [false, true])
  func reboot(isUnlocked: Bool, survives: Bool) throws {
    var profile = OSProfile.ios18
    profile.regionsSurviveReboot = survives
    var phone = phone(profile, .authorizedAlways, .region)
    phone.send(.rebooted)
    if isUnlocked { phone.send(.unlocked) }
    phone.discard()
    phone.go(for: 1000, from: 0, speed: 10)
    let launches = phone.outputs.compactMap { if case .launchApp(let launch) = $0.1 { launch } else { nil } }
    #expect(launches.map(\.isBeforeFirstUnlock) == (survives ? [!isUnlocked] : []))
  }

  @Test("after a system upgrade no event launches an app until the phone restarts", arguments: Watched.allCases)
  func upgraded(_ watched: Watched) {
    var phone = phone(.ios18, .authorizedAlways, watched)
    phone.send(.upgraded)
    phone.send(.unlocked)
    phone.discard()
    phone.go(for: 1500, from: 0, speed: 10)
    #expect(phone.launches.isEmpty)
    phone.send(.rebooted)
    phone.go(for: 3000, from: 15_000, speed: 10)
    #expect(phone.launches.count == 1)
  }

  @Test("a removed app has no monitoring and no permission", arguments: Watched.allCases)
  func removed(_ watched: Watched) {
    var phone = phone(.ios18, .authorizedAlways, watched)
    phone.send(.removed)
    #expect(phone.has(.radio(nil)) && phone.services.authorization == .notDetermined)
    phone.discard()
    phone.go(for: 3000, from: 0, speed: 10)
    #expect(phone.launches.isEmpty && phone.services.regions.all.isEmpty)
  }

  @Test("on Linux no app is launched, and monitoring ends with its last manager")
  func linux() {
    var phone = phone(.linux, .authorizedAlways, .region)
    phone.send(.visits(a, true))
    phone.send(.disconnected(a))
    #expect(phone.has(.radio(nil)) && phone.services.regions.all.isEmpty)
  }
}

@Suite("Rule 11: power saving")
struct LowPowerTests {
  @Test("in low power mode deferrable work takes longer, and background fetch is off", arguments: [false, true])
  func slower(_ isSparing: Bool) {
    var phone = Phone()
    phone.send(.lowPower(isSparing))
    #expect(phone.services.allowsBackgroundFetch == !isSparing)
    phone.send(.visits(a, true))
    phone.send(.watch(a, Phone.circle()))
    phone.go(for: 2000, from: 0)
    phone.go(for: 100, from: 1000)
    phone.wait(until: 5000)
    let factor = isSparing ? 2.0 : 1
    #expect(phone.visits.first?.at == 10 + 420 * factor)
    #expect(phone.crossings == ["\(Int(2030 + 180 * factor)) out home"])
  }
}

@Suite("Rule 10: order of positions")
struct PositionTests {
  @Test("late, repeated and unordered positions are delivered as they arrive; a negative accuracy is not delivered")
  func order() {
    var phone = Phone()
    phone.send(.startedUpdating(a))
    let fixes = [Phone.fix(5, 0), Phone.fix(5, 0), Phone.fix(-500, 10), Phone.fix(6, 0, accuracy: -1)]
    phone.send(.positions(fixes))
    #expect(phone.deliveries == Array(fixes.prefix(3)))
  }

  @Test("one position from the past causes no pause, exit or arrival", arguments: OSProfile.phones)
  func past(_ profile: OSProfile) {
    var phone = Phone(profile)
    phone.send(.startedUpdating(a))
    phone.send(.visits(a, true))
    phone.send(.watch(a, Phone.circle()))
    phone.at(10, 0)
    phone.send(.positions([Phone.fix(-86_400, 0)]))
    phone.at(20, 0)
    #expect(phone.crossings.isEmpty && phone.visits.isEmpty && !phone.has(.paused(a)))
  }
}
