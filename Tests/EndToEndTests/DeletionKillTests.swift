import Foundation
import GodwitModel
import GodwitStore
import TestClient
import Testing

@testable import GodwitAccounts
@testable import GodwitDeletion
@testable import GodwitServer

#if canImport(Glibc)
  import Glibc
#endif

/// A deletion is completed although the server is killed during it.
@Suite("A deletion during which the server is killed", .timeLimit(.minutes(20)))
struct DeletionKillTests {
  private static let start = 1_795_176_000
  private static let total = 60_000
  /// The deleted range, in seconds after `start`.
  private static let deleted = 10_000..<55_000

  private static func time(_ second: Int) -> String {
    RFC3339.string(Date(timeIntervalSince1970: Double(start + second)))
  }

  private static func upload(_ seconds: Range<Int>, _ server: RunningServer, token: String) async throws {
    let points = seconds.map {
      #"{"geometry":{"coordinates":[14.5,46.\#(100_000 + $0)]},"properties":{"timestamp":"\#(time($0))"}}"#
    }
    let response = try await ask("POST", server.endpoint, #"{"locations":[\#(points.joined(separator: ","))]}"#, token: token)
    #expect(response.status == 200, "\(response.text.prefix(300))")
  }

  /// Returns the times of the stored points, in seconds after `start`.
  private static func seconds(_ device: String, _ store: any StoreDatabase) throws -> [Int] {
    // The query reads rows and blocks.
    let id = try #require(try store.device(named: device)).id
    return try store.points(PointQuery(device: id, limit: .max)).map { Int($0.fix.time.timeIntervalSince1970) - start }
  }

  @Test("is completed by the next start: no point of the range remains, and all other points remain")
  func killed() async throws {
    let server = try await RunningServer()
    let added = try Executable.run(["device", "add", "van", "--data", server.data, "--json"])
    let van = try #require(
      try (JSONSerialization.jsonObject(with: added.output) as? [String: Any])?["token"] as? String, "\(added.errorOutput)")
    for first in stride(from: 0, to: Self.total, by: 10_000) {
      try await Self.upload(first..<first + 10_000, server, token: server.token)
    }
    try await Self.upload(20_000..<21_000, server, token: van)
    // A connection to the database, as of another program.
    let store = try SQLiteTrackStore(folder: server.data)
    defer { store.close() }
    #expect(try Self.seconds("walker", store).count == Self.total)
    // Slows each step down, so that the deletion is not complete before the server is killed.
    _ = try await store.write {
      try $0.run(
        """
        CREATE TRIGGER drag AFTER UPDATE ON deletions BEGIN
          SELECT count(*) FROM points AS one CROSS JOIN (SELECT 1 FROM points LIMIT 40) AS other;
        END
        """)
    }
    let range = "from=\(Self.time(Self.deleted.lowerBound))&to=\(Self.time(Self.deleted.upperBound))"
    let address = "http://127.0.0.1:\(server.port)/api/v1/devices/walker/points?\(range)"
    let token = try server.administratorToken
    // Kills the server after one of the first steps. In a thread, because other tests may occupy all threads of tasks for seconds.
    let process = server.background.process.processIdentifier
    Thread.detachNewThread {
      let end = Date().addingTimeInterval(60)
      while (try? store.read(DeletionTables.all).first?.counts.points) ?? 0 == 0, Date() < end { sched_yield() }
      kill(process, SIGKILL)
    }
    let request = Task { try await ask("DELETE", address, token: token).status }
    let status = try? await request.value
    #expect(status == nil, "the server was killed before it answered")
    _ = try await server.background.waitForEnd()
    let left = try Self.seconds("walker", store).filter(Self.deleted.contains)
    #expect(!left.isEmpty && left.count < Self.deleted.count, "\(left.count) of \(Self.deleted.count) points are left")
    _ = try await store.write { try $0.run("DROP TRIGGER drag") }
    // The server receives uploads while it completes the deletion.
    try await server.restart()
    try await Self.upload(70_000..<70_100, server, token: server.token)
    try await server.background.wait("the deletion to be complete") {
      try store.read(DeletionTables.all).isEmpty ? true : nil
    }
    let kept = Array(0..<Self.deleted.lowerBound) + Array(Self.deleted.upperBound..<Self.total) + Array(70_000..<70_100)
    #expect(try Self.seconds("walker", store) == kept)
    #expect(try Self.seconds("van", store) == Array(20_000..<21_000))
    let lines = try store.read { try AuditTable.lines(AuditTable.Query(limit: 50), $0) }.map(\.entry.subject)
    #expect(lines.filter { $0.contains("45,000 points") }.count == 1, "\(lines)")
    #expect(try await server.stop() == 0)
  }
}
