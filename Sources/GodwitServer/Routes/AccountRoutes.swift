internal import GodwitHTTP

/// Who is who, and who may do what.
enum AccountRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["POST"], path: "/api/v1/session", access: .open, maximumBody: JSONBody.limit, summary: "Signs somebody in") {
      try $0.accounts.signIn($1)
    },
    Route(methods: ["DELETE"], path: "/api/v1/session", access: .open, summary: "Signs out") {
      try $0.accounts.signOut($1)
    },
    Route(methods: ["GET"], path: "/api/v1/session", access: .reader, summary: "Who asks") { $0.accounts.current($1) },
    Route(
      methods: ["POST"], path: "/api/v1/session/confirmation", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Confirms a session with its password"
    ) { try $0.accounts.confirm($1) },
    Route(methods: ["GET"], path: "/api/v1/sessions", access: .account, summary: "Browsers that are signed in") {
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
      summary: "Sets one's own password"
    ) { try $0.accounts.setPassword($1) }.confirmed(),
    Route(methods: ["GET"], path: "/api/v1/users", access: .owner, summary: "Users") { $0.accounts.users($1) },
    Route(methods: ["POST"], path: "/api/v1/users", access: .ownerChange, maximumBody: JSONBody.limit, summary: "Makes a user") {
      try $0.accounts.addUser($1)
    }.confirmed(),
    Route(
      methods: ["PUT"], path: "/api/v1/users/NAME", access: .ownerChange, maximumBody: JSONBody.limit,
      summary: "Changes a user's role or password"
    ) { try $0.accounts.changeUser($1) }.confirmed(),
    Route(methods: ["GET"], path: "/api/v1/tokens", access: .account, summary: "Tokens of programs") {
      try $0.tokens.list($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/tokens", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Makes a token for a program"
    ) { try $0.tokens.add($1) }.confirmed(),
    Route(methods: ["DELETE"], path: "/api/v1/tokens/ID", access: .accountChange, summary: "Revokes a token") {
      $0.tokens.revoke($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/devices", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Makes a device, or one more token for it"
    ) { try $0.tokens.addDevice($1) }.confirmed(),
    Route(
      methods: ["PUT"], path: "/api/v1/devices/NAME", access: .ownerChange, maximumBody: JSONBody.limit,
      summary: "Says whose device it is"
    ) { try $0.tokens.changeDevice($1) },
    Route(
      methods: ["DELETE"], path: "/api/v1/devices/NAME/tokens", access: .accountChange,
      summary: "Makes all tokens of a device worthless"
    ) { $0.tokens.revokeDevice($1) },
    Route(methods: ["GET"], path: "/api/v1/links", access: .account, summary: "Links for people without an account") {
      $0.links.list($1)
    },
    Route(methods: ["POST"], path: "/api/v1/links", access: .accountChange, maximumBody: JSONBody.limit, summary: "Makes a link")
    { try $0.links.add($1) },
    Route(methods: ["DELETE"], path: "/api/v1/links/ID", access: .accountChange, summary: "Revokes a link") {
      $0.links.revoke($1)
    },
    Route(methods: ["GET"], path: "/s/TOKEN", access: .open, summary: "The page of a link") { handlers, _ in
      handlers.pages.shared()
    },
    Route(methods: ["GET"], path: "/api/v1/shared/TOKEN", access: .open, summary: "What a link shows") {
      try $0.links.shared($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/shared/TOKEN", access: .open, maximumBody: JSONBody.limit,
      summary: "Takes the password of a link"
    ) { try $0.links.open($1) },
    Route(methods: ["GET"], path: "/api/v1/friends", access: .account, summary: "Who sees whom, and where friends are") {
      $0.friends.list($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/friends", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Asks a user, or agrees"
    ) { try $0.friends.ask($1) },
    Route(methods: ["DELETE"], path: "/api/v1/friends/ID", access: .accountChange, summary: "Ends a friendship") {
      try $0.friends.end($1)
    },
    Route(methods: ["GET"], path: "/api/v1/profile", access: .account, summary: "How friends see one") {
      $0.friends.card($1)
    },
    Route(
      methods: ["PUT"], path: "/api/v1/profile", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Says how friends see one"
    ) { try $0.friends.setCard($1) },
    Route(methods: ["GET"], path: "/api/v1/zones", access: .account, summary: "Private zones") { $0.zones.list($1) },
    Route(
      methods: ["POST"], path: "/api/v1/zones", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Makes a private zone"
    ) { try $0.zones.add($1) },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/zones/ID", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Changes or removes a private zone"
    ) { try $0.zones.change($1) },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/retention", access: .account, summary: "How long a device's points are kept"
    ) { $0.retention.show($1) },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/v1/devices/NAME/retention", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Says how long a device's points are kept"
    ) { try $0.retention.set($1) },
    Route(
      methods: ["POST"], path: "/api/v1/devices/NAME/retention/run", access: .accountChange,
      summary: "Takes away at once what is not to be kept"
    ) { try $0.retention.run($1) },
    Route(methods: ["GET"], path: "/login", access: .open, summary: "The page that a login link opens") {
      .now($0.pages.file($1))
    },
    Route(
      methods: ["POST"], path: "/api/v1/login", access: .open, maximumBody: JSONBody.limit,
      summary: "Begins a session of the owner with a one-time code"
    ) { try $0.login.login($1) },
    Route(methods: ["GET"], path: "/sign-in", access: .open, summary: "The page to sign in") { .now($0.pages.file($1)) },
    Route(methods: ["GET"], path: "/account", access: .open, summary: "The page of accounts") { .now($0.pages.file($1)) },
    Route(methods: ["GET"], path: "/api/v1/audit", access: .account, summary: "Who did what, the newest first") {
      try $0.tokens.audit($1)
    },
  ]
}
