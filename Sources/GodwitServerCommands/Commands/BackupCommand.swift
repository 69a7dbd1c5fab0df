internal import Foundation
internal import GodwitCommandLine
internal import GodwitHistory
internal import GodwitServer
internal import GodwitStore
internal import GodwitTransfer

/// `godwit backup`
struct BackupCommand: StoreCommand {
  static let name = "backup"
  static let abstract = "Write the whole store into one archive."
  static let discussion = """
    Devices, users, tokens (as hashes), points, regions, webhooks, settings, links, zones and all else, of one instant. A server may run meanwhile. The archive is a tar file packed with Zstandard, with SHA-256 sums in it, and can be put
    into a store of either kind by `godwit restore`. Keep it as safe as the store: whoever has it has everything.
    """
  static let examples = [
    (line: "godwit backup godwit.tar.zst", purpose: "Of the standard data folder"),
    (line: "godwit backup /backup/godwit.tar.zst --store postgres://godwit@db/godwit", purpose: "Of a PostgreSQL database"),
  ]

  @Operands("FILE", 1...1, "The archive; one of that name is replaced when the new one is complete")
  var files: [String]
  let storeOptions = StoreOptions()

  func run() async throws {
    let location = try storeLocation()
    if case .folder(let folder) = location, !FileManager.default.fileExists(atPath: folder + "/godwit.sqlite") {
      throw Failure("\(folder): there is no store. Name its folder with --data, or a database with --store.")
    }
    // What has that name is replaced, which no device, pipe or folder survives.
    let facts = try? FileManager.default.attributesOfItem(atPath: URL(fileURLWithPath: files[0]).resolvingSymlinksInPath().path)
    if let kind = facts?[.type] as? FileAttributeType, kind != .typeRegular {
      throw Failure("\(files[0]): it is no plain file, and would be replaced. Name a new file, or one to be replaced.")
    }
    let store = try location.open()
    defer { store.close() }
    let summary = try Backup(of: store, folder: data).write(to: files[0], at: Date()) {
      Output.progress("\($0.grouped) rows")
    }
    Output.endProgress()
    Output.result("\(files[0]): \(summary.description).\n")
  }
}

/// `godwit restore`
struct RestoreCommand: StoreCommand {
  static let name = "restore"
  static let abstract = "Restore a backup into a new, empty store."
  static let discussion = """
    The store may be of another kind than the one of the backup. Either the whole archive is stored or, if it is damaged, nothing. Maps and statistics are computed again at the end. Start the server afterwards.
    """
  static let examples = [
    (line: "godwit restore godwit.tar.zst --data ~/new", purpose: "Into a new data folder"),
    (line: "godwit restore godwit.tar.zst --store postgres://godwit@db/godwit", purpose: "Moves to PostgreSQL"),
  ]

  @Operands("FILE", 1...1, "The archive")
  var files: [String]
  let storeOptions = StoreOptions()

  func run() async throws {
    let location = try storeLocation()
    // Before a folder is made for nothing.
    guard FileManager.default.isReadableFile(atPath: files[0]) else {
      throw Failure("\(files[0]): there is no such file, or it is not yours to read.")
    }
    try FileManager.default.createDirectory(
      atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let made = newFiles(of: location)
    let store = try location.open()
    do { try await restore(into: store, location) } catch {
      store.close()
      // What was made for a backup that was refused is no store.
      for file in made { try? FileManager.default.removeItem(atPath: file) }
      throw error
    }
    store.close()
  }

  /// The files of an embedded database that is not there yet.
  private func newFiles(of location: StoreLocation) -> [String] {
    guard case .folder(let folder) = location, !FileManager.default.fileExists(atPath: folder + "/godwit.sqlite") else {
      return []
    }
    return ["", "-wal", "-shm"].map { folder + "/godwit.sqlite" + $0 }
  }

  private func restore(into store: any StoreDatabase, _ location: StoreLocation) async throws {
    let summary = try await Restore(into: store, named: "\(location)").read(files[0], folder: data) {
      Output.progress("\($0.grouped) rows")
    }
    Output.progress("Computing maps and statistics")
    try await store.processBacklog()
    Output.endProgress()
    Output.result("\(files[0]): \(summary.description).\n")
  }
}
