internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitRoutes

extension AuditEntry {
  /// Makes the audit entry of a successful request.
  /// - Parameters:
  ///   - request: the request. Only arguments that identify an object are recorded.
  ///   - route: the route of the request.
  init(of request: HTTPRequest, to route: Routes.Route) {
    let named =
      request.parameter.isEmpty ? ["id", "name", "device", "user", "tag"].lazy.compactMap { request.query[$0] }.first : nil
    self.init(
      account: request.principal.user?.id, actor: request.principal.actor, action: "\(request.method) \(route.path)",
      subject: named ?? request.parameter, address: request.clientAddress)
  }
}

extension Routes.Route {
  /// Whether a request is written to the audit log.
  func isAudited(_ request: HTTPRequest) -> Bool {
    switch access {
    case .administratorChange, .accountChange: isAudited ?? true
    case .open, .device, .app, .named, .logged, .read, .account, .administrator, .deviceOrAdministrator: isAudited ?? false
    }
  }
}
