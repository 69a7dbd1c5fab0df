import Foundation
import GodwitEngine
import GodwitModel
import Synchronization
import Testing

@testable import Godwit
@testable import GodwitDelivery
@testable import GodwitHTTPClient
@testable import GodwitJournal

/// The background uploads of a phone's system. Its tasks outlive the program.
private final class SendingSystem: Sendable {
  struct Task: Sendable {
    var description: String
    var body: [UInt8]
    var name: String?
    var isCancelled = false
    var hasEnded = false
  }
  private let tasks = Mutex<[Task]>([])
  /// The program that receives the events; `nil`: no program runs.
  private let program = Mutex<BackgroundUploads?>(nil)
  let folder: URL

  init(_ folder: URL) { self.folder = folder }

  var all: [Task] { tasks.withLock { $0 } }
  var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? [] }

  /// Launches the program, which receives the running tasks.
  /// - Parameter lists: whether the system lists its tasks immediately.
  func launch(_ name: String, lists: Bool = true) -> HTTPClient {
    let uploads = BackgroundUploads(files: UploadFiles(folder: folder, launch: name))
    program.withLock { $0 = uploads }
    if lists { list() }
    var client = HTTPClient { [self] request in
      try await uploads.send(request, pins: nil) { file, description in create(file, description, request) }
    }
    client.earlier = HTTPClient.Earlier(names: { await uploads.names() }, cancel: { uploads.cancel($0) })
    return client
  }

  func list() {
    guard let uploads = program.withLock({ $0 }) else { return }
    for (number, task) in all.enumerated() where !task.isCancelled && !task.hasEnded {
      uploads.found(systemTask(number), description: task.description)
    }
    uploads.listed()
  }

  private func create(_ file: URL, _ description: String, _ request: HTTPClient.Request) -> BackgroundUploads.SystemTask {
    let task = Task(description: description, body: request.body, name: request.name)
    return systemTask(
      tasks.withLock { tasks in
        tasks.append(task)
        return tasks.count - 1
      })
  }

  private func systemTask(_ number: Int) -> BackgroundUploads.SystemTask {
    BackgroundUploads.SystemTask(
      number: number, resume: {},
      cancel: { [self] in
        tasks.withLock { $0[number].isCancelled = true }
        end(number, .failed(URLError(.cancelled)))
      })
  }

  /// Ends the program. The tasks continue.
  func kill() { program.withLock { $0 = nil } }

  /// Completes a task with a response, and reports the task to the program if it runs.
  func respond(_ number: Int, status: Int = 200, _ body: String = #"{"result":"ok"}"#) {
    if let uploads = program.withLock({ $0 }) {
      uploads.found(systemTask(number), description: all[number].description)
      uploads.responses.received(Array(body.utf8), of: number)
    }
    end(number, .answered(status: status, headers: [:]))
  }

  func end(_ number: Int, _ ending: InFlightResponses.Ending) {
    tasks.withLock { $0[number].hasEnded = true }
    guard let uploads = program.withLock({ $0 }) else { return }
    uploads.found(systemTask(number), description: all[number].description)
    uploads.responses.ended(ending, of: number)
  }

  /// Waits until `count` tasks were created.
  func began(_ count: Int) async throws {
    while all.count < count {
      try Swift.Task.checkCancellation()
      await Swift.Task.yield()
    }
  }
}

@Suite("Uploads of an earlier launch", .timeLimit(.minutes(20)))
struct EarlierUploadTests {
  private let folder: TemporaryFolder
  private let system: SendingSystem
  private let journal: Journal

  init() throws {
    folder = try TemporaryFolder()
    system = SendingSystem(folder.url.appendingPathComponent("uploads"))
    journal = try Journal(path: folder.journal, newID: 0xABC)
    try journal.register(endpoint: "home")
    try journal.append((0..<30).map { record(Double($0)) }, recordedAt: start)
  }

  private func delivery(_ client: HTTPClient) -> Delivery { Delivery(journal: journal, client: client, now: { start + 1000 }) }

  private func home() throws -> Endpoint {
    try Endpoint(name: "home", address: "https://home.example/api/overland", format: "overland")
  }

  private func upload(_ client: HTTPClient, limit: Int = 50, to endpoint: Endpoint? = nil) -> Task<Bool, any Error> {
    let delivery = delivery(client)
    return Task {
      let outcome = await delivery.upload(to: try endpoint ?? home(), UploadRequest(limit: limit), settings: Settings())
      return if case .acknowledged = outcome { true } else { false }
    }
  }

  /// The first launch sends 30 records and is killed before the response.
  private func killed() async throws {
    _ = upload(system.launch("A"))
    try await system.began(1)
    system.kill()
  }

