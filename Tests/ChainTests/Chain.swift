import Foundation
import GodwitModel
import GodwitPhone
import GodwitServer
import GodwitSimulator
import GodwitStore
import TestDisk
import TestHistory

/// A simulation from one seed: a phone with the real tracker, a network, the real server on its disk, and the receiver of a webhook. The
/// seed determines the faults and their times. At the end the recorded, sent, acknowledged, stored and delivered data are compared.
final class Chain {
  struct Configuration: Sendable {
    var seed: UInt64
    var days: Int
    /// Mean seconds between two faults.
    var pause = 6 * 3600.0
    /// Whether the clocks of the phone and the server are set to wrong times.
    var setsClocks = true
    /// Whether all lines of the trace are kept.
    var keepsTrace = false
  }

  /// What a run found.
  struct Outcome: Sendable {
    /// The violated conditions.
    var problems: [String]
    var hash: UInt64
    /// The figures of the run, in one line.
    var summary: String
    /// The last lines of the trace.
    var end: String
    var lines: [String]?
  }

  private let configuration: Configuration
  private let root = MemoryFolder()
  private let server: ServerMachine
  private let network: PhoneNetwork
  private let phone: PhoneMachine
  private var random: RandomSource
  private var trace: ChainTrace
  private var events: Schedule<Event>
  private var faults = 0
  private let start = SimulatedTime(microseconds: 1_795_132_800_000_000)

  private enum Event: Sendable {
    case fault
    case startServer
    case thawServer
    case repairDisk
    case endRejections
    case hazard(Hazard)
  }

  /// Runs a simulation.
  static func run(_ configuration: Configuration) throws -> Outcome { try Chain(configuration).run() }

  private init(_ configuration: Configuration) throws {
    self.configuration = configuration
    trace = ChainTrace(isWhole: configuration.keepsTrace)
    random = RandomSource(seed: configuration.seed, stream: "faults")
    events = Schedule(from: start)
    server = ServerMachine(root: root, seed: configuration.seed, from: start)
    network = PhoneNetwork(server, seed: configuration.seed, from: start)
    try Self.prepare(server)
    phone = try PhoneMachine(
      try Life.truth(seed: configuration.seed, days: configuration.days, from: start), network: network, root: root,
      seed: configuration.seed, from: start)
    server.log = { [unowned self] in trace.add($0, at: server.now) }
    network.log = { [unowned self] in trace.add($0, at: server.now) }
    phone.log = { [unowned self] in trace.add($0, at: phone.phone?.now ?? start) }
  }

