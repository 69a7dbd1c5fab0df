internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of users and passwords.
enum UserRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] = [
    Route(
      .post, path: "/api/v1/password", access: .accountChange, id: "setPassword",
      summary: "Changes the password of the account", returns: "The password is changed."
    ) { $0.accounts.setPassword }.confirmed()
      .looking { handlers, request throws(Problem) in try handlers.accounts.passwordUser(request) },
    Route(.get, path: "/api/v1/users", access: .administrator, id: "users", summary: "Lists users", returns: "The users.") {
      $0.accounts.users
    },
    Route(
      .post, path: "/api/v1/users", access: .administratorChange, id: "addUser", summary: "Creates a user", returns: "The user.",
      problems: [409]
    ) { $0.accounts.addUser }.confirmed(),
    Route(
      .put, path: "/api/v1/users/NAME", access: .administratorChange, id: "changeUser",
      summary: "Changes a user's role or password",
      returns: "The user.", parameter: "The user's name.", problems: [409]
    ) { $0.accounts.changeUser }.confirmed(),
  ]
}
