internal import Foundation
package import GodwitHTTP
package import GodwitStore

/// Runs changes that create a notice for the account.
package struct NoticedWork: Sendable {
  package let work: RequestWork
  /// Receives the events of notices.
  package let outbox: any EventOutbox

  package init(work: RequestWork, outbox: any EventOutbox) {
    self.work = work
    self.outbox = outbox
  }

  /// Runs a change in a transaction, and adds its notice. Returns after the commit.
  /// - Parameters:
  ///   - notice: returns the notice; called after the change in the same transaction; `nil`: there is none.
  ///   - body: the change. It may run twice.
  /// - Throws: a ``Problem``, also for an error of the store.
  package func write<Value: Sendable>(
    noticing notice: @escaping @Sendable (any SQLConnection) throws -> AccountNotice?,
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws(Problem) -> Value {
    let now = work.now
    let (value, keys) = try await work.write { db -> (Value, [OrderingKey]) in
      let value = try body(db)
      return (value, try notice(db).map { try AccountNoticeTable.add($0, to: outbox, at: now, db) } ?? [])
    }
    outbox.deliver(keys)
    return value
  }

  /// Runs a change in a transaction, and adds a given notice. Returns after the commit.
  package func write<Value: Sendable>(
    noticing notice: AccountNotice?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws(Problem) -> Value {
    let known: @Sendable (any SQLConnection) throws -> AccountNotice? = { _ in notice }
    return try await write(noticing: known, body)
  }
}
