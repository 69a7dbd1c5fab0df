public import Foundation
internal import GodwitHTTPClient

/// A kind of data that is copied from a server: regions, or an app's own data.
///
/// A sync requests the first page with ``initialRequest()``, passes each response to ``saveResponse(_:)``, and
/// continues as long as that method returns another request. The participant stores the data together with the cursor, so
/// that the next sync continues at the cursor, also after an interrupted sync.
public protocol SyncParticipant: Sendable {
  /// The unique name among the participants of a coordinator.
  var name: String { get }
  /// Returns the first request; `nil`: the participant skips this sync.
  func initialRequest() async throws -> SyncCoordinator.Request?
  /// Stores a response of status 2xx or 304.
  /// - Returns: whether the data changed, and the next request.
  func saveResponse(_ response: SyncCoordinator.Response) async throws -> SyncCoordinator.Step
  /// Called when a sync has ended, whether or not it succeeded.
  /// - Parameter result: the result of this participant.
  func syncEnded(_ result: SyncCoordinator.Result) async
}

extension SyncParticipant {
  public func syncEnded(_ result: SyncCoordinator.Result) async {}
}

extension SyncCoordinator {
  /// A GET request of a participant to the coordinator's server. The coordinator adds the token.
  public struct Request: Sendable, Hashable {
    /// The path below the server's address, for example `/api/regions`.
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

    /// Whether the response was truncated because it was longer than `HTTPClient.maximumResponseSize`. Request smaller pages then.
    public var isCut: Bool { body.count >= HTTPClient.maximumResponseSize }
  }
}

extension SyncCoordinator {
  /// What a participant did with a response, and the next request.
  public enum Step: Sendable, Hashable {
    /// The data changed. Without a next request this was the last page.
    case newData(next: SyncCoordinator.Request?)
    /// The data has not changed yet, but another request is needed.
    case more(SyncCoordinator.Request)
    /// Nothing changed.
    case noData
    /// The response is unusable; the text is a sentence with the reason.
    case failed(String)
  }
}

extension SyncCoordinator {
  /// The result of a sync.
  public enum Result: Sendable, Hashable {
    case newData, noData
    /// The sync failed; the text is a sentence with the reason. The earlier data is unchanged.
    case failed(String)
  }
}

extension SyncCoordinator {
  /// The results of a sync by participant.
  public struct Outcome: Sendable, Hashable {
    /// The results by the names of the participants.
    public var results: [String: SyncCoordinator.Result]
    /// The longest `Retry-After` of the server in seconds; `nil`: none.
    public var retryAfter: Double?

    /// - Parameters:
    ///   - results: the results by the names of the participants.
    ///   - retryAfter: the longest `Retry-After` of the server in seconds; `nil`: none.
    public init(results: [String: SyncCoordinator.Result], retryAfter: Double? = nil) {
      self.results = results
      self.retryAfter = retryAfter
    }

    /// The combined result: new data if a participant has new data, otherwise the first failure by name.
    public var result: SyncCoordinator.Result {
      if results.values.contains(.newData) { return .newData }
      let failures = results.sorted { $0.key < $1.key }.filter { $0.value != .noData }
      return failures.first?.value ?? .noData
    }

    /// Whether a participant failed.
    public var hasFailures: Bool { results.values.contains { if case .failed = $0 { true } else { false } } }
  }
}
