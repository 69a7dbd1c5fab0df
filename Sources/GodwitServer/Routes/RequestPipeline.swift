internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitStore

/// Handles a request from its headers to its answer: admission, limits, the route's handler, the log, and headers of
/// every answer.
struct RequestPipeline: Sendable {
  let handlers: RouteHandlers
  let admission: Admission
  let limits: ServerLimits
  let metrics: Metrics
  /// The programs that devices send with.
  let agents: UserAgentLog
  let audit: AuditLog
  let assets: Assets
  let origins: AllowedOrigins
  let keepsToTLS: Bool

  /// The handler that the HTTP server calls.
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

  /// The parameter may be any text, because the identifier of a region may equal another path.
  private static let anyText = "/api/v1/regions/ID"

  /// Authorizes and counts a request before its body is read.
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

  /// Registers metrics and, for audited routes, the audit entry of the answer.
  private func prepare(_ request: HTTPRequest, for route: Routes.Route) {
    let entry = route.isAudited(request) ? AuditEntry(of: request, to: route) : nil
    // `unowned`: the request owns and calls this closure.
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
