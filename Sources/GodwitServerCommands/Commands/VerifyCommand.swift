internal import Foundation
internal import GodwitCommandLine
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore
internal import GodwitTransfer

/// `godwit verify`
struct VerifyCommand: StoreCommand {
  static let name = "verify"
  static let abstract = "Check all of a store, or of database files and backups, for damage."
  static let discussion = """
    Each page of a SQLite database is read from the disk and compared with its checksum; then tables and indexes are checked. A server
    or tracker may use the file meanwhile. Of PostgreSQL each value of each table is read, which compares pages with their checksums if the
    cluster has them, and indexes are checked if the extension amcheck is installed. In a cluster without checksums the rows of points are
    compared with hashes of each device and day. The exit status is 1 if something is damaged.

    With --repair-from a damaged SQLite store is repaired: all rows that can be read stay as they are, and rows of the snapshot take the place
    of those that cannot. The address of a mirror gives back points and events, which is all that a mirror has; other tables are reported. The
    damaged file is kept under another name.

    Of a PostgreSQL store the rows of points that do not match their hash are restored from a backup of the store; other damage is not
    repaired. With --accept-rows the rows of days that do not match their hash stay as they are, and get a new hash.
    """
  static let examples = [
    (line: "godwit verify", purpose: "The store in the standard data folder"),
    (line: "godwit verify /backup/godwit.sqlite", purpose: "A snapshot"),
    (line: "godwit verify --repair-from /backup/godwit.sqlite", purpose: "Repair the store; the server is stopped"),
    (
      line: "godwit verify --repair-from https://copy.example.org --mirror-token-file /etc/godwit/mirror-token",
      purpose: "Repair points and events with the mirror"
    ),
    (line: "godwit verify ~/.local/share/godwit/tracker.journal", purpose: "A tracker's journal"),
  ]

  @Operands("FILE…", 0...64, "Snapshots, journals and backups, instead of the store")
  var files: [String]
  let storeOptions = StoreOptions()
  @OptionalOption(
    "repair-from", "COPY|URL",
    "Repair the store with a snapshot, or with the mirror at an address, while no server runs; a PostgreSQL store with a backup")
  var source: String?
  @Flag("accept-rows", "Keep the rows of damaged days of a PostgreSQL store as they are")
  var acceptsRows: Bool
  @OptionalOption(
    "mirror-token-file", "FILE",
    "The mirror's token with the scope admin, in the first line (default: $\(MirrorArguments.variable))")
  var mirrorTokenFile: String?
  @OptionalOption("passphrase-file", "FILE", "The passphrase of encrypted backups, in the first line of a file")
  var passphraseFile: String?

  func run() async throws {
    if acceptsRows { return try acceptRows() }
    if let source {
      guard ["http://", "https://"].contains(where: source.hasPrefix) else { return try repair(source) }
      return try await repair(fromMirror: source)
    }
    var (isDamaged, isUnread) = (false, false)
    for file in files {
      do { if try !verify(file) { isDamaged = true } } catch  where files.count > 1 {
        // The other files are checked as well.
        Output.log("\(error)")
        isUnread = true
      }
    }
    if files.isEmpty {
      let isIntact =
        switch storeLocation {
        case .folder(let folder): try verify(folder + "/godwit.sqlite")
        case .postgres(let address): report(try PostgresVerification.run(address) { Output.progress($0) }, of: "\(storeLocation)")
        }
      isDamaged = !isIntact
    }
    guard !isDamaged else {
      throw Failure(
        "Repair a store with `godwit verify --repair-from SNAPSHOT` or its mirror, or restore the last snapshot or backup; see `godwit help snapshot` and "
          + "`godwit help restore`. Keep the damaged files.")
    }
    guard !isUnread else { throw Failure("Some files could not be checked; the reasons are above.") }
  }

  private func acceptRows() throws {
    guard case .postgres(let address) = storeLocation, files.isEmpty, source == nil else {
      throw Failure("--accept-rows is for a PostgreSQL store, without FILE and --repair-from.")
    }
    let days = try PointRepair(address).acceptRows()
    Output.result(
      days.isEmpty
        ? "No rows of points are damaged.\n"
        : days.map { "\($0.name), \($0.day): the rows stay as they are, and have a new hash.\n" }.joined())
  }

  private func repair(_ copy: String) throws {
    guard files.isEmpty else { throw Failure("--repair-from repairs a store, without FILE.") }
    switch storeLocation {
    case .folder(let folder): report(try StoreRepair.run(folder, from: copy))
    case .postgres(let address):
      let passphrase = try passphraseFile.map { try PassphraseFile.read($0) }
      try report(try PointRepair(address).run(from: copy, passphrase: passphrase))
    }
  }

