@testable import GodwitDeletion

extension DeletionRequest {
  /// A request of a test, with any author and subject for the audit log.
  static func test(_ target: Target) -> DeletionRequest {
    DeletionRequest(
      target: target, audit: Audit(account: nil, actor: "a test", action: "delete", subject: "walker", address: "local"))
  }
}
