internal import GodwitHTTP
package import GodwitRoutes

/// Routes of users, sessions, tokens, sharing and privacy.
package enum AccountRoutes {
  package typealias Route = APIRoute<AccountHandlers>

  package static let all: [Route] = accounts + SecondFactorRoutes.all + NoticeRoutes.all

  private static let accounts: [Route] = [
    Route(methods: ["POST"], path: "/api/v1/session", access: .open, maximumBody: JSONBody.limit, summary: "Signs in") {
      try $0.accounts.signIn($1)
    },
    Route(methods: ["DELETE"], path: "/api/v1/session", access: .open, summary: "Signs out") {
      try $0.accounts.signOut($1)
    },
    Route(methods: ["GET"], path: "/api/v1/session", access: .reader, summary: "Returns the user and the rights of the request") {
      $0.accounts.current($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/session/confirmation", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Confirms a session with its password"
    ) { try $0.accounts.confirm($1) },
    Route(methods: ["GET"], path: "/api/v1/sessions", access: .account, summary: "Lists sessions of browsers") {
      $0.accounts.sessions($1)
    },
    Route(methods: ["DELETE"], path: "/api/v1/sessions", access: .accountChange, summary: "Ends all other sessions") {
      try $0.accounts.endOtherSessions($1)
    },
    Route(methods: ["DELETE"], path: "/api/v1/sessions/ID", access: .accountChange, summary: "Ends a session") {
      try $0.accounts.endSession($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/password", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Changes the password of the account"
    ) { try $0.accounts.setPassword($1) }.confirmed(),
    Route(methods: ["GET"], path: "/api/v1/users", access: .owner, summary: "Lists users") { $0.accounts.users($1) },
    Route(methods: ["POST"], path: "/api/v1/users", access: .ownerChange, maximumBody: JSONBody.limit, summary: "Creates a user")
    {
      try $0.accounts.addUser($1)
    }.confirmed(),
    Route(
      methods: ["PUT"], path: "/api/v1/users/NAME", access: .ownerChange, maximumBody: JSONBody.limit,
      summary: "Changes a user's role or password"
    ) { try $0.accounts.changeUser($1) }.confirmed(),
    Route(methods: ["GET"], path: "/api/v1/tokens", access: .account, summary: "Lists access tokens of programs") {
      try $0.tokens.list($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/tokens", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Creates an access token for a program"
    ) { try $0.tokens.add($1) }.confirmed(),
    Route(methods: ["DELETE"], path: "/api/v1/tokens/ID", access: .accountChange, summary: "Revokes a token") {
      $0.tokens.revoke($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/devices", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Creates a device, or another token for it"
    ) { try $0.tokens.addDevice($1) }.confirmed(),
    Route(
      methods: ["PUT"], path: "/api/v1/devices/NAME", access: .ownerChange, maximumBody: JSONBody.limit,
      summary: "Sets the owner of a device"
    ) { try $0.tokens.changeDevice($1) },
    Route(
      methods: ["DELETE"], path: "/api/v1/devices/NAME/tokens", access: .accountChange,
      summary: "Revokes all tokens of a device"
    ) { $0.tokens.revokeDevice($1) },
    Route(methods: ["GET"], path: "/api/v1/links", access: .account, summary: "Lists share links") {
      $0.links.list($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/links", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Creates a share link"
    ) { try $0.links.add($1) },
    Route(methods: ["DELETE"], path: "/api/v1/links/ID", access: .accountChange, summary: "Revokes a link") {
      $0.links.revoke($1)
    },
    Route(methods: ["GET"], path: "/api/v1/shared/TOKEN", access: .open, summary: "Returns the positions that a link shows") {
      try $0.links.shared($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/shared/TOKEN", access: .open, maximumBody: JSONBody.limit,
      summary: "Checks the password of a link"
    ) { try $0.links.open($1) },
    Route(methods: ["GET"], path: "/api/v1/friends", access: .account, summary: "Lists friendships and the positions of friends")
    {
      $0.friends.list($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/friends", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Requests or accepts a friendship"
    ) { try $0.friends.ask($1) },
    Route(methods: ["DELETE"], path: "/api/v1/friends/ID", access: .accountChange, summary: "Ends a friendship") {
      try $0.friends.end($1)
    },
    Route(methods: ["GET"], path: "/api/v1/profile", access: .account, summary: "Returns the profile that friends see") {
      $0.friends.card($1)
    },
    Route(
      methods: ["PUT"], path: "/api/v1/profile", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Changes the profile that friends see"
    ) { try $0.friends.setCard($1) },
    Route(methods: ["GET"], path: "/api/v1/zones", access: .account, summary: "Lists private zones") { $0.zones.list($1) },
    Route(
      methods: ["POST"], path: "/api/v1/zones", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Creates a private zone"
    ) { try $0.zones.add($1) },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/zones/ID", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Changes or removes a private zone"
    ) { try $0.zones.change($1) },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/retention", access: .account,
      summary: "Returns the retention rule of a device"
    ) { $0.retention.show($1) },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/devices/NAME/retention", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Sets the retention rule of a device"
    ) { try $0.retention.set($1) },
    Route(
      methods: ["POST"], path: "/api/v1/devices/NAME/retention/run", access: .accountChange,
      summary: "Applies the retention rule of a device now"
    ) { try $0.retention.run($1) },
    Route(
      methods: ["POST"], path: "/api/v1/login", access: .open, maximumBody: JSONBody.limit,
      summary: "Begins a session of the administrator with a one-time code"
    ) { try $0.login.login($1) },
    Route(methods: ["GET"], path: "/api/v1/audit", access: .account, summary: "Lists the audit log, newest first") {
      try $0.tokens.audit($1)
    },
  ]
}
