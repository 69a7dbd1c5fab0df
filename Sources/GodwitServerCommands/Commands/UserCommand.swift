internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitCommandLine
internal import GodwitServer
internal import GodwitStore

/// `godwit user …`
struct UserCommand: Command {
  static let name = "user"
  static let abstract = "Add, list and remove users."
  static let discussion = """
    With users, the server requires a sign-in, also on this machine. The first user is an administrator.
    """
  static let examples = [(line: "godwit user add anna", purpose: "Prompt for a password and create a user")]
  static let subcommands: [any Command.Type] = [
    UserAdd.self, UserList.self, UserPassword.self, UserRemoveSecondFactor.self, UserRemove.self,
  ]
  func run() async throws {}
}

/// `godwit user add`
struct UserAdd: StoreCommand {
  static let name = "add"
  static let abstract = "Create a user. The password is prompted for, or read from standard input."
  static let discussion = """
    Works beside a running server, which applies it within a second. The server keeps an Argon2id hash of the password.
    """
  static let examples = [
    (line: "godwit user add anna --admin", purpose: "An administrator"),
    (line: "godwit user add ben < password-file", purpose: "With the first line of a file as the password"),
  ]

  @Operands("NAME", 1...1, "The user's name: letters, digits, blanks and -_.@")
  var names: [String]
  let storeOptions = StoreOptions()
  @Flag("admin", "Create an administrator, with access to every device; the first user always is one")
  var admin: Bool

  func run() async throws {
    guard Device.isValid(name: names[0]) else {
      throw UsageError(
        "\"\(names[0])\" is not a valid user name: 1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends")
    }
    let store = try openStore(creates: true)
    defer { store.close() }
    let accounts = UserAdministration(store)
    if try accounts.has(names[0]) {
      throw Failure("There is a user \"\(names[0])\" already. `godwit user password \(names[0])` sets a new password.")
    }
    let password = try Prompt.newPassword("Password for \(names[0])")
    let user = try await accounts.add(names[0], role: admin ? .admin : .member, password: password, at: Date())
    Output.log("\(user.name) can sign in, as \(user.role == .admin ? "an administrator" : "a member").")
  }
}

/// `godwit user list`
struct UserList: StoreCommand {
  static let name = "list"
  static let abstract = "List users."
  static let examples = [(line: "godwit user list --json", purpose: "For a program")]

  let storeOptions = StoreOptions()
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let accounts = UserAdministration(store)
    let users = try accounts.users()
    let (enrolled, passkeys) = (try accounts.usersWithSecondFactor(), try accounts.passkeyCounts())
    if json {
      let list = users.map { user -> [String: Any] in
        [
          "name": user.name, "role": user.role.rawValue, "created": user.created.formattedUTC,
          "second_factor": enrolled.contains(user.id), "passkeys": passkeys[user.id] ?? 0,
        ]
      }
      Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
      return
    }
    if users.isEmpty { return Output.log("There are no users. `godwit user add NAME` creates one.") }
    Output.result(
      TextTable.text(
        [["NAME", "ROLE", "SECOND FACTOR", "PASSKEYS", "CREATED"]]
          + users.map {
            [
              $0.name, $0.role.rawValue, enrolled.contains($0.id) ? "yes" : "no", String(passkeys[$0.id] ?? 0),
              $0.created.formattedUTC,
            ]
          }))
  }
}

/// `godwit user password`
struct UserPassword: StoreCommand {
  static let name = "password"
  static let abstract = "Set a user's password, and end their sessions."
  static let discussion = """
    Needs the data folder or the database, and works beside a running server. The second factor, the passkeys and the link to an
    OpenID provider remain, unless an option removes them. The audit log gets an entry for each, and the user a notice.
    """
  static let examples = [
    (line: "godwit user password anna", purpose: "Prompt for the new password"),
    (
      line: "godwit user password anna --remove-second-factor --remove-passkeys --remove-openid",
      purpose: "Also after a theft: nothing but the new password signs in"
    ),
  ]

  @Operands("NAME", 1...1, "The user's name")
  var names: [String]
  let storeOptions = StoreOptions()
  @Flag("remove-second-factor", "Also remove the second factor and its recovery codes")
  var removesSecondFactor: Bool
  @Flag("remove-passkeys", "Also remove all passkeys")
  var removesPasskeys: Bool
  @Flag("remove-openid", "Also remove the link to an OpenID provider")
  var removesOpenID: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let accounts = UserAdministration(store)
    guard try accounts.has(names[0]) else { throw Failure(UserCommand.unknown(names[0])) }
    let password = try Prompt.newPassword("New password for \(names[0])")
    let factors: [(factor: UserAdministration.Factor, isRemoved: Bool)] = [
      (.secondFactor, removesSecondFactor), (.passkeys, removesPasskeys), (.openID, removesOpenID),
    ]
    let removed = Set(factors.filter(\.isRemoved).map(\.factor))
    guard try await accounts.setPassword(password, of: names[0], removing: removed, at: Date()) else {
      throw Failure(UserCommand.unknown(names[0]))
    }
    Output.log("\(names[0]) has a new password, and is signed out everywhere.")
  }
}

/// `godwit user remove-second-factor`
struct UserRemoveSecondFactor: StoreCommand {
  static let name = "remove-second-factor"
  static let abstract = "Remove a user's second factor and recovery codes. The password is enough afterwards."
  static let discussion = "For a user without access to the authenticator and the recovery codes. Works beside a running server."
  static let examples = [(line: "godwit user remove-second-factor anna", purpose: "After a lost phone")]

  @Operands("NAME", 1...1, "The user's name")
  var names: [String]
  let storeOptions = StoreOptions()
  @Flag("yes", "Skip the confirmation")
  var yes: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let accounts = UserAdministration(store)
    guard try accounts.has(names[0]) else { throw Failure(UserCommand.unknown(names[0])) }
    if !yes { try Prompt.confirm("Remove the second factor of \(names[0])?", option: "--yes") }
    guard let isRemoved = try await accounts.removeSecondFactor(of: names[0], at: Date()) else {
      throw Failure(UserCommand.unknown(names[0]))
    }
    guard isRemoved else { throw Failure("\(names[0]) has no second factor.") }
    Output.log("\(names[0]) signs in with only the password.")
  }
}

/// `godwit user remove`
struct UserRemove: StoreCommand {
  static let name = "remove"
  static let abstract = "Remove a user with sessions, tokens, links and zones. The devices become the administrator's."
  static let examples = [(line: "godwit user remove ben --yes", purpose: "Without confirmation")]

  @Operands("NAME", 1...1, "The user's name")
  var names: [String]
  let storeOptions = StoreOptions()
  @Flag("yes", "Skip the confirmation")
  var yes: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let accounts = UserAdministration(store)
    guard try accounts.has(names[0]) else { throw Failure(UserCommand.unknown(names[0])) }
    if !yes { try Prompt.confirm("Remove the user \(names[0])?", option: "--yes") }
    guard try await accounts.remove(names[0], at: Date()) else { throw Failure(UserCommand.unknown(names[0])) }
    Output.log("\(names[0]) can no longer sign in.")
  }
}

extension UserCommand {
  fileprivate static func unknown(_ name: String) -> String {
    "No user is called \"\(name)\". `godwit user list` shows all users."
  }
}
