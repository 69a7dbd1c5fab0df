/// The locks of the whole database that programs of ours take, by number.
package enum PostgresLock: Int64 {
  // "godw" in ASCII, and a number.
  /// Held by who brings the schema up to date.
  case schema = 0x676F_6477_0001
  /// Held by who makes a partition.
  case partitions = 0x676F_6477_0002
  /// Held by who writes something else than records: one after the other, as with SQLite.
  case writing = 0x676F_6477_0003
  /// Held by who adds events of regions.
  case events = 0x676F_6477_0004

  /// The statement that takes it until the transaction's end.
  package var statement: String { "SELECT pg_advisory_xact_lock(\(rawValue))" }
}
