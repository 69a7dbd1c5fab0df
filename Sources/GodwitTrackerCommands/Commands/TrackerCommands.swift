package import GodwitCommandLine

/// The commands of a tracker.
@MainActor
package enum TrackerCommands {
  /// Tracking, and the login link of its panel.
  package static let tracking: [any Command.Type] = [LoginCommand.self, Track.self]
  /// Commands for the tracker's files: set-up, coverage log, unsent records, event log.
  package static let files: [any Command.Type] = [Setup.self, CoverageCommand.self, Purge.self, ReplayEvents.self]
  package static let settings: [any Command.Type] = [SettingsCommand.self]
  /// Commands that `godwit` has in a version for server and tracker.
  package static let alone: [any Command.Type] = [JournalConversion.self, TrackerDoctorCommand.self]
}
