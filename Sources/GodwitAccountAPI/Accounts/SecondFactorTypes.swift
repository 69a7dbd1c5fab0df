internal import Foundation
internal import GodwitHTTP

extension SecondFactorAPI {
  struct State: ResultObject {
    var enrolled: Bool
    @Nullable var since: Date?
    var recoveryCodes: Int

    static let notes: [String: JSONValue] = ["recovery_codes": ["minimum": 0, "description": "Number of unused recovery codes."]]
  }

  struct Enrolment: ResultObject {
    var secret: String
    var uri: String

    static let notes: [String: JSONValue] = ["secret": "Base32.", "uri": "`otpauth://…`, for a QR code."]
  }

  struct CodeBody: BodyObject {
    let code: String

    static let kind = "code"
    static let schemaName: String? = "Code"
    static let notes: [String: JSONValue] = ["code": "Six digits of the authenticator app."]
  }

  struct RecoveryCodeList: ResultObject {
    var recoveryCodes: [String]

    static let schemaName: String? = "RecoveryCodes"
    static let notes: [String: JSONValue] = ["recovery_codes": "Each replaces one code, once. Only this response contains them."]
  }

  struct Removed: ResultObject {
    var removed = true
  }
}