  @Test("a running upload is continued, and newer records follow in their own batch", arguments: [true, false])
  func runs(isAnsweredFirst: Bool) async throws {
    try await killed()
    try journal.append([record(40)], recordedAt: start)
    let client = system.launch("B")
    if isAnsweredFirst { system.respond(0) }
    let again = upload(client)
    if !isAnsweredFirst {
      while journal.waiting(endpoint: "home") == 31, system.all.count == 1, !system.all[0].isCancelled,
        await client.earlier?.names() != []
      {
        try Task.checkCancellation()
        await Task.yield()
      }
      system.respond(0)
    }
    #expect(try await again.value)
    #expect(system.all.count == 1 && journal.waiting(endpoint: "home") == 1)
    #expect(system.files.isEmpty)
    let next = upload(client)
    try await system.began(2)
    system.respond(1)
    #expect(try await next.value)
    #expect(journal.waiting(endpoint: "home") == 0 && system.files.isEmpty)
  }

  @Test(
    "an upload that was completed after the end of the program is reported by the system before or after its list",
    arguments: [true, false])
  func reported(isListedFirst: Bool) async throws {
    try await killed()
    let client = system.launch("B", lists: isListedFirst)
    system.respond(0)
    let again = upload(client)
    if !isListedFirst { system.list() }
    #expect(try await again.value)
    #expect(system.all.count == 1 && journal.waiting(endpoint: "home") == 0 && system.files.isEmpty)
  }

  @Test(
    "an upload whose contents changed or that failed is replaced, and the records are sent again",
    arguments: ["address", "journal", "failed", "skipped"])
  func other(reason: String) async throws {
    try await killed()
    let client = system.launch("B")
    var endpoint: Endpoint?
    switch reason {
    case "address":
      endpoint = try Endpoint(name: "home", address: "https://new.example/api/overland", format: "overland")
    case "journal":
      _ = try journal.acknowledge(
        endpoint: "home", through: 3, reported: ReportedNumbers(first: 1, number: 3, isCovered: true), settingAside: [], at: start
      )
    case "failed": system.end(0, .failed(URLError(.timedOut)))
    default: try journal.purge()
    }
    if reason == "skipped" { try journal.append([record(50)], recordedAt: start) }
    let again = upload(client, to: endpoint)
    try await system.began(2)
    #expect(system.all[0].isCancelled && system.all[1].name != system.all[0].name || reason == "failed")
    #expect(system.files.count == 1)
    system.respond(1)
    #expect(try await again.value)
    #expect(journal.waiting(endpoint: "home") == 0 && system.files.isEmpty)
  }

  @Test("a task without a batch name is cancelled, with its file; tasks of this launch and of other endpoints remain")
  func unmanaged() async throws {
    let earlier = UploadFiles(folder: system.folder, launch: "A")
    let file = try earlier.store([1]).lastPathComponent
    let uploads = BackgroundUploads(files: UploadFiles(folder: system.folder, launch: "B"))
    let cancelled = Mutex<[Int]>([])
    func task(_ number: Int) -> BackgroundUploads.SystemTask {
      BackgroundUploads.SystemTask(number: number, resume: {}, cancel: { cancelled.withLock { $0.append(number) } })
    }
    let label = BackgroundUploads.Label(file: "A.1", name: "1 2 2 ff work", pins: ["key"])
    #expect(uploads.found(task(1), description: file) == nil)
    #expect(uploads.found(task(2), description: nil) == nil)
    #expect(uploads.found(task(3), description: label.text) == label)
    #expect(uploads.found(task(3), description: label.text) == nil)
    #expect(uploads.found(task(4), description: BackgroundUploads.Label(file: "B.1", name: "x", pins: nil).text) == nil)
    // A second task of the same batch.
    #expect(uploads.found(task(5), description: label.text) == nil)
    uploads.listed()
    #expect(cancelled.withLock { $0 } == [1, 2, 5] && system.files.isEmpty)
    #expect(uploads.responses.isWaiting(for: 3) && !uploads.responses.isWaiting(for: 4))
    #expect(await uploads.names() == ["1 2 2 ff work"])
  }

  @Test("the name of a batch is parsed, with any name of an endpoint")
  func names() throws {
    for endpoint in ["home", "my server 2", " "] {
      let home = try Endpoint(name: endpoint, address: "https://home.example/api/overland", format: "overland")
      let id = RecordID(journal: .max, sequence: RecordNumber(clamping: 7))
      let name = BatchName(home, from: 1, through: .max, rows: 2, records: [id, nil])
      #expect(BatchName(name.text) == name && name.endpoint == endpoint)
      #expect(name != BatchName(home, from: 1, through: .max, rows: 2, records: [nil, id]))
    }
    #expect(["", "1 2 3", "1 2 0 ff home", "1 2 x ff home"].allSatisfy { BatchName($0) == nil })
  }
}
