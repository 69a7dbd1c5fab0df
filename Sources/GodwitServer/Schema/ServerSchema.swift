internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitGeofencing
internal import GodwitHistory
internal import GodwitIntake
internal import GodwitSQLite
internal import GodwitStore
internal import GodwitTransfer

/// The migrations of the server's database, a list for each database. Steps are appended, never edited.
package enum ServerSchema {
  /// Migrations of SQLite.
  static let migrations = Migrations(StoreSchema.steps + sqliteSteps)

  private static let sqliteSteps: [Migrations.Step] = [
    RegionTables.step,
    RegionEventTables.step,
    WebhookTables.step,
    StoreSchema.compactPoints,
    OverviewTables.step,
    AccountTables.step,
    SharingTables.step,
    AppTables.step,
    OverviewTables.stays,
    MissingTables.step,
    MQTTTables.step,
    ImportTables.step,
    TimelineTables.step,
    PlaceTables.step,
    AddressTable.step,
    TimelineTables.lean,
    DirtyDays.inTurn,
    LivePositionTable.step,
    ImportTables.tracing,
    DeletionTables.step,
    ScopedTokenTable.parents,
    SecondFactorTable.step,
    SessionConfirmation.step,
    AccountNoticeTable.step,
  ]

  /// Migrations of PostgreSQL, under the same names.
  static let postgresSteps: [Migrations.Step] =
    PostgresStoreSchema.steps + [
      RegionTables.postgres, RegionEventTables.postgres,
      WebhookTables.postgres, RegionChangeNotifier.postgres, ClusterEventRelay.postgres, OverviewTables.postgresStep,
      AccountTables.postgres,
      SharingTables.postgres, AppTables.postgres, OverviewTables.stays, MissingTables.postgres, MQTTTables.postgres,
      ImportTables.postgres, TimelineTables.postgres, PlaceTables.postgres, AddressTable.postgres, TimelineTables.lean,
      DirtyDays.inTurn, LivePositionTable.postgres, ImportTables.tracingPostgres, DeletionTables.postgres,
      ScopedTokenTable.parentsPostgres, SecondFactorTable.postgres, SessionConfirmation.postgres,
      AccountNoticeTable.postgres,
    ]
}
