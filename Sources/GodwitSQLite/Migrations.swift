internal import GodwitLocks

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The history of one kind of database file: steps that are appended over the years and never edited.
public struct Migrations: Sendable {
  /// One step. Its name identifies it.
  public struct Step: Sendable {
    public let name: String
    public let sql: String
    public init(_ name: String, _ sql: String) {
      self.name = name
      self.sql = sql
    }

    /// Each page has a checksum. An older program, which would write pages without one, no longer opens the file.
    public static let pageChecksums = Step("checksums of pages", "")
  }

  public let steps: [Step]
  /// The number in the file's header that identifies the kind of file (`PRAGMA application_id`).
  public let applicationID: Int32
  /// How a file of a development build is converted, from its path: a sentence with the command.
  let conversion: @Sendable (String) -> String

  /// - Parameters:
  ///   - steps: in their order.
  ///   - applicationID: identifies the kind of file; not 0.
  ///   - conversion: how a file of a development build is converted: a sentence with the command, from the path of the file.
  public init(_ steps: [Step], applicationID: Int32, conversion: @escaping @Sendable (String) -> String) {
    self.steps = steps
    self.applicationID = applicationID
    self.conversion = conversion
  }

  /// Reads the header of a file, without opening it as a database. A missing file, an empty one and one of another format pass: opening
  /// them has its own errors.
  ///
  /// Called before the first connection of the process to the file. A file that replaces one that has passed is not read;
  /// ``apply(to:started:)`` finds its version.
  /// - Throws: ``FormerSchemaError`` when a development build wrote the file.
  public func checkHeader(of path: String) throws(FormerSchemaError) {
    guard !Database.isInMemory(path), !Self.passed.withLock({ $0.contains(path) }) else { return }
    // SQLite's file format, 1.3: the user version at byte 60 and the application id at byte 68, both big-endian.
    if let header = Self.header(of: path) {
      func number(_ place: Int) -> Int32 { Int32(bitPattern: header[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }) }
      if number(60) > 0, number(68) != applicationID { throw FormerSchemaError(path: path, conversion: conversion(path)) }
    }
    Self.passed.withLock { _ = $0.insert(path) }
  }

  /// Paths of files that have passed. They are not read again: closing a file releases the locks that SQLite holds on it in this
  /// process.
  private static let passed = Mutex<Set<String>>([])

  /// The first 100 bytes of a file in SQLite's format; `nil`: it has another format, or cannot be read.
  private static func header(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 100)
    guard read(file, &header, header.count) == header.count else { return nil }
    return header.starts(with: Array("SQLite format 3\0".utf8)) ? header : nil
  }

  /// Brings the file up to the newest step, each step in one transaction with its number, and gives its pages checksums. Without space for
  /// that, they get none for now.
  /// - Parameters:
  ///   - database: the file.
  ///   - started: called before each step, in the transaction of the step, and before the pages get checksums.
  /// - Throws: ``MigrationError`` when a newer program wrote the file, ``FormerSchemaError`` when a development build did.
  public func apply(to database: Database, started: (Step) -> Void = { _ in }) throws {
    while true {
      let done = try database.transaction {
        let version = try version(of: database)
        if version == 0 { try database.execute("PRAGMA application_id = \(applicationID)") }
        guard version < steps.count else { return true }
        // An empty step is done at the end.
        if !steps[version].sql.isEmpty { started(steps[version]) }
        try database.execute(steps[version].sql)
        try database.execute("PRAGMA user_version = \(version + 1)")
        return false
      }
      if done { break }
    }
    do {
      if database.lacksChecksums { started(.pageChecksums) }
      try database.addChecksums()
    } catch {
      // Another program uses the file, or there is too little space: the file stays as it is until it is opened the next time.
      if !error.isFull, !error.isBusy { throw error }
    }
  }

  /// The number of steps that a file has behind it; 0: it is empty.
  /// - Throws: ``MigrationError`` when a newer program wrote the file, ``FormerSchemaError`` when a development build did.
  package func version(of database: Database) throws -> Int {
    let version = Int(try database.integer("PRAGMA user_version") ?? 0)
    guard try version == 0 || database.integer("PRAGMA application_id") == Int64(applicationID) else {
      throw FormerSchemaError(path: database.path, conversion: conversion(database.path))
    }
    guard version <= steps.count else {
      throw MigrationError(
        path: database.path, version: version, known: steps.count,
        copy: Self.copy(of: database.path, known: steps.count, version: version))
    }
    // No program writes a negative number.
    return max(0, version)
  }

  /// What ``apply(to:started:)`` would do, in its order; the last is ``Step/pageChecksums`` if the pages have no checksums.
  /// - Throws: as ``version(of:)``.
  package func pending(in database: Database) throws -> [Step] {
    let pending = Array(steps[try version(of: database)...]).filter { $0.name != Step.pageChecksums.name }
    return database.lacksChecksums ? pending + [.pageChecksums] : pending
  }

  /// The version that a file has and that ``apply(to:started:)`` would change; `nil`: there is no file, it is empty, or nothing would be done.
  package func outdatedVersion(of path: String) throws -> Int? {
    guard Self.header(of: path) != nil else { return nil }
    let version = Int(try Database(path: path, access: .readOnly).integer("PRAGMA user_version") ?? 0)
    return (1..<steps.count).contains(version) ? version : nil
  }

  /// Where a copy of a file is that was made before a step changed it.
  /// - Parameter version: what the step made of it.
  package static func copyPath(of path: String, before version: Int) -> String {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return "\(folder)before-schema-\(version).sqlite"
  }

  /// The copy of a file of a newer program that this one can open.
  private static func copy(of path: String, known: Int, version: Int) -> String? {
    guard known < version, version - known < 1000 else { return nil }
    return (known + 1...version).lazy.map { copyPath(of: path, before: $0) }.first { header(of: $0) != nil }
  }
}

/// A database file of a newer program.
public struct MigrationError: Error, Sendable, CustomStringConvertible {
  public let path: String
  /// Steps that the file has behind it.
  public let version: Int
  /// Steps that this program knows.
  public let known: Int
  /// A copy from before the newer program changed the file; `nil`: there is none.
  public let copy: String?

  public var description: String {
    let remedy =
      copy.map {
        "Update godwit, or restore the copy from before the update, \($0): stop the server, move \(path), \(path)-wal and "
          + "\(path)-shm away, and copy it to \(path). Records since the update are in the newer file only."
      } ?? "Update godwit, or use another file."
    return "\(path) was written by a newer godwit (schema \(version); this one supports up to \(known)). \(remedy)"
  }
}

/// A database file that a development build wrote, before version 1 of the schema.
public struct FormerSchemaError: Error, Sendable, CustomStringConvertible {
  public let path: String
  /// How it is converted: a sentence with the command.
  public let conversion: String

  public var description: String {
    "\(path) has the schema of a development build, which this godwit does not open. Nothing was changed. \(conversion)"
  }
}
