internal import Foundation
package import GodwitHTTP
package import GodwitStore

/// Changes that the account they belong to is reported of.
package struct NoticedWork: Sendable {
  package let work: RequestWork
  /// Takes the events of notices.
  package let outbox: any EventOutbox

  package init(work: RequestWork, outbox: any EventOutbox) {
    self.work = work
    self.outbox = outbox
  }

  /// Changes something in a transaction, adds a notice of it, and answers after the commit. The request is suspended.
  /// - Parameters:
  ///   - request: the request.
  ///   - notice: made after the change, in its transaction; `nil`: there is nothing to notice.
  ///   - body: the change.
  package func write(
    _ request: HTTPRequest, noticing notice: @escaping @Sendable (any SQLConnection) throws -> AccountNotice?,
    _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse
  ) {
    let now = work.now
    work.store.write(
      { db -> (HTTPResponse, [OrderingKey]) in
        let response = try body(db)
        return (response, try notice(db).map { try AccountNoticeTable.add($0, to: outbox, at: now, db) } ?? [])
      },
      completion: { result in
        work.changed()
        switch result {
        case .success((let response, let keys)):
          outbox.deliver(keys)
          request.finish(response)
        case .failure(let error): request.finish(RequestWork.problem(error).response)
        }
      })
  }

  /// The same with a notice that is known before.
  package func write(
    _ request: HTTPRequest, noticing notice: AccountNotice?,
    _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse
  ) {
    let known: @Sendable (any SQLConnection) throws -> AccountNotice? = { _ in notice }
    write(request, noticing: known, body)
  }
}
