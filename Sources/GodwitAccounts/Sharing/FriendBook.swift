package import Foundation
internal import GodwitModel
package import GodwitStore

/// The profile of a user that friends see.
package struct Profile: Sendable {
  package var name, tid: String?
  package var avatar: [UInt8]?

  package init(name: String? = nil, tid: String? = nil, avatar: [UInt8]? = nil) {
    self.name = name
    self.tid = tid
    self.avatar = avatar
  }
}

/// Friendships and profiles in the database.
package enum FriendTable {
  private static let select = """
    SELECT friendships.id, requested_by, access, since, friendships.created, accepted,
      s.id AS subject_id, s.name AS subject_name, s.role AS subject_role, s.created AS subject_created,
      v.id AS viewer_id, v.name AS viewer_name, v.role AS viewer_role, v.created AS viewer_created
    FROM friendships JOIN users s ON s.id = friendships.subject JOIN users v ON v.id = friendships.viewer
    """

  /// Returns the friendships of a user, as subject or as viewer.
  package static func all(of account: Int64, _ db: any SQLConnection) throws -> [Friendship] {
    try db.all(
      "\(select) WHERE friendships.subject = ?1 OR friendships.viewer = ?1 ORDER BY friendships.id", account,
      body: Friendship.init)
  }

  package static func friendship(_ id: Int64, _ db: any SQLConnection) throws -> Friendship? {
    try db.first("\(select) WHERE friendships.id = ?", id, body: Friendship.init)
  }

  package static func friendship(
    subject: Int64, viewer: Int64, _ db: any SQLConnection
  ) throws -> Friendship? {
    try db.first(
      "\(select) WHERE friendships.subject = ? AND friendships.viewer = ?", subject, viewer, body: Friendship.init)
  }

  /// A request of a user.
  package enum FriendRequest: Sendable {
    /// To see the other user's position.
    case see
    /// To show the own position to the other user, with an access level.
    case show(Friendship.AccessLevel, since: Date?)
  }

  /// Stores a request, or accepts the matching request of the other user.
  package static func ask(
    _ request: FriendRequest, of account: Int64, with other: Int64, at now: Date, _ db: any SQLConnection
  ) throws -> Friendship? {
    let time = now.millisecondsSince1970
    let (subject, viewer) =
      switch request {
      case .see: (other, account)
      case .show: (account, other)
      }
    let known = try friendship(subject: subject, viewer: viewer, db)
    switch request {
    case .see:
      if let known {
        // If the other user has offered it, the offer is accepted unchanged. If it was requested before, nothing changes.
        if known.asked == other, known.accepted == nil {
          try db.run("UPDATE friendships SET accepted = ? WHERE id = ?", time, known.id)
        }
      } else {
        try db.run(
          "INSERT INTO friendships (subject, viewer, requested_by, access, created) VALUES (?, ?, ?, ?, ?)", subject, viewer,
          account, Friendship.AccessLevel.latest.rawValue, time)
      }
    case .show(let accessLevel, let since):
      let from = accessLevel == .history ? (since ?? now).millisecondsSince1970 : nil
      if let known {
        try db.run(
          "UPDATE friendships SET access = ?, since = ? WHERE id = ?", accessLevel.rawValue, from, known.id)
        if known.asked == other, known.accepted == nil {
          try db.run("UPDATE friendships SET accepted = ? WHERE id = ?", time, known.id)
        }
      } else {
        try db.run(
          "INSERT INTO friendships (subject, viewer, requested_by, access, since, created) VALUES (?, ?, ?, ?, ?, ?)", subject,
          viewer, account, accessLevel.rawValue, from, time)
      }
    }
    return try friendship(subject: subject, viewer: viewer, db)
  }

  package static func remove(_ id: Int64, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM friendships WHERE id = ?", id)
  }

  package static func profile(of account: Int64, _ db: any SQLConnection) throws -> Profile {
    try db.first("SELECT name, tid, avatar FROM profiles WHERE account = ?", account) {
      try Profile(name: $0.optionalText("name"), tid: $0.optionalText("tid"), avatar: $0.optionalBlob("avatar"))
    } ?? Profile()
  }

  package static func setProfile(_ profile: Profile, of account: Int64, _ db: any SQLConnection) throws {
    try db.run(
      """
      INSERT INTO profiles (account, name, tid, avatar) VALUES (?, ?, ?, ?)
      ON CONFLICT (account) DO UPDATE SET name = excluded.name, tid = excluded.tid, avatar = excluded.avatar
      """, account, profile.name, profile.tid, profile.avatar)
  }
}

extension Friendship {
  fileprivate init(_ row: any SQLRow) throws {
    self.init(
      id: try row.integer("id"), subject: try User(row, prefix: "subject_"), viewer: try User(row, prefix: "viewer_"),
      asked: try row.integer("requested_by"),
      // An unknown access level grants the least.
      accessLevel: AccessLevel(rawValue: try row.text("access")) ?? .latest, since: try row.optionalTime("since"),
      created: try row.time("created"), accepted: try row.optionalTime("accepted"))
  }
}
