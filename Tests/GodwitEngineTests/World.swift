import Foundation
import GodwitEngine
import GodwitModel
import TestTexts

/// A simulated device with its journal, servers and user, all driven by random events, for tests of an engine. It carries out
/// the engine's effects as a tracker would, and records a violation for each invalid effect or state.
struct World {
  static let plans: [EndpointPlan] = [
    EndpointPlan(home),
    EndpointPlan(other) {
      $0.interval = .every(600)
      $0.batchSize = 7
      $0.maximumBytesPerDay = 20_000
    },
    EndpointPlan(EndpointID("wifi")) {
      $0.onlyOnWifi = true
      $0.onlyWhileCharging = true
      $0.changesSettings = false
    },
  ]

  /// The state of an endpoint in the journal.
  struct Cursor {
    var acknowledged = 0
    /// The upload in flight, and its number of records.
    var upload: (request: UploadRequest, count: Int)?
    /// Whether a record is being quarantined.
    var isQuarantining = false
    var isBackingOffUntil: Date?
    var sentToday: (day: Int, bytes: Int) = (0, 0)
  }

  var random: SeededNumbers
  var engine: Engine
  private(set) var now = start
  private(set) var latest = start
  private(set) var violations: [String] = []
  /// The number of events so far.
  private(set) var steps = 0

  private var appended = 0
  private var recordedFixes = 0
  private var cursors: [EndpointID: Cursor] = [:]
  private var timers: [TimerID: Date] = [:]
  private var launch = Launch(wasTracking: false, waiting: [:])
  private var settings: Settings
  private var request: LocationRequest?
  private var isReminded = false
  private var isNetworkThere = true
  private var openFetches: Set<Int> = []
  private var openRequests: Set<Int> = []
  private var number = 0
  private var isCountingSteps = false
  private var isWatchingExit = false
  /// The time range of the last query of the motion history.
  private var asked: (from: Date, to: Date)?
  private(set) var coverage: [Date: CoverageEntry] = [:]
  private var kills = 0
  /// The largest batch size of the settings before or after the event.
  private var largestBatch = 0
  private var north = 0.0
  /// Whether the clock is set back at random. The daily bytes and Retry-After are not checked in this case.
  let isClockWild: Bool

  init(seed: UInt64, isClockWild: Bool = false, policy: TrackingPolicy = .fixed) {
    random = SeededNumbers(seed)
    self.isClockWild = isClockWild
    settings = Settings()
    settings.notifies = Bool.random(using: &random)
    settings.includesTrackingStats = Bool.random(using: &random)
    settings.main.tracksVisits = Bool.random(using: &random)
    settings.main.batchSize = 50
    settings.main.policy = policy
    settings.main.resumeRadius = Bool.random(using: &random) ? 100 : nil
    settings.main.maximumAccuracy = Bool.random(using: &random) ? 50 : nil
    settings.wifiZones = [WifiZone(ssid: "Home", coordinate: fix(0, north: 500).coordinate)]
    engine = Engine(settings: settings, plans: Self.plans, uniqueID: "U-1")
    for plan in Self.plans { cursors[plan.id] = Cursor() }
    send(.launched(launch))
  }

  private mutating func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  private mutating func violate(_ text: String) {
    violations.append("step \(steps), \(now.timeIntervalSince(start)) s: \(text)")
  }
  private func waiting(_ endpoint: EndpointID) -> Int { appended - (cursors[endpoint]?.acknowledged ?? 0) }

  // MARK: Events and effects

  mutating func send(_ event: Event) {
    steps += 1
    let before = engine.settings
    largestBatch = max(before.main.batchSize, before.trip.batchSize)
    latest = max(latest, now)
    let effects: [Effect]
    if steps.isMultiple(of: 25) {
      // An engine that is encoded and decoded is equal and has the same effects.
      effects = handleTwice(event)
    } else {
      effects = engine.handle(event, at: now)
    }
    // Two records may be equal, and the trip is stored with each of them.
    let single = effects.filter { effect in
      switch effect {
      case .record, .storeTrip: false
      default: true
      }
    }
    if Set(single).count != single.count { violate("\(event): an effect is repeated: \(effects)") }
    largestBatch = max(largestBatch, engine.settings.main.batchSize, engine.settings.trip.batchSize)
    for effect in effects { carryOut(effect, after: event) }
    check(after: event)
  }

