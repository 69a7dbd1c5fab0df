internal import Foundation
public import GodwitFormats
public import GodwitModel

/// The language of an endpoint: how a batch is written and how its answer is understood. A new one is a file.
public protocol EndpointFormat: Sendable {
  var contentType: String { get }
  /// Writes a batch. - Parameter current: the newest record, when more waits than is sent.
  func body(_ batch: [Record], current: Record?) -> [UInt8]
  /// Understands an answer.
  func verdict(status: Int, body: [UInt8]) -> Verdict
}

/// What an answer means for a batch.
public enum Verdict: Sendable, Hashable {
  /// The server has it, but for these positions, which it will never take.
  case accepted(rejected: [Overland.Rejection])
  /// The server will never take this batch as it is.
  case refused(reason: String)
  /// The server does not know who is sending.
  case unauthorized(reason: String)
  /// Not this time.
  case failed(reason: String)
}

extension Overland {
  public typealias Rejection = Overland.Answer.Rejection
}

/// Overland's batches.
public struct OverlandFormat: EndpointFormat {
  public var profile: Overland.Profile
  public var acceptsAny2xx: Bool

  public init(profile: Overland.Profile = .precise, acceptsAny2xx: Bool = false) {
    self.profile = profile
    self.acceptsAny2xx = acceptsAny2xx
  }

  public var contentType: String { "application/json" }

  public func body(_ batch: [Record], current: Record?) -> [UInt8] {
    var bytes: [UInt8] = []
    Overland.write(batch, current: current, profile: profile, into: &bytes)
    return bytes
  }

  public func verdict(status: Int, body: [UInt8]) -> Verdict {
    switch Overland.Answer.read(status: status, body: body, acceptsAny2xx: acceptsAny2xx) {
    case .accepted(let acceptance): return .accepted(rejected: acceptance.rejected)
    case .refused(let reason):
      switch status {
      case 401, 403: return .unauthorized(reason: reason)
      // The request itself is at fault: sending the same again would give the same answer.
      case 400, 413, 422: return .refused(reason: reason)
      default: return .failed(reason: reason)
      }
    }
  }
}
