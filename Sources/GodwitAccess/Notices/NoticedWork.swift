internal import Foundation
package import GodwitHTTP
package import GodwitStore

/// Changes that create a notice for the account.
package struct NoticedWork: Sendable {
  package let work: RequestWork
  /// Takes the events of notices.
  package let outbox: any EventOutbox

  package init(work: RequestWork, outbox: any EventOutbox) {
    self.work = work
    self.outbox = outbox
  }

  /// Changes something in a transaction, and adds a notice of it; returns after the commit.
  /// - Parameters:
  ///   - notice: made after the change, in its transaction; `nil`: there is nothing to notice.
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

  /// The same with a notice that is known before.
  package func write<Value: Sendable>(
    noticing notice: AccountNotice?, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws(Problem) -> Value {
    let known: @Sendable (any SQLConnection) throws -> AccountNotice? = { _ in notice }
    return try await write(noticing: known, body)
  }
}
