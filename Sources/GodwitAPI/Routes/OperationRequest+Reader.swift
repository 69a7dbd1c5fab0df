internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP

extension OperationRequest {
  /// The requester, and what it may see.
  var reader: Reader { http.reader }

  /// Names the subject in the audit log, where neither path nor parameters do.
  func audit(_ subject: String) { http.subject = subject }
}
