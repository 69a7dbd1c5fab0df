internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitSecrets

extension User.Role: BodyValue {}

/// A user in responses of the API.
struct UserObject: ResultObject {
  var name: String
  var role: User.Role
  var created: Date
  /// This member and the next one are present only in the list.
  var devices: Int?
  var secondFactor: Bool?
  var passkeys: Int?
  var openid: Bool?

  static let schemaName: String? = "User"
  static let notes: [String: JSONValue] = [
    "devices": ["minimum": 0, "description": "In the list of users."],
    "second_factor": "Whether a second factor is enrolled; only in the list of users.",
    "passkeys": ["minimum": 0, "description": "In the list of users."],
    "openid": "Whether the user is linked to an OpenID provider; only in the list of users.",
  ]

  init(_ user: User, devices: Int? = nil, hasSecondFactor: Bool? = nil, passkeys: Int? = nil, isLinked: Bool? = nil) {
    (name, role, created) = (user.name, user.role, user.created)
    self.devices = devices
    secondFactor = hasSecondFactor
    self.passkeys = passkeys
    openid = isLinked
  }
}

extension AccountAPI {
  // MARK: Sessions

  struct SignInBody: BodyObject {
    let name: String
    let password: String
    let code: String?

    static let kind = "sign-in"
    static let notes: [String: JSONValue] = [
      "code":
        "A code of the authenticator app, or a recovery code. Without it, a user with a second factor gets 401 with the type second-factor-needed."
    ]
  }

  struct SignedIn: ResultObject {
    var user: UserObject
  }

  struct SignedOut: ResultObject {
    var signedOut = true
  }

  struct CurrentSession: ResultObject {
    @Nullable var user: UserObject?
    var administrator: Bool
    var mayChange: Bool
    @Nullable var session: String?
    @Nullable var confirmedUntil: Date?

    static let notes: [String: JSONValue] = [
      "confirmed_until": "End of the confirmation."
    ]
  }

  struct Confirmed: ResultObject {
    var confirmedUntil: Date
  }

  struct SessionObject: ResultObject {
    var id: String
    var created: Date
    var used: Date
    var expires: Date
    var address: String
    var agent: String
    var current: Bool

    static let schemaName: String? = "Session"
    static let notes: [String: JSONValue] = [
      "agent": "What the browser calls itself.", "current": "Whether the request came with it.",
    ]

    init(_ session: some ListedSession, isCurrent: Bool) {
      (id, created, used) = (session.name, session.created, session.used)
      expires = min(session.expires, session.used.addingTimeInterval(SessionLimits.idleDays * 86400))
      (address, agent, current) = (session.address, session.agent, isCurrent)
    }
  }

  struct SessionList: ResultObject {
    var sessions: [SessionObject]
  }

  struct EndSessionsParameters: ParameterList {
    let user: UserName?
    let others: Others
  }

  /// The parameter `others`, which is always `true`. It is required, so that a request to end one session that lacks the id
  /// does not end all sessions.
  struct Others: ParameterValue {
    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      try query.flag(name) ? Self() : nil
    }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "boolean", "enum": [true]] }
    static let sample = Self()
    static let parameterDescription = "Ends all sessions except the one of the request."
    static func missing(_ name: String) -> Problem {
      Problem(
        400, "Bad argument", "Name the session: DELETE /api/v1/sessions/ses_1, or others=true to end all others.", at: name)
    }
  }

  struct Ended: ResultObject {
    var ended: Int
    static let notes: [String: JSONValue] = ["ended": ["minimum": 0]]
  }

  // MARK: Users and passwords

  private static let passwordLengths: JSONValue = [
    "minLength": .integer(Password.lengths.lowerBound), "maxLength": .integer(Password.lengths.upperBound),
  ]

  struct PasswordChange: BodyObject {
    let old: String
    let new: String
    let endTokens: Bool?

    static let kind = "password"
    static let notes: [String: JSONValue] = [
      "new": passwordLengths,
      "end_tokens": ["description": "Revokes the user's tokens as well, except the one of the request.", "default": false],
    ]
  }

  struct PasswordChanged: ResultObject {
    var changed = true
    var revoked: Int
    static let notes: [String: JSONValue] = ["revoked": ["minimum": 0, "description": "Tokens that were revoked."]]
  }

  struct UserList: ResultObject {
    var users: [UserObject]
  }

  struct NewUser: BodyObject {
    let name: String
    let password: String
    let role: User.Role?

    static let kind = "user"
    static let notes: [String: JSONValue] = [
      "name": ["minLength": 1, "maxLength": 64], "password": passwordLengths, "role": ["default": "member"],
    ]
  }

  struct UserChange: BodyObject {
    let role: User.Role?
    let password: String?

    static let kind = "user"
    static let notes: [String: JSONValue] = ["password": passwordLengths]
  }
}
