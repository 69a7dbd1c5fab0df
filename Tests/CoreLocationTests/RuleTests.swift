import GodwitModel
import Testing

@testable import CoreLocation

/// The location services in virtual time: tests send inputs, and outputs are recorded with their times in seconds.
struct Phone {
  static let start = Date(timeIntervalSince1970: 1_800_000_000)
  static let manager = LocationServices.ClientID(1)

  var services: LocationServices
  private(set) var seconds = 0.0
  private var timers: [Double] = []
  private(set) var outputs: [(at: Double, LocationServices.Output)] = []
  private var nextManager = 2

  init(
    _ profile: OSProfile = .ios18, _ status: CLAuthorizationStatus = .authorizedAlways,
    declarations: AppDeclarations = AppDeclarations()
  ) {
    services = LocationServices(authorization: status, profile: profile, declarations: declarations)
    send(.connected(Self.manager))
  }

  static func fix(_ seconds: Double, _ north: Double, accuracy: Double = 5) -> Fix {
    // Valid: the latitude is close to 45°.
    let place = Coordinate(latitude: 45 + north / 111_195, longitude: 14)!
    return Fix(time: start.addingTimeInterval(seconds), coordinate: place, horizontalAccuracy: accuracy)
  }

  static func circle(
    _ identifier: String = "home", radius: Double = 200, entry: Bool = true, exit: Bool = true
  ) -> Regions.Region {
    Regions.Region(
      identifier: identifier, shape: .circle(center: fix(0, 0).coordinate, radius: radius), notifyOnEntry: entry,
      notifyOnExit: exit)
  }

  mutating func send(_ input: LocationServices.Input) {
    for output in services.handle(input, at: Self.start.addingTimeInterval(seconds)) {
      outputs.append((seconds, output))
      if case .wake(let date) = output { timers.append(date.timeIntervalSince(Self.start)) }
    }
  }

  /// Advances the time, and fires all requested timers.
  mutating func wait(until time: Double) {
    while let next = timers.min(), next <= time {
      timers.removeAll { $0 == next }
      seconds = max(seconds, next)
      send(.timer)
    }
    seconds = max(seconds, time)
  }

  /// Sets the clock. The requested timers measure elapsed time.
  mutating func setClock(to time: Double) {
    let moved = time - seconds
    timers = timers.map { $0 + moved }
    seconds = time
  }

  /// Advances the time and sends one position.
  mutating func at(_ time: Double, _ north: Double, accuracy: Double = 5) {
    wait(until: time)
    send(.positions([Self.fix(time, north, accuracy: accuracy)]))
  }

  /// Sends positions for `duration` seconds, with a speed in metres per second to the north.
  mutating func go(for duration: Double, from north: Double, speed: Double = 0, every step: Double = 10) {
    let begin = seconds
    for second in stride(from: step, through: duration, by: step) { at(begin + second, north + second * speed) }
  }

  /// Simulates that the user opens the app, and connects a new manager.
  mutating func relaunchManually() -> LocationServices.ClientID {
    send(.app(.foreground))
    return connect()
  }

  /// Connects a new manager.
  mutating func connect() -> LocationServices.ClientID {
    defer { nextManager += 1 }
    send(.connected(LocationServices.ClientID(nextManager)))
    return LocationServices.ClientID(nextManager)
  }

  mutating func discard() { outputs = [] }

  /// The times of the matching outputs, in seconds.
  func times(_ isWanted: (LocationServices.Output) -> Bool) -> [Double] {
    outputs.filter { isWanted($0.1) }.map(\.at)
  }

