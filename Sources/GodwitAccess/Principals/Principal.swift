package import Foundation
package import GodwitAccounts
package import GodwitHTTP
internal import GodwitModel
package import GodwitSecrets
package import GodwitStore

/// The access of a principal to a device.
package enum AccessLevel: Sendable, Hashable {
  /// All data of the device.
  case everything
  /// Its points since a time.
  case since(Date)
  /// Its newest point.
  case latest

  /// Returns the wider of two levels.
  package func union(_ other: AccessLevel) -> AccessLevel {
    switch (self, other) {
    case (.everything, _), (_, .everything): .everything
    case (.since(let a), .since(let b)): .since(min(a, b))
    case (.since, .latest): self
    case (.latest, .since), (.latest, .latest): other
    }
  }
}

/// The identity of a request and its access.
package struct Principal: Sendable {
  package enum Identity: Sendable {
    /// The administrator, by the administrator token or a session of the administrator.
    case administrator
    /// A user with a session.
    case user(User, session: Session)
    /// A user that a trusted proxy names; see ``IdentityHeader``.
    case proxied(User)
    /// A token of a program, for a user or for the administrator.
    case token(ScopedToken, of: User?)
    /// A request without authentication, which has no access.
    case anonymous
  }

  package let identity: Identity
  /// The access to devices by number; `nil`: all data of all devices.
  package let accessLevels: [Int64: AccessLevel]?
  /// The administrator's session; `nil`: the request has none.
  package var administratorSession: AdministratorSession?

  package static let administrator = Principal(identity: .administrator, accessLevels: nil)
  package static let anonymous = Principal(identity: .anonymous, accessLevels: [:])

  /// The user of the request.
  package var user: User? {
    switch identity {
    case .administrator, .anonymous: nil
    case .user(let user, _), .proxied(let user): user
    case .token(_, let user): user
    }
  }

  package var session: Session? { if case .user(_, let session) = identity { session } else { nil } }

  /// The token of the request; `nil`: it has none.
  package var token: ScopedToken? { if case .token(let token, _) = identity { token } else { nil } }

  /// Whether the principal has the permissions of an administrator.
  package var isAdministrator: Bool {
    switch identity {
    case .administrator: true
    case .user(let user, _), .proxied(let user): user.role == .admin
    case .token(let token, let user): token.device == nil && (token.account == nil || user?.role == .admin)
    case .anonymous: false
    }
  }

  /// Whether the principal may change the data that it may read, and create tokens.
  package var mayChange: Bool {
    switch identity {
    case .administrator, .user, .proxied: true
    case .token(let token, _): token.scope == .admin
    case .anonymous: false
    }
  }

  /// The name in the audit log.
  package var actor: String {
    switch identity {
    case .administrator: "the administrator"
    case .user(let user, _), .proxied(let user): user.name
    case .token(let token, let user): "\(user?.name ?? "the administrator") by \(token.name) (\(token.label))"
    case .anonymous: "anonymous"
    }
  }

  // MARK: Devices

  /// Returns the access to a device; `nil`: none, and the existence of the device must not be revealed.
  package func accessLevel(of device: Int64) -> AccessLevel? {
    guard let accessLevels else { return .everything }
    return accessLevels[device]
  }

  /// Whether all data of a device may be read, including its health and its rejected records.
  package func seesAll(of device: Int64) -> Bool { accessLevel(of: device) == .everything }

  /// The numbers of devices of which all data may be read; `nil`: all devices.
  package var ownDevices: [Int64]? { accessLevels.map { $0.filter { $0.value == .everything }.keys.sorted() } }

  /// Returns the device with a name.
  /// - Throws: `Problem` with status 404 if the device does not exist or may not be seen, so that the client cannot
  ///   distinguish the two.
  package func device(named name: String, in store: any StoreDatabase, wholly: Bool = false) throws(Problem) -> Device {
    let device = try Device.named(name, in: store)
    guard wholly ? seesAll(of: device.id) : accessLevel(of: device.id) != nil else { throw Device.unknown(name) }
    return device
  }

  /// The live events that this principal receives, by device; see ``EventBroadcaster``.
  package var audience: EventBroadcaster.Audience {
    guard let accessLevels else { return .all }
    return EventBroadcaster.Audience(
      whole: Set(accessLevels.filter { $0.value == .everything }.keys),
      movements: Set(accessLevels.filter { $0.value != .everything }.keys))
  }
}

/// The access of accounts, in the database.
package enum AccessLevelTable {
  /// Returns the access of a user: to own devices, and to devices of friends.
  package static func accessLevels(of account: Int64, _ db: any SQLConnection) throws -> [Int64: AccessLevel] {
    var accessLevels: [Int64: AccessLevel] = [:]
    try db.forEach("SELECT id FROM devices WHERE owner = ?", account) { try accessLevels[$0.integer("id")] = .everything }
    try db.forEach(
      """
      SELECT devices.id, friendships.access, friendships.since
      FROM friendships JOIN devices ON devices.owner = friendships.subject
      WHERE friendships.viewer = ? AND friendships.accepted IS NOT NULL
      """, account
    ) { row in
      let accessLevel: AccessLevel =
        if try row.text("access") == Friendship.AccessLevel.history.rawValue {
          .since(try row.optionalTime("since") ?? Date(millisecondsSince1970: .max))
        } else {
          .latest
        }
      let device = try row.integer("id")
      accessLevels[device] = accessLevels[device]?.union(accessLevel) ?? accessLevel
    }
    return accessLevels
  }
}
