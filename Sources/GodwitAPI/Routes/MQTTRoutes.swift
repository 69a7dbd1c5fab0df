internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of the MQTT broker.
enum MQTTRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      .get, path: "/api/v1/mqtt", access: .administrator, id: "mqtt",
      summary: "Returns the state of the MQTT broker, the topics and the unassigned messages", returns: "The state."
    ) { $0.broker.show },
    Route(
      .delete, path: "/api/v1/mqtt/unassigned-topics", access: .administratorChange, id: "deleteUnassignedTopic",
      summary: "Deletes the messages of an unassigned topic", returns: "How many messages were deleted."
    ) { $0.broker.discard },
    Route(
      .get, path: "/api/v1/devices/NAME/mqtt-topics", access: .administrator, id: "deviceTopics",
      summary: "Lists the MQTT topics of a device",
      returns: "The topics."
    ) { $0.broker.topics },
    Route(
      .put, path: "/api/v1/devices/NAME/mqtt-topics", access: .administratorChange, id: "assignTopic",
      summary: "Assigns an MQTT topic to a device", returns: "The topics.", maximumBody: 4096
    ) { $0.broker.bind },
    Route(
      .delete, path: "/api/v1/devices/NAME/mqtt-topics", access: .administratorChange, id: "unassignTopics",
      summary: "Removes MQTT topics of a device", returns: "The topics."
    ) { $0.broker.unbind },
  ]
}
