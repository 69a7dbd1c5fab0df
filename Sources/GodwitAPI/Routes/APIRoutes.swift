internal import GodwitHTTP
internal import GodwitRoutes

/// Routes about the server itself.
enum APIRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(
      .get, path: "/api/v1/openapi.json", access: .open, id: "openapi", summary: "Returns this API as an OpenAPI 3.1 document",
      returns: "The document.", as: Operation<NoParameters, NoBody, RawResult<JSONDocument>>.self
    ) { _, _ in .now(HTTPResponse.json(OpenAPIDocument.bytes).with("Cache-Control", "no-cache")) },
    Route(
      .get, path: "/api", access: .open, id: "apiPage", summary: "Page with the API and the kinds of problems",
      returns: "A page.",
      as: PageOperation.self
    ) { $0.pages.made(OpenAPIPage.bytes, $1) },
    Route(
      .get, path: "/api/v1/settings", access: .read, id: "pageSettings",
      summary: "Returns the version, the protocols and the map tiles of the server", returns: "The settings."
    ) { $0.server.settings },
    Route(
      .get, path: "/api/v1/network", access: .account, id: "network",
      summary: "Returns whether phones of the same network reach the server", returns: "The state."
    ) { $0.network.show },
    Route(
      .put, path: "/api/v1/network", access: .administratorChange, id: "setNetwork",
      summary: "Opens the server to the network, or closes it",
      details:
        "A server that listens on a loopback address without TLS then listens at the machine's address in its private network too. The choice holds after a restart.",
      returns: "The state.", problems: [409, 503]
    ) { $0.network.set }.confirmed(),
    Route(
      .get, path: "/healthz", access: .open, id: "health", summary: "Checks that the store can be read and written",
      returns: "The store can be read and written.", problems: [503]
    ) { $0.server.health },
    Route(
      .get, path: "/metrics", access: .administrator, id: "metrics", summary: "Returns metrics for Prometheus",
      returns: "Prometheus' text format."
    ) { $0.server.metrics },
  ]

  /// A response with any JSON object.
  enum JSONDocument: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? { ["application/json": ["schema": ["type": "object"]]] }
  }
}
