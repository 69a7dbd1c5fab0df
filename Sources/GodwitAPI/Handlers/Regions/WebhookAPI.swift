internal import Foundation
internal import GodwitAccess
internal import GodwitGeofencing
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// `/api/v1/webhooks…`: webhooks, and their pending and failed deliveries.
struct WebhookAPI {
  let work: RequestWork
  let sender: WebhookSender
  let positions: PositionSender

  /// Allowed length in characters of a secret in a request.
  static let secretLengths = 16...256

  // MARK: Webhooks

  func list(_ request: PlainRequest) async throws -> WebhookList {
    try await work.read { db in
      let progress = try WebhookTables.progress(db)
      return WebhookList(webhooks: try WebhookTables.all(db).map { WebhookObject($0, progress[$0.id] ?? .init()) })
    }
  }

  func add(_ request: BodyRequest<WebhookPatch>) async throws -> Created<WebhookObject> {
    let patch = request.body
    guard let url = patch.url else { throw Self.fault("url", "missing; expected the address that receives the events.") }
    let now = work.now
    return try await changing { db in
      let secret = patch.secret ?? Webhook.newSecret()
      var options = WebhookOptions(url: url)
      patch.apply(to: &options)
      try Self.check(options)
      let made = try WebhookTables.add(options, secret: secret, isEnabled: patch.isEnabled ?? true, at: now, db)
      return Created(WebhookObject(made, secret: secret))
    }
  }

  /// Changes a webhook; absent members keep their values.
  func change(_ request: BodyRequest<WebhookPatch>) async throws -> WebhookObject {
    let (id, patch) = (request.parameter, request.body)
    return try await changing { db in
      guard let number = Webhook.number(of: id), var webhook = try WebhookTables.webhook(number, db) else {
        throw Self.unknown(id)
      }
      patch.apply(to: &webhook.options)
      if let secret = patch.secret { webhook.secret = secret }
      if let isEnabled = patch.isEnabled { webhook.isEnabled = isEnabled }
      try Self.check(webhook.options)
      try WebhookTables.change(webhook, db)
      return WebhookObject(webhook)
    }
  }

  func remove(_ request: PlainRequest) async throws -> Deleted {
    let id = request.parameter
    return try await changing { db in
      guard let number = Webhook.number(of: id), try WebhookTables.remove(number, db) else { throw Self.unknown(id) }
      return Deleted(id)
    }
  }

  // MARK: Deliveries

  /// Lists pending and failed deliveries, the newest first.
  func deliveries(_ request: ParameterRequest<DeliveryParameters>) async throws -> DeliveryPage {
    let parameters = request.parameters
    let webhook = try parameters.webhook.map { name throws(Problem) in
      guard let id = Webhook.number(of: name) else { throw Self.unknown(name) }
      return id
    }
    let limit = parameters.limit.count
    return try await work.read { db in
      let found = try WebhookTables.deliveries(
        before: parameters.cursor?.place.row ?? .max, areFailed: parameters.state.map { $0 == .failed }, webhook: webhook,
        limit: limit, db)
      let next = found.count == limit ? found.last.map { String($0.id) } : nil
      return DeliveryPage(deliveries: found.map { DeliveryObject($0) }, nextCursor: NextCursor(next))
    }
  }

  /// Sends a pending or failed delivery again at once.
  func retry(_ request: PlainRequest) async throws -> Retried {
    let id = try Self.delivery(request.parameter)
    let now = work.now
    return try await changing { db in
      guard try WebhookTables.retry(id, at: AgreedTime.database.now(now, db), db) else {
        throw Self.unknownDelivery(request.parameter)
      }
      return Retried(retried: id)
    }
  }

  /// Discards a failed delivery. A pending delivery cannot be discarded: the receiver would get later events of the device without it.
  func discardDelivery(_ request: PlainRequest) async throws -> DiscardedDelivery {
    let id = try Self.delivery(request.parameter)
    return try await changing { db in
      guard let isDead = try WebhookTables.isDead(delivery: id, db) else { throw Self.unknownDelivery(request.parameter) }
      guard isDead else {
        throw Problem(
          409, "Delivery pending",
          "Delivery \(id) is pending. Only failed deliveries can be discarded. To stop it, disable or delete its webhook."
        )
      }
      try WebhookTables.discardDelivery(id, db)
      return DiscardedDelivery(deleted: id)
    }
  }

  /// Changes webhooks or deliveries, and then refreshes the senders.
  private func changing<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws -> Value {
    defer {
      sender.refresh()
      positions.refresh()
    }
    return try await work.write(body)
  }

  private static func delivery(_ text: String) throws(Problem) -> Int64 {
    guard let id = RowNumber(text)?.value else { throw unknownDelivery(text) }
    return id
  }

  private static func unknown(_ name: String) -> Problem {
    Problem(404, "Unknown webhook", "There is no webhook \(name.jsonQuoted). /api/v1/webhooks lists the existing ones.")
  }

  private static func unknownDelivery(_ text: String) -> Problem {
    Problem(
      404, "Unknown delivery",
      "There is no delivery \(text.jsonQuoted), or it was delivered. /api/v1/webhook-deliveries lists the existing ones.")
  }

  private static func check(_ options: WebhookOptions) throws(Problem) {
    do throws(WebhookFault) { try options.check() } catch { throw fault(error.place, error.reason) }
  }

  /// Returns the problem of an invalid member of a webhook.
  static func fault(_ place: String, _ why: String) -> Problem { Problem(422, "Not a webhook", "\(place): \(why)", at: place) }
}
