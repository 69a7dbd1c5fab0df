import Foundation
import GodwitModel
import GodwitSQLite
import Synchronization
import Testing

@testable import GodwitHTTP
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

/// A server in this process, whose data folder a test may damage.
private final class Patient {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-health-\(UUID().uuidString)")
  let server: Server
  private let local: LocalServer
  private let token = AccessToken()
  private let lines: Lines
  private var second = 0.0

  final class Lines: Sendable {
    private let text = Mutex("")
    func handle(_ bytes: [UInt8]) { text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
    var all: [String] { text.withLock { $0 }.split(separator: "\n").map(String.init) }
  }

  init(prepared: (URL) throws -> Void = { _ in }) throws {
    try prepared(folder)
    let lines = Lines()
    self.lines = lines
    var configuration = Server.Configuration(listen: try #require(ListenAddress("127.0.0.1:0")), dataFolder: folder.path)
    configuration.log = RequestLog(
      format: .text, level: .error, isJournal: false, now: { Date(timeIntervalSince1970: 1_795_000_000) },
      sink: { lines.handle($0) })
    server = try Server(configuration: configuration)
    local = LocalServer(server)
    _ = try server.store.addDevice(named: "phone", tokenHash: token.hash, at: Date())
  }

  /// Closes it and removes all of it.
  func end() {
    local.close()
    try? FileManager.default.removeItem(at: folder)
  }

  var database: String { folder.path + "/godwit.sqlite" }

  var log: [String] {
    server.configuration.log?.finish()
    return lines.all
  }

  func ask(_ method: String, _ path: String, _ body: String = "", device: Bool = false) -> LocalResponse {
    let headers = device ? ["Authorization": "Bearer \(token.secret)"] : [:]
    return local.respond(LocalRequest(method: method, path: path, headers: headers, body: Array(body.utf8)))
  }

  func health() -> LocalResponse { ask("GET", "/healthz") }

  /// Sends points with so many bytes of extras.
  func upload(_ count: Int = 1, extras: Int = 1) -> LocalResponse {
    let points = (0..<count).map { _ in
      second += 1
      let time = RFC3339.string(Date(timeIntervalSince1970: 1_795_000_000 + second))
      return
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14.5,46]},"properties":{"timestamp":"\#(time)","x":"\#(String(repeating: "x", count: extras))"}}"#
    }
    return ask("POST", "/api/overland", #"{"locations":[\#(points.joined(separator: ","))]}"#, device: true)
  }

  func points() throws -> Int { try server.store.devices().first?.points ?? -1 }
}

extension LocalResponse {
  fileprivate var text: String { String(decoding: body, as: UTF8.self) }
  /// Whether it shows what is the server's own: a path, or a statement.
  fileprivate var isTalkative: Bool {
    ["godwit.sqlite", "/tmp", "INSERT", "UPDATE", "SQLite code"].contains { text.contains($0) }
  }
}

