internal import GodwitHTTP

extension Routes {
  /// Who is who, and who may do what.
  static let accountRoutes: [Route] = [
    Route(
      methods: ["POST"], path: "/api/session", access: .open, maximumBody: JSONBody.limit, summary: "Signs somebody in"
    ) { try AccountAPI($0).signIn($1) },
    Route(methods: ["DELETE"], path: "/api/session", access: .open, summary: "Signs out") { try AccountAPI($0).signOut($1) },
    Route(methods: ["GET"], path: "/api/session", access: .reader, summary: "Who asks") { AccountAPI($0).current($1) },
    Route(
      methods: ["POST"], path: "/api/v1/session/confirmation", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Confirms a session with its password"
    ) { try AccountAPI($0).confirm($1) },
    Route(methods: ["GET"], path: "/api/sessions", access: .account, summary: "Browsers that are signed in") {
      AccountAPI($0).sessions($1)
    },
    Route(methods: ["DELETE"], path: "/api/sessions", access: .accountChange, summary: "Ends a session or all others") {
      try AccountAPI($0).endSessions($1)
    },
    Route(
      methods: ["POST"], path: "/api/password", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Sets one's own password"
    ) { try AccountAPI($0).setPassword($1) }.confirmed(),
    Route(methods: ["GET"], path: "/api/users", access: .owner, summary: "Users") { AccountAPI($0).users($1) },
    Route(
      methods: ["POST"], path: "/api/users", access: .ownerChange, maximumBody: JSONBody.limit, summary: "Makes a user"
    ) { try AccountAPI($0).addUser($1) }.confirmed(),
    Route(
      methods: ["PUT"], path: "/api/users/NAME", access: .ownerChange, maximumBody: JSONBody.limit,
      summary: "Changes a user's role or password"
    ) { try AccountAPI($0).changeUser($1) }.confirmed(),
    Route(methods: ["DELETE"], path: "/api/users/NAME", access: .ownerChange, summary: "Removes a user") {
      AccountAPI($0).removeUser($1)
    }.confirmed(),
    Route(methods: ["GET"], path: "/api/tokens", access: .account, summary: "Tokens of programs") { try TokenAPI($0).list($1) },
    Route(
      methods: ["POST"], path: "/api/tokens", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Makes a token for a program"
    ) { try TokenAPI($0).add($1) }.confirmed(),
    Route(methods: ["DELETE"], path: "/api/tokens", access: .accountChange, summary: "Makes a token worthless") {
      try TokenAPI($0).revoke($1)
    },
    Route(
      methods: ["POST"], path: "/api/devices", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Makes a device, or one more token for it"
    ) { try TokenAPI($0).addDevice($1) }.confirmed(),
    Route(
      methods: ["PUT"], path: "/api/devices/NAME", access: .ownerChange, maximumBody: JSONBody.limit,
      summary: "Says whose device it is"
    ) { try TokenAPI($0).changeDevice($1) },
    Route(
      methods: ["DELETE"], path: "/api/devices/NAME/tokens", access: .accountChange,
      summary: "Makes all tokens of a device worthless"
    ) { TokenAPI($0).revokeDevice($1) },
    Route(methods: ["GET"], path: "/api/links", access: .account, summary: "Links for people without an account") {
      LinkAPI($0).list($1)
    },
    Route(
      methods: ["POST"], path: "/api/links", access: .accountChange, maximumBody: JSONBody.limit, summary: "Makes a link"
    ) { try LinkAPI($0).add($1) },
    Route(methods: ["DELETE"], path: "/api/links", access: .accountChange, summary: "Ends a link") { try LinkAPI($0).revoke($1) },
    Route(methods: ["GET"], path: "/s/TOKEN", access: .open, summary: "The page of a link") { server, _ in
      PageAPI(server).shared()
    },
    Route(methods: ["GET"], path: "/api/shared/TOKEN", access: .open, summary: "What a link shows") {
      try LinkAPI($0).shared($1)
    },
    Route(
      methods: ["POST"], path: "/api/shared/TOKEN", access: .open, maximumBody: JSONBody.limit,
      summary: "Takes the password of a link"
    ) { try LinkAPI($0).open($1) },
    Route(methods: ["GET"], path: "/api/friends", access: .account, summary: "Who sees whom, and where friends are") {
      FriendAPI($0).list($1)
    },
    Route(
      methods: ["POST"], path: "/api/friends", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Asks a user, or agrees"
    ) { try FriendAPI($0).ask($1) },
    Route(methods: ["DELETE"], path: "/api/friends", access: .accountChange, summary: "Ends it") { try FriendAPI($0).end($1) },
    Route(methods: ["GET"], path: "/api/card", access: .account, summary: "How friends see one") { FriendAPI($0).card($1) },
    Route(
      methods: ["PUT"], path: "/api/card", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Says how friends see one"
    ) { try FriendAPI($0).setCard($1) },
    Route(methods: ["GET"], path: "/api/zones", access: .account, summary: "Private zones") { ZoneAPI($0).list($1) },
    Route(
      methods: ["POST"], path: "/api/zones", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Makes a private zone"
    ) { try ZoneAPI($0).add($1) },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/zones/ID", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Changes or removes a private zone"
    ) { try ZoneAPI($0).change($1) },
    Route(
      methods: ["GET"], path: "/api/devices/NAME/retention", access: .account, summary: "How long a device's points are kept"
    ) { RetentionAPI($0).show($1) },
    Route(
      methods: ["PUT", "DELETE"], path: "/api/devices/NAME/retention", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Says how long a device's points are kept"
    ) { try RetentionAPI($0).set($1) },
    Route(
      methods: ["POST"], path: "/api/devices/NAME/retention/run", access: .accountChange,
      summary: "Takes away at once what is not to be kept"
    ) { try RetentionAPI($0).run($1) },
    Route(methods: ["GET"], path: "/login", access: .open, summary: "The page that a login link opens") {
      .now(PageAPI($0).file($1))
    },
    Route(
      methods: ["POST"], path: "/api/v1/login", access: .open, maximumBody: JSONBody.limit,
      summary: "Begins a session of the owner with a one-time code"
    ) { try LoginAPI($0).login($1) },
    Route(methods: ["GET"], path: "/sign-in", access: .open, summary: "The page to sign in") { .now(PageAPI($0).file($1)) },
    Route(methods: ["GET"], path: "/account", access: .open, summary: "The page of accounts") { .now(PageAPI($0).file($1)) },
    Route(methods: ["GET"], path: "/api/audit", access: .account, summary: "Who did what, the newest first") {
      try TokenAPI($0).audit($1)
    },
  ]
}
