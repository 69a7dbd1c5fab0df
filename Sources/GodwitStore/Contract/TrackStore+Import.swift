public import Foundation
public import GodwitModel
internal import GodwitSecrets

extension TrackStore {
  /// Creates a device without a token, for imported tracks only.
  public func makeDevice(named name: String, at now: Date) throws -> Device {
    let token = AccessToken()
    let device = try addDevice(named: name, tokenHash: token.hash, at: now)
    // The token is revoked before its text is used.
    _ = try revokeTokens(ofDeviceNamed: name, at: now)
    return device
  }

  /// Stores records and returns when they are durable.
  public func store(
    _ records: [Record], of device: Device, refusing rejected: [RejectedRecord] = [], at now: Date
  ) async throws -> SubmissionResult {
    try await withCheckedThrowingContinuation { continuation in
      submit(
        Submission(device: device, records: records, rejections: rejected, received: now) {
          continuation.resume(with: $0)
        })
    }
  }
}
