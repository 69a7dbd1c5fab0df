internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
package import GodwitHTTP
internal import GodwitIntake
internal import GodwitRoutes
internal import GodwitStore

/// Handles a request from its headers to its answer: admission, limits, the route's handler, the log, and headers of every answer.
package struct RequestPipeline: Sendable {
  let handlers: RouteHandlers
  let admission: Admission
  let services: RequestServices
  /// The programs that devices use for uploads.
  private let agents: UserAgentLog
  private let origins: AllowedOrigins
  private let keepsToTLS: Bool

  package init(services: RequestServices, origins: AllowedOrigins, keepsToTLS: Bool) {
    self.services = services
    handlers = RouteHandlers(services)
    admission = Admission(access: services.access, tokens: services.tokens)
    agents = UserAgentLog(store: services.work.store)
    self.origins = origins
    self.keepsToTLS = keepsToTLS
  }

  /// The handler that the HTTP server calls.
  package var handler: HTTPServer.Handler {
    let (files, limits, metrics) = (services.files, services.limits, services.metrics)
    var router = Router(
      Routes.table.map { bound($0) },
      files: Router.Files(
        exist: { files.file($0) != nil }, respond: { [pages = handlers.pages] in pages.file($0) }))
    router.options = { [origins] request, methods throws(Problem) in
      try limits.count(request)
      return origins.preflight(for: request, methods)
    }
    router.rejected = { _, path, problem in metrics.count(route: path, status: problem.status) }
    let middleware = ResponseMiddlewareChain.standard(origins: origins, requiresTLS: keepsToTLS)
    return router.handler { [pages = handlers.pages] response, request in
      let isNothing = response.problem?.status == 404 && request.route == nil
      return middleware.complete(isNothing ? pages.notFound(request) ?? response : response, for: request)
    }
  }

  /// Makes a route of the HTTP server from a route of the table.
  private func bound(_ route: Routes.Route) -> GodwitHTTP.Route {
    GodwitHTTP.Route(
      methods: route.methods, path: route.path, takesAnyText: route.path == Self.anyText,
      accept: { request throws(Problem) in try accept(request, for: route) },
      respond: { request in
        prepare(request, for: route)
        return try route.respond(handlers, request)
      })
  }

  /// The route whose parameter may be any text, because the identifier of a region may equal the last part of another path.
  private static let anyText = "/api/v1/regions/ID"

  /// Authorizes and counts a request before its body is read.
  private func accept(_ request: HTTPRequest, for route: Routes.Route) throws(Problem) {
    do throws(Problem) { try admission.admit(request, to: route) } catch {
      // Failed authentication counts against the anonymous limit.
      try services.limits.count(request)
      throw error
    }
    if route.isLimited {
      try services.limits.count(request)
      try services.limits.share(request)
    }
    try route.look?(handlers, request)
  }

  /// Registers metrics and, for audited routes, the audit entry of the answer.
  private func prepare(_ request: HTTPRequest, for route: Routes.Route) {
    let entry = route.isAudited(request) ? AuditEntry(of: request, to: route) : nil
    let (metrics, audit, work) = (services.metrics, services.audit, services.work)
    // `unowned` is safe, because the request owns and calls this closure.
    request.onResponse { [agents, unowned request] status in
      metrics.count(route: route.path, status: status)
      if status < 400, let device = request.device {
        agents.record(device.id, request.header("User-Agent"), at: work.now)
      }
      guard var entry, status < 400 else { return }
      if entry.subject.isEmpty { entry.subject = request.subject }
      audit.record(entry)
    }
  }
}
