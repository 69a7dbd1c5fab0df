internal import Foundation
package import GodwitGeofencing
package import GodwitHTTP
package import GodwitStore

/// Changes that the account they belong to is told of.
package struct NoticedWork: Sendable {
  package let work: RequestWork
  /// Sends the deliveries that a notice made.
  package let sender: WebhookSender

  package init(work: RequestWork, sender: WebhookSender) {
    self.work = work
    self.sender = sender
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
    let now = Date()
    work.store.write(
      { db -> (HTTPResponse, [OrderingKey]) in
        let response = try body(db)
        return (response, try notice(db).map { try AccountNoticeTable.add($0, at: now, db) } ?? [])
      },
      completion: { result in
        work.changed()
        switch result {
        case .success((let response, let lanes)):
          sender.noted(lanes)
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