  var deliveries: [Fix] {
    outputs.flatMap { output -> [Fix] in if case .deliver(_, let fixes) = output.1 { fixes } else { [] } }
  }
  var deliveryTimes: [Double] { times { if case .deliver = $0 { true } else { false } } }
  var visits: [(at: Double, Visit)] {
    outputs.compactMap { output in if case .visited(_, let visit) = output.1 { (output.at, visit) } else { nil } }
  }
  var crossings: [String] {
    outputs.compactMap { output in
      switch output.1 {
      case .entered(_, let region): "\(Int(output.at)) in \(region.identifier)"
      case .exited(_, let region): "\(Int(output.at)) out \(region.identifier)"
      default: nil
      }
    }
  }
  var launches: [AppLaunch.Reason] {
    outputs.compactMap { if case .launchApp(let launch) = $0.1 { launch.reason } else { nil } }
  }
  func has(_ output: LocationServices.Output) -> Bool { outputs.contains { $0.1 == output } }
}

private let a = Phone.manager

@Suite("Rule 3: significant changes")
struct SignificantChangeTests {
  @Test(
    "a change is reported 500 m and five minutes after the previous one, and the first one at once",
    arguments: [
      (0.0, false, [10.0]), (1, false, [10, 510, 1010]), (10, false, [10, 310, 610, 910]), (0.3, false, [10]),
      (10, true, [10, 610]),
    ])
  func changes(_ speed: Double, isSparing: Bool, _ expected: [Double]) {
    var phone = Phone()
    if isSparing { phone.send(.lowPower(true)) }
    phone.send(.significantChanges(a, true))
    phone.go(for: 1200, from: 0, speed: speed)
    #expect(phone.deliveryTimes == expected)
  }

  @Test("the first report is the last known position, which may be old")
  func cached() {
    var phone = Phone()
    phone.at(5, 0)
    phone.wait(until: 5000)
    phone.send(.significantChanges(a, true))
    #expect(phone.deliveries.map(\.time) == [Phone.start.addingTimeInterval(5)] && phone.deliveryTimes == [5000])
  }

  @Test("filter and accuracy have no effect, and a client with standard updates gets no position twice")
  func beside() {
    var phone = Phone()
    phone.send(.distanceFilterChanged(a, 1e9))
    phone.send(.significantChanges(a, true))
    phone.go(for: 700, from: 0, speed: 10)
    #expect(phone.deliveryTimes == [10, 310, 610])
    phone.send(.distanceFilterChanged(a, kCLDistanceFilterNone))
    phone.send(.startedUpdating(a))
    phone.discard()
    phone.go(for: 700, from: 7000, speed: 10)
    #expect(phone.deliveries.count == 70)
  }

  @Test("a profile with a heartbeat reports every quarter of an hour at rest", arguments: OSProfile.phones)
  func heartbeat(_ profile: OSProfile) {
    var phone = Phone(profile)
    phone.send(.significantChanges(a, true))
    phone.go(for: 2000, from: 0)
    #expect(phone.deliveryTimes == (profile.significantHeartbeat == nil ? [10] : [10, 910, 1810]))
  }

  @Test(
    "a position is no change if it is nearer than its accuracy",
    arguments: [(1_485.0, 1_414.0, 1), (1_485, 50, 3), (4_000, 1_414, 3)])
  func rough(_ distance: Double, _ accuracy: Double, _ count: Int) {
    var phone = Phone()
    phone.send(.significantChanges(a, true))
    phone.at(10, 0, accuracy: 50)
    phone.at(400, distance, accuracy: accuracy)
    phone.at(800, 0, accuracy: 50)
    #expect(phone.deliveryTimes.count == count)
  }

  @Test("setting the clock back by an hour does not delay reports")
  func clock() {
    var phone = Phone()
    phone.send(.significantChanges(a, true))
    phone.at(10, 0)
    for second in stride(from: 20.0, through: 400, by: 10) {
      phone.wait(until: second)
      phone.send(.positions([Phone.fix(second - 3600, second * 10)]))
    }
    #expect(phone.deliveryTimes == [10, 340])
  }
}

