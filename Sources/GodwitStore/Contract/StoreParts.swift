package import GodwitSQLite
package import GodwitServices

/// The additions of a program to the store: the tables of its features, and the participants of the transactions that store records.
package struct StoreParts: Sendable {
  /// All migrations of the embedded database.
  package var migrations: Migrations
  /// All migrations of PostgreSQL.
  package var postgresSteps: [Migrations.Step]
  /// Creates the participants of a store's transactions, in the order of their calls.
  package var participants: @Sendable () -> [any CommitParticipant]
  /// Creates the filter of submissions.
  package var filter: @Sendable () -> any SubmissionFilter
  /// The clock of everything that works with the database.
  package var clock: ServerClock
  /// The queues on which the store and everything that works with it run.
  package var queues: WorkQueues

  package init(
    migrations: Migrations, postgresSteps: [Migrations.Step],
    participants: @escaping @Sendable () -> [any CommitParticipant], filter: @escaping @Sendable () -> any SubmissionFilter,
    clock: ServerClock = .system, queues: WorkQueues = .system
  ) {
    self.migrations = migrations
    self.postgresSteps = postgresSteps
    self.participants = participants
    self.filter = filter
    self.clock = clock
    self.queues = queues
  }
}
