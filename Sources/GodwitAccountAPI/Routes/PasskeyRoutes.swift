internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of passkeys.
enum PasskeyRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] =
    ofRequester.map { $0.looking { handlers, request throws(Problem) in try handlers.passkeys.user(request) } }
    + ofAnyone.map { $0.looking { handlers, request throws(Problem) in try handlers.passkeys.checkOrigin(request) } } + [
      Route(
        .delete, path: "/api/v1/users/NAME/passkeys", access: .administratorChange, id: "removePasskeysOfUser",
        summary: "Removes all passkeys of a user", returns: "How many there were.", parameter: "The user's name."
      ) { $0.passkeys.removeOfUser }.confirmed()
    ]

  private static let ofAnyone: [Route] = [
    Route(
      .post, path: "/api/v1/session/passkey/options", access: .open, id: "passkeySignInOptions",
      summary: "Begins a sign-in with a passkey", returns: "Options for the browser.", problems: [403], isAudited: false
    ) { $0.passkeys.signInOptions },
    Route(
      .post, path: "/api/v1/session/passkey", access: .open, id: "signInWithPasskey", summary: "Signs in with a passkey",
      details: "The passkey replaces the password and the code: the authenticator must verify its owner.",
      returns: "The session is in a cookie.", problems: [401, 403]
    ) { $0.passkeys.signIn },
  ]

  private static let ofRequester: [Route] = [
    Route(
      .get, path: "/api/v1/passkeys", access: .account, id: "passkeys", summary: "Lists passkeys", returns: "The passkeys."
    ) { $0.passkeys.list },
    Route(
      .post, path: "/api/v1/passkeys/options", access: .accountChange, id: "passkeyOptions",
      summary: "Begins the creation of a passkey", returns: "Options for the browser.", problems: [409],
      isAudited: false
    ) { $0.passkeys.creationOptions }.confirmed(),
    Route(
      .post, path: "/api/v1/passkeys", access: .accountChange, id: "addPasskey", summary: "Stores a passkey",
      details: "Statements of the authenticator's maker are ignored.", returns: "The passkey.", problems: [409]
    ) { $0.passkeys.add }.confirmed(),
    Route(
      .put, path: "/api/v1/passkeys/ID", access: .accountChange, id: "renamePasskey", summary: "Renames a passkey",
      returns: "The passkey.", parameter: "The passkey's id, such as `psk_1`.", problems: [404]
    ) { $0.passkeys.rename },
    Route(
      .delete, path: "/api/v1/passkeys/ID", access: .accountChange, id: "removePasskey", summary: "Removes a passkey",
      returns: "The number of removed passkeys.", parameter: "The passkey's id, such as `psk_1`.", problems: [404]
    ) { $0.passkeys.remove }.confirmed(),
    Route(
      .post, path: "/api/v1/session/confirmation/passkey/options", access: .accountChange,
      id: "passkeyConfirmationOptions", summary: "Begins the confirmation of a session with a passkey",
      returns: "Options for the browser.", problems: [404], isAudited: false
    ) { $0.passkeys.confirmationOptions },
    Route(
      .post, path: "/api/v1/session/confirmation/passkey", access: .accountChange, id: "confirmSessionWithPasskey",
      summary: "Confirms a session with a passkey", details: "As confirmSession, with a passkey instead of the password.",
      returns: "Confirmed for ten minutes."
    ) { $0.passkeys.confirm },
  ]
}