@Suite("Rule 4: visits")
struct VisitTests {
  @Test("arrival and departure are reported with their dates, some minutes later", arguments: OSProfile.phones + [.linux])
  func both(_ profile: OSProfile) throws {
    var phone = Phone(profile)
    phone.send(.visits(a, true))
    phone.go(for: 3600, from: 0)
    phone.go(for: 600, from: 0, speed: 10)
    try #require(phone.visits.count == 2)
    let (arrival, departure) = (phone.visits[0], phone.visits[1])
    #expect(arrival.at == 10 + profile.visitArrivalAfter && arrival.1.departure == nil)
    #expect(arrival.1.arrival == Phone.start.addingTimeInterval(10))
    // 160 m at 10 m/s.
    #expect(departure.1.departure == Phone.start.addingTimeInterval(3620))
    #expect(departure.1.arrival == arrival.1.arrival && departure.at == 3620 + profile.visitDepartureAfter)
  }

  @Test(
    "a short stop and a walk are no visits; positions with an accuracy of a kilometre are no departure",
    arguments: [
      ([(300.0, 0.0), (600, 10)], 5.0, 0), ([(2000, 1)], 5, 0), ([(500, 0), (600, 10)], 5, 2),
      ([(1000, 0.5)], 1000, 1),
    ] as [([(Double, Double)], Double, Int)])
  func stops(_ stretches: [(Double, Double)], _ accuracy: Double, _ count: Int) {
    var phone = Phone()
    phone.send(.visits(a, true))
    var north = 0.0
    for (seconds, speed) in stretches {
      for _ in stride(from: 0, to: seconds, by: 10) {
        north += speed * 10
        phone.at(phone.seconds + 10, north, accuracy: accuracy)
      }
    }
    #expect(phone.visits.count == count)
  }

  @Test("a client that starts after the arrival gets the departure, with an unknown arrival date")
  func unknownArrival() {
    var phone = Phone()
    phone.go(for: 1000, from: 0)
    phone.send(.visits(a, true))
    phone.go(for: 600, from: 0, speed: 10)
    #expect(phone.visits.map(\.1.arrival) == [nil] && phone.visits.map { $0.1.departure == nil } == [false])
  }

  @Test("a departure is reported after its delay even without another position", arguments: OSProfile.phones)
  func departureByTime(_ profile: OSProfile) throws {
    var phone = Phone(profile)
    phone.send(.visits(a, true))
    phone.go(for: 3600, from: 0)
    phone.at(3620, 500)
    phone.wait(until: 10_000)
    try #require(phone.visits.count == 2)
    #expect(phone.visits[1].at == 3620 + profile.visitDepartureAfter)
    #expect(phone.visits[1].1.departure == Phone.start.addingTimeInterval(3620))
    #expect(phone.visits[1].1.time == Phone.start.addingTimeInterval(phone.visits[1].at))
  }

  @Test("visits that one manager requested are reported to all managers")
  func allManagers() {
    var phone = Phone()
    let other = phone.connect()
    phone.send(.visits(a, true))
    phone.go(for: 600, from: 0)
    #expect(phone.visits.count == 2 && phone.outputs.contains { $0.1.client == other })
  }
}

@Suite("Rule 5: regions")
struct RegionTests {
  /// A profile with the cushion of the programming guide and no latency.
  private static var prompt: OSProfile {
    var profile = OSProfile.ios18
    (profile.regionLatency, profile.regionCushion) = (0, 50)
    return profile
  }

  @Test(
    "a crossing is reported once, beyond the cushion and after twenty seconds",
    arguments: [
      // An exit with a large distance.
      ([(10.0, 0.0), (20, 300), (30, 300), (40, 300), (50, 300)], ["40 out home"]),
      // Positions within the cushion.
      ([(10, 0), (20, 240), (60, 240), (100, 240)], []),
      // Outside for ten seconds only.
      ([(10, 0), (20, 300), (30, 0), (60, 0)], []),
      // An entry and an exit.
      ([(10, 1000), (20, 0), (40, 0), (100, 1000), (130, 1000)], ["40 in home", "120 out home"]),
      // One position outside, and no other position.
      ([(10, 0), (20, 300)], ["40 out home"]),
    ] as [([(Double, Double)], [String])])
  func crossing(_ route: [(Double, Double)], _ expected: [String]) {
    var phone = Phone(Self.prompt)
    phone.send(.watch(a, Phone.circle()))
    for (time, north) in route { phone.at(time, north) }
    phone.wait(until: 1000)
    #expect(phone.crossings == expected)
  }

