internal import Foundation
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitRoutes

extension Friendship.AccessLevel: BodyValue {}

extension FriendAPI {
  // MARK: Friendships

  /// The direction of a friendship: which user sees the other user.
  enum Direction: String, Codable, CaseIterable, BodyValue {
    /// The requester sees the other user.
    case see
    /// The other user sees the requester.
    case show
  }

  enum State: String, Codable, CaseIterable, DocumentedValue {
    /// Both users agreed.
    case accepted
    /// The requester asked, and the other user has not accepted yet.
    case requested
    /// The other user asked, and the requester has not accepted yet.
    case pending
  }

  struct FriendshipObject: ResultObject {
    var id: String
    var user: String
    var direction: Direction
    var state: State
    var accessLevel: Friendship.AccessLevel
    @Nullable var since: Date?
    var created: Date
    @Nullable var accepted: Date?

    enum CodingKeys: String, CodingKey {
      // The order is the order of the members in responses.
      case id, user, direction, state
      case accessLevel = "access"
      case since, created, accepted
    }

    static let schemaName: String? = "Friendship"
    static let notes: [String: JSONValue] = [
      "id": ["pattern": "^frd_[0-9]+$"], "user": "The other user's name.",
      "direction": "`see`: the requester sees the other user; `show`: the other user sees the requester.",
      "state": "`requested`: the other user has not accepted yet; `pending`: the requester has not accepted yet.",
      "since": "The time from which positions are shown; null: the latest position alone.",
    ]

    /// - Parameter user: the requester.
    init(_ friendship: Friendship, for user: User) {
      let isSubject = friendship.subject.id == user.id
      id = "frd_\(friendship.id)"
      self.user = isSubject ? friendship.viewer.name : friendship.subject.name
      direction = isSubject ? .show : .see
      state = friendship.accepted != nil ? .accepted : friendship.asked == user.id ? .requested : .pending
      (accessLevel, since) = (friendship.accessLevel, friendship.since)
      (created, accepted) = (friendship.created, friendship.accepted)
    }
  }

  struct FriendList: ResultObject {
    var friends: [FriendshipObject]
    var positions: [Position]
  }

  /// The newest position of a friend that the requester sees.
  struct Position: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case name
      case tid
      case avatar
      case last
    }

    var name: String
    @Nullable var tid: String?
    @Nullable var avatar: Picture?
    var last: PointFeatureResult
  }

  struct FriendRequestBody: BodyObject {
    let user: String
    let direction: Direction?
    let accessLevel: Friendship.AccessLevel?
    let since: BodyTime?

    enum CodingKeys: String, CodingKey {
      case user, direction
      case accessLevel = "access"
      case since
    }

    static let kind = "friend"
    static let notes: [String: JSONValue] = [
      "direction": ["default": "see"], "access": ["description": "With `show` only.", "default": "latest"],
      "since": ["description": "With `history` only: RFC 3339, a day, or Unix seconds."],
    ]

    func check(_ body: JSONBody) throws(Problem) {
      if direction ?? .see == .see, accessLevel != nil || since != nil {
        throw body.fault("access", "only the user that shares can set this.")
      }
      if since != nil, accessLevel != .history { throw body.fault("since", #"only with "access": "history"."#) }
    }
  }

  struct Ended: ResultObject {
    var ended: String
  }

  // MARK: Profiles

  /// A member of a response with a picture as Base64.
  struct Picture: Codable, Sendable, DocumentedValue, JSONWritable {
    let bytes: [UInt8]
    static func schema(in components: SchemaComponents) -> JSONValue {
      ["type": "string", "contentEncoding": "base64", "description": "PNG or JPEG in Base64."]
    }
    static let sample = Self(bytes: [])
    func write(to output: inout [UInt8]) { Data(bytes).base64EncodedString().write(to: &output) }
  }

  struct ProfileResult: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case name
      case tid
      case avatar
    }

    @Nullable var name: String?
    @Nullable var tid: String?
    @Nullable var avatar: Picture?

    static let schemaName: String? = "Profile"
    static let notes: [String: JSONValue] = ["tid": "The two letters of OwnTracks."]

    init(_ profile: Profile) {
      (name, tid) = (profile.name, profile.tid)
      avatar = profile.avatar.map { Picture(bytes: $0) }
    }
  }

  enum NameLimits: TextLimits {
    static let length = 1...64
  }

  enum TrackerLimits: TextLimits {
    static let length = 1...2
    static let expected = "1 or 2 characters."
  }

  /// A member of a body with a picture as Base64.
  struct PictureText: BodyValue {
    let bytes: [UInt8]
    static let maximumBytes = 32 << 10

    static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
      guard let text = try body.text(name) else { return nil }
      let bytes = Data(base64Encoded: text).map { Array($0) } ?? []
      let isPicture = bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) || bytes.starts(with: [0xFF, 0xD8, 0xFF])
      guard isPicture, bytes.count <= maximumBytes else {
        throw body.fault(name, "expected a PNG or JPEG of \(maximumBytes) bytes at most, as Base64.")
      }
      return Self(bytes: bytes)
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      ["type": "string", "contentEncoding": "base64", "description": .string("A PNG or JPEG of \(maximumBytes) bytes at most.")]
    }
    static let sample = Self(bytes: [])
  }

  struct ProfileBody: BodyObject {
    private enum CodingKeys: String, CodingKey {
      case name
      case tid
      case avatar
    }

    let name: LimitedText<NameLimits>?
    let tid: LimitedText<TrackerLimits>?
    let avatar: PictureText?

    static let kind = "profile"
    var profile: Profile {
      var profile = Profile()
      (profile.name, profile.tid, profile.avatar) = (name?.text, tid?.text, avatar?.bytes)
      return profile
    }
  }

  struct ProfileParameters: ParameterList {
    let ifMatch: IfMatch?
  }
}
