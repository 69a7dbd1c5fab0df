public import Foundation
internal import GodwitHTTPClient

/// Data that is copied from a server: regions, or an app's own data.
///
/// A sync requests the first page with ``initialRequest()``, passes each response to ``saveResponse(_:)``, and
/// continues as long as that returns another request. The participant stores the data together with the cursor, so that
/// the next sync continues there, also after an interrupted sync.
public protocol SyncParticipant: Sendable {
  /// The unique name among the participants of a coordinator.
  var name: String { get }
  /// Returns the first request; `nil`: none, this time.
  func initialRequest() async throws -> SyncCoordinator.Request?
  /// Stores a response of status 2xx or 304.
  /// - Returns: whether the data is new, and the next request.
  func saveResponse(_ response: SyncCoordinator.Response) async throws -> SyncCoordinator.Step
  /// Called when a sync has ended, with any result.
  /// - Parameter result: the result of this participant.
  func syncEnded(_ result: SyncCoordinator.Result) async
}

extension SyncParticipant {
  public func syncEnded(_ result: SyncCoordinator.Result) async {}
}

extension SyncCoordinator {
  /// A request of a participant: a GET at the coordinator's server, which adds the token.
  public struct Request: Sendable, Hashable {
    /// The path below the server's address: `/api/regions`.
    public var path: String
    public var query: [URLQueryItem]
    public var headers: [String: String]

    public init(path: String, query: [URLQueryItem] = [], headers: [String: String] = [:]) {
      self.path = path
      self.query = query
      self.headers = headers
    }
  }
}

extension SyncCoordinator {
  /// A response of the server.
  public struct Response: Sendable {
    /// 2xx or 304.
    public var status: Int
    /// Names in lowercase.
    public var headers: [String: String]
    public var body: [UInt8]

    /// - Parameters:
    ///   - status: 2xx or 304.
    ///   - headers: with names in lowercase.
    ///   - body: the content of the response.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
      self.status = status
      self.headers = headers
      self.body = body
    }

    /// The response was longer than `HTTPClient.maximumResponseSize` and is truncated. Request smaller pages.
    public var isCut: Bool { body.count >= HTTPClient.maximumResponseSize }
  }
}

extension SyncCoordinator {
  /// The result of a response.
  public enum Step: Sendable, Hashable {
    /// The data changed, and there may be more.
    case newData(next: SyncCoordinator.Request?)
    /// No change yet, but another request is needed.
    case more(SyncCoordinator.Request)
    /// Nothing changed.
    case noData
    /// The response is unusable; a sentence gives the reason.
    case failed(String)
  }
}

extension SyncCoordinator {
  /// The result of a sync.
  public enum Result: Sendable, Hashable {
    case newData, noData
    /// A sentence gives the reason; the earlier data is unchanged.
    case failed(String)
  }
}

extension SyncCoordinator {
  /// The results of a sync by participant.
  public struct Outcome: Sendable, Hashable {
    /// By the names of participants.
    public var results: [String: SyncCoordinator.Result]
    /// Seconds that the server wants the client to wait.
    public var retryAfter: Double?

    /// - Parameters:
    ///   - results: by the names of participants.
    ///   - retryAfter: seconds that the server wants the client to wait; `nil`: none.
    public init(results: [String: SyncCoordinator.Result], retryAfter: Double? = nil) {
      self.results = results
      self.retryAfter = retryAfter
    }

    /// The combined result: new data if a participant has some, otherwise the first failure by name.
    public var result: SyncCoordinator.Result {
      if results.values.contains(.newData) { return .newData }
      let failures = results.sorted { $0.key < $1.key }.filter { $0.value != .noData }
      return failures.first?.value ?? .noData
    }

    /// Whether a participant failed.
    public var hasFailures: Bool { results.values.contains { if case .failed = $0 { true } else { false } } }
  }
}