  @Test("setting the clock back delays the report of one position outside by no more than its time")
  func clock() {
    var phone = Phone(.linux)
    phone.send(.watch(a, Phone.circle()))
    phone.at(10, 0)
    phone.at(20, 1000)
    let back = -20 * 86_400.0
    phone.setClock(to: back)
    phone.wait(until: back + 60)
    #expect(phone.crossings == ["\(Int(back) + 40) out home"])
  }

  @Test(
    "every preset detects an exit after its own delay, sooner while updates keep the radios on",
    arguments: OSProfile.phones + [.linux], [false, true])
  func latency(_ profile: OSProfile, isUpdating: Bool) {
    var phone = Phone(profile)
    phone.send(.watch(a, Phone.circle()))
    if isUpdating { phone.send(.startedUpdating(a)) }
    phone.at(10, 0)
    phone.at(20, 1000)
    phone.wait(until: 1000)
    #expect(phone.crossings == ["\(40 + (isUpdating ? 0 : Int(profile.regionLatency))) out home"])
  }

  @Test("a short exit that ends before its report is never reported")
  func missed() {
    var phone = Phone()
    phone.send(.watch(a, Phone.circle()))
    phone.at(10, 0)
    for time in [20.0, 40] { phone.at(time, 400) }
    for time in [60.0, 80, 100] { phone.at(time, 0) }
    phone.wait(until: 1000)
    #expect(phone.crossings.isEmpty)
  }

  @Test("a state request in between reports the exit, and the return is then reported")
  func asked() {
    var phone = Phone()
    phone.send(.watch(a, Phone.circle()))
    phone.at(10, 0)
    for time in [20.0, 40] { phone.at(time, 400) }
    phone.send(.requestedState(a, Phone.circle()))
    #expect(phone.has(.state(a, Phone.circle(), .outside)))
    for time in [60.0, 80, 100] { phone.at(time, 0) }
    phone.wait(until: 1000)
    #expect(phone.crossings == ["260 in home"])
  }

  @Test("the twenty-first region fails, a replacement does not; removed regions free their slots")
  func limit() {
    var phone = Phone()
    for number in 1...20 { phone.send(.watch(a, Phone.circle("\(number)"))) }
    let other = phone.connect()
    phone.send(.watch(other, Phone.circle("21")))
    #expect(phone.has(.watchFailed(other, Phone.circle("21"), CLError(.regionMonitoringFailure))))
    phone.send(.watch(a, Phone.circle("20", radius: 900)))
    #expect(phone.services.regions.all.count == 20)
    #expect(phone.services.regions.all.contains(Phone.circle("20", radius: 900)))
    phone.send(.stopWatching(a, identifier: "1"))
    phone.send(.watch(other, Phone.circle("21")))
    #expect(phone.has(.watching(other, Phone.circle("21"))))
  }

