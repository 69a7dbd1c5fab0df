internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

/// `/api/v1/mqtt` and `/api/v1/devices/NAME/mqtt-topics`.
struct MQTTAPI {
  let work: RequestWork
  let mqtt: MQTTClient?
  let deviceWork: DeviceWork

  /// `GET /api/v1/mqtt`
  func show(_ request: HTTPRequest) -> HTTPReply {
    work.later(request) {
      let (bindings, unassignedTopics) = try work.store.read {
        (try MQTTTables.bindings($0), try MQTTTables.unassignedTopics($0))
      }
      let state =
        mqtt.map { #""broker":\#($0.configuration.broker.description.jsonQuoted),\#($0.status.json)"# }
        ?? #""broker":null,"state":"off""#
      let waiting = unassignedTopics.map {
        #"{"topic":\#($0.topic.jsonQuoted),"messages":\#($0.messages),"first":"\#(RFC3339.string($0.first))","last":"\#(RFC3339.string($0.last))"}"#
      }
      return .json(
        Array(
          #"{\#(state),"topics":\#(Self.json(bindings)),"waiting":[\#(waiting.joined(separator: ","))]}"#.utf8) + [0x0A])
    }
  }

  /// `DELETE /api/v1/mqtt/unassigned-topics?topic=…`
  func forget(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    guard let topic = request.query.text("topic") else {
      throw Problem(400, "Bad argument", "topic: expected one of those that /api/v1/mqtt shows as waiting.", at: "topic")
    }
    if let refusal = request.suspend() { return .now(refusal) }
    let change: @Sendable (any SQLConnection) throws -> Int = { try MQTTTables.remove(topic, $0) }
    work.store.write(change) { result in
      switch result {
      case .success(let count): request.finish(.json(Array(#"{"forgotten":\#(count)}"#.utf8) + [0x0A]))
      case .failure(let error): request.finish(Intake.unavailable(error).response)
      }
    }
    return .later
  }

  /// `GET /api/v1/devices/NAME/mqtt-topics`
  func topics(_ request: HTTPRequest) -> HTTPReply {
    let name = request.parameter
    return work.later(request) {
      let device = try Device.named(name, in: work.store)
      return try work.store.read { try Self.topics(of: device, $0) }
    }
  }

  /// `PUT /api/v1/devices/NAME/mqtt-topics`
  func bind(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let name = request.parameter
    let object = (try? JSONSerialization.jsonObject(with: Data(request.takeBody()))) as? [String: Any]
    guard let topic = object?["topic"] as? String, object?.count == 1, MQTTTopic.isBase(topic) else {
      throw Problem(
        422, "Not a topic",
        #"Expected {"topic":"owntracks/USER/DEVICE"}: three parts at least, as the app's settings have them."#,
        at: "topic"
      )
    }
    return deviceWork.change(request, name) { device, connection in
      try MQTTTables.bind(topic, to: device.id, .manual, at: Date(), connection)
      return try Self.topics(of: device, connection)
    }
  }

  /// `DELETE /api/v1/devices/NAME/mqtt-topics[?topic=…]`
  func unbind(_ request: HTTPRequest) -> HTTPReply {
    let topic = request.query["topic"]
    return deviceWork.change(request, request.parameter) { device, connection in
      let count = try MQTTTables.unbind(device.id, topic: topic, connection)
      if count == 0, let topic {
        throw Problem(
          404, "Not its topic", "\(topic.debugDescription) is not a topic of \(device.name). /api/v1/mqtt lists them.")
      }
      return try Self.topics(of: device, connection)
    }
  }

  private static func topics(of device: Device, _ connection: any SQLConnection) throws -> HTTPResponse {
    .json(Array(#"{"topics":\#(json(try MQTTTables.bindings(of: device.id, connection)))}"#.utf8) + [0x0A])
  }

  private static func json(_ bindings: [MQTTTables.Binding]) -> String {
    let list = bindings.map {
      #"{"topic":\#($0.topic.jsonQuoted),"device":\#($0.device.name.jsonQuoted),"source":"\#($0.source)","created":"\#(RFC3339.string($0.created))"}"#
    }
    return "[\(list.joined(separator: ","))]"
  }
}
