internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of the MQTT broker.
enum MQTTRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      methods: ["GET"], path: "/api/v1/mqtt", access: .owner,
      summary: "Returns the state of the MQTT broker, the topics and the unassigned messages"
    ) {
      $0.broker.show($1)
    },
    Route(
      methods: ["DELETE"], path: "/api/v1/mqtt/unassigned-topics", access: .ownerChange,
      summary: "Deletes the messages of an unassigned topic"
    ) { try $0.broker.forget($1) },
    Route(
      methods: ["GET"], path: "/api/v1/devices/NAME/mqtt-topics", access: .owner, summary: "Lists the MQTT topics of a device"
    ) {
      $0.broker.topics($1)
    },
    Route(
      methods: ["PUT"], path: "/api/v1/devices/NAME/mqtt-topics", access: .ownerChange, maximumBody: 4096,
      summary: "Assigns an MQTT topic to a device"
    ) { try $0.broker.bind($1) },
    Route(
      methods: ["DELETE"], path: "/api/v1/devices/NAME/mqtt-topics", access: .ownerChange,
      summary: "Removes MQTT topics of a device"
    ) { $0.broker.unbind($1) },
  ]
}
