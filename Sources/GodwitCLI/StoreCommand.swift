internal import Foundation
internal import GodwitServer

/// A command that works on a server's store: on the one of `--store`, or else of `$GODWIT_STORE`, or else in the folder of
/// `--data`.
@MainActor
protocol StoreCommand: Command {
  var data: String { get }
  var store: StoreLocation? { get }
}

extension StoreCommand {
  /// - Throws: ``UsageError``, where the variable names no store.
  func storeLocation() throws -> StoreLocation {
    if let store { return store }
    let variable = ProcessInfo.processInfo.environment[StoreVariable.name] ?? ""
    guard !variable.isEmpty else { return .folder(data) }
    do throws(StoreLocationError) { return try StoreLocation(variable) } catch {
      throw UsageError("\(StoreVariable.name) is \"\(StoreLocation.shown(variable))\": \(error)")
    }
  }

  /// Opens the store, or makes it where there is none. Who opens it closes it.
  func openStore() throws -> any StoreDatabase { try storeLocation().open() }
}

/// Says where the store is when no option does.
enum StoreVariable {
  static let name = "GODWIT_STORE"
  /// The help of `--store`.
  static let help = "The store, where it is not in the folder: \(StoreLocation.shown) (default: $\(name))"
}
