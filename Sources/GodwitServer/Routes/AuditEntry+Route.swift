internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP

extension AuditEntry {
  /// What a request did that came to something.
  /// - Parameters:
  ///   - request: the request. Of its arguments only those that name a thing are taken.
  ///   - route: where it went.
  init(of request: HTTPRequest, to route: Routes.Route) {
    let named =
      request.parameter.isEmpty ? ["id", "name", "device", "user", "tag"].lazy.compactMap { request.query[$0] }.first : nil
    self.init(
      account: request.reader.user?.id, actor: request.reader.actor, action: "\(request.method) \(route.path)",
      subject: named ?? request.parameter, address: request.clientAddress)
  }
}

extension Routes.Route {
  /// Whether the log tells of a request.
  func isAudited(_ request: HTTPRequest) -> Bool {
    switch access {
    case .ownerChange, .accountChange: isAudited ?? true
    case .open, .device, .app, .named, .logged, .reader, .account, .owner, .deviceOrOwner: isAudited ?? false
    }
  }
}
