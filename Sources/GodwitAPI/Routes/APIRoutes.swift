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
    ) { _, _ in
      .now(
        HTTPResponse(status: 200, contentType: "text/html; charset=utf-8", body: OpenAPIPage.bytes)
          .with("Cache-Control", "no-cache").with("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'"))
    },
    Route(
      .get, path: "/api/v1/settings", access: .read, id: "pageSettings",
      summary: "Returns the version, the protocols and the map tiles of the server", returns: "The settings."
    ) { $0.server.settings },
    Route(
      .get, path: "/healthz", access: .open, id: "health", summary: "Checks that the store can be read and written",
      returns: "The store can be read and written.", problems: [503]
    ) { $0.server.health },
    Route(
      .get, path: "/metrics", access: .administrator, id: "metrics", summary: "Returns metrics for Prometheus",
      returns: "Prometheus' text format."
    ) { $0.server.metrics },
  ]

  /// Any JSON object.
  enum JSONDocument: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? { ["application/json": ["schema": ["type": "object"]]] }
  }
}
