import Foundation
import GodwitModel
import GodwitSQLite
import Synchronization
import Testing

@testable import GodwitHTTP
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

/// A server in this process whose database a test can break.
private final class FaultyServer {
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

  /// Closes the server and deletes its data.
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

  /// Uploads `count` points with `extras` bytes of extras each.
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
  /// Whether the body reveals internals: a path or a statement.
  fileprivate var isRevealing: Bool {
    ["godwit.sqlite", "/tmp", "INSERT", "UPDATE", "SQLite code"].contains { text.contains($0) }
  }
}

@Suite("Faults of a store")
struct StoreHealthTests {
  @Test("on a full disk uploads get 503 with the reason and without a path, and the store recovers by itself")
  func full() async throws {
    let faulty = try FaultyServer()
    defer { faulty.end() }
    #expect(faulty.health().status == 200 && faulty.upload().status == 200)
    // Limits the database to its current pages, like a full disk. Writes use the connection with the limit.
    func limit(_ pages: String) async throws {
      try await faulty.server.store.write { db in
        let size = pages == "now" ? try db.integer("PRAGMA page_count") ?? 0 : 1_000_000_000
        _ = try db.integer("PRAGMA max_page_count = \(size)")
      }
    }
    try await limit("now")
    let rejected = faulty.upload(400, extras: 500)
    #expect(rejected.status == 503 && rejected.text.contains("disk of the server's database is full"), "\(rejected.text)")
    #expect(!rejected.isRevealing, "\(rejected.text)")
    #expect(rejected.headers.contains { $0.key.lowercased() == "retry-after" })
    #expect(faulty.server.store.health.fault?.kind == .full)
    #expect(try faulty.points() == 1)
    #expect(faulty.server.store.health.metrics.contains("\ngodwit_store_writable 0\n"))
    for _ in 0..<5 { #expect(faulty.upload(400, extras: 500).status == 503) }
    let reported = faulty.log.filter { $0.contains("cause=") }
    #expect(reported.count == 1 && reported[0].contains("godwit.sqlite") && reported[0].contains("count=1"), "\(reported)")
    try await limit("many")
    #expect(faulty.upload(400, extras: 500).status == 200)
    #expect(faulty.health().status == 200 && faulty.server.store.health.fault == nil)
  }

  @Test("/healthz tries to write and reports a read-only database, without an upload")
  func readOnly() async throws {
    let faulty = try FaultyServer()
    defer { faulty.end() }
    // Like a disk that is remounted read-only: every statement that writes fails.
    try await faulty.server.store.write { _ = try $0.integer("PRAGMA query_only = 1") }
    let response = faulty.health()
    #expect(response.status == 503 && response.text.contains("read-only") && !response.isRevealing, "\(response.text)")
    #expect(faulty.upload().status == 503 && faulty.server.store.health.fault?.kind == .readOnly)
  }

  @Test(
    "if files are removed or replaced at run time, no acknowledged upload is lost, and the store recovers",
    arguments: ["", "-wal"], [true, false])
  func moved(_ suffix: String, _ isReplaced: Bool) async throws {
    let faulty = try FaultyServer()
    defer { faulty.end() }
    #expect(faulty.upload().status == 200)
    let files = FileManager.default
    let (here, there) = (faulty.database + suffix, faulty.folder.path + "/elsewhere")
    try files.moveItem(atPath: here, toPath: there)
    if isReplaced { try files.copyItem(atPath: there, toPath: here) }
    let rejected = faulty.upload()
    #expect(rejected.status == 503 && rejected.text.contains("removed or replaced") && !rejected.isRevealing, "\(rejected.text)")
    #expect(faulty.health().status == 503)
    try? files.removeItem(atPath: here)
    try files.moveItem(atPath: there, toPath: here)
    #expect(faulty.upload().status == 200 && faulty.health().status == 200)
    #expect(try faulty.points() == 2)
  }

  @Test("a damaged database is detected by the check, and can be read but not written")
  func damaged() throws {
    let faulty = try FaultyServer { folder in
      let store = try SQLiteTrackStore(folder: folder.path)
      let device = try store.makeDevice("old")
      let done = DispatchSemaphore(value: 0)
      let records = try (0..<3000).map { try step($0, extras: "{\"k\":\($0)}") }
      store.submit(Submission(device: device, records: records, received: walkStart) { _ in done.signal() })
      done.wait()
      store.close()
      // Damages the headers of four pages of points.
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
    defer { faulty.end() }
    faulty.server.store.checkIntegrity(at: Date())
    #expect(faulty.server.store.health.isDamaged)
    let rejected = faulty.upload()
    #expect(rejected.status == 503 && rejected.text.contains("damaged") && !rejected.isRevealing, "\(rejected.text)")
    #expect(faulty.health().status == 503)
    #expect(try faulty.server.store.devices().count == 2, "reads still work")
    #expect(faulty.server.store.health.metrics.contains("\ngodwit_store_damaged 1\n"))
  }

  @Test("a check without damage ends the fault of a store that was considered damaged")
  func whole() throws {
    let faulty = try FaultyServer()
    defer { faulty.end() }
    faulty.server.store.health.foundDamage("row 3 missing from index")
    #expect(faulty.upload().status == 503)
    faulty.server.store.checkIntegrity(at: Date())
    #expect(faulty.upload().status == 200 && faulty.health().status == 200)
    faulty.server.store.moveLog()
    #expect(faulty.upload().status == 200)
  }

  @Test("the log contains a failure immediately, then every 30 s with its count")
  func rate() {
    let now = Mutex(Date(timeIntervalSince1970: 1_795_000_000))
    let lines = FaultyServer.Lines()
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
