package import GodwitAccess
package import GodwitHTTP

extension OperationRequest {
  /// The principal of the request, with its access rights.
  package var principal: Principal { http.principal }

  /// Sets the subject of the audit log entry, for requests without a subject in path or parameters.
  package func audit(_ subject: String) { http.subject = subject }
}
