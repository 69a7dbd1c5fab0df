import Foundation
import GodwitModel
import GodwitPostgres
import TestCluster
import TestParts
import Testing

@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite(
  "Verification of a store on PostgreSQL", .enabled(if: TestPart.postgres.isRun, "\(TestPart.postgres.reason)"),
  .timeLimit(.minutes(20)))
struct PostgresVerificationTests {
  @Test("all tables are verified; a damaged page is reported with its table", arguments: [false, true])
  func damaged(_ hasAmcheck: Bool) async throws {
    let cluster = try TestCluster()
    let database = try TestDatabase(in: cluster)
    let address = try PostgresAddress(database.address)
    do {
      let store = try PostgresTrackStore(address)
      defer { store.close() }
      _ = try await store.store(try (0..<500).map { try step($0) }, of: try store.makeDevice("walk"))
    }
    if hasAmcheck { _ = try database.sql("CREATE EXTENSION amcheck") }
    let intact = try PostgresVerification.run(address)
    #expect(intact.coverage == .pages && intact.damage.isEmpty && intact.tables > 30 && intact.rows > 500)
    let checks = StoreCheckup.run(at: .postgres(address), now: Date())
    #expect(checks.first { $0.subject == "Checksums" }?.outcome == .good)

    // A byte of the first page of the device's points, while the server is down.
    let table = try database.sql("SELECT tableoid::regclass FROM points LIMIT 1").trimmingCharacters(in: .whitespacesAndNewlines)
    let relation = hasAmcheck ? "(SELECT indexrelid FROM pg_index WHERE indrelid = '\(table)'::regclass LIMIT 1)" : "'\(table)'"
    let path = try database.sql("CHECKPOINT; SELECT pg_relation_filepath(\(relation)::regclass)")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    try cluster.kill()
    let file = try FileHandle(forUpdating: cluster.folder.appendingPathComponent("data/\(path)"))
    // The structural check of an index does not read its first page.
    try file.seek(toOffset: hasAmcheck ? 8192 + 4000 : 8000)
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: hasAmcheck ? 8192 + 4000 : 8000)
    try file.write(contentsOf: [byte ^ 1])
    try file.close()
    try cluster.start()
    let found = try PostgresVerification.run(address)
    #expect(found.damage.count == 1 && found.damage[0].contains("invalid page in block"), "\(found.damage)")
    #expect(hasAmcheck || found.damage[0].hasPrefix("\(table):"))
  }
}
