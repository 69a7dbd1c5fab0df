package import GodwitAccess
package import GodwitHTTP

extension OperationRequest {
  /// The requester, and what it may see.
  package var principal: Principal { http.principal }

  /// Names the subject in the audit log, where neither path nor parameters do.
  package func audit(_ subject: String) { http.subject = subject }
}
