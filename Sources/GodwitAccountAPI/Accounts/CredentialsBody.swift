internal import GodwitAccess
internal import GodwitHTTP

/// What a signed-in user enters once more.
struct CredentialsBody: BodyObject {
  let password: String
  let code: String?

  static let kind = "confirmation"
  static let schemaName: String? = "Credentials"
  static let notes: [String: JSONValue] = [
    "code": "A code of the authenticator app, or a recovery code; required with a second factor."
  ]

  var credentials: SignIn.Credentials { SignIn.Credentials(password: password, code: code) }
}
