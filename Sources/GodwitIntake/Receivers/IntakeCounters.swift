package import Synchronization

/// What came in since the server started.
package final class IntakeCounters: Sendable {
  /// Records that were new.
  package let saved = Atomic<Int>(0)
  /// Records that the store had already.
  package let duplicates = Atomic<Int>(0)
  /// Parts of requests that were no valid records.
  package let rejected = Atomic<Int>(0)
  /// Transactions of the store.
  package let commits = Atomic<Int>(0)
  /// Bytes of request bodies, before decompression.
  package let receivedBytes = Atomic<Int>(0)

  package init() {}
}
