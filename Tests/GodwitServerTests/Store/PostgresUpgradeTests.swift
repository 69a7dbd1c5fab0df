import Foundation
import GodwitPostgres
import TestCluster
import TestParts
import Testing

@testable import GodwitSQLite
@testable import GodwitServer
@testable import GodwitStore

@Suite("Upgrade of the store on PostgreSQL", .enabled(if: TestPart.postgres.isRun))
struct PostgresUpgradeTests {
  private static let newest = ServerSchema.postgresSteps.count

  /// A database of an older version.
  private static func make(_ version: Int) throws -> TestDatabase {
    let database = try TestDatabase()
    let session = try PostgresSession(PostgresAddress(database.address))
    try PostgresMigrations(steps: Array(ServerSchema.postgresSteps.prefix(version))).apply(to: session)
    try session.execute(
      """
      INSERT INTO devices (name, created) VALUES ('walk', 0), ('ride', 0);
      INSERT INTO users (name, folded, role, password, created, changed) VALUES ('Ann', 'ann', 'admin', 'x', 0, 0);
      INSERT INTO regions (revision, id, created_revision, changed, tags, former_tags, json) VALUES (1, 'home', 1, 0, '', '', '{}');
      """)
    return database
  }

  /// The structure of all tables, and the applied migrations.
  private static func structure(_ database: TestDatabase) throws -> String {
    try database.sql(
      """
      SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2;
      SELECT name FROM schema_migrations ORDER BY 1;
      SELECT indexname FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1;
      """)
  }

  @Test("all migrations from each older schema are rehearsed and rolled back, then applied", arguments: 1..<newest)
  func each(_ version: Int) throws {
    let database = try Self.make(version)
    let before = try Self.structure(database)
    let upgrade = try PostgresUpgrade(PostgresAddress(database.address))
    #expect(upgrade.steps == ServerSchema.postgresSteps.dropFirst(version).map(\.name) && upgrade.size > 1 << 20)
    var steps: [String] = []
    let found = try upgrade.rehearse { steps.append($0) }
    #expect(found.counts.description == "2 devices, 0 points, 1 user, 1 region" && steps == upgrade.steps)
    #expect(try Self.structure(database) == before)
    try upgrade.run()
    #expect(try PostgresUpgrade(PostgresAddress(database.address)).steps?.isEmpty == true)
    // The schema equals that of a new database.
    #expect(try Self.structure(database) == Self.structure(Self.make(Self.newest)))
  }

  @Test("a rehearsal does not begin while a server is connected or another program migrates")
  func connected() throws {
    let database = try Self.make(Self.newest - 1)
    let address = try PostgresAddress(database.address)
    let upgrade = try PostgresUpgrade(address)
    do {
      let server = try PostgresSession(address)
      #expect(server.isAlive)
      let error = #expect(throws: UpgradeProblem.self) { try upgrade.rehearse() }
      #expect(error?.description.contains("(godwit)") == true && error?.description.contains("pg_dump") == true)
      #expect(throws: UpgradeProblem.self) { try upgrade.run() }
      try server.execute("BEGIN; " + PostgresLock.schema.statement)
      let migrating = #expect(throws: UpgradeProblem.self) { try upgrade.rehearse() }
      #expect(migrating?.description.contains("Another program upgrades") == true)
      try server.execute("ROLLBACK")
    }
    #expect(try upgrade.rehearse().counts.devices == 2)
  }

  @Test(
    "a migration that fails or changes row counts is reported by the rehearsal, and rolled back",
    arguments: ["SELECT * FROM nowhere", "DELETE FROM devices"])
  func failing(_ sql: String) throws {
    let database = try Self.make(Self.newest)
    let before = try Self.structure(database)
    let upgrade = try PostgresUpgrade(
      PostgresAddress(database.address), steps: ServerSchema.postgresSteps + [Migrations.Step("a fault", sql)])
    let error = #expect(throws: UpgradeProblem.self) { try upgrade.rehearse() }
    let expected = sql.hasPrefix("DELETE") ? "became 0 devices" : "would fail at the step \"a fault\""
    #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    #expect(try Self.structure(database) == before && database.sql("SELECT count(*) FROM devices").contains("2"))
  }

  @Test("a database without tables needs no migration, and a database of a newer version is rejected")
  func others() throws {
    let empty = try PostgresUpgrade(PostgresAddress(TestDatabase().address))
    #expect(empty.steps == nil)
    let database = try Self.make(Self.newest)
    _ = try database.sql("INSERT INTO schema_migrations (name) VALUES ('of a time to come')")
    let address = try PostgresAddress(database.address)
    #expect(throws: PostgresMigrationError.self) { try PostgresUpgrade(address) }
  }
}
