/// The advisory locks of the database, by number.
package enum PostgresLock: Int64 {
  // "godw" in ASCII, and a number.
  /// Held during migrations.
  case schema = 0x676F_6477_0001
  /// Held during the creation of a partition.
  case partitions = 0x676F_6477_0002
  /// Held during writes other than of records, which are sequential as with SQLite.
  case writing = 0x676F_6477_0003
  /// Held while events of regions are added.
  case events = 0x676F_6477_0004
  /// Held while the hashes of points are created.
  case hashes = 0x676F_6477_0005

  /// The statement that acquires the lock until the end of the transaction.
  package var statement: String { "SELECT pg_advisory_xact_lock(\(rawValue))" }
}
