internal import Foundation
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore

extension MQTTStatus.Snapshot.State: DocumentedValue {}
extension BrokerAddress.Version: Codable {}
extension BrokerAddress.Version: DocumentedValue {}
extension MQTTTables.Source: DocumentedValue {}

extension MQTTAPI {
  // MARK: Requests

  struct UnassignedParameters: ParameterList {
    let topic: UnassignedTopicName
    static let notes: [String: JSONValue] = ["topic": "The topic whose messages are deleted."]
  }

  struct UnassignedTopicName: ParameterValue {
    let text: String
    static func read(_ name: String, from query: QueryParameters) -> Self? { query.text(name).map { Self(text: $0) } }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string", "minLength": 1] }
    static var sample: Self { Self(text: "") }
    static func missing(_ name: String) -> Problem {
      Problem(400, "Bad argument", "\(name): expected one of those that /api/v1/mqtt shows as waiting.", at: name)
    }
  }

  struct TopicParameters: ParameterList {
    let topic: String?
    static let notes: [String: JSONValue] = ["topic": "The topic that is removed; without it, all."]
  }

  struct TopicBody: BodyObject {
    let topic: TopicText
    static let kind = "topic"
  }

  struct TopicText: BodyValue {
    let text: String
    static let missing =
      "expected \"owntracks/USER/DEVICE\" or another topic of at least three parts, as the app's settings have them."

    static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
      guard let text = try body.text(name) else { return nil }
      guard MQTTTopic.isBase(text) else { throw body.fault(name, missing) }
      return Self(text: text)
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      ["type": "string", "description": "At least three parts, none of them empty.", "examples": ["owntracks/jane/phone"]]
    }
    static var sample: Self { Self(text: "") }
  }

  // MARK: Results

  struct TopicList: ResultObject {
    var topics: [TopicBinding]

    static let schemaName: String? = "Topics"

    init(of device: Device, _ db: any SQLConnection) throws {
      topics = try MQTTTables.bindings(of: device.id, db).map { TopicBinding($0) }
    }
  }

  struct TopicBinding: ResultObject {
    var topic: String
    var device: String
    var source: MQTTTables.Source
    var created: Date

    static let schemaName: String? = "TopicBinding"

    init(_ binding: MQTTTables.Binding) {
      (topic, device, created) = (binding.topic, binding.device.name, binding.created)
      source = MQTTTables.Source(rawValue: binding.source) ?? .manual
    }
  }

  /// A topic that is assigned to no device. The server stores its messages.
  struct UnassignedTopic: ResultObject {
    var topic: String
    var messages: Int
    var first: Date
    var last: Date

    static let notes: [String: JSONValue] = ["messages": ["minimum": 1]]

    init(_ topic: MQTTTables.UnassignedTopic) {
      (self.topic, messages, first, last) = (topic.topic, topic.messages, topic.first, topic.last)
    }
  }

  struct BrokerState: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case broker
      case state
      case since
      case version
      case problem
      case nextTry
      case connections
      case received
      case rejected
      case published
      case topics
      case waiting
    }

    @Nullable var broker: String?
    var state: MQTTStatus.Snapshot.State
    // This member and the following ones up to the topics are absent without a broker.
    var since: Nullable<Date>?
    var version: Nullable<BrokerAddress.Version>?
    var problem: Nullable<String>?
    var nextTry: Nullable<Date>?
    var connections: Int?
    var received: Int?
    var rejected: Int?
    var published: Int?
    var topics: [TopicBinding]
    var waiting: [UnassignedTopic]

    static let schemaName: String? = "MQTT"
    static let notes: [String: JSONValue] = [
      "broker": "Address of the broker without its password; null without --mqtt.", "connections": ["minimum": 0],
      "received": ["minimum": 0], "rejected": ["minimum": 0], "published": ["minimum": 0],
    ]

    init(
      _ client: (address: String, status: MQTTStatus.Snapshot)?, _ bindings: [MQTTTables.Binding],
      _ unassigned: [MQTTTables.UnassignedTopic]
    ) {
      (state, topics) = (.off, bindings.map { TopicBinding($0) })
      waiting = unassigned.map { UnassignedTopic($0) }
      guard let (address, status) = client else { return }
      (broker, state, since) = (address, status.state, Nullable(wrappedValue: status.since))
      (version, problem) = (Nullable(wrappedValue: status.version), Nullable(wrappedValue: status.problem))
      (nextTry, connections) = (Nullable(wrappedValue: status.nextTry), status.connections)
      (received, rejected, published) = (status.received, status.rejected, status.published)
    }
  }

  struct DeletedMessages: ResultObject {
    var forgotten: Int
    static let notes: [String: JSONValue] = ["forgotten": ["minimum": 0]]
  }
}
