internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of sessions and notices.
enum SessionRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] = [
    Route(
      .post, path: "/api/v1/login", access: .open, id: "login",
      summary: "Begins a session of the administrator with a one-time code",
      details: "`godwit login` creates a code that is valid once, for ten minutes. The administrator token is accepted too.",
      returns: "The session is in a cookie.", problems: [401, 403, 415]
    ) { $0.login.login }.looking { handlers, request throws(Problem) in try handlers.login.check(request) },
    Route(
      .post, path: "/api/v1/session", access: .open, id: "signIn", summary: "Signs in", returns: "The session is in a cookie.",
      problems: [401, 403]
    ) { $0.accounts.signIn }.looking { handlers, request throws(Problem) in try handlers.accounts.checkOrigin(request) },
    Route(
      .delete, path: "/api/v1/session", access: .open, id: "signOut", summary: "Signs out", returns: "Signed out.",
      problems: [403]
    ) { $0.accounts.signOut }.looking { handlers, request throws(Problem) in try handlers.accounts.checkOrigin(request) },
    Route(
      .get, path: "/api/v1/session", access: .read, id: "session", summary: "Returns the user and the rights of the request",
      returns: "The user and the rights."
    ) { $0.accounts.current },
    Route(
      .post, path: "/api/v1/session/confirmation", access: .accountChange, id: "confirmSession",
      summary: "Confirms a session with its password",
      details:
        "A session whose password was entered more than ten minutes ago gets 403 with the type confirmation-needed for sensitive requests. This request renews it.",
      returns: "Confirmed for ten minutes."
    ) { $0.accounts.confirm },
    Route(
      .get, path: "/api/v1/sessions", access: .account, id: "sessions", summary: "Lists sessions of browsers",
      returns: "The sessions."
    ) { $0.accounts.sessions },
    Route(
      .delete, path: "/api/v1/sessions", access: .accountChange, id: "endOtherSessions", summary: "Ends all other sessions",
      returns: "How many have ended."
    ) { $0.accounts.endOtherSessions },
    Route(
      .delete, path: "/api/v1/sessions/ID", access: .accountChange, id: "endSession", summary: "Ends a session",
      returns: "How many have ended."
    ) { $0.accounts.endSession },
    Route(
      .get, path: "/api/v1/notices", access: .account, id: "notices", summary: "Lists notices about the account",
      returns: "Notices, newest first."
    ) { $0.notices.list },
    Route(
      .delete, path: "/api/v1/notices/ID", access: .accountChange, id: "dismissNotice", summary: "Dismisses a notice",
      returns: "The id.", parameter: "The notice's id, such as `ntc_1`."
    ) { $0.notices.dismiss },
  ]
}
