extension Routes {
  /// Who is who, and who may do what.
  static let accountRoutes: [Route] = [
    Route(
      methods: ["POST"], path: "/api/session", access: .open, maximumBody: JSONBody.limit, summary: "Signs somebody in"
    ) { AccountAPI($0).signIn($1) },
    Route(methods: ["DELETE"], path: "/api/session", access: .open, summary: "Signs out") { AccountAPI($0).signOut($1) },
    Route(methods: ["GET"], path: "/api/session", access: .reader, summary: "Who asks") { AccountAPI($0).current($1) },
    Route(methods: ["GET"], path: "/api/sessions", access: .account, summary: "Browsers that are signed in") {
      AccountAPI($0).sessions($1)
    },
    Route(methods: ["DELETE"], path: "/api/sessions", access: .accountChange, summary: "Ends a session or all others") {
      AccountAPI($0).endSessions($1)
    },
    Route(
      methods: ["POST"], path: "/api/password", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Sets one's own password"
    ) { AccountAPI($0).setPassword($1) },
    Route(methods: ["GET"], path: "/api/users", access: .owner, summary: "Users") { AccountAPI($0).users($1) },
    Route(
      methods: ["POST"], path: "/api/users", access: .ownerChange, maximumBody: JSONBody.limit, summary: "Makes a user"
    ) { AccountAPI($0).addUser($1) },
    Route(
      methods: ["PUT"], path: "/api/users/NAME", access: .ownerChange, maximumBody: JSONBody.limit,
      summary: "Changes a user's role or password"
    ) { AccountAPI($0).changeUser($1) },
    Route(methods: ["DELETE"], path: "/api/users/NAME", access: .ownerChange, summary: "Removes a user") {
      AccountAPI($0).removeUser($1)
    },
    Route(methods: ["GET"], path: "/api/tokens", access: .account, summary: "Tokens of programs") { TokenAPI($0).list($1) },
    Route(
      methods: ["POST"], path: "/api/tokens", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Makes a token for a program"
    ) { TokenAPI($0).add($1) },
    Route(methods: ["DELETE"], path: "/api/tokens", access: .accountChange, summary: "Makes a token worthless") {
      TokenAPI($0).revoke($1)
    },
    Route(
      methods: ["POST"], path: "/api/devices", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Makes a device, or one more token for it"
    ) { TokenAPI($0).addDevice($1) },
    Route(
      methods: ["PUT"], path: "/api/devices/NAME", access: .ownerChange, maximumBody: JSONBody.limit,
      summary: "Says whose device it is"
    ) { TokenAPI($0).changeDevice($1) },
    Route(
      methods: ["DELETE"], path: "/api/devices/NAME/tokens", access: .accountChange,
      summary: "Makes all tokens of a device worthless"
    ) { TokenAPI($0).revokeDevice($1) },
    Route(methods: ["GET"], path: "/api/audit", access: .account, summary: "Who did what, the newest first") {
      TokenAPI($0).audit($1)
    },
  ]
}
