internal import Foundation
internal import GodwitCommandLine
internal import GodwitServer
internal import GodwitTransfer

/// `godwit snapshot`
struct SnapshotCommand: Command {
  static let name = "snapshot"
  static let abstract = "Copy the server's SQLite database into a file while it runs."
  static let discussion = """
    The copy has everything that was stored at one instant. It is checked before it gets its name. Uploads and readers do not wait for it. To restore it: stop the server, put the file where godwit.sqlite is in the data folder, remove godwit.sqlite-wal
    and godwit.sqlite-shm, start the server. A store on PostgreSQL is copied by pg_dump.
    """
  static let examples = [
    (line: "godwit snapshot /backup/godwit.sqlite --replace", purpose: "Each night, by a timer: one file, always whole")
  ]

  @Operands("FILE", 1...1, "The copy")
  var files: [String]
  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "Folder of the database")
  var data: String
  @Flag("replace", "Replace the file if it is there")
  var replaces: Bool

  func run() async throws {
    let variable = ProcessInfo.processInfo.environment[StoreVariable.name] ?? ""
    guard variable.isEmpty else {
      throw Failure("\(StoreVariable.name) names a store on PostgreSQL: pg_dump copies it while servers run.")
    }
    let snapshot = try Snapshot.take(of: data, to: files[0], replaces: replaces, at: Date())
    Output.note("\(files[0]): \(snapshot.size >> 10) KiB, checked.")
  }
}
