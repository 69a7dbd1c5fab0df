import Foundation
import GodwitServer
import Testing

@testable import GodwitStore

@Suite("godwit upgrade", .timeLimit(.minutes(20)))
struct UpgradeCommandTests {
  /// Creates a data folder with a store of the previous schema version.
  private static func makeOld(_ folder: String, points: Int) async throws {
    let store = try SQLiteTrackStore(folder: folder)
    defer { store.close() }
    _ = try await store.write { db in
      try db.run(
        """
        WITH RECURSIVE times (time) AS (SELECT 1 UNION ALL SELECT time + 1 FROM times WHERE time < ?)
        INSERT INTO points (device, time, latitude, longitude, delay) SELECT 1, time, 470000000, 100000000, 0 FROM times
        """, Int64(points))
      for column in ["line_time", "latitude", "longitude", "accuracy"] {
        try db.run("ALTER TABLE device_states DROP COLUMN \(column)")
      }
      let version = try db.integer("PRAGMA user_version") ?? 0
      return try db.run("PRAGMA user_version = \(version - 1)")
    }
  }

  @Test("rehearses, upgrades, and reports that a store is up to date")
  func commands() async throws {
    let folder = try TemporaryFolder()
    let data = folder.path("data")
    try await Self.makeOld(data, points: 1000)
    let rehearsed = try Executable.run(["upgrade", "--check", "--data", data])
    #expect(rehearsed.status == 0 && rehearsed.text.contains("The upgrade would succeed"), "\(rehearsed)")
    #expect(rehearsed.text.contains("1,000 points") && rehearsed.text.contains("Nothing was changed."))
    let done = try Executable.run(["upgrade", "--data", data])
    #expect(done.status == 0 && done.text.contains("before-schema-") && done.text.contains("To go back"), "\(done)")
    for arguments in [["--check"], []] {
      let newest = try Executable.run(["upgrade", "--data", data] + arguments)
      #expect(newest.status == 0 && newest.text.contains("is up to date"), "\(newest)")
    }
    for (arguments, status, text) in [
      (["--data", folder.path("none")], 1, "There is no database"),
      (["--data", data, "--scratch", "/tmp"], 2, "--scratch requires"),
      (["--data", data, "--check", "--no-copy"], 2, "exclude each other"),
    ] as [([String], Int32, String)] {
      let result = try Executable.run(["upgrade"] + arguments)
      #expect(result.status == status && result.errorOutput.contains(text), "\(result)")
    }
  }

  @Test("an interrupted rehearsal removes its copy")
  func interrupted() async throws {
    let folder = try TemporaryFolder()
    let data = folder.path("data")
    try await Self.makeOld(data, points: 400_000)
    let copy = data + "/rehearsal-unfinished"
    let program = try Background(Executable.godwit, ["upgrade", "--check", "--data", data], in: folder)
    // Checks without a pause, because the rehearsal takes only half a second.
    while program.process.isRunning, !FileManager.default.fileExists(atPath: copy) {}
    program.interrupt()
    #expect(try await program.waitForEnd() == 130)
    #expect(program.errorOutput.contains("Interrupted."))
    #expect(!FileManager.default.fileExists(atPath: copy))
  }
}
