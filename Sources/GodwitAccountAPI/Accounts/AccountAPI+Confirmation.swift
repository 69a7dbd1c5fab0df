internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitStore
internal import GodwitText

extension AccountAPI {
  /// `POST /api/v1/session/confirmation`
  func confirm(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (user, session): (User, Session)
    var body = try JSONBody(request.takeBody(), "confirmation")
    let credentials = try SignIn.Credentials(&body)
    try body.end()
    switch request.reader.identity {
    case .user(let found, let its): (user, session) = (found, its)
    case .owner where request.accessToken == nil: throw AccessControl.loginLinkNeeded
    case .owner, .token, .proxied, .anonymous:
      throw Problem(
        400, "No session", "This is for browsers that are signed in with a password; nothing else needs a confirmation.")
    }
    if let refusal = request.suspend() { return .now(refusal) }
    let now = Date()
    signIn.verify(credentials, of: user, from: request.clientAddress, at: now) { result in
      switch result {
      case .failure(let problem): request.finish(problem.response)
      case .success:
        work.write(request) { db in
          try SessionTable.confirm(session.id, at: now, db)
          return JSONText.response(
            JSONText.object { $0.add("confirmed_until", now.addingTimeInterval(SessionConfirmation.lifetime)) }
          ).with("Cache-Control", "no-store")
        }
      }
    }
    return .later
  }
}
