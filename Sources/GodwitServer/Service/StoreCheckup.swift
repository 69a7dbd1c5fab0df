package import Foundation
internal import GodwitIntake
internal import GodwitMirror
internal import GodwitModel
internal import GodwitPostgres
internal import GodwitSQLite
package import GodwitStore
internal import GodwitTransfer

/// Checks a store without changing it or its schema.
package enum StoreCheckup {
  /// A result of the check.
  package struct CheckResult: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
      case good
      /// It works, but needs attention.
      case look
      case bad
    }
    package var subject: String
    package var outcome: Outcome
    /// The state, and what to do if it is not good.
    package var text: String

    package init(_ subject: String, _ outcome: Outcome, _ text: String) {
      (self.subject, self.outcome, self.text) = (subject, outcome, text)
    }
  }

  /// Maximum bytes of SQLite's write-ahead log. A larger log means a read that has run for hours.
  private static let largestLog = 1 << 30
  /// Days after which a backup is old.
  private static let snapshotDays = 7.0

  /// Checks the store at a location.
  /// - Parameters:
  ///   - location: the location of the store.
  ///   - now: the time.
  package static func run(at location: StoreLocation, now: Date) -> [CheckResult] {
    switch location {
    case .folder(let folder): embedded(folder, now)
    case .postgres(let address): shared(address, now)
    }
  }

  // MARK: SQLite

  private static func embedded(_ folder: String, _ now: Date) -> [CheckResult] {
    let path = folder + "/godwit.sqlite"
    guard FileManager.default.fileExists(atPath: path) else {
      return [CheckResult("Database", .look, "there is none at \(path) yet; `godwit serve` creates it")]
    }
    var results: [CheckResult] = []
    do {
      try Snapshot.check(path)
      results.append(CheckResult("Database", .good, "\(path) is intact"))
      let database = try Database(path: path, access: .readOnly)
      let version = Int(try database.integer("PRAGMA user_version") ?? 0)
      guard try version == 0 || database.integer("PRAGMA application_id") == Int64(ServerSchema.applicationID) else {
        return results + [formerSchema(FormerStore.conversion(path))]
      }
      results.append(schema(version, ServerSchema.migrations.steps.count))
      results.append(
        database.hasChecksums
          ? CheckResult("Checksums", .good, "each page has one, which is checked when it is read")
          : CheckResult(
            "Checksums", .look,
            "the pages have none; `godwit serve` adds them when it starts, with twice the file's size of free space"))
      let connection = SQLiteConnection(database)
      results.append(try clock(connection, now))
      if version == ServerSchema.migrations.steps.count { results += try blocks(connection) + mirror(connection, now) }
    } catch {
      results.append(CheckResult("Database", .bad, "\(error)"))
    }
    let log = (try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? NSNumber)?.intValue ?? 0
    if log > largestLog {
      results.append(
        CheckResult(
          "Log of the database", .look,
          "\(log >> 20) MB: a program has an open transaction; end programs that read "
            + "the file for long")
      )
    }
    results.append(snapshot(folder, now))
    return results
  }

  private static func schema(_ version: Int, _ known: Int) -> CheckResult {
    if version == known { return CheckResult("Schema", .good, "step \(version), the newest") }
    if version < known {
      return CheckResult(
        "Schema", .look,
        "step \(version) of \(known); `godwit serve` updates it when it starts, `godwit upgrade --check` rehearses it")
    }
    return CheckResult("Schema", .bad, "step \(version), but this godwit supports \(known): update godwit")
  }

  private static func formerSchema(_ conversion: String) -> CheckResult {
    CheckResult("Schema", .bad, "that of a development build. \(conversion)")
  }

  private static func snapshot(_ folder: String, _ now: Date) -> CheckResult {
    let name = "Last snapshot"
    guard let last = Snapshot.last(of: folder) else {
      return CheckResult(name, .look, "no snapshot was made; run `godwit snapshot FILE` each night by a timer")
    }
    guard FileManager.default.fileExists(atPath: last.path) else {
      return CheckResult(
        name, .look, "\(last.path) does not exist any more; make another one with `godwit snapshot FILE`")
    }
    let age = now.timeIntervalSince(last.time)
    let words = "\(last.path), \(HeartbeatExpectation.describe(max(0, age))) old"
    return age > snapshotDays * DayLength.seconds
      ? CheckResult(name, .look, "\(words); check the timer of the snapshots, or run `godwit snapshot FILE`")
      : CheckResult(name, .good, words)
  }

  // MARK: PostgreSQL

  private static func shared(_ address: PostgresAddress, _ now: Date) -> [CheckResult] {
    do {
      let session = try PostgresSession(address)
      let number = Int(try session.text("SELECT current_setting('server_version_num')") ?? "") ?? 0
      let version = try session.text("SELECT current_setting('server_version')") ?? "?"
      var results = [
        number >= 150_000
          ? CheckResult("Database", .good, "PostgreSQL \(version) at \(address)")
          : CheckResult("Database", .bad, "PostgreSQL \(version) at \(address) is too old; godwit needs 15 or newer")
      ]
      results.append(checksums(try PointHashes.coverage(session)))
      let postgis = try session.text("SELECT extversion FROM pg_extension WHERE extname = 'postgis'")
      results.append(
        CheckResult(
          "PostGIS", .good, postgis.map { "version \($0)" } ?? "not installed, and not needed: see Documentation/Scale.md"))
      guard try session.text("SELECT to_regclass('schema_migrations')::text") != nil else {
        return results + [CheckResult("Schema", .look, "there are no tables yet; `godwit serve` creates them")]
      }
      let known = Set(ServerSchema.postgresSteps.map(\.name))
      var done: Set<String> = []
      let rows = try session.run("SELECT name FROM schema_migrations")
      while rows.next() { done.insert(try rows.text("name")) }
      guard !done.contains(PostgresMigrations.formerFirst) else {
        return results + [
          formerSchema("Convert it into another, empty database: godwit convert \(address) postgres://…")
        ]
      }
      let strange = done.subtracting(known).sorted()
      results.append(
        strange.isEmpty
          ? schema(done.count, known.count)
          : CheckResult(
            "Schema", .bad, "it has \(strange.joined(separator: ", ")), which this godwit does not know: update godwit"))
      if done == known {
        results.append(try clock(PostgresConnection(session), now))
        results += try blocks(PostgresConnection(session)) + days(PostgresConnection(session))
        results += try mirror(PostgresConnection(session), now)
      }
      results.append(
        CheckResult("Backup", .look, "godwit does not check backups of PostgreSQL; use pg_dump or WAL archiving"))
      return results
    } catch {
      return [CheckResult("Database", .bad, "\(error)")]
    }
  }

  private static func checksums(_ coverage: PointHashes.Coverage) -> CheckResult {
    let name = "Checksums"
    let remedy = "run `godwit verify`, stop the cluster, and run `pg_checksums --enable`"
    return switch coverage {
    case .pages: CheckResult(name, .good, "each page has one, which PostgreSQL checks when it reads it")
    case .hashes:
      CheckResult(
        name, .look,
        "the cluster's pages have none (data_checksums is off). Points are covered by hashes and by the checksums of their blocks; "
          + "other tables are not: \(remedy)")
    case .none(let reason):
      CheckResult(name, .look, "the cluster's pages have none (data_checksums is off), and \(reason): \(remedy)")
    }
  }

  /// The days whose rows of points do not match their hash; empty if there are none.
  private static func days(_ db: any SQLConnection) throws -> [CheckResult] {
    try PointHashes.damaged(db).map { CheckResult("Points", .bad, "\($0)") }
  }

  // MARK: Both

  /// Seconds after which changes that the mirror does not have need attention.
  private static let mirrorDelay = 600.0

  /// The state of the mirror; empty if there is none.
  private static func mirror(_ db: any SQLConnection, _ now: Date) throws -> [CheckResult] {
    guard let state = try MirrorState(db) else { return [] }
    let name = "Mirror"
    let delay = state.delay(at: now)
    let sent = state.succeeded.map { RFC3339.string($0) } ?? "never"
    var text = "\(state.url) has everything; last sent \(sent)"
    if state.pendingChanges > 0 {
      let age = HeartbeatExpectation.describe(delay)
      let records = state.pendingRecords.counted("record")
      text = "\(state.url) does not have \(records) and other changes of the last \(age); last sent \(sent)"
    } else if state.uncopiedDevices > 0 {
      text = "the history of \(state.uncopiedDevices.counted("device")) is being copied to \(state.url); last sent \(sent)"
    }
    if let problem = state.problem { text += ". \(problem)" }
    let warning = MirrorOptions.warning(about: state.url)
    if let warning { text += ". \(warning)" }
    if state.failures == 0, delay < mirrorDelay {
      return [CheckResult(name, state.problem == nil && warning == nil ? .good : .look, text)]
    }
    if state.problem == nil { text += "; start the server with --mirror, or end it with --mirror none" }
    return [CheckResult(name, .bad, text)]
  }

  /// Maximum seconds by which a device's last contact may be after the current time.
  private static let maximumAhead = 300.0

  /// The damaged blocks of points; empty if there are none.
  private static func blocks(_ db: any SQLConnection) throws -> [CheckResult] {
    try BlockScrub.damaged(db).map { CheckResult("Points", .bad, "\($0)") }
  }

  /// Checks the clock. If it was set back, the last contact or the live position of a device is in the future. A running server corrects
  /// the time of the contact.
  private static func clock(_ db: any SQLConnection, _ now: Date) throws -> CheckResult {
    let name = "Clock"
    // 2026-09-21, before the release of this program.
    guard now > Date(timeIntervalSince1970: 1_790_000_000) else {
      return CheckResult(name, .bad, "it says \(RFC3339.string(now)), which is in the past; set it, or enable systemd-timesyncd")
    }
    let contact = try db.integer("SELECT max(last_contact) FROM devices")
    // An older schema does not have the table.
    let position = try? db.integer("SELECT max(effective_time) FROM live_positions")
    guard let newest = [contact, position].compactMap(\.self).max() else {
      return CheckResult(name, .good, RFC3339.string(now))
    }
    let ahead = Double(newest) / 1000 - now.timeIntervalSince1970
    return ahead > maximumAhead
      ? CheckResult(
        name, .bad,
        "the last contact of a device is \(HeartbeatExpectation.describe(ahead)) in the future: the clock was set "
          + "back; see `timedatectl`")
      : CheckResult(name, .good, RFC3339.string(now))
  }
}
