internal import Foundation
internal import GodwitGeofencing
internal import GodwitHTTP
internal import GodwitStore
internal import GodwitText

extension WebhookAPI {
  // MARK: Results

  /// A number that is written without a fraction if it is whole.
  struct ShortNumber: Codable, Sendable, DocumentedValue, JSONWritable {
    let value: Double
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "number"] }
    static let sample = Self(value: 0)
    func write(to bytes: inout [UInt8]) { bytes += Array((Int(exactly: value).map { String($0) } ?? String(value)).utf8) }
  }

  struct WebhookObject: ResultObject {
    var id: String
    var url: String
    var types: [String]
    var tags: [String]
    var regions: [String]
    var devices: [String]
    var format: WebhookFormat
    @Nullable var positions: ShortNumber?
    var batch: Int
    var enabled: Bool
    @Nullable var note: String?
    var created: Date
    /// Present only in the response to the creation.
    var secret: String?
    /// This member and the next two are present only in the list.
    var delivered: Nullable<Date>?
    var pending: Int?
    var failed: Int?

    static let schemaName: String? = "Webhook"
    static let notes: [String: JSONValue] = [
      "id": ["pattern": "^whk_[0-9]+$"], "secret": "Only in the response that creates it.", "pending": ["minimum": 0],
      "failed": ["minimum": 0],
      "positions": "Minimum seconds between two positions of a device; null sends no positions.",
      "batch": [
        "minimum": .integer(WebhookOptions.batches.lowerBound), "maximum": .integer(WebhookOptions.batches.upperBound),
        "description": "Maximum events of a request. Above 1 the body of a request is an array of events.",
      ],
      "note": "Why the server disabled it.",
    ]

    init(_ webhook: Webhook, _ progress: WebhookTables.Progress? = nil, secret: String? = nil) {
      let options = webhook.options
      id = webhook.name
      (url, types, tags, regions, devices) = (options.url, options.types, options.tags, options.regions, options.devices)
      format = options.format ?? .godwit
      positions = options.positions.map { ShortNumber(value: $0) }
      batch = options.batchSize
      (enabled, note, created) = (webhook.isEnabled, webhook.note, webhook.created)
      self.secret = secret
      delivered = progress.map { Nullable(wrappedValue: $0.delivered) }
      (pending, failed) = (progress?.pending, progress?.failed)
    }
  }

  struct WebhookList: ResultObject {
    var webhooks: [WebhookObject]
  }

  /// The state of a delivery that has not succeeded.
  enum DeliveryState: String, Codable, CaseIterable, DocumentedValue, ParameterValue {
    /// The server retries the delivery.
    case pending
    /// The last attempt failed, and there are no more retries.
    case failed
  }

  struct DeliveryObject: ResultObject {
    var id: Int64
    var webhook: String
    var state: DeliveryState
    var created: Date
    @Nullable var nextAttempt: Date?
    @Nullable var failed: Date?
    var attempts: Int
    @Nullable var problem: String?
    var event: JSONFragment

    static let notes: [String: JSONValue] = ["attempts": ["minimum": 0]]

    init(_ delivery: WebhookTables.ListedDelivery) {
      id = delivery.id
      webhook = "whk_\(delivery.webhook)"
      state = delivery.failed == nil ? .pending : .failed
      created = delivery.created
      nextAttempt = delivery.failed == nil ? delivery.nextAttempt : nil
      failed = delivery.failed
      attempts = delivery.attempts
      problem = delivery.problem
      event = JSONFragment(delivery.event)
    }
  }

  struct DeliveryPage: ResultObject {
    var deliveries: [DeliveryObject]
    var nextCursor: NextCursor
  }

  struct Retried: ResultObject {
    var retried: Int64
  }

  struct DiscardedDelivery: ResultObject {
    var deleted: Int64
  }

  // MARK: Requests

  struct DeliveryParameters: ParameterList {
    let state: DeliveryState?
    let webhook: String?
    let limit: PageLimit<StandardPages>
    let cursor: PageCursor<RowCursor>?

    static let notes: [String: JSONValue] = ["state": "Only deliveries in this state.", "webhook": "Only of this webhook."]
  }

  /// The members of a webhook in a body; absent members keep their values.
  struct WebhookPatch: OperationBody {
    private(set) var url: String?
    private(set) var secret: String?
    private(set) var isEnabled: Bool?
    private var format: WebhookFormat?
    /// The interval of positions in seconds; 0 for no positions.
    private var positions: Double?
    private var batch: Int?
    private var lists: [String: [String]] = [:]

    private static let listNames = ["types", "tags", "regions", "devices"]

    static func read(_ request: HTTPRequest) throws -> WebhookPatch { try WebhookPatch(request.takeBody()) }

    static func requestBody(in components: SchemaComponents) throws -> JSONValue? {
      let texts: JSONValue = ["type": "array", "items": ["type": "string"]]
      var properties: [String: JSONValue] = [
        "url": ["type": "string"],
        "secret": [
          "type": "string", "minLength": .integer(WebhookAPI.secretLengths.lowerBound),
          "maxLength": .integer(WebhookAPI.secretLengths.upperBound),
        ],
        "enabled": ["type": "boolean"], "format": try components.schema(of: WebhookFormat.self),
        "positions": ["type": ["number", "null"], "exclusiveMinimum": 0],
        "batch": [
          "type": "integer", "minimum": .integer(WebhookOptions.batches.lowerBound),
          "maximum": .integer(WebhookOptions.batches.upperBound),
        ],
      ]
      for name in listNames { properties[name] = texts }
      let schema: JSONValue = ["type": "object", "properties": .object(properties), "additionalProperties": false]
      return ["required": true, "content": ["application/json": ["schema": components.named("WebhookBody", schema)]]]
    }

    init(_ body: [UInt8]) throws(Problem) {
      guard let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] else {
        throw Problem(
          400, "Not a webhook", #"Expected a JSON object such as {"url":"https://example.org/hook"}."#, at: "byte 0")
      }
      for (name, value) in object.sorted(by: { $0.key < $1.key }) {
        func refuse(_ why: String) -> Problem { WebhookAPI.fault(name, why) }
        switch name {
        case "url":
          guard let text = value as? String else { throw refuse("expected a string.") }
          url = text
        case "secret":
          guard let text = value as? String, WebhookAPI.secretLengths.contains(text.count) else {
            let lengths = WebhookAPI.secretLengths
            throw refuse(
              "expected a string of \(lengths.lowerBound) to \(lengths.upperBound) characters; without it the server creates one."
            )
          }
          secret = text
        case "enabled":
          guard Self.isFlag(value), let flag = value as? Bool else { throw refuse("expected true or false.") }
          isEnabled = flag
        case "format":
          guard let text = value as? String, let known = WebhookFormat(rawValue: text) else {
            throw refuse("expected one of \(WebhookFormat.allCases.map(\.rawValue.jsonQuoted).joined(separator: ", ")).")
          }
          format = known
        case "positions":
          let seconds: Double? = value is NSNull ? 0 : Self.isFlag(value) ? nil : (value as? NSNumber)?.doubleValue
          guard let seconds, value is NSNull || seconds > 0 else {
            throw refuse("expected seconds between two of them, or null.")
          }
          positions = seconds
        case "batch":
          guard !Self.isFlag(value), let number = value as? NSNumber, let count = Int(exactly: number.doubleValue) else {
            throw refuse("expected a number of events, 1 to 1000.")
          }
          batch = count
        case _ where Self.listNames.contains(name):
          guard let words = value as? [String] else { throw refuse("expected an array of strings.") }
          lists[name] = words
        default:
          throw refuse(
            "unknown field; expected url, secret, enabled, format, positions, batch, \(Self.listNames.joined(separator: ", "))."
          )
        }
      }
    }

    /// Whether a value is `true` or `false`, which are numbers too.
    private static func isFlag(_ value: Any) -> Bool { (value as? NSNumber).map { String(cString: $0.objCType) } == "c" }

    func apply(to options: inout WebhookOptions) {
      if let url { options.url = url }
      if let format { options.format = format }
      if let positions { options.positions = positions == 0 ? nil : positions }
      if let batch { options.batch = batch == 1 ? nil : batch }
      if let types = lists["types"] { options.types = types }
      if let tags = lists["tags"] { options.tags = tags }
      if let regions = lists["regions"] { options.regions = regions }
      if let devices = lists["devices"] { options.devices = devices }
    }
  }
}

extension WebhookFormat: DocumentedValue {}
