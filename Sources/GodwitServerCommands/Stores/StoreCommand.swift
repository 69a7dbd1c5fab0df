internal import Foundation
package import GodwitCommandLine
internal import GodwitServer
package import GodwitStore

/// A command that works on a server's store: on the one of `--store`, or else of `$GODWIT_STORE`, or else in the folder of
/// `--data`.
@MainActor
package protocol StoreCommand: Command {
  var storeOptions: StoreOptions { get }
}

extension StoreCommand {
  package var data: String { storeOptions.data }
  package var store: StoreLocation? { storeOptions.store }

  /// - Throws: ``UsageError``, where the variable names no store.
  package func storeLocation() throws -> StoreLocation {
    if let store { return store }
    let variable = ProcessInfo.processInfo.environment[StoreVariable.name] ?? ""
    guard !variable.isEmpty else { return .folder(data) }
    do throws(StoreLocationError) { return try StoreLocation(variable) } catch {
      throw UsageError("\(StoreVariable.name) is \"\(StoreLocation.shown(variable))\": \(error)")
    }
  }

  /// Opens the store, or makes it where there is none. Who opens it closes it.
  package func openStore() throws -> any StoreDatabase { try storeLocation().open() }
}

/// Where a server's store is.
package struct StoreOptions: OptionGroup {
  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "Folder of the database")
  var data: String
  @OptionalOption("store", "URL", StoreVariable.help)
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

/// Says where the store is when no option does.
enum StoreVariable {
  static let name = "GODWIT_STORE"
  /// The help of `--store`.
  static let help = "The store, if it is not in the folder: \(StoreLocation.shown) (default: $\(name))"
}
