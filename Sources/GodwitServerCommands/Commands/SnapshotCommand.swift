internal import Foundation
internal import GodwitCommandLine
internal import GodwitServer
internal import GodwitStore
internal import GodwitTransfer

/// `godwit snapshot`
struct SnapshotCommand: StoreCommand {
  static let name = "snapshot"
  static let abstract = "Copy the server's SQLite database into a file while it runs."
  static let discussion = """
    The copy has the state of one instant and is checked before it gets its name. It does not delay uploads or readers. To
    restore it: stop the server, replace godwit.sqlite in the data folder by the copy, remove godwit.sqlite-wal
    and godwit.sqlite-shm, and start the server. For a store on PostgreSQL use pg_dump.
    """
  static let examples = [
    (line: "godwit snapshot /backup/godwit.sqlite --replace", purpose: "Each night, by a timer: one file, always complete")
  ]

  @Operands("FILE", 1...1, "The copy")
  var files: [String]
  let storeOptions = StoreOptions()
  @Flag("replace", "Replace the file if it exists")
  var replaces: Bool

  func run() async throws {
    guard case .folder(let data) = storeLocation else {
      throw Failure("The store is on PostgreSQL: use pg_dump, also while servers run.")
    }
    let snapshot = try Snapshot.create(of: data, to: files[0], replaces: replaces, at: Date())
    Output.log("\(files[0]): \(snapshot.size >> 10) KiB, checked.")
  }
}