  private mutating func handleTwice(_ event: Event) -> [Effect] {
    let before = engine
    let effects = engine.handle(event, at: now)
    do {
      var twin = try JSONDecoder().decode(Engine.self, from: try JSONEncoder().encode(before))
      if twin != before { violate("a decoded engine is not equal") }
      if twin.handle(event, at: now) != effects { violate("\(event): a decoded engine has other effects") }
      if twin != engine { violate("\(event): a decoded engine has another state after the event") }
    } catch { violate("an engine cannot be encoded: \(error)") }
    return effects
  }

  private mutating func carryOut(_ effect: Effect, after event: Event) {
    switch effect {
    case .record(let records):
      appended += records.count
      for record in records {
        if case .fix(let fix) = record.kind {
          recordedFixes += 1
          launch.lastKept = fix
        }
      }
    case .upload(let endpoint, let request): begin(endpoint, request, after: event)
    case .quarantine(let endpoint, _):
      if cursors[endpoint]?.upload != nil { violate("\(endpoint): a record is quarantined during an upload") }
      cursors[endpoint]?.isQuarantining = true
    case .purge: for plan in Self.plans { cursors[plan.id]?.acknowledged = appended }
    case .setTimer(let id, let time): timers[id] = time
    case .cancelTimer(let id): timers[id] = nil
    case .configureLocation(let request): self.request = request
    case .rememberTracking(let isOn): launch.wasTracking = isOn
    case .storeTrip(let trip): launch.trip = trip
    case .storeTripModes(let modes): launch.tripModes = modes
    case .storeRollout(let rollout): launch.rollout = rollout
    case .storeCoverage(let lines): for line in lines { coverage[line.start] = line }
    case .storeSettings(let changes, by: let source):
      for change in changes {
        // The stored value is one of the values of the table.
        try? settings.set(change.name, to: change.new)
        if case .server = source { launch.setByServer.insert(change.name) } else { launch.setByServer.remove(change.name) }
      }
      if settings != engine.settings { violate("the stored settings are not the current ones: \(changes)") }
    case .notify(let notice, at: let time):
      if time != nil { isReminded = true }
      if !engine.settings.notifies { violate("\(notice.kind) is shown although notices are off") }
    case .withdraw(.noPositions): isReminded = false
    case .fetchFinished(let number, _):
      if openFetches.remove(number) == nil { violate("fetch \(number) is answered twice") }
    case .reportLocation(let number, _):
      if openRequests.remove(number) == nil { violate("position request \(number) is answered twice") }
    case .countSteps: isCountingSteps = true
    case .watchExit: isWatchingExit = true
    case .stopWatchingExit: isWatchingExit = false
    case .askMotionHistory(let from, let to): asked = (from, to)
    case .storeRest(let rest): launch.rest = rest
    case .requestAuthorization, .requestLocation, .keepScreenOn, .withdraw: break
    }
  }

  private mutating func begin(_ endpoint: EndpointID, _ request: UploadRequest, after event: Event) {
    guard var cursor = cursors[endpoint], let plan = Self.plans.first(where: { $0.id == endpoint }) else {
      return violate("an upload to an unknown endpoint")
    }
    if cursor.upload != nil || cursor.isQuarantining { violate("\(endpoint): two uploads at once") }
    if request.limit < 1 || request.limit > (plan.batchSize ?? largestBatch) {
      violate("\(endpoint): a batch of \(request.limit)")
    }
    if !request.isAsking, waiting(endpoint) == 0 { violate("\(endpoint): an upload without records") }
    if let reason = engine.status(of: endpoint)?.heldBecause { violate("\(endpoint): an upload although \(reason)") }
    if !isClockWild {
      if let until = cursor.isBackingOffUntil, now < until { violate("\(endpoint): an upload before Retry-After") }
      let day = Int((now.timeIntervalSince1970 / 86400).rounded(.down))
      if let maximum = plan.maximumBytesPerDay, cursor.sentToday.day == day, cursor.sentToday.bytes >= maximum {
        violate("\(endpoint): more than the daily bytes")
      }
    }
    cursor.upload = (request, min(request.limit, waiting(endpoint)))
    cursors[endpoint] = cursor
  }

