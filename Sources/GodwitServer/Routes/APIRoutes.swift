internal import GodwitHTTP

/// Routes about the server itself.
enum APIRoutes {
  typealias Route = Routes.Route

  static let all: [Route] = [
    Route(methods: ["GET"], path: "/api/v1/openapi.json", access: .open, summary: "Returns this API as an OpenAPI 3.1 document") {
      _, _ in .now(HTTPResponse.json(OpenAPIDocument.bytes).with("Cache-Control", "no-cache"))
    },
    Route(methods: ["GET"], path: "/api", access: .open, summary: "Page with the API and the kinds of problems") {
      _, _ in
      .now(
        HTTPResponse(status: 200, contentType: "text/html; charset=utf-8", body: OpenAPIPage.bytes)
          .with("Cache-Control", "no-cache").with("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'"))
    },
  ]
}