  private func report(_ summary: PointRepair.Summary) throws {
    for day in summary.repaired { Output.result("\(day.name), \(day.day): the rows that were stored are there again.\n") }
    guard summary.unrepaired.isEmpty else {
      throw Failure(
        "The backup does not have the stored rows of these days, which are as they were: "
          + summary.unrepaired.map { "\($0.name), \($0.day)" }.joined(separator: "; ")
          + ". Try another backup, or keep their rows as they are with `godwit verify --accept-rows`.")
    }
    if summary.repaired.isEmpty { Output.result("No rows of points are damaged.\n") }
  }

  private func repair(fromMirror url: String) async throws {
    guard case .folder(let folder) = storeLocation, files.isEmpty else {
      throw Failure("--repair-from URL repairs the SQLite store of a data folder, without FILE. For PostgreSQL name a backup.")
    }
    let mirror = MirrorClient(try MirrorArguments.options(of: url, tokenFile: mirrorTokenFile, option: "repair-from"))
    let summary = try await StoreRepair.run(folder, fromMirror: mirror) { Output.progress($0.counted("record")) }
    Output.endProgress()
    report(summary)
  }

  private func report(_ summary: StoreRepair.Summary) {
    Output.result(
      "\(summary.rows.counted("row")) could be read and \(summary.rows == 1 ? "is" : "are") in the new database. The damaged one is \(summary.damaged).\n"
        + summary.losses.map { "  \($0)\n" }.joined())
    if let ownership = summary.missingOwnership, case .folder(let folder) = storeLocation {
      let command = ownership.command(for: ShellWord.quoted(folder + "/godwit.sqlite"))
      Output.log("Warning: the new database has another owner, group or mode than the damaged one had. Run as root: \(command)")
    }
  }

  /// Checks a file and prints the result.
  /// - Returns: `true` if the file is intact.
  private func verify(_ file: String) throws -> Bool {
    guard FileManager.default.fileExists(atPath: file) else {
      throw Failure("\(file): there is no such file. Name the data folder with --data, or a database file.")
    }
    // The suffix is checked first, because the header of a database may be damaged.
    let isDatabase = file.hasSuffix(".sqlite")
    guard isDatabase || FileHandle(forReadingAtPath: file)?.readData(ofLength: 15) == Data("SQLite format 3".utf8) else {
      let summary = try Backup.check(file, passphrase: try passphraseFile.map { try PassphraseFile.read($0) })
      Output.result("\(file): a complete backup of \(summary.description); each file in it matches its checksum.\n")
      return true
    }
    var (bytes, shown) = (0, 0)
    let start = ContinuousClock.now
    let found = try FileVerification.run(file) { count in
      bytes += count
      guard bytes - shown > 64 << 20 else { return }
      shown = bytes
      Output.progress("\(bytes >> 20) MiB")
    }
    Output.endProgress()
    let time = (ContinuousClock.now - start).components.seconds
    let size = "\(file): \(found.pages.counted("page")), \(found.bytes >> 10) KiB\(time > 1 ? " in \(time) s" : "")"
    guard found.damage.isEmpty else {
      Output.result("\(size): damaged.\n" + found.damage.map { "  \($0)\n" }.joined())
      return false
    }
    Output.result(
      found.isProtected
        ? "\(size): each page matches its checksum; tables and indexes hold together.\n"
        : "\(size): tables and indexes hold together. The pages have no checksums; the program that uses the file adds them when it starts.\n"
    )
    return true
  }

  /// Prints the result of a check.
  /// - Returns: `true` if the database is intact.
  private func report(_ found: PostgresVerification, of name: String) -> Bool {
    Output.endProgress()
    let size = "\(name): \(found.tables.counted("table")), \(found.rows.counted("row"))"
    guard found.damage.isEmpty else {
      Output.result("\(size): damaged.\n" + found.damage.map { "  \($0)\n" }.joined())
      return false
    }
    let remedy = "stop it and run pg_checksums --enable"
    let text =
      switch found.coverage {
      case .pages: "each page that was read matches its checksum."
      case .hashes:
        "all were read, and points match their hashes. The cluster has no checksums of pages, which cover other tables as well; \(remedy)."
      case .none(let reason): "all were read. The cluster has no checksums of pages, and \(reason); \(remedy)."
      }
    Output.result("\(size): \(text)\n")
    return true
  }
}