  /// Checks the invariants after an event.
  private mutating func check(after event: Event) {
    for plan in Self.plans {
      guard let status = engine.status(of: plan.id), let cursor = cursors[plan.id] else { continue }
      if status.waiting != waiting(plan.id) {
        violate("\(event): \(plan.id) has \(waiting(plan.id)) pending records, the engine has \(status.waiting)")
      }
      if status.isUploading != (cursor.upload != nil || cursor.isQuarantining) {
        violate("\(event): the engine's uploading state of \(plan.id) is wrong")
      }
      let isManual = plan.interval == .settings && engine.settings.sendInterval == nil
      if status.waiting > 0, !status.isUploading, status.heldBecause == nil, !isManual || status.retryAt != nil,
        timers[.send(plan.id)] == nil
      {
        violate("\(event): no timer is set for the pending records of \(plan.id)")
      }
    }
    if (request != nil) != engine.isTracking { violate("\(event): the state of the location services does not match tracking") }
    if launch.wasTracking != engine.isTracking { violate("\(event): the stored tracking state is wrong") }
    if engine.rollout != launch.rollout { violate("\(event): the stored rollout is wrong") }
    if engine.rollout != nil, timers[.rollout] == nil { violate("\(event): no timer is set for the rollout") }
    if engine.trip?.ending != nil, timers[.steps] == nil { violate("\(event): no timer is set for the end of the trip") }
    if engine.trip?.id != launch.trip?.id { violate("\(event): the stored trip is wrong") }
    if !openFetches.isEmpty || !openRequests.isEmpty, timers[.oneShot] == nil { violate("\(event): a request has no timer") }
    let isOverdue =
      engine.isTracking && engine.settings.notifies && engine.pausedSince == nil
      && engine.settingsInForce.trackingMode.isContinuous && !isByPolicy
    if isByPolicy, let request {
      let detectsMotion = request.mode != .off || request.tracksVisits || isWatchingExit
      if !detectsMotion { violate("\(event): motion of the device is not detectable") }
      let rests = [.adaptive, .twoState].contains(engine.settings.main.policy)
      if rests, timers[.policy] == nil, !request.mode.isContinuous, !isWatchingExit {
        violate("\(event): the rest cannot end")
      }
    }
    if isReminded != isOverdue { violate("\(event): the state of the reminder is wrong") }
  }

  /// Whether a policy determines the request to the location services.
  private var isByPolicy: Bool {
    engine.isTracking && !engine.isOnTrip && engine.settings.main.policy != .fixed && engine.settings.main.trackingMode != .off
  }

  // MARK: Random events

  /// Advances the time, and fires every due timer at its time.
  mutating func advance(_ seconds: Double) {
    let end = now.addingTimeInterval(seconds)
    var fired = 0
    while let (id, time) = timers.min(by: { ($0.value, Self.shuffled($0.key)) < ($1.value, Self.shuffled($1.key)) }), time <= end
    {
      now = max(now, time)
      timers[id] = nil
      send(.timerFired(id))
      fired += 1
      if fired > 10_000 { return violate("more than 10,000 timers fired: \(id)") }
      // Most uploads finish before the next timer.
      if happens(70) { for plan in Self.plans { finishUpload(plan.id) } }
    }
    now = max(now, end)
  }

  /// The order in which timers of the same time fire, on every machine.
  private static func shuffled(_ timer: TimerID) -> Int {
    switch timer {
    case .send(let endpoint): plans.firstIndex { $0.id == endpoint } ?? plans.count
    case .tripGrace, .tripRest: 10
    case .steps: 11
    case .oneShot: 12
    case .checkIn: 13
    case .rollout: 14
    case .policy: 15
    }
  }

