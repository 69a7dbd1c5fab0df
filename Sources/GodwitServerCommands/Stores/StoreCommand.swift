internal import Foundation
package import GodwitCommandLine
internal import GodwitServer
package import GodwitStore

/// A command that uses a server's store: the store of `--store`, or else the one in the folder of `--data`.
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

  /// Opens the store. The caller closes it.
  /// - Parameter creates: whether a store is created if the folder has none.
  /// - Throws: `Failure` if there is no store, so that a wrong folder is not shown as an empty store; or an error of the store.
  package func openStore(creates: Bool = false) throws -> any StoreDatabase {
    if !creates { try storeLocation.requireStore() }
    return try storeLocation.open()
  }
}

extension StoreLocation {
  /// Whether the location is a folder without a store.
  package var isEmpty: Bool {
    guard case .folder(let folder) = self else { return false }
    return !FileManager.default.fileExists(atPath: folder + "/godwit.sqlite")
  }

  /// - Throws: `Failure` if the location is a folder without a store.
  func requireStore() throws(Failure) {
    guard isEmpty else { return }
    throw Failure("\(self): there is no store. Give its folder with --data, or a database with --store.")
  }
}

/// The options for the location of a server's store.
package struct StoreOptions: OptionGroup {
  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "Folder of the database")
  var data: String
  // `--data` on the command line overrides a database in the environment and in the configuration file.
  @OptionalOption(
    "store", "URL", replacedBy: "data", "The store, if it is not in the folder: \(StoreLocation.shown) (default: $GODWIT_STORE)")
  var store: StoreLocation?

  package init() {}
}

/// Options of a command that changes a large part of a store.
struct ChangeOptions: OptionGroup {
  let storeOptions = StoreOptions()
  @Flag("yes", "Skip the confirmation")
  var yes: Bool
  @Flag("dry-run", "Count without changing anything")
  var isDry: Bool
  @Flag("json", "Print JSON")
  var json: Bool
}

/// A command that changes a large part of a store.
protocol ChangingCommand: StoreCommand {
  var options: ChangeOptions { get }
}

extension ChangingCommand {
  var storeOptions: StoreOptions { options.storeOptions }
}
