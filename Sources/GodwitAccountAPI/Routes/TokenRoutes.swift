internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of tokens, owners of devices, and the audit log.
enum TokenRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] = [
    Route(
      .get, path: "/api/v1/tokens", access: .account, id: "tokens", summary: "Lists access tokens of programs",
      returns: "The tokens."
    ) { $0.tokens.list },
    Route(
      .post, path: "/api/v1/tokens", access: .accountChange, id: "addToken", summary: "Creates an access token for a program",
      returns: "The token with its secret.", problems: [404]
    ) { $0.tokens.add }.confirmed(),
    Route(
      .delete, path: "/api/v1/tokens/ID", access: .accountChange, id: "revokeToken", summary: "Revokes a token",
      returns: "The id."
    ) { $0.tokens.revoke },
    Route(
      .post, path: "/api/v1/devices", access: .accountChange, id: "addDevice",
      summary: "Creates a device, or another token for it", returns: "The device with the secret of the token.",
      problems: [404, 409]
    ) { $0.tokens.addDevice }.confirmed(),
    Route(
      .put, path: "/api/v1/devices/NAME", access: .administratorChange, id: "changeDevice", summary: "Sets the owner of a device",
      returns: "The device."
    ) { $0.tokens.changeDevice },
    Route(
      .delete, path: "/api/v1/devices/NAME/tokens", access: .accountChange, id: "revokeDevice",
      summary: "Revokes all tokens of a device", returns: "How many were revoked."
    ) { $0.tokens.revokeDevice },
    Route(
      .get, path: "/api/v1/audit", access: .account, id: "audit", summary: "Lists the audit log, newest first",
      returns: "Entries, the newest first."
    ) { $0.tokens.audit },
  ]
}
