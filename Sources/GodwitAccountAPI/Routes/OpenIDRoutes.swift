internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of the sign-in at an OpenID provider.
enum OpenIDRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] =
    [
      Route(
        .get, path: "/api/v1/session/openid", access: .open, id: "openIDState",
        summary: "Returns whether users may sign in at an OpenID provider", returns: "The state."
      ) { $0.openID.state },
      Route(
        .delete, path: "/api/v1/users/NAME/openid", access: .administratorChange, id: "unlinkOpenID",
        summary: "Removes the link of a user to an identity of an OpenID provider", returns: "How many there were.",
        parameter: "The user's name."
      ) { $0.openID.unlink }.confirmed(),
    ]
    + changing.map { $0.looking { handlers, request throws(Problem) in try handlers.openID.checkOrigin(request) } }

  private static let changing: [Route] = [
    Route(
      .post, path: "/api/v1/session/openid/options", access: .open, id: "beginOpenID",
      summary: "Begins a sign-in at the OpenID provider", returns: "The provider's address.", problems: [403, 404, 503]
    ) { $0.openID.begin },
    Route(
      .post, path: "/api/v1/session/openid", access: .open, id: "signInWithOpenID",
      summary: "Signs in with the answer of the OpenID provider", returns: "The session is in a cookie.",
      problems: [401, 403, 404, 503]
    ) { $0.openID.finish },
  ]
}