  /// Creates the device, a region at home and a webhook.
  private static func prepare(_ server: ServerMachine) throws {
    try FileManager.default.createDirectory(atPath: server.dataFolder, withIntermediateDirectories: true)
    let store = try SQLiteTrackStore(folder: server.dataFolder)
    _ = try store.addDevice(named: "phone", tokenHash: server.token.hash, at: server.now.date)
    store.close()
    try server.start()
    try server.administer("POST", "/api/v1/regions", Life.region)
    try server.administer("POST", "/api/v1/webhooks", #"{"url":"https://hooks.example/"}"#)
  }

  private func run() throws -> Outcome {
    let end = start + Double(configuration.days) * 86_400
    planFault()
    try advance(to: end)
    try recover(until: end + 86_400)
    var problems = try problems()
    if server.counts.starts == 0 { problems.append("the server was never started") }
    return Outcome(problems: problems, hash: trace.hash, summary: summary, end: trace.end, lines: trace.lines)
  }

  private func planFault() {
    events.plan(.fault, at: events.time + random.exponential(mean: configuration.pause))
  }

  /// Advances the time of all parts.
  private func advance(to end: SimulatedTime) throws {
    guard let device = phone.phone else { return }
    while device.now < end {
      let steps = [events.nextTime(), network.nextArrival, server.nextTimer].compactMap(\.self)
      // Not before the time of the phone: overdue steps are performed now.
      let next = max(device.now, min(end, steps.min() ?? end, device.now + 60))
      device.run(until: next)
      network.deliver(until: next)
      server.advance(to: next)
      try phone.restartIfCut()
      if try server.endIfCut() { events.plan(.startServer, at: next + random.uniform(1...1800)) }
      while let (_, event) = events.next(until: next) { try happen(event) }
    }
  }

  /// Simulates a day without faults, in which everything arrives.
  private func recover(until end: SimulatedTime) throws {
    network.isFaulty = false
    server.webhooks.isFaulty = false
    while let (_, event) = events.next(until: end) {
      switch event {
      case .fault: break
      case .startServer, .thawServer, .repairDisk, .endRejections, .hazard: try happen(event)
      }
    }
    if server.isFrozen { server.freeze(false) }
    server.failDisk(nil)
    phone.failPowerAtRequest(after: nil)
    try advanceWithoutFaults(to: end)
  }

  private func advanceWithoutFaults(to end: SimulatedTime) throws {
    events = Schedule(from: phone.phone?.now ?? start)
    try phone.restartIfCut()
    if try server.endIfCut() || !server.isRunning { try server.start() }
    phone.phone?.apply(.aeroplane(false))
    phone.phone?.apply(.captive(false))
    phone.phone?.apply(.open)
    try advance(to: end)
  }

  // MARK: Faults

  private func happen(_ event: Event) throws {
    switch event {
    case .fault:
      try fail()
      planFault()
    case .startServer: try server.start()
    case .thawServer: if server.isFrozen { server.freeze(false) }
    case .repairDisk: server.failDisk(nil)
    case .endRejections: network.isRejecting = false
    case .hazard(let hazard): apply(hazard)
    }
  }

  private func apply(_ hazard: Hazard) {
    trace.add(hazard.text, at: phone.phone?.now ?? start)
    phone.phone?.apply(hazard)
  }

  private func later(_ event: Event, _ seconds: ClosedRange<Double>) {
    events.plan(event, at: events.time + random.uniform(seconds))
  }

  private func fail() throws {
    faults += 1
    switch Int.random(in: 0..<21, using: &random) {
    case 0...4: server.fail(.powerCut, after: Int.random(in: 0..<60, using: &random))
    case 5, 6: server.fail(.kill, after: Int.random(in: 0..<60, using: &random))
    case 7:
      server.stop()
      later(.startServer, 1...600)
    case 8:
      server.freeze(true)
      later(.thawServer, 1...1800)
    case 9:
      server.failDisk(SimulatedDisk.Fault(after: Int.random(in: 0..<20, using: &random), isLasting: false))
      later(.repairDisk, 60...600)
    case 10:
      server.failDisk(SimulatedDisk.Fault(.write, after: 0, isLasting: true, isFull: true))
      later(.repairDisk, 60...7200)
    case 11, 12: phone.failPower(after: Int.random(in: 0..<40, using: &random))
    case 13: phone.failPowerAtRequest(after: Int.random(in: 0..<4, using: &random))
    case 14: reopen(after: .kill)
    case 15: reopen(after: random.happens(0.5) ? .forceQuit : .updateApp)
    case 16:
      apply(.aeroplane(true))
      later(.hazard(.aeroplane(false)), 600...2 * 86_400)
    case 17:
      apply(.captive(true))
      later(.hazard(.captive(false)), 60...7200)
    case 18:
      network.isRejecting = true
      later(.endRejections, 600...4 * 3600)
    case 19: setServerClock()
    default: setPhoneClock()
    }
  }

  private func reopen(after hazard: Hazard) {
    apply(hazard)
    later(.hazard(.open), 1...14_400)
  }

  private func setServerClock() {
    guard configuration.setsClocks else { return }
    server.setClock(by: random.uniform(-3600...3600))
  }

  /// Sets the clock of the phone wrong by up to 40 days, and corrects it later. In most cases the phone has no network meanwhile, so that
  /// records wait.
  private func setPhoneClock() {
    guard configuration.setsClocks else { return }
    let seconds = (random.uniform(-40...40) * 86_400).rounded()
    guard random.happens(0.7) else {
      apply(.clock(shift: seconds))
      return later(.hazard(.clock(shift: -seconds)), 60...86_400)
    }
    apply(.aeroplane(true))
    later(.hazard(.clock(shift: seconds)), 3600...43_200)
    later(.hazard(.clock(shift: -seconds)), 46_800...86_400)
    later(.hazard(.aeroplane(false)), 46_800...86_400)
  }

  // MARK: Checks

  private func problems() throws -> [String] {
    var problems: [String] = []
    let waiting = phone.waiting
    if waiting != 0 { problems.append("\(waiting) records wait in the journal after a day without faults") }
    server.stop()
    phone.end()
    let stored = try StoredHistory(of: server.dataFolder, deliveries: server.webhooks.events)
    let checker = HistoryChecker(history: network.history, stored: stored)
    problems += checker.problems.filter { !configuration.setsClocks || $0.kind != .outOfOrderEvents }.map(\.description)
    if !network.reused.isEmpty { problems.append("numbers were used twice: \(network.reused.prefix(5))") }
    if !network.rejections.isEmpty { problems.append("the server rejected records: \(network.rejections.prefix(5))") }
    if stored.events.isEmpty, configuration.days > 3 { problems.append("no region was entered") }
    let counted = try Self.countedPoints(of: server.dataFolder)
    if counted != stored.points.count { problems.append("\(stored.points.count) points are stored, and \(counted) were counted") }
    let times = Set(stored.points.map(\.time))
    let missing = phone.recorded.filter { !times.contains(Int(($0.fix.time.timeIntervalSince1970 * 1000).rounded())) }
    if !missing.isEmpty {
      problems.append("\(missing.count) recorded positions are not stored: \(missing.prefix(5).map { "\($0.fix.time)" })")
    }
    return problems
  }

  /// Returns the number of points that the store counted when they were stored.
  private static func countedPoints(of folder: String) throws -> Int {
    let store = try SQLiteTrackStore(folder: folder)
    defer { store.close() }
    return try store.read { Int(try $0.integer("SELECT sum(points) FROM devices") ?? 0) }
  }

  private var summary: String {
    let counts = server.counts
    let fates = PhoneNetwork.Fate.allCases.map { "\(network.fates[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
    return """
      seed \(configuration.seed), \(configuration.days) days: \(phone.recorded.count) positions, \(network.history.sent.count) sent and \(network.twins.count) twins, \
      \(faults) faults, \(counts.starts) starts, \(counts.cuts) power cuts and \(counts.kills) kills of the server, \(phone.cuts) power cuts \
      of the phone, \(counts.faults) faults of the disk, requests: \(fates), \(server.webhooks.events.count) deliveries
      """
  }
}
