internal import Foundation
internal import GodwitHTTP
internal import GodwitStore

extension Server {
  /// Suspends a request, changes something in a transaction, and answers after the commit.
  func change(
    _ request: HTTPRequest, _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse
  ) -> HTTPReply {
    if let refusal = request.suspend() { return .now(refusal) }
    write(request, body)
    return .later
  }

  /// The same for a request that is suspended already.
  func write(_ request: HTTPRequest, _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse) {
    store.write(body) { [self] result in
      // Who may do what may have changed.
      access.forget()
      switch result {
      case .success(let response): request.finish(response)
      case .failure(let error): request.finish(Self.problem(error).response)
      }
    }
  }

  /// How an error of the store looks to a client.
  static func problem(_ error: any Error) -> Problem {
    Problem.unavailable("Not stored", error)
  }

  /// Writes a line into the log, when the store comes to it.
  func note(_ entry: AuditEntry) {
    let now = Date()
    store.write({ try AuditTable.add(entry, at: now, $0) }, completion: { _ in })
  }

  /// Throws away what is kept for a time only: sessions that ended, failures that are forgotten, old lines of the log.
  /// In the hour after three at night points go that are kept no longer.
  func upkeep() {
    let now = Date()
    if Calendar.current.component(.hour, from: now) == 3 { retain(at: now) }
    store.write(
      { connection in
        try SessionTable.removeEnded(at: now, connection)
        try SignInThrottle.forget(at: now, connection)
        try AuditTable.forget(at: now, connection)
        try AccountNoticeTable.removeOld(at: now, connection)
        try RefusalTable.forgetSolved(at: now, connection)
      }, completion: { _ in })
  }
}
