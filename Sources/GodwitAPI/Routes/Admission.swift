internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitIntake
internal import GodwitRoutes
internal import GodwitSecrets
internal import GodwitStore

/// Authorizes a request for a route before its body arrives.
struct Admission: Sendable {
  let access: AccessControl
  let tokens: TokenCache

  func admit(_ request: HTTPRequest, to route: Routes.Route) throws(Problem) {
    switch route.access {
    case .open: break
    case .read: request.principal = try access.principal(request)
    case .account: request.principal = try access.account(request)
    case .accountChange:
      request.principal = try access.account(request)
      try access.change(request.principal, request)
    case .administrator:
      request.principal = try access.administrator(request)
      // Read-only tokens must not read users and webhook URLs.
      if Self.areOfFullTokens.contains(route.path), !request.principal.mayChange { throw AccessControl.readsOnly }
    case .administratorChange:
      request.principal = try access.administrator(request)
      try access.change(request.principal, request)
    case .device:
      guard let token = request.accessToken else {
        throw Problem(
          401, "Access token needed",
          "Send the device's token: Authorization: Bearer TOKEN, or ?token=TOKEN. `godwit device add NAME` creates one.")
      }
      guard let device = try device(of: token) else { throw Self.unknownToken }
      request.device = device
    case .app:
      // The apps send name and password only after a response with a challenge.
      guard let device = try device(ofApp: request, request.appToken) else { throw Self.tokenForApp }
      request.device = device
    case .named:
      // A token takes precedence over a name. Without a token, the name of the device identifies it; the name may be in the body.
      guard let token = request.parameter.isEmpty ? request.appToken : request.parameter else {
        if let coding = request.header("Content-Encoding"), !coding.isEmpty, coding.lowercased() != "identity" {
          throw Self.compressedWithoutToken
        }
        request.maximumBody = OsmAndReceiver.maximumUnknownBody
        break
      }
      guard let device = try device(ofApp: request, token) else { throw Self.tokenForApp }
      request.device = device
    case .logged:
      let token = PhoneTrackReceiver.Address(request.parameter)?.token
      guard let device = try device(ofApp: request, token) else { throw Self.unknownToken }
      request.device = device
    case .deviceOrAdministrator:
      if let token = request.accessToken {
        if let device = try device(of: token) {
          request.device = device
          break
        }
      }
      request.principal = try access.administrator(request)
    }
    switch route.confirmation {
    case .never: break
    case .unlessDry where request.query["dry_run"] == "true": break
    case .always, .unlessDry: try access.requireConfirmation(request.principal, request)
    }
    request.maximumBody = [request.maximumBody, route.bodyLimit].compactMap(\.self).min()
    if let maximum = route.maximumBody, let size = request.header("Content-Length").flatMap({ Int($0) }), size > maximum {
      throw Problem(
        413, "Body too large", "The body has \(size) bytes; at most \(maximum) are accepted. Send it in parts.",
        at: "byte \(maximum)")
    }
  }

  private static let compressedWithoutToken = Problem(
    415, "Compressed without a token",
    "A compressed body needs the device's token in the request: at the end of the address, as password (HTTP Basic), as Bearer, "
      + "or as ?token=TOKEN. Send the body uncompressed, or add the token.")

  /// The administrator's routes that a token with the scope `read` must not read.
  private static let areOfFullTokens: Set<String> = ["/api/v1/users", "/api/v1/webhooks", "/api/v1/webhook-deliveries"]

  private static let unknownToken = Problem(
    401, "Unknown access token",
    "No device has this token, or it was revoked. `godwit device add NAME` creates a new one.")

  private static let tokenForApp: Problem = {
    var problem = Problem(
      401, "Access token needed",
      "Send the device's token as password (HTTP Basic, any user name), as Bearer, or as ?token=TOKEN. "
        + "`godwit device add NAME` creates one.")
    problem.challenge = #"Basic realm="godwit", charset="UTF-8""#
    return problem
  }()

  private func device(ofApp request: HTTPRequest, _ token: String?) throws(Problem) -> Device? {
    guard let token else { return nil }
    request.secret = token
    return try device(of: token)
  }

  private func device(of token: String) throws(Problem) -> Device? {
    do { return try tokens.device(for: AccessToken(token)) } catch {
      throw Problem.unavailable("Store not readable", error)
    }
  }
}
