package import Foundation
internal import GodwitModel
package import GodwitSQLite
package import GodwitStore

/// The tables `webhooks` and `letters`: every statement about them but those of the hot path.
package enum WebhookTables {
  private static let leases = "a letter is on its way from one server at a time"
  /// SQLite's.
  package static let step = Migrations.Step(
    leases,
    """
    -- Until when nobody but the server that took it sends it; 0: nobody has it.
    ALTER TABLE letters ADD COLUMN leased INTEGER NOT NULL DEFAULT 0;
    """)
  /// PostgreSQL's.
  package static let postgres = Migrations.Step(leases, "ALTER TABLE letters ADD COLUMN leased BIGINT NOT NULL DEFAULT 0")

  // MARK: Webhooks

  package static func all(_ database: any SQLConnection) throws -> [Webhook] {
    try database.all("SELECT id, terms, secret, enabled, note, created FROM webhooks ORDER BY id", body: webhook)
      .compactMap { $0 }
  }

  package static func webhook(_ id: Int64, _ database: any SQLConnection) throws -> Webhook? {
    try database.first("SELECT id, terms, secret, enabled, note, created FROM webhooks WHERE id = ?", id, body: webhook) ?? nil
  }

  /// Nothing of a damaged row: it must not keep events from being stored.
  private static func webhook(_ row: any SQLRow) -> Webhook? {
    guard let terms = try? JSONDecoder().decode(WebhookTerms.self, from: Data(row.text(1).utf8)) else { return nil }
    return Webhook(
      id: row.integer(0), terms: terms, secret: row.text(2), isEnabled: row.integer(3) != 0, note: row.optionalText(4),
      created: Date(millisecondsSince1970: row.integer(5)))
  }

  /// Makes a webhook. - Returns: it with its number.
  package static func add(_ terms: WebhookTerms, secret: String, isEnabled: Bool, at now: Date, _ database: any SQLConnection)
    throws
    -> Webhook
  {
    let id = try database.integer(
      "INSERT INTO webhooks (terms, secret, enabled, created) VALUES (?, ?, ?, ?) RETURNING id", try json(terms), secret,
      isEnabled, now.millisecondsSince1970)
    guard let id else { throw StoreError.closed }
    return Webhook(id: id, terms: terms, secret: secret, isEnabled: isEnabled, created: now)
  }

  /// Changes a webhook to what is given. Once it is turned on, the reason why it was off is removed.
  package static func change(_ webhook: Webhook, _ database: any SQLConnection) throws {
    try database.run(
      "UPDATE webhooks SET terms = ?, secret = ?, enabled = ?, note = ? WHERE id = ?", try json(webhook.terms), webhook.secret,
      webhook.isEnabled, webhook.isEnabled ? nil : webhook.note, webhook.id)
  }

  /// Removes a webhook with its letters. - Returns: whether there was one.
  package static func remove(_ id: Int64, _ database: any SQLConnection) throws -> Bool {
    try database.run("DELETE FROM webhooks WHERE id = ?", id) > 0
  }

  private static func json(_ terms: WebhookTerms) throws -> String {
    String(decoding: try JSONEncoder().encode(terms), as: UTF8.self)
  }

  // MARK: Letters

  /// A letter with everything that it takes to send it.
  package struct Delivery: Sendable {
    package var id: Int64
    package var lane: OrderingKey
    /// Until when it is ours, in milliseconds since 1970: who finds another number there knows that it is another server's.
    package var leased: Int64
    package var attempts: Int
    package var written: Date
    package var url: String
    package var format = WebhookFormat.godwit
    package var secret: String
    /// The event's name.
    package var event: String
    package var body: String
  }

  /// The first letter of each lane, by when it is due; those of webhooks that are off are left out.
  package static func lanes(_ database: any SQLConnection) throws -> [(lane: OrderingKey, due: Date)] {
    try database.all(
      """
      SELECT webhook, device, due FROM letters WHERE id IN (
        SELECT min(id) FROM letters WHERE dead IS NULL AND webhook IN (SELECT id FROM webhooks WHERE enabled = 1)
        GROUP BY webhook, device)
      """
    ) { row in
      (OrderingKey(webhook: row.integer(0), device: row.integer(1)), Date(millisecondsSince1970: row.integer(2)))
    }
  }

  /// What became of the wish to send a lane's first letter.
  enum Claim: Sendable {
    case ours(Delivery)
    /// It waits until then; or it is on its way from another server, and then it is worth another look.
    case later(Date)
    /// There is none, or its webhook is off.
    case nothing
  }

  /// Takes the first letter of a lane, for one server alone.
  /// - Parameters:
  ///   - lane: which.
  ///   - now: the time.
  ///   - lease: seconds for which it is taken; after that another server may take it.
  ///   - database: where it is.
  static func claim(
    _ lane: OrderingKey, at now: Date, for lease: TimeInterval, _ database: any SQLConnection
  ) throws -> Claim {
    guard let (found, due) = try first(of: lane, database) else { return .nothing }
    let time = now.millisecondsSince1970
    guard due <= time else { return .later(Date(millisecondsSince1970: due)) }
    let soon = now.addingTimeInterval(1)
    guard found.leased <= time else { return .later(soon) }
    var delivery = found
    delivery.leased = now.addingTimeInterval(lease).millisecondsSince1970
    let isOurs =
      try database.run(
        "UPDATE letters SET leased = ?1 WHERE id = ?2 AND leased = ?3", delivery.leased, delivery.id, found.leased) > 0
    return isOurs ? .ours(delivery) : .later(soon)
  }

  /// Gives a letter back that was taken and not sent.
  package static func release(_ delivery: Delivery, _ database: any SQLConnection) throws {
    try database.run("UPDATE letters SET leased = 0 WHERE id = ? AND leased = ?", delivery.id, delivery.leased)
  }

  /// Gives all letters back: the server that took them has ended.
  static func releaseAll(_ database: any SQLConnection) throws {
    try database.run("UPDATE letters SET leased = 0 WHERE leased > 0")
  }

  /// The first letter of a lane and when it is due; `nil` where there is none, or its webhook is off.
  private static func first(of lane: OrderingKey, _ database: any SQLConnection) throws -> (delivery: Delivery, due: Int64)? {
    try database.first(
      """
      SELECT letters.id, attempts, written, terms, secret, region_events.name, body, leased, due
      FROM letters JOIN webhooks ON webhooks.id = letters.webhook JOIN region_events ON region_events.id = letters.event
      WHERE letters.webhook = ? AND letters.device = ? AND dead IS NULL AND enabled = 1 ORDER BY letters.id LIMIT 1
      """, lane.webhook, lane.device
    ) { row in
      let terms = try JSONDecoder().decode(WebhookTerms.self, from: Data(row.text(3).utf8))
      let delivery = Delivery(
        id: row.integer(0), lane: lane, leased: row.integer(7), attempts: Int(row.integer(1)),
        written: Date(millisecondsSince1970: row.integer(2)), url: terms.url, format: terms.format ?? .godwit,
        secret: row.text(4),
        event: row.text(5), body: row.text(6))
      return (delivery, row.integer(8))
    }
  }

  /// Notes what became of an attempt; nothing of a letter that another server has taken since, but that it was delivered.
  /// - Returns: when the letter that is now the first one of the lane is due; `nil`: none is.
  static func note(
    _ verdict: RetryPolicy.Decision, of delivery: Delivery, problem: String?, at now: Date, _ database: any SQLConnection
  ) throws -> Date? {
    let time = now.millisecondsSince1970
    switch verdict {
    case .delivered:
      try database.run("DELETE FROM letters WHERE id = ?", delivery.id)
      try database.run("UPDATE webhooks SET delivered = ? WHERE id = ?", time, delivery.lane.webhook)
    case .again(let due):
      try database.run(
        "UPDATE letters SET attempts = ?, due = ?, problem = ?, leased = 0 WHERE id = ? AND leased = ?", delivery.attempts + 1,
        due.millisecondsSince1970, problem, delivery.id, delivery.leased)
    case .dead, .gone:
      try database.run(
        "UPDATE letters SET attempts = ?, dead = ?, problem = ?, leased = 0 WHERE id = ? AND leased = ?", delivery.attempts + 1,
        time, problem, delivery.id, delivery.leased)
    }
    if verdict == .gone {
      try database.run(
        "UPDATE webhooks SET enabled = 0, note = ? WHERE id = ?",
        "The address answered 410: it is gone for good. Turned off \(RFC3339.string(now)).", delivery.lane.webhook)
    }
    let due = try database.integer(
      """
      SELECT due FROM letters JOIN webhooks ON webhooks.id = letters.webhook
      WHERE letters.webhook = ? AND letters.device = ? AND dead IS NULL AND enabled = 1 ORDER BY letters.id LIMIT 1
      """, delivery.lane.webhook, delivery.lane.device)
    return due.map { Date(millisecondsSince1970: $0) }
  }

  /// Takes a letter from the dead, or makes one that waits due at once. Its attempts are counted anew.
  /// - Returns: whether there is such a letter.
  package static func retry(_ id: Int64, at now: Date, _ database: any SQLConnection) throws -> Bool {
    try database.run(
      "UPDATE letters SET dead = NULL, attempts = 0, written = ?, due = ? WHERE id = ?", now.millisecondsSince1970,
      now.millisecondsSince1970, id) > 0
  }

  /// Whether a letter is dead; `nil`: there is none.
  package static func isDead(delivery id: Int64, _ database: any SQLConnection) throws -> Bool? {
    try database.first("SELECT dead FROM letters WHERE id = ?", id) { !$0.isNull(0) }
  }

  package static func discardDelivery(_ id: Int64, _ database: any SQLConnection) throws {
    try database.run("DELETE FROM letters WHERE id = ?", id)
  }

  /// Letters that wait and letters that are dead.
  package static func counts(_ database: any SQLConnection) throws -> (waiting: Int, dead: Int) {
    (
      Int(try database.integer("SELECT count(*) FROM letters WHERE dead IS NULL") ?? 0),
      Int(try database.integer("SELECT count(*) FROM letters WHERE dead IS NOT NULL") ?? 0)
    )
  }
}
