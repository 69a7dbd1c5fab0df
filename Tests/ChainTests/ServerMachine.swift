import Foundation
import GodwitHTTP
import GodwitHTTPClient
import GodwitModel
import GodwitPhone
import GodwitSecrets
import GodwitServer
import GodwitServices
import GodwitSimulator
import GodwitStore
import TestDisk

/// The computer of the server: the real server with its services and its SQLite store, on a simulated disk, in simulated time. All work of
/// the server runs in one queue, on the thread of the simulation.
///
/// `@unchecked Sendable`: used only on the thread of the simulation.
final class ServerMachine: @unchecked Sendable {
  /// A cause of a sudden end of the program.
  enum Ending: Sendable {
    /// The power fails: unsynced data may be lost.
    case powerCut
    /// The program is killed.
    case kill
  }

  /// One run of the server's program.
  private final class Run {
    let process = SimulatedProcess()
    let timers: ServerTimers
    let folder: String
    let disk: SimulatedDisk
    let local: LocalServer
    var services: Task<Void, Never>?

    init(_ machine: ServerMachine, folder: String, disk: SimulatedDisk) throws {
      (self.folder, self.disk) = (folder, disk)
      let (process, timers) = (process, ServerTimers(from: machine.now, clockShift: machine.clockShift))
      self.timers = timers
      // The server does not listen at this address.
      guard let address = ListenAddress("127.0.0.1:0") else { throw ChainError("127.0.0.1:0 is not an address.") }
      let environment = ServerEnvironment(
        clock: timers.clock, queues: .serial(on: process) { process.perform($0) },
        network: HTTPStarter { [unowned machine] request, completion in
          machine.webhooks.receive(request, timers, machine, completion)
        },
        random: { [unowned machine] in machine.random.uniform() })
      let configuration = Server.Configuration(listen: address, dataFolder: folder)
      local = LocalServer(try Server(configuration: configuration, environment: environment))
    }
  }

  private let root: MemoryFolder
  private var run: Run?
  private var folder: String
  private var folders = 0
  private var random: RandomSource
  /// The disk at the power cut, if there was one in this run.
  private var cut: PowerCut?
  /// The disk at the kill of the last program, with its unsynced data; `nil`: the files in the folder are the state of the disk.
  private var crash: PowerCut?
  private(set) var now: SimulatedTime
  private(set) var clockShift = 0.0
  /// Whether the program is suspended (SIGSTOP).
  private(set) var isFrozen = false
  let webhooks: WebhookReceiver
  let token = AccessToken()
  /// Called with each event.
  var log: (String) -> Void = { _ in }
  /// The numbers of starts of the program, power cuts, kills and disk faults.
  private(set) var counts = (starts: 0, cuts: 0, kills: 0, faults: 0)

  init(root: MemoryFolder, seed: UInt64, from start: SimulatedTime) {
    (self.root, now) = (root, start)
    folder = root.path + "/server0"
    random = RandomSource(seed: seed, stream: "server")
    webhooks = WebhookReceiver(seed: seed)
  }

  var isRunning: Bool { run != nil }

  /// The folder of the store, for use while no program runs.
  var dataFolder: String { folder }

  // MARK: Starting and ending

  /// Starts the program with the files of the disk.
  /// - Throws: an error of the server, which is a failure of the run.
  func start() throws {
    guard run == nil else { return }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let disk: SimulatedDisk
    if let crash {
      disk = try SimulatedDisk(folder: folder, after: crash)
      try writeOtherFiles()
    } else {
      disk = try SimulatedDisk(folder: folder)
    }
    crash = nil
    counts.starts += 1
    let run = try Run(self, folder: folder, disk: disk)
    self.run = run
    disk.observe({ [unowned self] in $0 == cutAt }, { [unowned self] in if cut == nil { cut = $0 } })
    run.services = Task(executorPreference: run.process) { [local = run.local] in
      // Ends when the task is cancelled.
      try? await local.runServices()
    }
    drain()
    log("server starts")
  }

  /// The number of the disk operation instead of which the program ends.
  private var cutAt: Int?
  private var ending = Ending.powerCut

  /// Ends the program instead of an operation of the disk.
  /// - Parameter operations: the number of operations before it.
  func fail(_ ending: Ending, after operations: Int) {
    guard let run, cutAt == nil else { return }
    self.ending = ending
    cutAt = run.disk.operations + 1 + operations
  }