  @Test("an invalid radius is rejected", arguments: [-1, Double.nan, .infinity, 1_000_001])
  func radius(_ radius: Double) {
    var phone = Phone()
    phone.send(.watch(a, Phone.circle(radius: radius)))
    #expect(
      phone.outputs.contains { output in
        if case .watchFailed(a, _, let error) = output.1 { error.code == .regionMonitoringFailure } else { false }
      })
    #expect(phone.services.regions.all.isEmpty)
  }

  @Test(
    "only requested crossings are reported, to every manager",
    arguments: [
      (true, true, ["60 out home", "60 out home", "160 in home", "160 in home"]),
      (true, false, ["160 in home", "160 in home"]), (false, true, ["60 out home", "60 out home"]), (false, false, []),
    ])
  func notify(_ entry: Bool, _ exit: Bool, _ expected: [String]) {
    var phone = Phone(Self.prompt)
    _ = phone.connect()
    phone.send(.watch(a, Phone.circle(entry: entry, exit: exit)))
    phone.at(10, 0)
    for time in [40.0, 60] { phone.at(time, 1000) }
    for time in [140.0, 160] { phone.at(time, 0) }
    #expect(phone.crossings == expected)
  }

  @Test("starting inside is no entry; a state request reports the position")
  func state() {
    var phone = Phone()
    phone.send(.requestedState(a, Phone.circle()))
    phone.at(10, 0)
    phone.send(.watch(a, Phone.circle()))
    phone.go(for: 300, from: 0)
    phone.send(.requestedState(a, Phone.circle()))
    phone.send(.requestedState(a, Phone.circle("elsewhere", radius: 0)))
    phone.at(400, 5000)
    phone.send(.requestedState(a, Phone.circle("elsewhere")))
    let states = phone.outputs.compactMap { if case .state(_, _, let state) = $0.1 { state } else { nil } }
    #expect(states == [.unknown, .inside, .inside, .outside] && phone.crossings.isEmpty)
  }

  @Test("a circle that is too small behaves like the smallest")
  func smallest() {
    var phone = Phone(Self.prompt)
    phone.send(.watch(a, Phone.circle(radius: 10)))
    phone.at(10, 0)
    phone.go(for: 60, from: 140)
    #expect(phone.crossings.isEmpty)
    phone.go(for: 60, from: 160)
    #expect(phone.crossings.count == 1)
  }
}

@Suite("Rule 7: automatic pause")
struct PauseTests {
  @Test(
    "updates are paused at rest, after a time that depends on the activity type, and only if the app allows it",
    arguments: [CLActivityType.other, .automotiveNavigation, .fitness, .otherNavigation, .airborne], [true, false])
  func pause(_ activity: CLActivityType, isAllowed: Bool) {
    var phone = Phone()
    phone.send(.activityTypeChanged(a, activity))
    phone.send(.pausingChanged(a, isAllowed))
    phone.send(.startedUpdating(a))
    phone.go(for: 3600, from: 0)
    let expected = OSProfile.ios18.pauseAfter.time(for: activity).map { [$0 + 10] } ?? []
    #expect(phone.times { $0 == .paused(a) } == (isAllowed ? expected : []))
    #expect(phone.deliveryTimes.last == (isAllowed ? expected.last : 3600))
  }

  @Test(
    "only a new start or the foreground resumes updates; motion does not",
    arguments: [(LocationServices.Input.timer, false), (.startedUpdating(a), true), (.app(.foreground), true)])
  func resume(_ input: LocationServices.Input, resumes: Bool) {
    var phone = Phone()
    phone.send(.backgroundUpdatesChanged(a, true))
    phone.send(.startedUpdating(a))
    phone.send(.app(.background))
    phone.go(for: 700, from: 0)
    phone.discard()
    phone.go(for: 600, from: 0, speed: 15)
    #expect(phone.deliveries.isEmpty && !phone.has(.resumed(a)))
    phone.send(input)
    #expect(phone.has(.resumed(a)) == resumes)
    phone.discard()
    phone.go(for: 60, from: 9000, speed: 15)
    #expect(phone.deliveries.count == (resumes ? 6 : 0))
  }

  @Test("an app that was kept running by its updates may be suspended when they are paused")
  func suspended() {
    var phone = Phone()
    phone.send(.backgroundUpdatesChanged(a, true))
    phone.send(.startedUpdating(a))
    phone.send(.app(.background))
    phone.go(for: 1000, from: 0)
    #expect(phone.times { $0 == .mayBeSuspended } == [610])
    #expect(phone.times { $0 == .radio(nil) } == [610])
  }
}