@Suite("Faults of a store")
struct StoreHealthTests {
  @Test("a full disk: uploads and /healthz are 503 with the reason and no path, and the store recovers by itself")
  func full() async throws {
    let patient = try Patient()
    defer { patient.end() }
    #expect(patient.health().status == 200 && patient.upload().status == 200)
    // As a disk does: no page more than there are. The first connection is the writer's.
    func limit(_ pages: String) async throws {
      try await patient.server.store.write { db in
        let size = pages == "now" ? try db.integer("PRAGMA page_count") ?? 0 : 1_000_000_000
        _ = try db.integer("PRAGMA max_page_count = \(size)")
      }
    }
    try await limit("now")
    let rejected = patient.upload(400, extras: 500)
    #expect(rejected.status == 503 && rejected.text.contains("disk of the server's database is full"), "\(rejected.text)")
    #expect(!rejected.isTalkative, "\(rejected.text)")
    #expect(rejected.headers.contains { $0.key.lowercased() == "retry-after" })
    #expect(patient.server.store.health.fault?.kind == .full)
    #expect(try patient.points() == 1)
    #expect(patient.server.store.health.metrics.contains("\ngodwit_store_writable 0\n"))
    for _ in 0..<5 { #expect(patient.upload(400, extras: 500).status == 503) }
    let reported = patient.log.filter { $0.contains("cause=") }
    #expect(reported.count == 1 && reported[0].contains("godwit.sqlite") && reported[0].contains("count=1"), "\(reported)")
    try await limit("many")
    #expect(patient.upload(400, extras: 500).status == 200)
    #expect(patient.health().status == 200 && patient.server.store.health.fault == nil)
  }

  @Test("a read-only database: /healthz tries to write and reports the fault, without any upload")
  func readOnly() async throws {
    let patient = try Patient()
    defer { patient.end() }
    // As a disk that is mounted again to be read: every statement that writes is refused.
    try await patient.server.store.write { _ = try $0.integer("PRAGMA query_only = 1") }
    let response = patient.health()
    #expect(response.status == 503 && response.text.contains("read-only") && !response.isTalkative, "\(response.text)")
    #expect(patient.upload().status == 503 && patient.server.store.health.fault?.kind == .readOnly)
  }

  @Test(
    "files that are removed or replaced at run time: no upload is acknowledged and lost, and the store recovers",
    arguments: ["", "-wal"], [true, false])
  func moved(_ suffix: String, _ isReplaced: Bool) async throws {
    let patient = try Patient()
    defer { patient.end() }
    #expect(patient.upload().status == 200)
    let files = FileManager.default
    let (here, there) = (patient.database + suffix, patient.folder.path + "/elsewhere")
    try files.moveItem(atPath: here, toPath: there)
    if isReplaced { try files.copyItem(atPath: there, toPath: here) }
    let rejected = patient.upload()
    #expect(rejected.status == 503 && rejected.text.contains("removed or replaced") && !rejected.isTalkative, "\(rejected.text)")
    #expect(patient.health().status == 503)
    try? files.removeItem(atPath: here)
    try files.moveItem(atPath: there, toPath: here)
    #expect(patient.upload().status == 200 && patient.health().status == 200)
    #expect(try patient.points() == 2)
  }

  @Test("a damaged database is found by the check, and can be read but not written")
  func damaged() throws {
    let patient = try Patient { folder in
      let store = try SQLiteTrackStore(folder: folder.path)
      let device = try store.makeDevice("old")
      let done = DispatchSemaphore(value: 0)
      let records = try (0..<3000).map { try step($0, extras: "{\"k\":\($0)}") }
      store.submit(Submission(device: device, records: records, received: walkStart) { _ in done.signal() })
      done.wait()
      store.close()
      // The headers of four pages of points.
      let path = folder.appendingPathComponent("godwit.sqlite")
      var pages: [UInt64] = []
      do {
        let database = try Database(path: path.path, access: .readOnly)
        let rows = try database.statement(
          "SELECT pageno FROM dbstat WHERE name = 'points' AND pagetype = 'leaf' ORDER BY pageno")
        while try rows.step() { pages.append(UInt64(rows.integer(0))) }
        #expect(pages.count > 10)
      }
      let file = try FileHandle(forUpdating: path)
      for page in pages[(pages.count / 2)...].prefix(4) {
        try file.seek(toOffset: (page - 1) * 4096)
        try file.write(contentsOf: [UInt8](repeating: 0xAA, count: 10))
      }
      try file.close()
    }
    defer { patient.end() }
    patient.server.store.checkIntegrity(at: Date())
    #expect(patient.server.store.health.isDamaged)
    let rejected = patient.upload()
    #expect(rejected.status == 503 && rejected.text.contains("damaged") && !rejected.isTalkative, "\(rejected.text)")
    #expect(patient.health().status == 503)
    #expect(try patient.server.store.devices().count == 2, "reading goes on")
    #expect(patient.server.store.health.metrics.contains("\ngodwit_store_damaged 1\n"))
  }

  @Test("a check without a finding ends the fault of a store that was considered damaged; a snapshot checks the source")
  func whole() throws {
    let patient = try Patient()
    defer { patient.end() }
    patient.server.store.health.foundDamage("row 3 missing from index")
    #expect(patient.upload().status == 503)
    patient.server.store.checkIntegrity(at: Date())
    #expect(patient.upload().status == 200 && patient.health().status == 200)
    patient.server.store.moveLog()
    #expect(patient.upload().status == 200)
  }

  @Test("the log has a reason at once, then every 30 s with its count")
  func rate() {
    let now = Mutex(Date(timeIntervalSince1970: 1_795_000_000))
    let lines = Patient.Lines()
    let log = RequestLog(
      format: .json, level: .error, isJournal: false, now: { now.withLock { $0 } }, sink: { lines.handle($0) })
    for second in 0...61 {
      log.failure("full", cause: "a statement")
      if second == 5 { log.failure("locked", cause: "another") }
      now.withLock { $0 += 1 }
    }
    log.finish()
    let counts = lines.all.compactMap { line in
      (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]).map {
        "\($0["reason"] ?? "") \($0["count"] ?? 0)"
      }
    }
    #expect(counts == ["full 1", "locked 1", "full 30", "full 30"])
  }
}
