internal import CSodium
package import Foundation
package import GodwitModel
package import GodwitStore
internal import GodwitText

/// A link that shows positions of devices without an account: a time window, with the precision that its owner chose.
package struct SharingLink: Sendable {
  /// The options of a link.
  package struct Options: Sendable, Codable, Hashable {
    /// The name, which every viewer of the link sees.
    package var name: String
    /// The start of the window, milliseconds since 1970, inclusive.
    package var since: Int64
    /// The end of the window, milliseconds since 1970, exclusive; `nil`: the link shows new positions until it expires.
    package var until: Int64?
    /// Size in metres of the grid cells whose centres are shown instead of positions; `nil`: exact positions.
    package var grid: Double?
    /// Delay in seconds after which positions are shown.
    package var delay: Double?

    package init(name: String, since: Int64, until: Int64? = nil, grid: Double? = nil, delay: Double? = nil) {
      self.name = name
      self.since = since
      self.until = until
      self.grid = grid
      self.delay = delay
    }
  }

  package let id: Int64
  /// `nil`: the administrator.
  package let account: Int64?
  package let options: Options
  package let hasPassword: Bool
  package let created: Date
  package let expires, revoked, viewed: Date?
  package let views: Int
  package let devices: [Device]

  package var name: String { "lnk_\(id)" }

  /// Returns the number in a link's name; `nil`: invalid.
  package static func number(of name: String) -> Int64? { RowNumber(name, after: "lnk_")?.value }

  /// Whether the link is neither revoked nor expired.
  package func isGood(at now: Date) -> Bool { revoked == nil && expires.map { $0 > now } ?? true }

  /// Returns the window that is visible at a time, in milliseconds since 1970.
  package func window(at now: Date) -> Range<Int64> {
    let end = min(options.until ?? .max, now.addingTimeInterval(-(options.delay ?? 0)).millisecondsSince1970 + 1)
    return options.since..<max(options.since, end)
  }

  package var precision: Precision { options.grid.map { .grid($0) } ?? .exact }

  /// Returns the proof that the password was entered. It cannot be computed without the link's secret and the stored hash
  /// of the password.
  /// - Parameters:
  ///   - secret: the secret of the link.
  ///   - kept: the stored hash of the password.
  package static func proof(_ secret: String, kept: String) -> String {
    let key = Array(kept.utf8.prefix(64))
    let message = Array("link \(secret) \(kept)".utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_generichash(&digest, digest.count, message, UInt64(message.count), key, key.count)
    return Hexadecimal.text(digest)
  }
}

/// Links in the database, found by a hash of their secrets.
package enum LinkTable {
  private static let columns = "id, account, options, password, created, expires, revoked, views, last_viewed"

  package struct New: Sendable {
    package var account: Int64?
    package var options: SharingLink.Options
    /// The hash from ``Password/hash(_:)``.
    package var password: String?
    package var expires: Date?
    package var devices: [Device]

    package init(
      account: Int64? = nil, options: SharingLink.Options, password: String? = nil, expires: Date? = nil, devices: [Device]
    ) {
      self.account = account
      self.options = options
      self.password = password
      self.expires = expires
      self.devices = devices
    }
  }

  package static func add(_ new: New, hash: [UInt8], at now: Date, _ db: any SQLConnection) throws -> SharingLink? {
    let options = String(decoding: try JSONEncoder().encode(new.options), as: UTF8.self)
    let id = try db.integer(
      "INSERT INTO links (hash, account, options, password, created, expires) VALUES (?, ?, ?, ?, ?, ?) RETURNING id", hash,
      new.account, options, new.password, now.millisecondsSince1970, new.expires?.millisecondsSince1970)
    guard let id else { return nil }
    for device in new.devices {
      try db.run(
        "INSERT INTO link_devices (link, device) VALUES (?, ?) ON CONFLICT DO NOTHING", id, device.id)
    }
    return try link(id, db)
  }

  package static func link(_ id: Int64, _ db: any SQLConnection) throws -> SharingLink? {
    let rows = try db.all("SELECT \(columns) FROM links WHERE id = ?", id, body: Row.init)
    return try rows.first.map { try link($0, db) }
  }

  /// Returns the link of a secret, also if it is revoked or expired, with the stored hash of its password.
  package static func link(
    _ secret: AccessToken, _ db: any SQLConnection
  ) throws -> (link: SharingLink, password: String?)? {
    let rows = try db.all(
      "SELECT \(columns) FROM links WHERE hash IN (?, ?)", secret.hash, secret.formerHash, body: Row.init)
    return try rows.first.map { (try link($0, db), $0.password) }
  }

  /// Returns the links of an account, or those of all users.
  package static func all(of account: Int64?, everybodys: Bool, _ db: any SQLConnection) throws -> [SharingLink] {
    let rows =
      try everybodys
      ? db.all("SELECT \(columns) FROM links ORDER BY id DESC", body: Row.init)
      : db.all("SELECT \(columns) FROM links WHERE account = ? ORDER BY id DESC", account, body: Row.init)
    return try rows.map { try link($0, db) }
  }

  package static func revoke(_ id: Int64, at now: Date, _ db: any SQLConnection) throws -> Bool {
    try db.run(
      "UPDATE links SET revoked = ? WHERE id = ? AND revoked IS NULL", now.millisecondsSince1970, id) > 0
  }

  package static func countView(_ id: Int64, at now: Date, _ db: any SQLConnection) throws {
    try db.run("UPDATE links SET views = views + 1, last_viewed = ? WHERE id = ?", now.millisecondsSince1970, id)
  }

  private struct Row {
    var id: Int64
    var account: Int64?
    var options: String
    var password: String?
    var created: Int64
    var expires, revoked, viewed: Int64?
    var views: Int64

    init(_ row: any SQLRow) throws {
      id = try row.integer("id")
      account = try row.optionalInteger("account")
      options = try row.text("options")
      password = try row.optionalText("password")
      created = try row.integer("created")
      expires = try row.optionalInteger("expires")
      revoked = try row.optionalInteger("revoked")
      views = try row.integer("views")
      viewed = try row.optionalInteger("last_viewed")
    }
  }

  private static func link(_ row: Row, _ db: any SQLConnection) throws -> SharingLink {
    // A device that now belongs to another user is not shown, because the owner of the link may no longer see it.
    let user = try row.account.flatMap { try UserTable.user($0, db) }
    let seesAll = row.account == nil || user?.role == .admin
    let devices = try db.all(
      """
      SELECT devices.id, devices.name, devices.owner FROM link_devices JOIN devices ON devices.id = link_devices.device
      WHERE link_devices.link = ? ORDER BY devices.id
      """, row.id
    ) { try (device: Device($0), owner: $0.optionalInteger("owner")) }
    .filter { seesAll || $0.owner == row.account }.map(\.device)
    return SharingLink(
      id: row.id, account: row.account,
      options: try JSONDecoder().decode(SharingLink.Options.self, from: Data(row.options.utf8)), hasPassword: row.password != nil,
      created: Date(millisecondsSince1970: row.created), expires: row.expires.map { Date(millisecondsSince1970: $0) },
      revoked: row.revoked.map { Date(millisecondsSince1970: $0) }, viewed: row.viewed.map { Date(millisecondsSince1970: $0) },
      views: Int(row.views), devices: devices)
  }
}
