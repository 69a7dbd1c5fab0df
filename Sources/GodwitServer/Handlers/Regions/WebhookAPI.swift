internal import Foundation
internal import GodwitAccess
internal import GodwitGeofencing
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitStore
internal import GodwitText
internal import Synchronization

/// `/api/v1/webhooks…`: webhooks, and their pending and failed deliveries.
struct WebhookAPI {
  let work: RequestWork
  let sender: WebhookSender
  let feed: EventBroadcaster
  let metrics: Metrics
  let positions: PositionSender
  let webhookMetrics: WebhookMetrics
  let mqtt: MQTTClient?

  /// Characters of a secret that the request supplies.
  static let secretLengths = 16...256

  // MARK: Webhooks

  func list(_ request: HTTPRequest) -> HTTPReply {
    work.read(request) { database in
      var more: [Int64: String] = [:]
      try database.forEach(
        """
        SELECT id, last_delivery, (SELECT count(*) FROM webhook_deliveries WHERE webhook = webhooks.id AND failed IS NULL),
          (SELECT count(*) FROM webhook_deliveries WHERE webhook = webhooks.id AND failed IS NOT NULL) FROM webhooks
        """
      ) { row in
        let delivered = row.optionalInteger(1).map { Date(millisecondsSince1970: $0) }
        more[row.integer(0)] =
          #","delivered":\#(Self.time(delivered)),"pending":\#(row.integer(2)),"failed":\#(row.integer(3))"#
      }
      let texts = try WebhookTables.all(database).map { Self.json($0, more: more[$0.id] ?? "") }
      return .json(Array(#"{"webhooks":[\#(texts.joined(separator: ","))]}"#.utf8 + [UInt8(ascii: "\n")]))
    }
  }

  /// `POST /api/v1/webhooks`
  func add(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let patch = try WebhookPatch(request.takeBody())
    guard let url = patch.url else {
      throw Problem(400, "Bad webhook", "url: missing; expected the address that receives the events.", at: "url")
    }
    let now = Date()
    return writing(request) { database in
      let secret = patch.secret ?? Webhook.newSecret()
      var terms = WebhookTerms(url: url)
      patch.apply(to: &terms)
      try Self.check(terms)
      let made = try WebhookTables.add(terms, secret: secret, isEnabled: patch.isEnabled ?? true, at: now, database)
      return .json(Array((Self.json(made, more: #","secret":\#(secret.jsonQuoted)"#) + "\n").utf8), status: 201)
    }
  }

  /// `PUT /api/v1/webhooks/ID`: absent members keep their values.
  func change(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let name = request.parameter
    let patch = try WebhookPatch(request.takeBody())
    return writing(request) { database in
      guard let id = Webhook.number(of: name), var webhook = try WebhookTables.webhook(id, database) else {
        throw Self.unknown(name)
      }
      patch.apply(to: &webhook.terms)
      if let secret = patch.secret { webhook.secret = secret }
      if let isEnabled = patch.isEnabled { webhook.isEnabled = isEnabled }
      try Self.check(webhook.terms)
      try WebhookTables.change(webhook, database)
      return .json(Array((Self.json(webhook) + "\n").utf8))
    }
  }

  /// `DELETE /api/v1/webhooks/ID`
  func remove(_ request: HTTPRequest) -> HTTPReply {
    let name = request.parameter
    return writing(request) { database in
      guard let id = Webhook.number(of: name), try WebhookTables.remove(id, database) else { throw Self.unknown(name) }
      return .json(Array("{\"deleted\":\(name.jsonQuoted)}\n".utf8))
    }
  }

  // MARK: Deliveries

  /// The state of a delivery that has not arrived; the values of `state`.
  private enum DeliveryState: String, CaseIterable {
    /// Attempts continue.
    case pending
    /// The last attempt failed.
    case failed
  }

  /// `GET /api/v1/webhook-deliveries`: pending and failed deliveries, the newest first.
  func deliveries(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let limit = try request.query.limit()
    let after = try request.query.rowCursor() ?? .max
    let state = try request.query.choice("state", of: DeliveryState.self)
    let webhook = try request.query["webhook"].map { name throws(Problem) in
      guard let id = Webhook.number(of: name) else { throw Self.unknown(name) }
      return id
    }
    return work.read(request) { database in
      var conditions = "webhook_deliveries.id < ?"
      var arguments: [SQLArgument] = [.integer(after)]
      if let state { conditions += state == .failed ? " AND failed IS NOT NULL" : " AND failed IS NULL" }
      if let webhook {
        conditions += " AND webhook_deliveries.webhook = ?"
        arguments.append(.integer(webhook))
      }
      var texts: [String] = []
      var last: Int64 = 0
      try database.query(
        """
        SELECT webhook_deliveries.id, webhook_deliveries.webhook, queued, next_attempt, attempts, failed, last_error, body
        FROM webhook_deliveries JOIN region_events ON region_events.id = webhook_deliveries.event
        WHERE \(conditions) ORDER BY webhook_deliveries.id DESC LIMIT ?
        """, with: arguments + [limit.argument]
      ) { row in
        last = row.integer(0)
        let dead = row.optionalInteger(5).map { Date(millisecondsSince1970: $0) }
        let due = dead == nil ? Date(millisecondsSince1970: row.integer(3)) : nil
        texts.append(
          #"{"id":\#(last),"webhook":"whk_\#(row.integer(1))","state":"\#(dead == nil ? DeliveryState.pending : .failed)","created":\#(Self.time(Date(millisecondsSince1970: row.integer(2)))),"next_attempt":\#(Self.time(due)),"failed":\#(Self.time(dead)),"attempts":\#(row.integer(4)),"problem":\#(row.optionalText(6)?.jsonQuoted ?? "null"),"event":\#(row.text(7))}"#
        )
        return true
      }
      return JSONText.page("deliveries", texts, nextCursor: texts.count == limit ? String(last) : nil)
    }
  }

  /// `POST /api/v1/webhook-deliveries/ID/retry`: sends a pending or failed delivery again at once.
  func retry(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let text = request.parameter
    guard let id = RowNumber(text)?.value else { throw Self.unknownDelivery(text) }
    let now = Date()
    return writing(request) { database in
      guard try WebhookTables.retry(id, at: now, database) else { throw Self.unknownDelivery(text) }
      return .json(Array("{\"retried\":\(id)}\n".utf8))
    }
  }

  /// `DELETE /api/v1/webhook-deliveries/ID`: discards a failed delivery. A pending one stays: its device's later events
  /// would arrive without it.
  func discardDelivery(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let text = request.parameter
    guard let id = RowNumber(text)?.value else { throw Self.unknownDelivery(text) }
    return writing(request) { database in
      guard let isDead = try WebhookTables.isDead(delivery: id, database) else { throw Self.unknownDelivery(text) }
      guard isDead else {
        throw Problem(
          409, "Delivery pending",
          "Delivery \(id) is still tried. Only failed deliveries are discarded; disable its webhook to stop it, or delete the webhook."
        )
      }
      try WebhookTables.discardDelivery(id, database)
      return .json(Array("{\"deleted\":\(id)}\n".utf8))
    }
  }

  // MARK: Metrics

  /// `GET /metrics`: the counters of the server, of webhooks and of the store.
  func metrics(_ request: HTTPRequest) -> HTTPReply {
    var text = MetricsText()
    metrics.write(
      suspended: request.suspendedRequests, subscribers: feed.subscribers.load(ordering: .relaxed),
      droppedEvents: feed.dropped.load(ordering: .relaxed), to: &text)
    return work.read(request) { [text] db in
      var text = text
      let counts = try WebhookTables.counts(db)
      webhookMetrics.write(pending: counts.waiting, failed: counts.dead, to: &text)
      try StoreGauges.write(db, to: &text)
      work.store.health.write(to: &text)
      mqtt?.status.write(to: &text)
      return HTTPResponse(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(text.text.utf8))
    }
  }

  static func time(_ date: Date?) -> String { date.map { "\"\(RFC3339.string($0))\"" } ?? "null" }

  /// Changes webhooks or deliveries, and refreshes the senders.
  private func writing(_ request: HTTPRequest, _ body: @escaping @Sendable (any SQLConnection) throws -> HTTPResponse)
    -> HTTPReply
  {
    if let refusal = request.suspend() { return .now(refusal) }
    work.store.write(body) { result in
      sender.refresh()
      positions.refresh()
      switch result {
      case .success(let response): request.finish(response)
      case .failure(let problem as Problem): request.finish(problem.response)
      case .failure(let error): request.finish(Problem.unavailable("Not stored", error).response)
      }
    }
    return .later
  }

  private static func unknown(_ name: String) -> Problem {
    Problem(404, "Unknown webhook", "There is no webhook \(name.jsonQuoted). /api/v1/webhooks lists those that are.")
  }

  private static func unknownDelivery(_ text: String) -> Problem {
    Problem(
      404, "Unknown delivery",
      "There is no delivery \(text.jsonQuoted), or it has arrived. /api/v1/webhook-deliveries lists those that are.")
  }

  private static func json(_ webhook: Webhook, more: String = "") -> String {
    func list(_ words: [String]) -> String { "[" + words.map(\.jsonQuoted).joined(separator: ",") + "]" }
    let terms = webhook.terms
    let format = (terms.format ?? .godwit).rawValue
    let positions = terms.positions.map { $0 == $0.rounded() ? String(Int($0)) : String($0) } ?? "null"
    return
      #"{"id":"\#(webhook.name)","url":\#(terms.url.jsonQuoted),"types":\#(list(terms.types)),"tags":\#(list(terms.tags)),"regions":\#(list(terms.regions)),"devices":\#(list(terms.devices)),"format":"\#(format)","positions":\#(positions),"enabled":\#(webhook.isEnabled),"note":\#(webhook.note?.jsonQuoted ?? "null"),"created":\#(time(webhook.created))\#(more)}"#
  }

  /// The members of a webhook in a body; absent members keep their values.
  private struct WebhookPatch: Sendable {
    var url: String?
    var secret: String?
    var isEnabled: Bool?
    var format: WebhookFormat?
    /// Seconds; 0 for none.
    var positions: Double?
    var lists: [String: [String]] = [:]

    private static let listNames = ["types", "tags", "regions", "devices"]

    init(_ body: [UInt8]) throws(Problem) {
      func refuse(_ why: String) -> Problem { Problem(400, "Bad webhook", why) }
      guard let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] else {
        throw refuse("The body is no JSON object. Send one such as {\"url\":\"https://example.org/hook\"}.")
      }
      for (name, value) in object.sorted(by: { $0.key < $1.key }) {
        switch name {
        case "url":
          guard let text = value as? String else { throw refuse("url: expected a string.") }
          url = text
        case "secret":
          guard let text = value as? String, WebhookAPI.secretLengths.contains(text.count) else {
            let lengths = WebhookAPI.secretLengths
            throw refuse(
              "secret: expected a string of \(lengths.lowerBound) to \(lengths.upperBound) characters; leave it out to get one.")
          }
          secret = text
        case "enabled":
          guard let flag = value as? Bool else { throw refuse("enabled: expected true or false.") }
          isEnabled = flag
        case "format":
          guard let text = value as? String, let known = WebhookFormat(rawValue: text) else {
            let words = WebhookFormat.allCases.map(\.rawValue.jsonQuoted)
            throw refuse("format: expected one of \(words.joined(separator: ", ")).")
          }
          format = known
        case "positions":
          if value is NSNull {
            positions = 0
          } else if let seconds = (value as? NSNumber)?.doubleValue, seconds > 0 {
            positions = seconds
          } else {
            throw refuse("positions: expected seconds between two of them, or null.")
          }
        case _ where Self.listNames.contains(name):
          guard let words = value as? [String] else { throw refuse("\(name): expected an array of strings.") }
          lists[name] = words
        default:
          throw refuse(
            "\(name): unknown field; expected url, secret, enabled, format, positions, \(Self.listNames.joined(separator: ", "))."
          )
        }
      }
    }

    func apply(to terms: inout WebhookTerms) {
      if let url { terms.url = url }
      if let format { terms.format = format }
      if let positions { terms.positions = positions == 0 ? nil : positions }
      if let types = lists["types"] { terms.types = types }
      if let tags = lists["tags"] { terms.tags = tags }
      if let regions = lists["regions"] { terms.regions = regions }
      if let devices = lists["devices"] { terms.devices = devices }
    }
  }

  private static func check(_ terms: WebhookTerms) throws(Problem) {
    do throws(WebhookFault) { try terms.check() } catch { throw Problem(400, "Bad webhook", "\(error)") }
  }
}