  mutating func step() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<30: moveAbout()
    case 30..<45: for plan in Self.plans where happens(60) { finishUpload(plan.id) }
    case 45..<55: advance(.random(in: 0...600, using: &random))
    case 55..<58: advance(.random(in: 0...(8 * hour), using: &random))
    case 58..<62: send(.tick)
    case 62..<70: system()
    case 70..<88: user()
    case 88..<94: ask()
    case 94..<96: desired(by: [home, other, EndpointID("wifi")].randomElement(using: &random) ?? home)
    case 96 where isClockWild:
      now = now.addingTimeInterval(-.random(in: 0...(2 * hour), using: &random))
      send(.tick)
    case 97: relaunch()
    default: if isCountingSteps { countSteps() }
    }
  }

  private mutating func moveAbout() {
    let count = happens(10) ? 120 : Int.random(in: 1...10, using: &random)
    var fixes: [Fix] = []
    for _ in 0..<count {
      now = now.addingTimeInterval(.random(in: 0...2, using: &random))
      north += .random(in: -5...20, using: &random)
      var seconds = now.timeIntervalSince(start)
      if happens(2) { seconds -= .random(in: 0...hour, using: &random) }
      fixes.append(
        fix(
          seconds, north: north.truncatingRemainder(dividingBy: 50_000),
          accuracy: happens(3) ? -1 : .random(in: 1...120, using: &random)))
    }
    // Due timers fire before the fixes.
    advance(0)
    send(.fixes(fixes))
  }

  private mutating func system() {
    switch Int.random(in: 0..<11, using: &random) {
    case 8: send(.motionChanged(randomMotion(), isSure: happens(80)))
    case 9: respondMotion()
    case 0: send(.paused)
    case 1: send(.resumed)
    case 2: send(.leftRegion)
    case 3:
      send(
        .visit(
          Visit(time: now, coordinate: fix(0, north: north).coordinate, arrival: now),
          cached: happens(50) ? fix(now.timeIntervalSince(start)) : nil))
    case 4: send(.locationFailed("no satellites"))
    case 5:
      send(
        .authorizationChanged(
          happens(80) ? .always : [.denied, .restricted, .whenInUse, .notDetermined].randomElement(using: &random) ?? .denied))
    case 6, 7:
      send(
        .contextChanged(
          DeviceContext(
            batteryState: BatteryState.allCases.randomElement(using: &random),
            wifi: [nil, "Home", "Cafe"].randomElement(using: &random) ?? nil)))
    default:
      isNetworkThere.toggle()
      send(.networkChanged(isReachable: isNetworkThere, isWifi: [nil, true, false].randomElement(using: &random) ?? nil))
    }
  }

  private mutating func randomMotion() -> Motion {
    [[], .stationary, .walking, .driving, [.driving, .stationary], .cycling].randomElement(using: &random) ?? []
  }

  private mutating func respondMotion() {
    guard let (from, to) = asked else { return }
    asked = nil
    let count = Int.random(in: 0..<4, using: &random)
    let spans = (0..<count).map { number in
      let share = (Double(number) + .random(in: 0..<1, using: &random)) / Double(count)
      return MotionSpan(start: from.addingTimeInterval(to.timeIntervalSince(from) * share), motion: randomMotion())
    }
    send(.motionHistory(spans))
  }

  private mutating func user() {
    switch Int.random(in: 0..<14, using: &random) {
    case 0...2: send(.start)
    case 3: byUser(.stop)
    case 4: byUser(.sendNow)
    case 5: if happens(20) { send(.purge) }
    case 6, 7: send(.startTrip(happens(50) ? nil : TripMode.allCases.randomElement(using: &random)))
    case 8: send(.stopTrip)
    case 9: send(.answered(happens(50) ? .endTrip : .keepTrip))
    case 10: send(.willTerminate)
    default: send(.settingsSet([randomDesired()]))
    }
  }

  /// Sends an event of the user, which ends the delays that servers requested.
  private mutating func byUser(_ event: Event) {
    for plan in Self.plans { cursors[plan.id]?.isBackingOffUntil = nil }
    send(event)
  }

  private mutating func randomDesired() -> DesiredSetting {
    let entry = Settings.table.filter { $0.section != "fields" }.randomElement(using: &random) ?? Settings.table[0]
    let value: SettingValue =
      switch entry.kind {
      case .choice(let words): .text(words.randomElement(using: &random) ?? "")
      case .number(let numbers): .number(Double(numbers.randomElement(using: &random) ?? 0))
      case .flag: .flag(Bool.random(using: &random))
      case .text: .text("van \(Int.random(in: 0..<5, using: &random))")
      case .list: entry.standard
      }
    return DesiredSetting(name: happens(5) ? "colour" : entry.name, value: happens(5) ? .other("null") : value)
  }

  private mutating func desired(by endpoint: EndpointID) {
    let desired = (0..<Int.random(in: 1...3, using: &random)).map { _ in randomDesired() }
    let before = engine.settings
    send(.settingsOffered(endpoint, desired))
    for change in before.difference(to: engine.settings) where Settings.entry(change.name)?.authority != .userAndServer {
      violate("a server changed \(change)")
    }
  }

  private mutating func ask() {
    number += 1
    let cached = happens(50) ? fix(now.timeIntervalSince(start) - .random(in: 0...(2 * hour), using: &random), north: north) : nil
    switch Int.random(in: 0..<3, using: &random) {
    case 0: send(.becameActive(cached: cached))
    case 1:
      openFetches.insert(number)
      send(.backgroundFetch(number, cached: cached))
    default:
      openRequests.insert(number)
      send(.locationWanted(number))
    }
  }

  private mutating func countSteps() {
    isCountingSteps = false
    send(.stepsCounted(happens(50) ? 100 : nil))
  }

  // MARK: Servers

  private mutating func finishUpload(_ endpoint: EndpointID) {
    guard let cursor = cursors[endpoint] else { return }
    if cursor.isQuarantining {
      cursors[endpoint]?.isQuarantining = false
      guard happens(90) else { return send(.uploadFinished(endpoint, .failed(reason: "disk", retryAfter: nil, jitter: 0.5))) }
      acknowledge(endpoint, waiting(endpoint) > 0 ? 1 : 0)
      return send(
        .uploadFinished(endpoint, .quarantined(remaining: waiting(endpoint), jitter: .random(in: 0..<1, using: &random))))
    }
    guard let upload = cursor.upload else { return }
    // A purge may have deleted records of the upload in flight.
    let count = min(upload.count, waiting(endpoint))
    let jitter = Double.random(in: 0..<1, using: &random)
    cursors[endpoint]?.isBackingOffUntil = nil
    switch Int.random(in: 0..<20, using: &random) {
    case 0:
      let seconds = [nil, 120, 5000.0].randomElement(using: &random) ?? nil
      cursors[endpoint]?.isBackingOffUntil = seconds.map { now.addingTimeInterval($0) }
      finish(endpoint, .failed(reason: "no answer", retryAfter: seconds, jitter: jitter))
    case 1: finish(endpoint, .unauthorized(reason: "who?", jitter: jitter))
    case 2, 3: finish(endpoint, .rejected(reason: "bad", count: max(1, count)))
    case 4 where waiting(endpoint) > 0:
      finish(endpoint, .notYet(until: now.addingTimeInterval(.random(in: 1...hour, using: &random))))
    case 5 where waiting(endpoint) == 0: finish(endpoint, .nothingToSend)
    default:
      if happens(10) { desired(by: endpoint) }
      acknowledge(endpoint, upload.request.loggingMode == .all ? count : waiting(endpoint))
      let bytes = 200 + 100 * count
      let day = Int((now.timeIntervalSince1970 / 86400).rounded(.down))
      let today = cursors[endpoint]?.sentToday ?? (day: 0, bytes: 0)
      cursors[endpoint]?.sentToday = (day, (today.day == day ? today.bytes : 0) + bytes)
      finish(endpoint, .accepted(remaining: waiting(endpoint), bytes: bytes))
    }
  }

  private mutating func finish(_ endpoint: EndpointID, _ result: UploadResult) {
    cursors[endpoint]?.upload = nil
    send(.uploadFinished(endpoint, result))
  }

  private mutating func acknowledge(_ endpoint: EndpointID, _ count: Int) {
    if count < 0 { violate("\(endpoint): a negative number of records was acknowledged") }
    cursors[endpoint]?.acknowledged += count
  }

  // MARK: The program

  private mutating func relaunch() {
    kills += 1
    now = now.addingTimeInterval(.random(in: 0...(3 * hour), using: &random))
    if happens(50) { send(.willTerminate) }
    (timers, openFetches, openRequests, isCountingSteps, request, isReminded) = ([:], [], [], false, nil, false)
    asked = nil
    let day = Int((now.timeIntervalSince1970 / 86400).rounded(.down))
    for plan in Self.plans {
      cursors[plan.id]?.upload = nil
      cursors[plan.id]?.isQuarantining = false
      // Delays that a server requested are not stored.
      cursors[plan.id]?.isBackingOffUntil = nil
      launch.waiting[plan.id] = waiting(plan.id)
      let today = cursors[plan.id]?.sentToday ?? (day: 0, bytes: 0)
      launch.sentToday[plan.id] = today.day == day ? today.bytes : 0
    }
    launch.coverageEnd = coverage.values.map(\.end).max()
    engine = Engine(settings: settings, plans: Self.plans, uniqueID: "U-1")
    send(.launched(launch))
    send(.authorizationChanged(.always))
  }

  /// Finishes all requests and uploads, and checks that none is left.
  mutating func settle() {
    send(.contextChanged(DeviceContext(batteryState: .charging, wifi: "Cafe")))
    send(.networkChanged(isReachable: true, isWifi: true))
    advance(30)
    if !openFetches.isEmpty || !openRequests.isEmpty { violate("requests without a result: \(openFetches) \(openRequests)") }
    for _ in 0..<20_000 where Self.plans.contains(where: { waiting($0.id) > 0 }) {
      for plan in Self.plans { finishUpload(plan.id) }
      advance(600)
      byUser(.sendNow)
    }
    for plan in Self.plans where waiting(plan.id) > 0 { violate("\(plan.id) did not receive \(waiting(plan.id)) records") }
  }

  /// The stored lines of the coverage log and the current line, sorted by start.
  var coverageLines: [CoverageEntry] {
    var lines = coverage
    if let line = engine.coverageEntry { lines[line.start] = line }
    return lines.values.sorted { $0.start < $1.start }
  }

  /// Returns the violations of the coverage log.
  func coverageFaults() -> [String] {
    let lines = coverageLines
    var faults: [String] = []
    guard let first = lines.first, let last = lines.last else { return ["there is no coverage log"] }
    if first.start != start { faults.append("it begins \(first.start.timeIntervalSince(start)) s late") }
    let minute = (latest.timeIntervalSince1970 / 60).rounded(.down) * 60
    if last.end.timeIntervalSince1970 != minute { faults.append("it ends \(minute - last.end.timeIntervalSince1970) s early") }
    for (a, b) in zip(lines, lines.dropFirst()) where a.end != b.start {
      faults.append("\(b.start.timeIntervalSince(a.end)) s between \(a) and \(b)")
    }
    for line in lines where line.minutes < 1 { faults.append("\(line) has no minutes") }
    let repeated = zip(lines, lines.dropFirst()).filter { $0.reason == $1.reason }.count
    if repeated > kills { faults.append("\(repeated) lines have the reason of the line before, with \(kills) relaunches") }
    // The coverage log may lack the fixes that a terminated program had not stored yet.
    let reported = lines.reduce(0) { $0 + $1.fixes }
    if reported > recordedFixes { faults.append("it has \(reported) fixes, and \(recordedFixes) were recorded") }
    return faults
  }

  var isKilled: Bool { kills > 0 }
  var fixCount: Int { recordedFixes }
  var recordCount: Int { appended }
}
