import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitSecrets
import GodwitServer
import GodwitSimulator
import GodwitStore
import GodwitWire
import Synchronization
import TestDisk
import Testing

@testable import GodwitDelivery
@testable import GodwitJournal

/// A journal on a simulated disk, and deliveries to two servers with their own stores. A seed determines the faults. The events
/// become a trace of the model `delivery.pml`.
actor DeliveryScenario {
  /// The events of the model.
  enum Event {
    static let appended = 1, sent = 2, stored = 3, acknowledged = 4, removed = 5, killed = 6, cut = 7, flushed = 8, unanswered = 9
    static let end = 11
  }

  /// The maximum number of records in a trace: the model has one bit for each record.
  static let maximumRecords = 26
  static let settings = ["-DRECORDS=\(maximumRecords)", "-DENDPOINTS=2", "-DLIMIT=4", "-DWITHHOLDING=1"]

  /// The end of the program during a request.
  private struct Ended: Error {}

  private let folder = MemoryFolder()
  private let seed: UInt64
  private var random: RandomSource
  /// Whether some records are withheld from the first endpoint; otherwise records are removed by age.
  private let isWithholding: Bool
  private let stores: [SQLiteTrackStore]
  private let devices: [Device]
  private var disks: [SimulatedDisk] = []
  private var journal: Journal
  private var delivery: Delivery?
  private let uptime = Uptime()

  private var trace = ModelTrace(end: Event.end)
  private var now = DeliveryScenario.start
  /// The time of the last append that was flushed.
  private var flushed = Date.distantPast
  /// The number of appended records.
  private var made = 0
  /// The number of starts of the program.
  private var programs = 0
  private var isSending = [false, false]
  /// A request of an endpoint that is delayed: the device does not wait for it.
  private var delayed: [HTTPClient.Request?] = [nil, nil]
  private var hasFaults = true

  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private static let syncInterval = 30.0
  private static let names = ["first", "second"]

  init(seed: UInt64) throws {
    self.seed = seed
    random = RandomSource(seed: seed, stream: "delivery")
    isWithholding = seed % 2 == 1
    let path = folder.path
    stores = try Self.names.map { try SQLiteTrackStore(folder: path + "/" + $0) }
    devices = try stores.map { try $0.addDevice(named: "phone", tokenHash: AccessToken().hash, at: Self.start) }
    let disk = path + "/disk-0"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    disks = [try SimulatedDisk(folder: disk)]
    journal = try Self.open(disk, uptime)
    for name in Self.names {
      try journal.register(endpoint: name)
      try journal.recognize(endpoint: name, as: .godwit)
    }
  }

  private static func open(_ disk: String, _ uptime: Uptime) throws -> Journal {
    try Journal(path: disk + "/journal", newID: 0xABC, syncInterval: syncInterval, uptime: { uptime.seconds })
  }

  /// Runs with faults, and then without faults until everything is delivered.
  /// - Returns: the trace.
  func run() async throws -> ModelTrace {
    begin()
    for _ in 0..<60 where made < Self.maximumRecords - 2 { try await step() }
    hasFaults = false
    while try await upload(0, limit: 4) {}
    while try await upload(1, limit: 4) {}
    for index in Self.names.indices { #expect(journal.waiting(endpoint: Self.names[index]) == 0) }
    delivery = nil
    // Closes the files on the simulated disk.
    journal = try Self.open(folder.path, uptime)
    for disk in disks { disk.end() }
    for store in stores { store.close() }
    return trace
  }

  // MARK: The device

  /// Starts the program.
  private func begin() {
    programs += 1
    flushed = .distantPast
    let client = HTTPClient { [self] request in try await respond(to: request) }
    delivery = Delivery(journal: journal, client: client, now: { Self.start })
  }

  private func step() async throws {
    now += Double(random.next() % 20)
    switch random.next() % 16 {
    case 0:
      try journal.sync()
      trace.add(Event.flushed)
    case 1: try kill()
    case 2: try cut()
    case 3: try remove()
    case 4: try await storeDelayed(Int(random.next() % 2))
    case 5...9: _ = try await upload(Int(random.next() % 2), limit: Int(1 + random.next() % 4))
    default: try append()
    }
  }

  private func append() throws {
    guard made < Self.maximumRecords else { return }
    uptime.advance(10)
    let isWithheld = isWithholding && random.happens(0.4)
    made += 1
    let place = try #require(Coordinate(latitude: isWithheld ? 45 : 46, longitude: 14))
    let record = Record(kind: .fix(Fix(time: Self.start.addingTimeInterval(Double(made)), coordinate: place)))
    try journal.append([record], recordedAt: now)
    // The first append of a program is flushed, and then the first one after 30 s.
    let isDue = now.timeIntervalSince(flushed) >= Self.syncInterval
    if isDue { flushed = now }
    trace.add(Event.appended, Int(last), isWithheld ? 1 : 0, isDue ? 1 : 0)
  }

  /// Removes records that have waited too long for an endpoint.
  private func remove() throws {
    guard !isWithholding else { return }
    let index = Int(random.next() % 2)
    let count = try journal.removeRecords(
      waitingFor: Self.names[index], olderThan: Double(random.next() % 60), at: now)
    if count > 0 { trace.add(Event.removed, index, cursor(index), number(index)) }
  }

  private var last: Int64 { journal.writing.withLock { journal.queue.lastSequence } }
  private func cursor(_ index: Int) -> Int { Int(journal.acknowledged(endpoint: Self.names[index])) }
  private func number(_ index: Int) -> Int {
    // A failed read returns a number that does not occur in the model.
    Int((try? journal.numbering(endpoint: Self.names[index]).last) ?? -1)
  }

  /// Kills and restarts the program: its writes are in the file, but may not be on the disk.
  private func kill() throws {
    let disk = folder.path + "/disk-\(programs)"
    disks.append(try SimulatedDisk(folder: disk, after: disks[disks.count - 1].cut))
    try reopen(disk, Event.killed)
  }

  /// Simulates a power cut.
  private func cut() throws {
    let disk = folder.path + "/disk-\(programs)"
    try disks[disks.count - 1].cut.write(seed: random.next(), to: disk)
    disks.append(try SimulatedDisk(folder: disk))
    try reopen(disk, Event.cut)
  }

  private func reopen(_ disk: String, _ event: Int) throws {
    journal = try Self.open(disk, uptime)
    trace.add(event, Int(last), cursor(0), cursor(1), number(0), number(1))
    begin()
  }

  /// Sends a batch to an endpoint.
  /// - Returns: whether the endpoint acknowledged it.
  private func upload(_ index: Int, limit: Int) async throws -> Bool {
    guard !isSending[index], let delivery else { return false }
    isSending[index] = true
    defer { isSending[index] = false }
    self.limit[index] = limit
    let address = try #require(URL(string: "https://\(Self.names[index]).example/"))
    var endpoint = Endpoint(id: EndpointID(Self.names[index]), url: address)
    if index == 0 {
      endpoint.leftOut = [PrivateZone(center: try #require(Coordinate(latitude: 45, longitude: 14)), radius: 1000)]
    }
    let program = programs
    let outcome = await delivery.upload(to: endpoint, UploadRequest(limit: limit), settings: Settings())
    // The program has ended during the upload.
    guard program == programs else { return false }
    switch outcome {
    case .acknowledged: trace.add(Event.acknowledged, index, cursor(index), number(index))
    case .failed: trace.add(Event.unanswered, index)
    case .nothingToSend: return false
    default: Issue.record("seed \(seed): \(outcome)")
    }
    if case .acknowledged = outcome { return true }
    return false
  }
  private var limit = [0, 0]

  // MARK: The network

  /// Responds to a request, or loses or delays it.
  private func respond(to request: HTTPClient.Request) async throws -> HTTPClient.Response {
    let index = request.url.host() == "first.example" ? 0 : 1
    let (records, range) = try Self.content(request)
    let first = try #require(records.first?.id?.sequence.value)
    trace.add(
      Event.sent, index, Int(first), records.count, Self.mask(records), Int(range.numbers.upperBound.value), limit[index])
    guard hasFaults else { return try await store(request, index) }
    let program = programs
    try await meanwhile(program)
    var response: HTTPClient.Response?
    switch random.next() % 8 {
    case 0: throw HTTPError("The request was lost.")
    case 1:
      guard delayed[index] == nil else { break }
      delayed[index] = request
      throw HTTPError("The request is late.")
    case 2:
      response = try await store(request, index)
      if delayed[index] == nil { delayed[index] = request }
    default: break
    }
    if response == nil { response = try await store(request, index) }
    try await meanwhile(program)
    guard let response, !random.happens(0.2) else { throw HTTPError("The response was lost.") }
    return response
  }

  /// Performs other steps while a request is in flight.
  private func meanwhile(_ program: Int) async throws {
    for _ in 0..<random.next() % 3 where programs == program { try await step() }
    if programs != program { throw Ended() }
  }

  private func storeDelayed(_ index: Int) async throws {
    guard let request = delayed[index] else { return }
    delayed[index] = nil
    _ = try await store(request, index)
  }

  // MARK: The servers

  /// Stores a request as a server does.
  private func store(_ request: HTTPClient.Request, _ index: Int) async throws -> HTTPClient.Response {
    let (records, range) = try Self.content(request)
    let (store, device, now) = (stores[index], devices[index], now)
    let result: SubmissionResult = try await withCheckedThrowingContinuation { continuation in
      store.submit(
        Submission(device: device, records: records, range: range, received: now) { continuation.resume(with: $0) })
    }
    var covered = 0
    for numbers in try store.journals(device: device.id).flatMap(\.covered) {
      for number in numbers.lowerBound.value...numbers.upperBound.value { covered |= 1 << Int(number) }
    }
    let first = try #require(records.first?.id?.sequence.value)
    trace.add(Event.stored, index, Int(first), records.count, result.saved, covered, try stored(index))
    let text = #"{"result":"ok","saved":\#(result.saved),"duplicates":\#(result.duplicates),"rejected":[]}"#
    return HTTPClient.Response(status: 200, body: Array(text.utf8))
  }

  /// Returns the records of a server as a bit mask, and expects that none is stored twice.
  private func stored(_ index: Int) throws -> Int {
    var (mask, count) = (0, 0)
    try stores[index].read { db in
      try PointReader([.time], of: PointSpan(device: devices[index].id, .min..<Int64.max), db).readEach { row in
        mask |= try 1 << Int(row.time("time").timeIntervalSince(Self.start))
        count += 1
      }
    }
    #expect(mask.nonzeroBitCount == count, "seed \(seed): a record is stored twice")
    return mask
  }

  private static func content(_ request: HTTPClient.Request) throws -> ([Record], SequenceRange) {
    let header = try #require(request.headers[SequenceRange.header])
    return (try Overland.read(request.body).records, try SequenceRange(parsing: header))
  }

  private static func mask(_ records: [Record]) -> Int {
    records.reduce(0) { $0 | 1 << Int($1.time.timeIntervalSince(start)) }
  }
}

/// A boot clock that a test advances.
private final class Uptime: Sendable {
  private let state = Mutex(0.0)
  var seconds: Double { state.withLock { $0 } }
  func advance(_ seconds: Double) { state.withLock { $0 += seconds } }
}
