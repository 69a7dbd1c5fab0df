package import GodwitSQLite

/// What a program adds to the store that it opens: the tables of its features, and their part in the transactions of records.
package struct StoreParts: Sendable {
  /// The steps of the embedded database's schema, all of them.
  package var migrations: Migrations
  /// The steps of PostgreSQL's schema, all of them.
  package var postgresSteps: [Migrations.Step]
  /// Makes the participants of a store's transactions, in the order in which they are called.
  package var participants: @Sendable () -> [any CommitParticipant]
  /// Makes what changes submissions before they are stored.
  package var filter: @Sendable () -> any SubmissionFilter

  package init(
    migrations: Migrations, postgresSteps: [Migrations.Step],
    participants: @escaping @Sendable () -> [any CommitParticipant], filter: @escaping @Sendable () -> any SubmissionFilter
  ) {
    self.migrations = migrations
    self.postgresSteps = postgresSteps
    self.participants = participants
    self.filter = filter
  }
}
