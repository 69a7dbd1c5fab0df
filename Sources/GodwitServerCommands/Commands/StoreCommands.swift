internal import Foundation
internal import GodwitCommandLine
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore

/// `godwit store …`
struct StoreCommands: Command {
  static let name = "store"
  static let abstract = "Change how a store is laid out."
  static let examples = [
    (
      line: "godwit store distribute --store postgres://godwit:secret@db.example/godwit",
      purpose: "Use the workers of a Citus cluster"
    )
  ]
  static let subcommands: [any Command.Type] = [StoreDistribute.self]
  func run() async throws {}
}

/// `godwit store distribute`
struct StoreDistribute: StoreCommand {
  static let name = "distribute"
  static let abstract = "Distribute the data of devices over the workers of a Citus cluster."
  static let discussion = """
    For a PostgreSQL database with the extension Citus, to which workers were added. Points, events and what is computed of them move to
    the workers, those of one device to one worker; all other tables remain in the database. Stop all servers before. The next run
    continues an interrupted one, and distributes tables that a newer version has added. Back up the database first: no command
    reverses it.
    """
  static let examples = [
    (
      line: "godwit store distribute --store postgres://godwit:secret@db.example/godwit",
      purpose: "Once, after workers were added"
    )
  ]

  let storeOptions = StoreOptions()
  @Option(
    "shards", "N", default: StoreDistributor.shards, shown: "\(StoreDistributor.shards)",
    "Number of shards of each table, 1 to 1024: the maximum number of workers")
  var shards: Int

  func run() async throws {
    guard case .postgres(let address) = storeLocation else {
      throw Failure("The store is a folder; only a PostgreSQL database can be distributed. Name it with --store.")
    }
    guard StoreDistributor.shardLimits.contains(shards) else {
      throw UsageError("--shards \(shards): write a number from 1 to 1024")
    }
    var current: String?
    do {
      let tables = try StoreDistributor.distribute(TableDistribution.byDevice, of: address, shards: shards) { table in
        current = table
        Output.log("Moving the rows of \(table) to the workers.")
      }
      Output.log(tables.isEmpty ? "The store is distributed already." : "Distributed \(tables.count.counted("table")).")
    } catch let error as DistributionError {
      throw Failure(error.description)
    } catch {
      guard let current else { throw error }
      throw Failure(
        """
        The distribution stopped during the move of \(current): \(error)
        No row is lost: the rows of each table are at one place. Run the command again when the cause is removed; it continues with the \
        tables that are not distributed.
        """)
    }
  }
}
