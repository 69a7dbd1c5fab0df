internal import GodwitDeletion
internal import GodwitStore
internal import GodwitTransfer

/// Imports of files, and deletions.
struct TransferComponents: Sendable {
  /// Imports uploaded files.
  let imports: ImportQueue
  let deletion: DeletionRun

  init(_ stores: StoreComponents, _ live: LiveComponents, dataFolder: String) throws {
    let imports = try ImportQueue(store: stores.store, folder: dataFolder) { name in
      // No page shows a device that cannot be read.
      if let device = try? stores.store.device(named: name) { live.publisher.publish(historyOf: device) }
    }
    self.imports = imports
    deletion = DeletionRun(database: stores.store, stopImport: { imports.cancel($0) })
  }
}
