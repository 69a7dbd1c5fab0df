internal import Foundation
internal import GodwitCommandLine
internal import GodwitHistory
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore
internal import GodwitTransfer

/// `godwit backup`
struct BackupCommand: StoreCommand {
  static let name = "backup"
  static let abstract = "Write the whole store into one archive."
  static let discussion = """
    The archive has the state of one instant: devices, users, tokens (as hashes), points, regions, webhooks, settings, links,
    zones and the rest. The server may run. The archive is a tar file compressed with Zstandard, with SHA-256 checksums.
    `godwit restore` restores it into either kind of store. Protect it like the store: it contains all data. With a passphrase it
    is encrypted; without that passphrase it cannot be read.
    """
  static let examples = [
    (line: "godwit backup godwit.tar.zst", purpose: "Of the standard data folder"),
    (line: "godwit backup /backup/godwit.tar.zst --store postgres://godwit@db/godwit", purpose: "Of a PostgreSQL database"),
    (line: "godwit backup /mnt/cloud/godwit.backup --passphrase-file ~/.godwit-passphrase", purpose: "Encrypted"),
  ]

  @Operands("FILE", 1...1, "The archive; an existing one is replaced when the new one is complete")
  var files: [String]
  let storeOptions = StoreOptions()
  @OptionalOption("passphrase-file", "FILE", "Encrypt the archive with the passphrase in the first line of a file")
  var passphraseFile: String?

  func run() async throws {
    let location = storeLocation
    let passphrase = try passphraseFile.map { try PassphraseFile.read($0) }
    if let fault = passphrase?.fault { throw Failure("--passphrase-file: \(fault)") }
    try location.requireStore()
    // The archive replaces the file of that name. A device, pipe or folder must not be replaced.
    let facts = try? FileManager.default.attributesOfItem(atPath: URL(fileURLWithPath: files[0]).resolvingSymlinksInPath().path)
    if let kind = facts?[.type] as? FileAttributeType, kind != .typeRegular {
      throw Failure("\(files[0]): it is not a regular file. Use a new file, or a regular file to replace.")
    }
    let store = try location.open()
    defer { store.close() }
    let summary = try Backup(of: store, folder: data).write(to: files[0], at: Date(), passphrase: passphrase) {
      Output.progress($0.counted("row"))
    }
    Output.endProgress()
    Output.result("\(files[0]): \(summary.description)\(passphrase == nil ? "" : ", encrypted").\n")
  }
}

/// The passphrase of an archive. A file keeps it out of the list of processes.
enum PassphraseFile {
  /// Reads the passphrase from the first line of a file.
  /// - Throws: ``Failure`` if the file cannot be read, or the line is empty.
  static func read(_ path: String) throws -> Passphrase {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Failure("--passphrase-file: \(path) cannot be read.")
    }
    let line = text.split(separator: "\n", omittingEmptySubsequences: false).first.map { $0.hasSuffix("\r") ? $0.dropLast() : $0 }
    guard let line, !line.isEmpty else { throw Failure("--passphrase-file: the first line of \(path) is empty.") }
    return Passphrase(String(line))
  }
}

/// `godwit restore`
struct RestoreCommand: StoreCommand {
  static let name = "restore"
  static let abstract = "Restore a backup into a new, empty store."
  static let discussion = """
    The store may be of another kind than the one of the backup. The whole archive is restored; if it is damaged, nothing is.
    Maps and statistics are computed again at the end. Start the server afterwards. The passphrase of an encrypted backup is
    asked for on a terminal.
    """
  static let examples = [
    (line: "godwit restore godwit.tar.zst --data ~/new", purpose: "Into a new data folder"),
    (line: "godwit restore godwit.tar.zst --store postgres://godwit@db/godwit", purpose: "Into a PostgreSQL database"),
  ]

  @Operands("FILE", 1...1, "The archive")
  var files: [String]
  let storeOptions = StoreOptions()
  @OptionalOption("passphrase-file", "FILE", "The passphrase of an encrypted archive, in the first line of a file")
  var passphraseFile: String?

  func run() async throws {
    let location = storeLocation
    // The archive is checked before the data folder is created.
    guard FileManager.default.isReadableFile(atPath: files[0]) else {
      throw Failure("\(files[0]): the file does not exist, or is not readable.")
    }
    let passphrase = try passphrase()
    try FileManager.default.createDirectory(
      atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let made = newFiles(of: location)
    let store = try location.open()
    do { try await restore(into: store, location, passphrase) } catch {
      store.close()
      // A store that was created for a rejected backup is removed.
      for file in made { try? FileManager.default.removeItem(atPath: file) }
      throw error
    }
    store.close()
  }

  private func passphrase() throws -> Passphrase? {
    if let passphraseFile { return try PassphraseFile.read(passphraseFile) }
    guard EncryptedArchive.isEncrypted(files[0]) else { return nil }
    return Passphrase(try Prompt.secret("The passphrase of \(files[0])", option: "--passphrase-file"))
  }

  /// Returns the files of an embedded database that does not yet exist; empty if it exists.
  private func newFiles(of location: StoreLocation) -> [String] {
    guard case .folder(let folder) = location, !FileManager.default.fileExists(atPath: folder + "/godwit.sqlite") else {
      return []
    }
    return ["", "-wal", "-shm"].map { folder + "/godwit.sqlite" + $0 }
  }

  private func restore(into store: any StoreDatabase, _ location: StoreLocation, _ passphrase: Passphrase?) async throws {
    let restore = Restore(into: store, named: "\(location)")
    let summary = try await restore.read(files[0], passphrase: passphrase, folder: data) {
      Output.progress($0.counted("row"))
    }
    Output.progress("Computing maps and statistics")
    do { try await store.processBacklog() } catch let failure as RecomputeWorker.Failure {
      // The rows are complete; the server computes the device when it can.
      Output.log("\(failure)")
    }
    Output.endProgress()
    Output.result("\(files[0]): \(summary.description).\n")
  }
}
