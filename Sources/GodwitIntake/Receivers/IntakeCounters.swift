package import Synchronization

/// Counters of records since the server started.
package final class IntakeCounters: Sendable {
  /// New records.
  package let saved = Atomic<Int>(0)
  /// Duplicate records.
  package let duplicates = Atomic<Int>(0)
  /// Rejected records.
  package let rejected = Atomic<Int>(0)
  /// Transactions of the store.
  package let commits = Atomic<Int>(0)
  /// Bytes of request bodies, before decompression.
  package let receivedBytes = Atomic<Int>(0)

  package init() {}
}
