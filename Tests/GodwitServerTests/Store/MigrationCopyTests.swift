import Foundation
import GodwitModel
import Testing

@testable import GodwitSQLite
@testable import GodwitServer
@testable import GodwitStore

@Suite("The copy before a migration")
final class MigrationCopyTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-copy-\(UUID().uuidString)").path
  private var database: String { folder + "/godwit.sqlite" }
  private let newest = ServerSchema.migrations.steps.count

  init() async throws {
    let store = try StoreLocation.folder(folder).open()
    _ = try await store.store([try step(1), try step(2)], of: try store.makeDevice())
    store.close()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var copies: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("before-schema-") } }
  }

  /// Reverts the newest migration, so that the database is that of the previous version.
  private func goBack() throws {
    let database = try Database(path: database)
    let step = try #require(ServerSchema.migrations.steps.last).sql
    // The migration that adds checksums creates no table.
    for table in step.matches(of: /CREATE TABLE (\w+)/).map(\.1) { try database.execute("DROP TABLE \(table)") }
    for column in step.matches(of: /ALTER TABLE (\w+) ADD COLUMN (\w+)/) {
      try database.execute("ALTER TABLE \(column.1) DROP COLUMN \(column.2)")
    }
    try database.execute("PRAGMA user_version = \(newest - 1)")
  }

  @Test("a database of the newest schema is not copied")
  func newestSchema() throws {
    try StoreLocation.folder(folder).open().close()
    #expect(try copies.isEmpty)
  }

  @Test("the copy has the points and the schema before the migration and mode 0600, and an earlier copy is removed")
  func copied() throws {
    try goBack()
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/before-schema-3.sqlite"))
    try StoreLocation.folder(folder).open().close()
    let found = try copies
    #expect(found == ["before-schema-\(newest).sqlite"])
    let path = Migrations.copyPath(of: database, before: newest)
    let copy = try Database(path: path, access: .readOnly)
    #expect(try copy.integer("PRAGMA user_version") == Int64(newest - 1))
    #expect(try copy.integer("SELECT count(*) FROM points") == 2)
    #expect(try (FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(try Database(path: database).integer("PRAGMA user_version") == Int64(newest))
  }

  @Test("an older version rejects the database, and its message names the copy")
  func olderProgram() throws {
    try Database(path: database).execute("PRAGMA user_version = \(newest + 2)")
    let without = #expect(throws: MigrationError.self) { try StoreLocation.folder(folder).open() }
    #expect(without?.copy == nil && without?.description.hasSuffix("Update godwit, or use another file.") == true)
    let path = Migrations.copyPath(of: database, before: newest + 1)
    try FileManager.default.copyItem(atPath: database, toPath: path)
    let error = #expect(throws: MigrationError.self) { try StoreLocation.folder(folder).open() }
    #expect(error?.copy == path && error?.description.contains("restore the copy from before the update, \(path)") == true)
  }

  @Test("a damaged database is not migrated")
  func damaged() throws {
    try goBack()
    let file = try #require(FileHandle(forWritingAtPath: database))
    try file.seek(toOffset: 4096 * 3)
    try file.write(contentsOf: Data(repeating: 0x5A, count: 8192))
    try file.close()
    #expect(throws: (any Error).self) { try StoreLocation.folder(folder).open() }
    #expect(try copies.isEmpty)
  }
}
