internal import Foundation
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitStore

extension ScopedToken.Scope: BodyValue {}

extension TokenAPI {
  // MARK: Tokens

  struct TokenObject: ResultObject {
    var id: String
    var name: String
    @Nullable var user: String?
    var scope: ScopedToken.Scope
    @Nullable var device: String?
    var created: Date
    @Nullable var expires: Date?
    @Nullable var revoked: Date?
    @Nullable var used: Date?
    @Nullable var address: String?
    /// Present only in the response to the creation.
    var token: String?

    static let schemaName: String? = "Token"
    static let notes: [String: JSONValue] = [
      "id": ["pattern": "^tok_[0-9]+$"], "address": "Of the client that used it last.",
      "token": "The secret; only in this response.",
    ]

    init(_ token: ScopedToken, user: String?, secret: String? = nil) {
      (id, name, scope) = (token.name, token.label, token.scope)
      (created, expires, revoked) = (token.created, token.expires, token.revoked)
      (used, address) = (token.used, token.address)
      self.user = user
      device = token.device?.name
      self.token = secret
    }
  }

  struct TokenList: ResultObject {
    var tokens: [TokenObject]
  }

  struct ListParameters: ParameterList {
    let user: UserName?
    let all: Bool

    static let notes: [String: JSONValue] = ["all": ["description": "Of all users; for administrators.", "default": false]]
  }

  struct NewToken: BodyObject {
    let name: String
    let scope: ScopedToken.Scope?
    let device: String?
    let expires: BodyTime?

    static let kind = "token"
    static let notes: [String: JSONValue] = [
      "name": ["minLength": .integer(labels.lowerBound), "maxLength": .integer(labels.upperBound)],
      "scope": ["default": "read"], "device": "Of this device alone; needed with the scope write.",
    ]
    /// The length of a name in characters.
    static let labels = 1...100
  }

  struct Revoked: ResultObject {
    var revoked: String
  }

  // MARK: Devices

  struct NewDevice: BodyObject {
    let name: String
    let user: String?

    static let kind = "device"
    static let notes: [String: JSONValue] = [
      "name": ["minLength": 1, "maxLength": 64], "user": "The owner; other users than oneself are for administrators.",
    ]
  }

  struct DeviceWithToken: ResultObject {
    var device: String
    @Nullable var owner: String?
    var token: String

    static let notes: [String: JSONValue] = ["token": "The secret; only in this response."]
  }

  struct DeviceChange: BodyObject {
    let owner: String?

    static let kind = "device"
    static let notes: [String: JSONValue] = [
      "owner": ["type": ["string", "null"], "description": "The user's name; null: the administrator."]
    ]
  }

  struct DeviceWithOwner: ResultObject {
    var device: String
    @Nullable var owner: String?
  }

  struct RevokedTokens: ResultObject {
    var revoked: Int
    static let notes: [String: JSONValue] = ["revoked": ["minimum": 0]]
  }

  // MARK: The log

  struct AuditParameters: ParameterList {
    let user: UserName?
    let action: String?
    let limit: PageLimit<StandardPages>
    let cursor: PageCursor<RowCursor>?

    static let notes: [String: JSONValue] = ["action": "Only of this kind."]
  }

  struct Entry: ResultObject {
    var id: Int64
    var time: Date
    var actor: String
    var action: String
    var subject: String
    var address: String

    static let schemaName: String? = "AuditEntry"

    init(_ line: AuditTable.Line) {
      (id, time) = (line.id, line.time)
      (actor, action) = (line.entry.actor, line.entry.action)
      (subject, address) = (line.entry.subject, line.entry.address)
    }
  }

  struct EntryPage: ResultObject {
    var entries: [Entry]
    var nextCursor: NextCursor
  }
}
