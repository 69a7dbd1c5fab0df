internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitGeofencing
internal import GodwitHistory
internal import GodwitIntake
internal import GodwitMirror
internal import GodwitPhotos
internal import GodwitRegions
internal import GodwitSQLite
internal import GodwitStore
internal import GodwitTransfer
internal import GodwitVisits

/// The schema of the server's database, one list of versions for each kind of database. Version 1 has the tables of all features, each
/// declared by its feature. Later versions are appended and never edited.
package enum ServerSchema {
  /// The number in the header of the database's file: "GdwS".
  static let applicationID: Int32 = 0x4764_7753

  // Names of the later versions. PostgreSQL records the applied versions by name.
  private static let preferences = "preferences of users"
  private static let corrections = "timeline corrections"
  private static let placeChanges = "changes of places"
  private static let roads = "roads"
  private static let blocks = "blocks of points"
  private static let mirror = "mirror"
  private static let lineStarts = "starts of crossing lines"
  private static let pointHashes = "hashes of points"
  private static let historyVersions = "versions of histories"
  private static let tripParts = "parts of trips"
  private static let railTrips = "trips on rails"

  /// The versions for SQLite.
  static let migrations = Migrations(
    [
      Migrations.Step(
        PostgresMigrations.versionOne,
        [
          StoreSchema.sqlite, RegionTables.sqlite, RegionEventTables.sqlite, DirtyDays.sqlite, OverviewTables.sqlite,
          AccountTables.sqlite, SharingTables.sqlite, AppTables.sqlite, DeviceHealthTables.sqlite, MQTTTables.sqlite,
          ImportTables.sqlite, TimelineTables.sqlite, PlaceTables.sqlite, AddressTable.sqlite, LivePositionTable.sqlite,
          DeletionTables.sqlite, SecondFactorTable.sqlite, AccountNoticeTable.sqlite,
        ].joined(separator: "\n")),
      Migrations.Step(preferences, PreferenceTable.sqlite),
      Migrations.Step("the trash", TrashTables.sqlite),
      Migrations.Step("photo servers", PhotoServerTable.sqlite),
      Migrations.Step(historyVersions, HistoryVersions.sqlite),
      Migrations.Step("passkeys", [PasskeyTable.sqlite, SignInChallenge.sqlite].joined(separator: "\n")),
      Migrations.Step("openid identities", OpenIDIdentityTable.sqlite),
      Migrations.Step("sealed only", AppTables.sealedOnlySQLite),
      Migrations.Step(corrections, CorrectionTable.sqlite),
      Migrations.Step(placeChanges, PlaceChangeTable.sqlite),
      Migrations.Step(roads, RoadLibrary.sqlite),
      .pageChecksums,
      Migrations.Step(blocks, BlockTable.sqlite),
      Migrations.Step(mirror, MirrorTables.sqlite),
      Migrations.Step(lineStarts, RegionEventTables.lineStartsSQLite),
      Migrations.Step(tripParts, TimelineTables.recomputation),
      Migrations.Step(railTrips, RoadLibrary.recomputation),
    ], applicationID: applicationID, conversion: FormerStore.conversion)

  /// The versions for PostgreSQL, with the same names. Only PostgreSQL has hashes of points, because SQLite has page checksums.
  static let postgresSteps: [Migrations.Step] = [
    Migrations.Step(
      PostgresMigrations.versionOne,
      [
        PostgresStoreSchema.postgres, RegionTables.postgres, RegionEventTables.postgres, ClusterEventRelay.postgres,
        DirtyDays.postgres, OverviewTables.postgres, AccountTables.postgres, SharingTables.postgres, AppTables.postgres,
        DeviceHealthTables.postgres, MQTTTables.postgres, ImportTables.postgres, TimelineTables.postgres, PlaceTables.postgres,
        AddressTable.postgres, LivePositionTable.postgres, DeletionTables.postgres, SecondFactorTable.postgres,
        AccountNoticeTable.postgres,
      ].joined(separator: "\n")),
    Migrations.Step(preferences, PreferenceTable.postgres),
    Migrations.Step("the trash", TrashTables.postgres),
    Migrations.Step("photo servers", PhotoServerTable.postgres),
    Migrations.Step(historyVersions, HistoryVersions.postgres),
    Migrations.Step("passkeys", [PasskeyTable.postgres, SignInChallenge.postgres].joined(separator: "\n")),
    Migrations.Step("openid identities", OpenIDIdentityTable.postgres),
    Migrations.Step("sealed only", AppTables.sealedOnlyPostgres),
    Migrations.Step(corrections, CorrectionTable.postgres),
    Migrations.Step(placeChanges, PlaceChangeTable.postgres),
    Migrations.Step(roads, RoadLibrary.postgres),
    Migrations.Step(blocks, BlockTable.postgres),
    Migrations.Step(mirror, MirrorTables.postgres),
    Migrations.Step(lineStarts, RegionEventTables.lineStartsPostgres),
    Migrations.Step(pointHashes, PointHashes.postgres),
    Migrations.Step(tripParts, TimelineTables.recomputation),
    Migrations.Step(railTrips, RoadLibrary.recomputation),
  ]
}
