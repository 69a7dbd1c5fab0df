internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitStore

/// Takes a request from its headers to its answer: admission, limits, the handler of its route, the log, and what every answer gets.
struct RequestPipeline: Sendable {
  let handlers: RouteHandlers
  let admission: Admission
  let limits: ServerLimits
  let metrics: Metrics
  /// Which programs devices send with.
  let agents: UserAgentLog
  let audit: AuditLog
  let assets: Assets
  let origins: AllowedOrigins
  let keepsToTLS: Bool

  /// What the HTTP server needs of them.
  var handler: HTTPServer.Handler {
    var router = Router(
      Routes.table.map { bound($0) },
      files: Router.Files(
        exist: { [assets] in assets.file(at: $0) != nil }, respond: { [pages = handlers.pages] in pages.file($0) }))
    router.options = { [limits, origins] request, methods throws(Problem) in
      try limits.count(request)
      return origins.preflight(for: request, methods)
    }
    router.refused = { [metrics] _, path, problem in metrics.count(route: path, status: problem.status) }
    let middleware = ResponseMiddleware(origins: origins, keepsToTLS: keepsToTLS)
    return router.handler { middleware.complete($0, for: $1) }
  }

  /// A route of this server.
  private func bound(_ route: Routes.Route) -> GodwitHTTP.Route {
    GodwitHTTP.Route(
      methods: route.methods, path: route.path, takesAnyText: route.path == Self.anyText,
      accept: { request throws(Problem) in try accept(request, for: route) },
      respond: { request in
        prepare(request, for: route)
        return try route.respond(handlers, request)
      })
  }

  /// Where the parameter may be any text: a region may be called as another address is.
  private static let anyText = "/api/v1/regions/ID"

  /// Looks at a request whose body has not been read.
  private func accept(_ request: HTTPRequest, for route: Routes.Route) throws(Problem) {
    do throws(Problem) { try admission.admit(request, to: route) } catch {
      // Failed authentication counts against the anonymous limit.
      try limits.count(request)
      throw error
    }
    try limits.count(request)
    try limits.share(request)
    try route.look?(handlers, request)
  }

  /// Has the answer of a complete request counted and, where the route is audited, logged.
  private func prepare(_ request: HTTPRequest, for route: Routes.Route) {
    let entry = route.isAudited(request) ? AuditEntry(of: request, to: route) : nil
    // The request itself calls it.
    request.onAnswer { [metrics, agents, audit, unowned request] status in
      metrics.count(route: route.path, status: status)
      if status < 400, let device = request.device {
        agents.note(device.id, request.header("User-Agent"), at: Date())
      }
      guard var entry, status < 400 else { return }
      if entry.subject.isEmpty { entry.subject = request.subject }
      audit.note(entry)
    }
  }
}
