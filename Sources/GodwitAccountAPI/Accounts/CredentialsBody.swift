internal import GodwitAccess
internal import GodwitHTTP

/// A body with the password and the code with which a signed-in user confirms a change.
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
