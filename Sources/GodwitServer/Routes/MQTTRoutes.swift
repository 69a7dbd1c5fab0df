internal import GodwitHTTP

/// What the owner says and sees of the broker.
enum MQTTRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["GET"], path: "/api/v1/mqtt", access: .owner, summary: "The broker, whose topics are, and what waits") {
      $0.broker.show($1)
    },
    Route(
      methods: ["DELETE"], path: "/api/v1/mqtt/unassigned-topics", access: .ownerChange,
      summary: "Gives up what waits for a topic's device"
    ) { try $0.broker.forget($1) },
    Route(methods: ["GET"], path: "/api/v1/devices/NAME/mqtt-topics", access: .owner, summary: "Topics of a device at the broker")
    {
      $0.broker.topics($1)
    },
    Route(
      methods: ["PUT"], path: "/api/v1/devices/NAME/mqtt-topics", access: .ownerChange, maximumBody: 4096,
      summary: "Says that a topic is a device's"
    ) { try $0.broker.bind($1) },
    Route(
      methods: ["DELETE"], path: "/api/v1/devices/NAME/mqtt-topics", access: .ownerChange,
      summary: "Says that a topic, or all, are the device's no longer"
    ) { $0.broker.unbind($1) },
  ]
}
