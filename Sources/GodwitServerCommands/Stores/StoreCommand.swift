internal import Foundation
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

  /// Opens the store. The caller closes it.
  /// - Parameter creates: whether a store is created in a folder that has none.
  /// - Throws: `Failure` if there is none, so that a wrong folder does not read as an empty store; or the store's error.
  package func openStore(creates: Bool = false) throws -> any StoreDatabase {
    if !creates { try storeLocation.requireStore() }
    return try storeLocation.open()
  }
}

extension StoreLocation {
  /// Whether it is a folder without a store.
  package var isEmpty: Bool {
    guard case .folder(let folder) = self else { return false }
    return !FileManager.default.fileExists(atPath: folder + "/godwit.sqlite")
  }

  /// - Throws: `Failure` if it is a folder without a store.
  func requireStore() throws(Failure) {
    guard isEmpty else { return }
    throw Failure("\(self): there is no store. Give its folder with --data, or a database with --store.")
  }
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
