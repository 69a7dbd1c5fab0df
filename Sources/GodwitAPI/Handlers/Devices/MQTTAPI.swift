internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore

/// `/api/v1/mqtt` and `/api/v1/devices/NAME/mqtt-topics`.
struct MQTTAPI {
  let work: RequestWork
  let mqtt: MQTTClient?
  let deviceWork: DeviceWork

  /// `GET /api/v1/mqtt`
  func show(_ request: PlainRequest) async throws -> BrokerState {
    try await work.read { db in
      BrokerState(
        mqtt.map { ($0.configuration.broker.description, $0.status.snapshot) }, try MQTTTables.bindings(db),
        try MQTTTables.unassignedTopics(db))
    }
  }

  /// `DELETE /api/v1/mqtt/unassigned-topics?topic=…`
  func discard(_ request: ParameterRequest<UnassignedParameters>) async throws -> DeletedMessages {
    let topic = request.parameters.topic.text
    return try await work.write { DeletedMessages(forgotten: try MQTTTables.remove(topic, $0)) }
  }

  /// `GET /api/v1/devices/NAME/mqtt-topics`
  func topics(_ request: PlainRequest) async throws -> TopicList {
    let name = request.parameter
    return try await work.run {
      let device = try Device.named(name, in: work.store)
      return try work.store.read { try TopicList(of: device, $0) }
    }
  }

  /// `PUT /api/v1/devices/NAME/mqtt-topics`
  func bind(_ request: BodyRequest<TopicBody>) async throws -> TopicList {
    let (topic, now) = (request.body.topic.text, work.now)
    return try await deviceWork.change(request.principal, request.parameter) { device, connection in
      try MQTTTables.bind(topic, to: device.id, .manual, at: now, connection)
      return try TopicList(of: device, connection)
    }
  }

  /// `DELETE /api/v1/devices/NAME/mqtt-topics[?topic=…]`
  func unbind(_ request: ParameterRequest<TopicParameters>) async throws -> TopicList {
    let topic = request.parameters.topic
    return try await deviceWork.change(request.principal, request.parameter) { device, connection in
      let count = try MQTTTables.unbind(device.id, topic: topic, connection)
      if count == 0, let topic {
        throw Problem(
          404, "Not its topic", "\(topic.debugDescription) is not a topic of \(device.name). /api/v1/mqtt lists them.")
      }
      return try TopicList(of: device, connection)
    }
  }
}
