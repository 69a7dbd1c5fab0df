package import GodwitCommandLine

/// The commands of a server.
@MainActor
package enum ServerCommands {
  package static let serving: [any Command.Type] = [Serve.self]
  /// Commands that copy, check and convert files and stores.
  package static let transfer: [any Command.Type] = [
    Import.self, Export.self, BackupCommand.self, RestoreCommand.self, ConvertCommand.self, SnapshotCommand.self,
    VerifyCommand.self, UpgradeCommand.self,
  ]
  /// Commands for devices, users and stored data.
  package static let administration: [any Command.Type] = [
    DeviceCommand.self, RejectedCommand.self, UserCommand.self, DeleteCommand.self, TrashCommand.self, ZoneCommand.self,
    TimelineCommand.self, PlaceCommand.self, RegionsCommand.self, RoadsCommand.self, StoreCommands.self, DocsCommand.self,
  ]
}