  /// Ends the program if its last operation was reached.
  /// - Returns: whether it ended.
  func endIfCut() throws -> Bool {
    guard let cut else { return false }
    self.cut = nil
    cutAt = nil
    end()
    try readOtherFiles()
    try FileManager.default.removeItem(atPath: folder)
    folders += 1
    folder = root.path + "/server\(folders)"
    switch ending {
    case .powerCut:
      counts.cuts += 1
      try cut.write(seed: random.next(), to: folder)
      try writeOtherFiles()
    case .kill:
      counts.kills += 1
      crash = cut
    }
    log("server ends at operation \(cut.operation): \(ending)")
    return true
  }

  /// The files that SQLite does not write, by name. They are not part of the simulated disk.
  private var otherFiles: [String: Data] = [:]

  private func readOtherFiles() throws {
    otherFiles = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !name.hasPrefix("godwit.sqlite") {
      otherFiles[name] = try? Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
    }
  }

  private func writeOtherFiles() throws {
    for (name, content) in otherFiles { try content.write(to: URL(fileURLWithPath: folder + "/" + name)) }
  }

  /// Stops the program as an administrator does.
  func stop() {
    guard run != nil else { return }
    cutAt = nil
    end()
    log("server stops")
  }

  private func end() {
    guard let run else { return }
    self.run = nil
    isFrozen = false
    run.process.isSuspended = false
    run.disk.endCuts()
    webhooks.endRequests()
    run.services?.cancel()
    run.process.drain()
    run.local.close()
    run.process.drain()
    run.process.end()
    run.disk.end()
  }

  // MARK: Time and faults

  /// The time of the next timer of the server; `nil`: there is none.
  var nextTimer: SimulatedTime? { isFrozen ? nil : run?.timers.next }

  /// Advances the time, and fires the timers that are due.
  func advance(to time: SimulatedTime) {
    if let run, !isFrozen {
      while cut == nil, run.timers.fire(until: time) {
        now = run.timers.now
        drain()
      }
    }
    now = max(now, time)
  }

  /// Sets the clock of the server.
  func setClock(by seconds: Double) {
    clockShift += seconds
    run?.timers.clockShift = clockShift
    log("server clock \(seconds)")
  }

  /// Suspends or resumes the program.
  func freeze(_ freezes: Bool) {
    guard let run else { return }
    isFrozen = freezes
    run.process.isSuspended = freezes
    if !freezes { drain() }
    log(freezes ? "server is suspended" : "server is resumed")
  }

  /// Makes operations of the disk fail; `nil`: ends the faults.
  func failDisk(_ fault: SimulatedDisk.Fault?) {
    guard let run else { return }
    if fault != nil { counts.faults += 1 }
    run.disk.fail(fault)
    log(
      fault.map { "disk of the server: \($0.kind.map { "\($0)" } ?? "all") fail, lasting \($0.isLasting), full \($0.isFull)" }
        ?? "disk of the server works")
  }

  // MARK: Requests

  /// Passes a request to the server.
  /// - Returns: the response; `nil` if the program does not run, is suspended, or ended before the response.
  func respond(_ request: LocalRequest) -> LocalResponse? {
    guard let run, !isFrozen, cut == nil else { return nil }
    let response = Box<LocalResponse>()
    run.local.respond(request) { [unowned self] sent in
      // A response after the power failure does not leave the computer.
      if cut == nil { response.value = sent }
    }
    drain()
    return response.value
  }

  /// Sends a request of the administrator, without faults.
  func administer(_ method: String, _ path: String, _ body: String) throws {
    let secret = try String(contentsOfFile: folder + "/admin-token", encoding: .utf8)
    let response = respond(
      LocalRequest(
        method: method, path: path,
        headers: ["Authorization": "Bearer \(secret.trimmingCharacters(in: .whitespacesAndNewlines))"], body: Array(body.utf8)))
    guard let response, (200..<300).contains(response.status) else {
      throw ChainError(
        "\(method) \(path): \(response.map { "\($0.status) \(String(decoding: $0.body, as: UTF8.self))" } ?? "no answer")")
    }
  }

  private func drain() { run?.process.drain() }
}

/// A value of the simulation.
///
/// `@unchecked Sendable`: used only on the thread of the simulation.
final class Box<Value>: @unchecked Sendable {
  var value: Value?
}

/// The reason why a run cannot continue.
struct ChainError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
