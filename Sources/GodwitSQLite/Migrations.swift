internal import GodwitLocks

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The migrations of one kind of database file. Steps are appended, and never edited afterwards.
public struct Migrations: Sendable {
  /// A step of a migration. Its name identifies it.
  public struct Step: Sendable {
    public let name: String
    public let sql: String
    public init(_ name: String, _ sql: String) {
      self.name = name
      self.sql = sql
    }

    /// The step after which each page has a checksum. An older program, which would write pages without checksums, cannot open the
    /// file any more.
    public static let pageChecksums = Step("checksums of pages", "")
  }

  public let steps: [Step]
  /// The number in the file's header that identifies the kind of file (`PRAGMA application_id`).
  public let applicationID: Int32
  /// Returns how a file of a development build is converted, from the path of the file: a sentence with the command.
  let conversion: @Sendable (String) -> String

  /// - Parameters:
  ///   - steps: the steps, in order.
  ///   - applicationID: identifies the kind of file; not 0.
  ///   - conversion: returns how a file of a development build is converted, from the path of the file: a sentence with the
  ///     command.
  public init(_ steps: [Step], applicationID: Int32, conversion: @escaping @Sendable (String) -> String) {
    self.steps = steps
    self.applicationID = applicationID
    self.conversion = conversion
  }

  /// Checks the header of a file without opening the file as a database. A missing file, an empty file and a file of another format
  /// pass, because opening them causes specific errors.
  ///
  /// Must be called before the process opens its first connection to the file. A path that has passed is not checked again;
  /// ``apply(to:started:)`` checks the version of a file that replaced the checked one.
  /// - Throws: ``FormerSchemaError`` if a development build wrote the file.
  public func checkHeader(of path: String) throws(FormerSchemaError) {
    guard !Database.isInMemory(path), !Self.passed.withLock({ $0.contains(path) }) else { return }
    // SQLite's file format, 1.3: the user version at byte 60 and the application id at byte 68, both big-endian.
    if let header = Self.header(of: path) {
      func number(_ place: Int) -> Int32 { Int32(bitPattern: header[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }) }
      if number(60) > 0, number(68) != applicationID { throw FormerSchemaError(path: path, conversion: conversion(path)) }
    }
    Self.passed.withLock { _ = $0.insert(path) }
  }

  /// Paths of files that have passed. Their files are not opened again, because closing a file releases the locks that SQLite holds
  /// on it in this process.
  private static let passed = Mutex<Set<String>>([])

  /// The first 100 bytes of a file in SQLite's format; `nil` if it has another format or cannot be read.
  private static func header(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 100)
    guard read(file, &header, header.count) == header.count else { return nil }
    return header.starts(with: Array("SQLite format 3\0".utf8)) ? header : nil
  }

  /// Migrates the file to the newest step, and adds checksums to its pages. Each step is one transaction, which also stores the
  /// number of the step. If there is not enough space for the checksums, they are added when the file is opened the next time.
  /// - Parameters:
  ///   - database: the file.
  ///   - started: called before each step, in the transaction of the step, and before the checksums are added.
  /// - Throws: ``MigrationError`` if a newer program wrote the file, ``FormerSchemaError`` if a development build wrote it.
  public func apply(to database: Database, started: (Step) -> Void = { _ in }) throws {
    while true {
      let done = try database.transaction {
        let version = try version(of: database)
        if version == 0 { try database.execute("PRAGMA application_id = \(applicationID)") }
        guard version < steps.count else { return true }
        // A step without SQL, which adds the checksums, is performed below.
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
      // Another program uses the file, or there is too little space. The checksums are added when the file is opened the next time.
      if !error.isFull, !error.isBusy { throw error }
    }
  }

  /// The number of steps that were applied to a file; 0 if the file is empty.
  /// - Throws: ``MigrationError`` if a newer program wrote the file, ``FormerSchemaError`` if a development build wrote it.
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

  /// The steps that ``apply(to:started:)`` would perform, in order. The last one is ``Step/pageChecksums`` if the pages have no
  /// checksums.
  /// - Throws: the same errors as ``version(of:)``.
  package func pending(in database: Database) throws -> [Step] {
    let pending = Array(steps[try version(of: database)...]).filter { $0.name != Step.pageChecksums.name }
    return database.lacksChecksums ? pending + [.pageChecksums] : pending
  }

  /// The version of a file that ``apply(to:started:)`` would migrate; `nil` if the file does not exist, is empty, or needs no
  /// migration.
  package func outdatedVersion(of path: String) throws -> Int? {
    guard Self.header(of: path) != nil else { return nil }
    let version = Int(try Database(path: path, access: .readOnly).integer("PRAGMA user_version") ?? 0)
    return (1..<steps.count).contains(version) ? version : nil
  }

  /// The path of the copy of a file that is made before a step changes the file.
  /// - Parameter version: the version after the step.
  package static func copyPath(of path: String, before version: Int) -> String {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return "\(folder)before-schema-\(version).sqlite"
  }

  /// The copy of a newer program's file that this program can open; `nil` if there is none.
  private static func copy(of path: String, known: Int, version: Int) -> String? {
    guard known < version, version - known < 1000 else { return nil }
    return (known + 1...version).lazy.map { copyPath(of: path, before: $0) }.first { header(of: $0) != nil }
  }
}

/// A database file that a newer program wrote.
public struct MigrationError: Error, Sendable, CustomStringConvertible {
  public let path: String
  /// Number of steps that were applied to the file.
  public let version: Int
  /// Number of steps that this program supports.
  public let known: Int
  /// A copy from before the newer program changed the file; `nil` if there is none.
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
  /// How the file is converted: a sentence with the command.
  public let conversion: String

  public var description: String {
    "\(path) has the schema of a development build, which this godwit does not open. Nothing was changed. \(conversion)"
  }
}
