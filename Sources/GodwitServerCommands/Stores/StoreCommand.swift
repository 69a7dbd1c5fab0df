package import GodwitCommandLine
internal import GodwitServer
package import GodwitStore

/// A command that works on a server's store: on the one of `--store`, otherwise in the folder of `--data`.
@MainActor
package protocol StoreCommand: Command {
  var storeOptions: StoreOptions { get }
}

extension StoreCommand {
  package var data: String { storeOptions.data }
  package var store: StoreLocation? { storeOptions.store }

  package static var configured: [ConfiguredOptions] {
    [.only(["data", "store"], of: "serve")]
  }

  package var storeLocation: StoreLocation { store ?? .folder(data) }

  /// Opens the store, or makes it where there is none. Who opens it closes it.
  package func openStore() throws -> any StoreDatabase { try storeLocation.open() }
}

/// Where a server's store is.
package struct StoreOptions: OptionGroup {
  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "Folder of the database")
  var data: String
  // A folder on the command line is meant instead of a database in the configuration file.
  @OptionalOption(
    "store", "URL", replacedBy: "data", "The store, if it is not in the folder: \(StoreLocation.shown) (default: $GODWIT_STORE)")
  var store: StoreLocation?

  package init() {}
}

/// Options of a command that changes much of a store at once.
struct ChangeOptions: OptionGroup {
  let storeOptions = StoreOptions()
  @Flag("yes", "Skip the confirmation")
  var yes: Bool
  @Flag("dry-run", "Count without changing anything")
  var isDry: Bool
  @Flag("json", "Print JSON")
  var json: Bool
}

/// A command that changes much of a store at once.
protocol ChangingCommand: StoreCommand {
  var options: ChangeOptions { get }
}

extension ChangingCommand {
  var storeOptions: StoreOptions { options.storeOptions }
}
